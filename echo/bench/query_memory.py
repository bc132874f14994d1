"""Memories to ask: any number of episodes like those of a long run, written fast and without pictures."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np

from echo.mfm.layout import ACTION, EPISODES, INDEX, OUTCOME, STATE, Row, episode_id, to_line

STEPS = 16
"""Steps an episode."""

_NAMES = """
    oak_log oak_planks stick crafting_table wooden_pickaxe cobblestone stone_pickaxe coal torch furnace
    raw_iron iron_ingot iron_pickaxe dirt sand gravel wheat bread beef porkchop leather string bone diamond
"""
_ITEMS = _NAMES.split()
_KINDS = ("collect", "craft", "go_to", "place", "mine", "attack", "eat", "smelt", "look_at", "wait_until")
_MOBS = ("sheep", "cow", "pig", "zombie", "skeleton", "creeper", "spider", "chicken")
RARE = "hollow oak by the river"
"""Stands in the notes of every 977th episode."""
RARE_EVERY = 977


def write_memory(root: Path, episodes: int, *, seed: int = 0) -> None:
    """Write a memory of `episodes` episodes into the new folder `root`.

    The sizes of index lines and files are near those that a recorder writes for the Minecraft world.

    Raises:
        FileExistsError: if `root` exists.
    """
    root.mkdir(parents=True)
    draw = np.random.default_rng(seed)
    place = np.zeros(2)
    with (root / INDEX).open("wb") as index:
        for number in range(episodes):
            place += draw.normal(0, 4, 2)
            row, files = _episode(number, place, draw)
            folder = f"{root}/{EPISODES}/{row['id']}"
            os.makedirs(f"{folder}/state")  # noqa: PTH103 (half the time of pathlib, 100,000 times)
            for name, document in files.items():
                with open(f"{folder}/{name}", "wb") as file:  # noqa: PTH123 (as above)
                    file.write(json.dumps(document).encode("ascii"))
            index.write(to_line(row))


def _episode(
    number: int, place: np.ndarray[Any, np.dtype[np.float64]], draw: np.random.Generator
) -> tuple[Row, dict[str, dict[str, Any]]]:
    name, first = episode_id(number), 1 + number * STEPS
    items = [_ITEMS[at] for at in draw.integers(0, len(_ITEMS), 6)]
    kind = _KINDS[draw.integers(0, len(_KINDS))]
    x, z = (round(float(one), 2) for one in place)
    y = float(60 + draw.integers(0, 20))
    noted = [f"Saw the {RARE}, {items[1]} behind it."] if number % RARE_EVERY == 0 else []
    tags = ["inventory_changed", *(["note"] if noted else []), *(["damage"] if number % 17 == 0 else [])]
    row = {
        "action_kind": kind,
        "attachment": None,
        "first_step": first,
        "gui_open": None,
        "id": name,
        "image": f"{EPISODES}/{name}/observation/image.png",
        "kind": "episode",
        "last_step": first + STEPS - 1,
        "observation_hash": draw.bytes(8).hex(),
        "path": f"{EPISODES}/{name}",
        "summary": f"get {items[0]}: {kind} ok, +{draw.integers(1, 9)} {items[0]} -1 {items[2]}",
        "tags": tags,
        "x": x,
        "y": y,
        "z": z,
    }
    state = {
        "step": first - 1,
        "pos": {"x": x, "y": y, "z": z, "pitch": 10.0, "yaw": float(draw.integers(-180, 180))},
        "inventory": {item: int(count) for item, count in zip(items, draw.integers(1, 64, 6), strict=True)},
        "hotbar": [],
        "mainhand": items[3],
        "mobs": {_MOBS[draw.integers(0, len(_MOBS))]: int(draw.integers(1, 4))},
        "vitals": {"food": 20.0, "health": float(draw.integers(10, 21)), "light": None, "sky": None},
        "gui_open": None,
        "moved": None,
        "goals": {"done": None, "next": f"get {items[0]}"},
        "verified": None,
    }
    action = {
        "plan": f"get {items[0]}",
        "plan_index": None,
        "plan_total": None,
        "turn": None,
        "ticks": int(draw.integers(2, 400)),
        "first_step": first,
        "briefing": None,
        "entry": {
            "procedure": None,
            "args": None,
            "items": [{"kind": kind, "block": items[0]} for _ in range(4)],
            "steps": STEPS,
        },
    }
    outcome = {
        "inventory_delta": {items[0]: int(draw.integers(1, 9)), items[2]: -1},
        "events": [f"broke:{items[0]}"],
        "notes": noted,
        "tags": tags,
        "moved": round(float(draw.uniform(0, 20)), 3),
        "descended": 0.0,
        "last_step": first + STEPS - 1,
        "milestone_transition": None,
        "flushed": None,
        "verified_after": None,
    }
    return row, {STATE: state, ACTION: action, OUTCOME: outcome}
