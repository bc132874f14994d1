from __future__ import annotations

import pytest

from csd.encode import EncodeError
from echo.agent.transfer import TransferPolicy
from echo.baselines.memories import MEMORIES
from echo.baselines.policies import RECALLING, baseline_policy, remembering
from echo.baselines.recalling import RecallingPolicy
from echo.baselines.watched import Watched
from echo.experiments.spec import AGENTS
from tests.agent.toy_world import ToyWorld
from tests.baselines.hand_made import Trace, asked, have


def test_baselines_with_a_memory_run_in_the_same_machinery_as_echo():
    kinds = {agent: type(baseline_policy(agent, "hashing-256")) for agent in AGENTS if agent not in RECALLING}
    assert kinds == {
        "none": type(None),
        "edits": type(None),
        "name-similarity": TransferPolicy,
        "bow": TransferPolicy,
        "echo": type(None),
    }


def test_memories_of_tasks_play_in_unlocking_under_their_own_names():
    assert [agent for agent in AGENTS if agent in RECALLING] == list(RECALLING)
    assert set(RECALLING) | {"direct", "deps", "mfm", "echo"} == set(MEMORIES)


def test_a_memory_of_tasks_is_shown_the_demonstrations_before_the_start():
    shown = Trace(log=1).craft("log", plank=4).shown("make planks")
    world, policy = remembering("pro-long", ToyWorld(), [shown], "hashing-256")
    assert isinstance(world, Watched)
    assert isinstance(policy, RecallingPolicy)
    assert world.memory.recall(asked(have("carry a plank", plank=4))).exemplars == tuple(shown.steps)


def test_names_need_an_encoder_that_exists():
    with pytest.raises(EncodeError, match="expected an encoder out of"):
        baseline_policy("name-similarity", "word2vec")
