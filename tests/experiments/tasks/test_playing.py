from __future__ import annotations

import pytest

from echo.experiments.spec import UsageError
from echo.experiments.tasks.loading import tasks_digest
from echo.experiments.tasks.playing import play_spec
from tests.experiments.tasks.fake_runs import make_spec


def spec(agent, **changes):
    return make_spec(agent, "craft-grid", episodes=2, task_digest=tasks_digest(["craft-grid"]), **changes)


def test_a_run_is_played_and_told():
    told = []
    run = play_spec(spec("direct"), "typed", lambda done, of: told.append((done, of)))
    assert (run.spec, run.command, len(run.episodes)) == (spec("direct"), "typed", 2)
    assert told == [(1, 2), (2, 2)]


def test_skills_are_learned_in_a_run_that_counts_as_no_episode():
    told = []
    with_skills = spec("mfm", kind="mfm", installed="craft-table")
    run = play_spec(with_skills, "", lambda done, of: told.append((done, of)))
    assert (run.spec, told) == (with_skills, [(1, 2), (2, 2)])


def test_a_memory_without_procedures_takes_no_skills():
    with pytest.raises(UsageError, match="expected skills to be installed for mfm"):
        play_spec(spec("echo", kind="mfm", installed="craft-table"), "", lambda done, of: None)
