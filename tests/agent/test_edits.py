from __future__ import annotations

from dataclasses import replace

import numpy as np

from echo.agent.arrangement import Arrangement
from echo.agent.edits import EditTable, edits_of
from echo.agent.knowledge import Knowledge
from echo.agent.lengths import Material
from echo.agent.options import ExplorerOptions


def grids(rows: str, fillers: tuple[str, ...], item: str) -> set[Arrangement]:
    """Return all edits of a grid that name no other item than `item`."""
    made = [column.grid(item if column.free else None) for column in edits_of(rows, fillers)]
    return {grid for grid in made if grid is not None}


def test_one_cell_is_filled_anew_added_or_taken_away():
    made = grids("A/B", ("coal", "stick"), "plank")
    assert Arrangement("A/B", ("plank", "stick")) in made
    assert Arrangement("A/B", ("coal", "plank")) in made
    assert Arrangement("A", ("stick",)) in made
    assert Arrangement("A", ("coal",)) in made
    assert Arrangement("A/B/C", ("plank", "coal", "stick")) in made
    assert Arrangement.from_grid((("plank", "coal"), (None, "stick"))) in made


def test_a_mirrored_pair_changes_together():
    made = grids("A.A/.A.", ("plank",), "stone")
    assert Arrangement("A.A/.B.", ("stone", "plank")) in made
    assert Arrangement("A.A/BAB", ("plank", "stone")) in made


def test_two_cells_that_are_no_pair_never_change_at_once():
    made = grids("A/A/A", ("plank",), "stone")
    assert Arrangement("A/B/B", ("plank", "stone")) not in made
    assert Arrangement("A/A/B", ("plank", "stone")) in made


def test_a_grid_is_no_edit_of_itself():
    assert Arrangement("AA", ("plank",)) not in grids("AA", ("plank",), "plank")


def table(*items: str) -> tuple[EditTable, Knowledge, Material]:
    known = Knowledge(items=list(items), index={item: n for n, item in enumerate(items)})
    n = len(items)
    return (
        EditTable(known),
        known,
        Material(bits=np.full(n, 5.0), have=np.full(n, 9.0), price=np.ones(n)),
    )


def test_without_a_grid_that_worked_there_is_nothing_to_edit():
    edits, _, material = table("plank")
    assert edits.simplest(material, ExplorerOptions(), station=True) == []


def test_an_edit_that_names_no_item_is_shorter_than_one_that_does():
    edits, _, material = table("plank", "stone")
    edits.add(Arrangement("A", ("plank",)))
    found = edits.simplest(material, ExplorerOptions(edit_bits=3.0, queue=500), station=True)
    bits = {grid: length for length, grid in found}
    # 3 bits for an edit, 0 for the only grid that worked, then 1 bit without an item or 5 with one.
    assert bits[Arrangement("AA", ("plank",))] == 4.0
    assert bits[Arrangement("AB", ("plank", "stone"))] == 8.0


def test_an_edit_of_what_bears_on_the_goal_is_shorter_by_the_mean_of_its_cells():
    edits, _, material = table("plank", "stone")
    edits.add(Arrangement("AAB", ("plank", "stone")))
    aimed = replace(material, aims=np.array([0.0, -4.0]))
    options = ExplorerOptions(queue=500)
    plain = {grid: bits for bits, grid in edits.simplest(material, options, station=True)}
    found = {grid: bits for bits, grid in edits.simplest(aimed, options, station=True)}
    assert found[Arrangement("AA", ("plank",))] == plain[Arrangement("AA", ("plank",))]
    assert found[Arrangement("AB", ("plank", "stone"))] == plain[Arrangement("AB", ("plank", "stone"))] - 2.0


def test_edits_above_two_by_two_wait_for_a_station():
    edits, _, material = table("plank")
    edits.add(Arrangement("AA", ("plank",)))
    found = edits.simplest(material, ExplorerOptions(queue=500), station=False)
    assert {grid.offer for _, grid in found} == {None}


def test_edits_of_a_demonstrated_grid_wait_until_its_items_were_held():
    edits, known, material = table("stone")
    edits.add(Arrangement("A", ("plank",)))
    made = [grid for _, grid in edits.simplest(material, ExplorerOptions(queue=500), station=True)]
    # Without planks there is only what stands in their place, alone or with its mirror image.
    assert set(made) == {Arrangement("A", ("stone",)), Arrangement("A.A", ("stone",))}
    known.index["plank"] = 1
    known.items.append("plank")
    more = Material(bits=np.full(2, 5.0), have=np.full(2, 9.0), price=np.ones(2))
    found = [grid for _, grid in edits.simplest(more, ExplorerOptions(queue=500), station=True)]
    assert Arrangement("AA", ("plank",)) in found


def test_what_was_tried_is_not_proposed_again():
    edits, known, material = table("plank", "stone")
    edits.add(Arrangement("A", ("plank",)))
    known.grids[Arrangement("AA", ("plank",))] = None
    found = [grid for _, grid in edits.simplest(material, ExplorerOptions(queue=500), station=True)]
    assert Arrangement("AA", ("plank",)) not in found
