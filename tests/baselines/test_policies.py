from __future__ import annotations

import pytest

from csd.encode import EncodeError
from echo.agent.transfer import TransferPolicy
from echo.baselines.policies import baseline_policy
from echo.experiments.spec import AGENTS


def test_baselines_with_a_memory_run_in_the_same_machinery_as_echo():
    kinds = {agent: type(baseline_policy(agent, "hashing-256")) for agent in AGENTS}
    assert kinds == {
        "none": type(None),
        "edits": type(None),
        "name-similarity": TransferPolicy,
        "bow": TransferPolicy,
        "echo": type(None),
    }


def test_names_need_an_encoder_that_exists():
    with pytest.raises(EncodeError, match="expected an encoder out of"):
        baseline_policy("name-similarity", "word2vec")
