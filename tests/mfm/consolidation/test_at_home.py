"""Places and hazards are told of the world the life lives in, and of stations that are still there."""

from dataclasses import replace

from csd.episode import Collect, Outcome, Step
from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.consolidation.evidence import read_evidence
from echo.mfm.episodic.recorder import Recorder
from tests.mfm.consolidation.small_lives import TABLE, Life, lines_of, mine_texts


def test_places_and_hazards_leave_out_what_was_shown_in_another_world(tmp_path):
    here = Life(tmp_path).seen()
    shown = replace(here, stations=(TABLE,))
    hurt = Outcome(code="ok", message="", inventory_delta={"coal": 1}, block="coal_ore", cell=(3, 64, 3))
    dug = Step(before=shown, action=Collect(block="coal_ore"), outcome=replace(hurt, events=("damage:2",)))
    with Recorder.open(tmp_path, source="test") as recorder:
        recorder.initial(here)
        for _ in range(2):
            recorder.write(goal="shown", steps=(dug,), after=shown, source="demonstration")
        recorder.write(goal="lived", steps=(replace(dug, before=here, outcome=hurt),), after=here)
    done = consolidate(tmp_path)
    assert done.elsewhere == {"demonstration": 2}
    assert lines_of(tmp_path, "places.md") == ["- coal found: 1 around (3, 64, 3) [ep_000003]"]
    assert "hazards.md" not in mine_texts(tmp_path)
    # What was learned there holds here too.
    assert b"ep_000001" in mine_texts(tmp_path)["notes.md"]
    evidence = read_evidence(tmp_path)
    assert evidence.elsewhere == {"ep_000001": "demonstration", "ep_000002": "demonstration"}
    assert [each.episode for each in evidence.at_home] == ["ep_000003"]


def test_a_station_that_is_not_in_reach_from_close_by_is_not_told(tmp_path):
    life = Life(tmp_path)
    life.stations = (TABLE,)
    life.position = (3.5, 64.0, 5.5)
    life.dig("dirt", dirt=1).end()
    consolidate(tmp_path)
    assert any("crafting_table at (5, 64, 5)" in line for line in lines_of(tmp_path, "places.md"))
    life.stations = ()
    life.position = (2.5, 64.0, 5.5)
    life.dig("dirt", dirt=1).end()
    consolidate(tmp_path)
    assert any("crafting_table at (5, 64, 5)" in line for line in lines_of(tmp_path, "places.md"))
    life.position = (3.5, 64.0, 5.5)
    life.dig("dirt", dirt=1).end()
    consolidate(tmp_path)
    assert not any("crafting_table" in line for line in lines_of(tmp_path, "places.md"))
