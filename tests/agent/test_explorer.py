from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from echo.agent.arrangement import Arrangement
from echo.agent.explorer import Explorer, Proposal
from echo.agent.knowledge import Digging, Knowledge, Way
from echo.agent.options import ExplorerOptions
from echo.agent.planner import Prices


def exploring(*items: str, edits: bool = False, offers: str | None = None) -> tuple[Explorer, Knowledge]:
    """Return an explorer that knows a way to each of `items`."""
    known = Knowledge(
        items=list(items),
        index={item: n for n, item in enumerate(items)},
        ways={item: [Way(verb="collect", product=item, block=item)] for item in items},
        offers={} if offers is None else {"station": offers},
    )
    return Explorer(known, Prices(known), edits=edits), known


def carry_out(explorer: Explorer, known: Knowledge, proposal: Proposal, product: str | None = None) -> None:
    """Let an attempt come out as `product`, or as nothing."""
    arrangement = proposal.arrangement
    if arrangement.smelts:
        known.smelted[arrangement.fillers[0]] = product
    else:
        known.grids[arrangement] = product
        explorer.noted(arrangement, worked=product is not None, new=product is not None, own=True)
    explorer.judged(proposal.source, new=product is not None)


def proposals(explorer: Explorer, known: Knowledge, held: dict[str, int], count: int) -> list[Arrangement]:
    found = []
    for _ in range(count):
        proposal = explorer.propose(held, None)
        if proposal is None:
            break
        carry_out(explorer, known, proposal)
        found.append(proposal.arrangement)
    return found


def test_simple_shapes_come_first():
    explorer, known = exploring("log")
    first = proposals(explorer, known, {"log": 9}, 3)
    assert first[0] == Arrangement("A", ("log",))
    assert set(first[1:]) <= {
        Arrangement("AA", ("log",)),
        Arrangement("A/A", ("log",)),
        Arrangement("AA/AA", ("log",)),
    }


def test_without_a_station_the_hands_grid_is_all_there_is_and_nothing_comes_twice():
    explorer, known = exploring("log")
    tried = proposals(explorer, known, {"log": 9}, 500)
    assert sorted(grid.rows for grid in tried) == ["A", "A./.A", "A./AA", "A/A", "AA", "AA/A.", "AA/AA"]
    assert all(grid.offer is None for grid in tried)


def test_a_table_opens_larger_grids():
    explorer, known = exploring("log", offers="grid3")
    assert len(proposals(explorer, known, {"log": 9}, 500)) == 167


def test_smelting_is_proposed_once_there_is_a_place_for_it():
    assert not any(one.smelts for one in proposals(*exploring("log"), {"log": 9}, 500))
    tried = proposals(*exploring("log", offers="smelt"), {"log": 9}, 500)
    assert tried.count(Arrangement.smelting("log")) == 1


def test_what_is_held_comes_before_what_must_be_fetched():
    explorer, known = exploring("stone", "log")
    known.last_seen.update({"stone": (0, 0, 0), "log": (0, 0, 0)})
    proposal = explorer.propose({"log": 1}, None)
    assert proposal is not None
    assert proposal.arrangement == Arrangement("A", ("log",))


def test_an_item_that_worked_costs_a_bit_less_and_one_tried_in_vain_more():
    explorer, _ = exploring("log", "dirt")
    explorer.noted(Arrangement("A", ("log",)), worked=True, new=True, own=False)
    for _ in range(150):
        explorer.noted(Arrangement("A", ("dirt",)), worked=False, new=False, own=True)
    assert np.allclose(explorer.item_bits(), [5.5 - 1.0, 5.5 + 1.0])


def test_attempts_of_memory_do_not_make_an_item_dearer():
    explorer, _ = exploring("log")
    for _ in range(150):
        explorer.noted(Arrangement("A", ("log",)), worked=False, new=False, own=False)
    assert np.allclose(explorer.item_bits(), [5.5])


def test_a_blocked_attempt_returns_when_a_way_to_another_item_is_known():
    explorer, known = exploring("log")
    explorer.block(Arrangement("A", ("log",)))
    blocked = explorer.propose({"log": 9}, None)
    assert blocked is not None
    assert blocked.arrangement != Arrangement("A", ("log",))
    known.ways["plank"] = []
    again = explorer.propose({"log": 9}, None)
    assert again is not None
    assert again.arrangement == Arrangement("A", ("log",))


def test_only_with_edits_are_grids_that_worked_changed_locally():
    for edits in (False, True):
        explorer, known = exploring("log", "stone", edits=edits)
        grid = Arrangement("AA/AA", ("log",))
        known.grids[grid] = "box"
        explorer.noted(grid, worked=True, new=True, own=True)
        found = {explorer.propose({"log": 9, "stone": 9}, None).source for _ in range(60)}
        assert ("edit" in found) is edits


class Against:
    """Speaks against grids with one item."""

    def __init__(self, item: str, bits: float) -> None:
        self._item, self._bits = item, bits

    def bits(self, rows: str, fillers: tuple[str, ...]) -> float:
        return self._bits if self._item in fillers else 0.0

    def naming(self, item: str) -> float:
        return 0.0


def test_what_failures_elsewhere_speak_against_comes_later():
    explorer, known = exploring("log", "stone")
    held = {"log": 9, "stone": 9}
    found = []
    for _ in range(7):
        proposal = explorer.propose(held, Against("log", 20.0))
        assert proposal is not None
        found.append(proposal)
        carry_out(explorer, known, proposal)
    assert all("log" not in one.arrangement.fillers for one in found)


def test_an_explorer_without_items_proposes_nothing():
    explorer, _ = exploring()
    assert explorer.propose({}, None) is None


def test_the_settings_are_those_that_were_passed():
    _, known = exploring("log")
    explorer = Explorer(known, Prices(known), edits=False, options=ExplorerOptions(item_bits=2.0))
    assert np.allclose(explorer.item_bits(), [2.0])


class Counting(Explorer):
    """Counts how often all is ranked."""

    ranked = 0

    def _ranked(self, *inputs):
        self.ranked += 1
        return super()._ranked(*inputs)


@pytest.mark.parametrize("edits", [False, True])
def test_an_arm_without_anything_to_rank_is_no_reason_to_rank_anew(edits):
    _, known = exploring("log", offers="grid3")
    explorer = Counting(known, Prices(known), edits=edits)
    assert len(proposals(explorer, known, {"log": 9}, 500)) == 167
    # Three lists of at most 64, and one more to see that nothing is left; no grid worked to be edited.
    assert explorer.ranked == 4


def test_what_comes_into_reach_when_nothing_was_left_is_proposed():
    _, known = exploring("log")
    known.digging["log"] = {None: Digging(digs=1, ticks=1, drops=Counter({"log": 1}))}
    prices = Prices(known)
    explorer = Explorer(known, prices, edits=False)
    assert explorer.propose({}, None) is None
    known.last_seen["log"] = (0, 0, 0)
    prices.refresh()
    found = explorer.propose({}, None)
    assert found is not None
    assert found.arrangement == Arrangement("A", ("log",))
