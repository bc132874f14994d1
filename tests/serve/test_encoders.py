from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from csd.encode import EncodeError
from echo.serve.banks import Banks
from echo.serve.encoders import Encoders
from echo.serve.reply import Refused
from tests.serve.memory_samples import make_bank


def test_threads_that_ask_at_once_share_one_encoder():
    encoders = Encoders()
    with ThreadPoolExecutor(8) as pool:
        loaded = list(pool.map(encoders.named, ["hashing-256"] * 32))
        vectors = list(pool.map(lambda one: one.encode(["a stick"])[0], loaded))
    assert len({id(one) for one in loaded}) == 1
    assert all(np.array_equal(vector, vectors[0]) for vector in vectors)


def test_a_bank_is_opened_by_its_own_encoder_or_by_none(tmp_path):
    make_bank(tmp_path / "bank.sqlite")
    banks = Banks(tmp_path, Encoders())
    with banks.open(embeds=True) as bank:
        assert bank.encoder.name == "hashing-256"
    with (
        banks.open(embeds=False) as bank,
        pytest.raises(EncodeError, match="expected no text to embed here; got 1"),
    ):
        bank.encoder.encode(["a stick"])


def test_a_missing_bank_is_not_made(tmp_path):
    with pytest.raises(Refused, match="expected a bank of described experience"):
        Banks(tmp_path, Encoders()).open(embeds=True)
    assert list(tmp_path.iterdir()) == []
