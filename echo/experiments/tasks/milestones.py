"""Milestones: the rungs of a ladder that an episode came to, and after how many steps.

Source: MFM's milestones, predicates on the inventory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from csd.episode import Step
from echo.agent.pursuit import COUNTED


def milestones(steps: Iterable[Step], ladder: Mapping[str, str]) -> dict[str, int]:
    """Return the step at which each item of a ladder was first held, for those that were.

    Args:
        steps: of one episode, in order.
        ladder: item -> its name in the world of the episode, the lowest rung first.

    Returns:
        Item -> counted steps up to and with the one that brought it, 0 for what was carried from the start;
        in the order of the ladder.
    """
    held: dict[str, int] = {}
    count = 0
    for step in steps:
        for item, stack in step.before.inventory.items():
            if stack.count > 0:
                held.setdefault(item, count)
        count += step.action.kind in COUNTED
        for item, change in step.outcome.inventory_delta.items():
            if change > 0:
                held.setdefault(item, count)
    return {item: held[shown] for item, shown in ladder.items() if shown in held}


def shown_ladder(items: Sequence[str], real_names: Mapping[str, str]) -> dict[str, str]:
    """Return each item of a ladder with the name that a world shows for it.

    Args:
        items: real names, the lowest rung first.
        real_names: shown name -> real name; empty where names are real.

    >>> shown_ladder(["stick"], {"blip": "stick"}), shown_ladder(["stick"], {})
    ({'stick': 'blip'}, {'stick': 'stick'})
    """
    shown = {real: name for name, real in real_names.items()}
    return {item: shown.get(item, item) for item in items}
