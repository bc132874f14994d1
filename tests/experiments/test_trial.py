from __future__ import annotations

import pytest
from pydantic import ValidationError

from echo.baselines.policies import RECALLING
from echo.experiments.results import Timing, memory_folder, read_result, run_file
from echo.experiments.spec import UnlockSpec
from echo.experiments.trial import make_result, play_minecraft, run_trial
from tests.experiments.fakes import FakeReport, FakeUnlock, play_fake

TIMING = Timing(wall_seconds=1, decision_ms=(1, 1), started="")


def test_items_are_kept_under_their_real_names_beside_the_shown_ones():
    report = FakeReport(unlocks=(FakeUnlock(item="zorblat", action=5),), actions=9)
    run = make_result(UnlockSpec(agent="echo"), report, {"zorblat": "furnace"}, "", TIMING)
    assert (run.unlocks[0].item, run.unlocks[0].shown) == ("furnace", "zorblat")
    assert run.milestones["furnace"] == 5


def test_an_unlock_with_a_source_that_no_table_knows_is_refused():
    report = FakeReport(unlocks=(FakeUnlock(item="stick", action=5, source="luck"),), actions=9)
    with pytest.raises(ValidationError, match="source"):
        make_result(UnlockSpec(agent="echo"), report, {}, "", TIMING)


def test_a_run_writes_its_result_with_where_it_came_from(tmp_path):
    spec = UnlockSpec(agent="echo", steps=60, encoder="hashing")
    told: list[tuple[int, int]] = []
    run = run_trial(spec, tmp_path, play_fake, "the command", lambda *step: told.append(step))
    assert read_result(run_file(tmp_path, "echo-s00")) == run
    assert run.command == "the command"
    assert run.versions["python"].startswith("3.")
    assert told[-1] == (run.unlocks[-1].action, len(run.unlocks))


def test_a_half_made_memory_is_thrown_away_before_the_run_is_played_again(tmp_path):
    spec = UnlockSpec(agent="echo", steps=60, encoder="hashing")
    memory = memory_folder(tmp_path, spec.name)
    memory.mkdir(parents=True)
    (memory / "index.jsonl").write_text("half a li")
    run_trial(spec, tmp_path, play_fake, "", lambda *_: None)
    assert (memory / "index.jsonl").read_text().startswith('{"action_kind"')


def test_nothing_is_recorded_when_nothing_should_be(tmp_path):
    spec = UnlockSpec(agent="echo", steps=60, record="none")
    run_trial(spec, tmp_path, play_fake, "", lambda *_: None)
    assert not (tmp_path / "memories").exists()


@pytest.mark.parametrize("agent", RECALLING)
def test_memories_of_tasks_lead_a_life_that_does_not_hang_on_what_is_recorded(agent, tmp_path):
    spec = UnlockSpec(agent=agent, steps=150, encoder="hashing", seed=3)
    recorded, _ = play_minecraft(spec, tmp_path / "memory", lambda *_: None)
    alone, _ = play_minecraft(spec.model_copy(update={"record": "none"}), None, lambda *_: None)
    assert recorded.actions == alone.actions == 150
    assert [(one.item, one.action, one.source) for one in recorded.unlocks] == [
        (one.item, one.action, one.source) for one in alone.unlocks
    ]
    assert recorded.attempts == alone.attempts
    for one in recorded.unlocks:
        assert one.axes == ({"recall": 1.0} if one.source == "transfer" else {})
