"""No peeking through a prompt: what models are asked names nothing of the game and shows none of its recipes.

What learns may open the prompts, which are texts of our own. The examples in them are of an invented world,
so that whatever is copied from them is found out: see `csd.by_model.leak` and `ical.asking.drafts`.
"""

from __future__ import annotations

import re
from itertools import chain

import pytest

from csd.by_model.example import example_shots
from csd.by_model.prompts import explained
from csd.by_model.tolerant import read_json
from csd.by_model.trace import STYLES
from csd.pattern import canonical_grid
from echo.worlds.minecraft.facts import load_facts
from ical.asking.prompts import example
from tests.project.sources import ROOT

ENGLISH = {"lead", "map"}
"""Names of the game that are plain words of these texts: a task leads to a goal, an axis maps predicates."""

FILES = {
    path.name: path.read_text(encoding="utf-8") for path in sorted((ROOT / "data" / "prompts").iterdir())
}
TEXTS = {
    **FILES,
    "the explanation of predicates": explained(),
    **{
        f"example {number}, told as {style}": f"{shot.told}\n{shot.written}"
        for style in STYLES
        for number, shot in enumerate(example_shots(style), start=1)
    },
    "use.md": (ROOT / "data" / "finetune" / "use.md").read_text(encoding="utf-8"),
}


def named(text: str) -> set[str]:
    """Return the items, blocks and mobs of the game that a text names, also with blanks or in the plural."""
    facts = load_facts()
    known = {*facts.items, *facts.blocks, *facts.mobs}
    words = re.findall(r"[a-z0-9]+", text.lower().replace("_", " "))
    runs = {" ".join(words[at : at + long]) for long in range(1, 6) for at in range(len(words))}
    return {name for name in known if (spaced := name.replace("_", " ")) in runs or f"{spaced}s" in runs}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_prompt_names_nothing_of_the_game(text: str):
    assert named(text) <= ENGLISH


def test_names_of_the_game_are_found_however_they_are_written():
    assert named("Lay oak planks, 2 sticks and a crafting_table.") == {
        "oak_planks",
        "stick",
        "crafting_table",
    }


def shapes() -> set[str]:
    """Return the shapes of all grids of the game that are laid in one, such as 'AAA/.B./.B.'."""
    shaped = [recipe.rows for recipe in load_facts().recipes if recipe.rows]
    return {
        canonical_grid(tuple(tuple(cell and min(cell) for cell in row) for row in rows)).rows
        for rows in shaped
    }


def test_the_grids_of_the_examples_are_shapes_of_no_recipe():
    grids = [
        action["grid"] for task in example()["tasks"] for action in task["actions"] if action["do"] == "craft"
    ]
    shown = {canonical_grid(tuple(map(tuple, grid))).rows for grid in grids}
    for style in STYLES:
        written = (read_json(shot.written).value for shot in example_shots(style))
        shown |= {value for _, value in chain.from_iterable(one["struct"].get("grid", ()) for one in written)}
    assert len(shown) == 2
    assert "AAA/.B./.B." in shapes()
    assert not shown & shapes()
