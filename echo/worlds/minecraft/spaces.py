"""Gymnasium spaces: what samples look like, and how they become typed actions and back into text.

Every member of the action space is a well-formed action; which of its parts count depends on the verb.
"""

from __future__ import annotations

import json
import string
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from gymnasium import spaces

from csd.episode import (
    Action,
    Attack,
    Cell,
    Collect,
    Craft,
    Drop,
    Eat,
    Equip,
    GoTo,
    LookAt,
    Mine,
    Observation,
    Place,
    Smelt,
    WaitUntil,
)
from echo.worlds.minecraft.checking import CONDITIONS, ActionError
from echo.worlds.minecraft.facts import Facts
from echo.worlds.minecraft.names import NameBook

FARTHEST = 32
"""Largest step of a sampled target from the feet along each axis."""
MOST = 64
"""Largest sampled amount; a wait takes amount x 20 ticks."""
_LONGEST_TEXT = 1_000_000


class ActionCoder:
    """Turns members of the action space into typed actions.

    The space is a Dict: ``verb``, ``item``, ``fuel``, ``block``, ``mob`` and ``condition`` are numbers into
    the tuples below, ``grid`` is 3x3 with 0 for an empty cell and item number + 1 otherwise, ``target`` is a
    step from the feet, ``amount`` 1..64.

    Attributes:
        verbs: Kinds of actions; ``place_at`` places at the target, ``empty_hand`` equips nothing.
        items, blocks, mobs: Shown names, sorted.
        space: The action space.
    """

    def __init__(self, facts: Facts, names: NameBook) -> None:
        """Number all names that `names` shows."""
        self.items = tuple(sorted(map(names.shown, facts.items)))
        self.blocks = tuple(sorted(map(names.shown, facts.blocks)))
        self.mobs = tuple(sorted(map(names.shown, facts.mobs)))
        self._makers: dict[str, Callable[[Mapping[str, Any], Cell], Action]] = {
            "attack": lambda sample, feet: Attack(mob=self.mobs[int(sample["mob"])]),
            "collect": lambda sample, feet: Collect(block=self.blocks[int(sample["block"])]),
            "craft": lambda sample, feet: Craft(grid=self._grid(sample["grid"])),
            "drop": lambda sample, feet: Drop(item=self._item(sample), amount=int(sample["amount"])),
            "eat": lambda sample, feet: Eat(item=self._item(sample)),
            "empty_hand": lambda sample, feet: Equip(item=None),
            "equip": lambda sample, feet: Equip(item=self._item(sample)),
            "go_to": lambda sample, feet: GoTo(target=_target(sample, feet)),
            "look_at": lambda sample, feet: LookAt(target=_target(sample, feet)),
            "mine": lambda sample, feet: Mine(target=_target(sample, feet)),
            "place": lambda sample, feet: Place(item=self._item(sample)),
            "place_at": lambda sample, feet: Place(item=self._item(sample), target=_target(sample, feet)),
            "smelt": lambda sample, feet: Smelt(
                input=self._item(sample), fuel=self.items[int(sample["fuel"])]
            ),
            "wait_until": lambda sample, feet: WaitUntil(
                condition=CONDITIONS[int(sample["condition"])], ticks=20 * int(sample["amount"])
            ),
        }
        self.verbs = tuple(self._makers)
        self.space = self._space()

    def _space(self) -> spaces.Dict:
        return spaces.Dict(
            {
                "verb": spaces.Discrete(len(self.verbs)),
                "item": spaces.Discrete(len(self.items)),
                "fuel": spaces.Discrete(len(self.items)),
                "block": spaces.Discrete(len(self.blocks)),
                "mob": spaces.Discrete(len(self.mobs)),
                "grid": spaces.MultiDiscrete(np.full((3, 3), len(self.items) + 1)),
                "target": spaces.MultiDiscrete([2 * FARTHEST + 1] * 3, start=[-FARTHEST] * 3),
                "amount": spaces.Discrete(MOST, start=1),
                "condition": spaces.Discrete(len(CONDITIONS)),
            }
        )

    def action(self, sample: Mapping[str, Any], feet: Cell) -> Action:
        """Return the action that `sample` means to a body with its feet in `feet`.

        Raises:
            ActionError: if `sample` is not a member of the action space.
        """
        if not isinstance(sample, Mapping) or not self.space.contains(dict(sample)):
            raise ActionError(
                f"expected an action record of csd.episode or a member of action_space; got {sample!r} in "
                f"step. Compare with world.action_space.sample()."
            )
        return self._makers[self.verbs[int(sample["verb"])]](sample, feet)

    def _item(self, sample: Mapping[str, Any]) -> str:
        return self.items[int(sample["item"])]

    def _grid(self, numbers: Any) -> tuple[tuple[str | None, ...], ...]:
        return tuple(
            tuple(self.items[number - 1] if number else None for number in row) for row in numbers.tolist()
        )


def _target(sample: Mapping[str, Any], feet: Cell) -> Cell:
    x, y, z = (int(part) for part in sample["target"])
    return (feet[0] + x, feet[1] + y, feet[2] + z)


def observation_space(frame_size: int | None) -> spaces.Dict:
    """Return the observation space: JSON text, and the frame unless `frame_size` is None."""
    parts: dict[str, spaces.Space[Any]] = {"text": spaces.Text(_LONGEST_TEXT, charset=string.printable)}
    if frame_size is not None:
        parts["frame"] = spaces.Box(0, 255, (frame_size, frame_size, 3), np.uint8)
    return spaces.Dict(parts)


def observation_text(observation: Observation) -> str:
    """Return `observation` without its frame as one line of JSON with sorted keys."""
    return json.dumps(observation_to_json(observation), sort_keys=True)


def observation_to_json(observation: Observation) -> dict[str, Any]:
    """Return `observation` without its frame as a JSON object."""
    return {
        "step": observation.step,
        "tick": observation.tick,
        "position": list(observation.position),
        "yaw": observation.yaw,
        "pitch": observation.pitch,
        "inventory": {
            item: {"count": stack.count, "stack_size": stack.stack_size, "wear": stack.wear}
            for item, stack in observation.inventory.items()
        },
        "mainhand": observation.mainhand,
        "blocks": {
            block: {
                "count": seen.count,
                "nearest": list(seen.nearest),
                "distance": seen.distance,
                "colour": list(seen.colour),
            }
            for block, seen in observation.blocks.items()
        },
        "mobs": dict(observation.mobs),
        "stations": [
            {"block": station.block, "position": list(station.position), "offers": station.offers}
            for station in observation.stations
        ],
        "vitals": {"health": observation.vitals.health, "food": observation.vitals.food},
        "biome": observation.biome,
    }
