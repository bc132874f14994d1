"""A small memory and the answers a model gives about it, shared by the tests of asking."""

from __future__ import annotations

import json

from csd.axes import AXES
from csd.bank import Bank
from csd.encode import HashingEncoder
from ical.asking.scene import set_scene
from ical.asking.situation import Situation
from ical.retrieve import retrieve
from tests.ical.experience import COBBLE, PLANKS, STICK, stone_age, wooden_pickaxe

STONE_PICKAXE = [[COBBLE, COBBLE, COBBLE], [None, STICK, None], [None, STICK, None]]
WOODEN_PICKAXE = [[PLANKS, PLANKS, PLANKS], [None, STICK, None], [None, STICK, None]]


def known(axes=AXES, budget_tokens=2_000):
    """Return the scene of the wooden pickaxe in a memory of the stone age."""
    with Bank.open(None, HashingEncoder()) as bank:
        bank.add_many(stone_age())
        subject = wooden_pickaxe()
        return set_scene(
            subject, retrieve(subject, bank, axes=axes, k=4), axes=axes, budget_tokens=budget_tokens
        )


def here(**changes):
    """Return the situation of someone with three cobblestones and two sticks at a crafting table."""
    settings = {
        "held": {COBBLE: 3, STICK: 2},
        "names": (PLANKS, STICK, COBBLE, "coal"),
        "offers": ("grid3", "smelt"),
    }
    return Situation(**{**settings, **changes})


def written(*tasks):
    """Return an answer with `tasks`."""
    return json.dumps({"tasks": list(tasks)})


def task(grid=STONE_PICKAXE, **changes):
    """Return a task as a model writes it: craft `grid`."""
    whole = {
        "like": "E1",
        "goal": "a pickaxe of cobblestone",
        "actions": [{"do": "craft", "grid": grid}],
        "expect": "stone_pickaxe",
        "assert": [{"kind": "uses", "item": STICK, "amount": 2}],
    }
    return {**whole, **changes}


def verdicts(*passes):
    """Return the answer of a model that judges tasks in order."""
    return json.dumps(
        {"verdicts": [{"task": n, "passes": one, "why": "so"} for n, one in enumerate(passes, start=1)]}
    )
