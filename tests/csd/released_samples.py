"""Entries in the released form, written for these tests: a sound one, and how to spoil it."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

BOWL: dict[str, Any] = {
    "task_id": "crafting_bowl",
    "generated_at": "2026-01-02T03:04:05.678Z",
    "meta": {
        "agent_pos": [10.5, 64, -3.5],
        "facing": "north",
        "time_step": 120,
        "world_time": "noon",
        "biome": "taiga",
        "task": "Craft bowls.",
        "observed_objects": ["grass_block", "spruce"],
    },
    "attr": {"spruce": {"color": "dark brown", "shape": "trunk", "texture": "bark"}},
    "struct": "A spruce stands two blocks ahead on a grass_block.",
    "func": {"spruce": "Gives wood."},
    "proc": (
        "The Agent collects 1 spruce_log, converts it into 4 spruce_planks, then crafts 4 bowls using 3 of "
        "those planks."
    ),
    "Inter": {
        "detailed": (
            "It gathers one spruce log, makes four planks and then crafts four bowls from three planks."
        ),
        "summary": "Bowls from a spruce.",
        "hist": [
            "Found spruce_log at (12, 64, -3) and navigated to it.",
            "Collected 1 spruce_log.",
            "Crafted 4 spruce_planks from 1 spruce_log.",
            "Crafted 4 bowls from 3 spruce planks.",
            "Task completed with score: 1.",
        ],
    },
}


def bowl(**changes: Any) -> dict[str, Any]:
    """A copy of the sound entry with `changes` put in place; 'inter__hist' reaches into Inter."""
    entry = deepcopy(BOWL)
    for name, value in changes.items():
        owner, _, field = name.rpartition("__")
        place = entry["Inter"] if owner == "inter" else entry["meta"] if owner == "meta" else entry
        place[field] = value
    return entry
