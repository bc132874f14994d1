"""Interaction statements: what was tried, what came back, and where it was done."""

from __future__ import annotations

from csd.build_proc import is_told
from csd.descriptor import Statement
from csd.scene import Notes, Scene, station_for
from csd.wording import NONE, action_words, feedback_words


def inter_statements(scene: Scene) -> tuple[Statement, ...]:
    """Describe each attempt with its outcome and feedback, failures with their messages, and the station."""
    notes = Notes(scene.episode.id)
    for index, step in enumerate(scene.episode.steps):
        if not is_told(step):
            continue
        words, outcome = action_words(step), step.outcome
        notes.add(words, "tried", outcome.code, index, "outcome", outcome.code)
        if outcome.ok:
            notes.add(words, "feedback", feedback_words(outcome), index, "outcome")
        else:
            notes.add(words, "failed", outcome.message or outcome.code, index, "outcome", outcome.code)
    if scene.verb in ("craft", "smelt"):
        station = station_for(scene.step)
        block = NONE if station is None else station.block
        notes.add(scene.subject, "station", block, scene.index, "observation", f"{block} within reach")
    return notes.statements()
