"""Records of episodes as columns: one list of values for each path into them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from echo.experiments.tasks.records import EpisodeRecord

Column = list[Any] | None
"""Values of one run, one an episode; None where no episode has one."""


def flat(episode: EpisodeRecord) -> dict[str, Any]:
    """Return the values of a record under paths such as ``attempts/edit/tried``; lists stay whole."""
    values: dict[str, Any] = {}

    def add(path: str, value: Any) -> None:
        if isinstance(value, dict) and value:
            for name, inner in value.items():
                add(f"{path}/{name}", inner)
        else:
            values[path] = value

    for name, value in episode.model_dump(mode="json").items():
        add(name, value)
    return values


def record(values: Mapping[str, Any]) -> EpisodeRecord:
    """Return the record that `flat` took apart; an absent value is None in its column."""
    whole: dict[str, Any] = {}
    for path, value in values.items():
        if value is None:
            continue
        *outer, last = path.split("/")
        place = whole
        for name in outer:
            place = place.setdefault(name, {})
        place[last] = value
    return EpisodeRecord.model_validate_json(json.dumps(whole))


def columns_of(runs: Sequence[Sequence[Mapping[str, Any]]]) -> dict[str, list[Column]]:
    """Return path -> run -> episode -> value, None where an episode, or a whole run, has none."""
    names = dict.fromkeys(name for run in runs for episode in run for name in episode)
    return {
        name: [
            [episode.get(name) for episode in run] if any(name in episode for episode in run) else None
            for run in runs
        ]
        for name in names
    }
