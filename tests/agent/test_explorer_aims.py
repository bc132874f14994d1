"""What memory and the goal say to the explorer: dice, prices, exemplars to adapt."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from echo.agent.arrangement import Arrangement
from echo.agent.explorer import Explorer, Proposal
from echo.agent.knowledge import Digging, Knowledge, Way
from echo.agent.options import ExplorerOptions
from echo.agent.planner import Prices

BOX, DOOR = Arrangement("AA/AA", ("log",)), Arrangement("A/B", ("plank", "rod"))
NAMING = ExplorerOptions().item_bits


class Doubtful:
    """Says nothing of grids, and the same chance of every adaptation."""

    def __init__(self, chance: float | None, **naming: float) -> None:
        self._chance, self._naming = chance, naming

    def bits(self, rows: str, fillers: tuple[str, ...]) -> float:
        return 0.0

    def chance(self, rows: str, fillers: tuple[str, ...]) -> float | None:
        return self._chance

    def naming(self, item: str) -> float:
        return self._naming.get(item, 0.0)


def knowing(*items: str, offers: str | None = None) -> Knowledge:
    """Return knowledge of items that each cost one dig."""
    return Knowledge(
        items=list(items),
        index={item: n for n, item in enumerate(items)},
        ways={item: [Way(verb="collect", product=item, block=item)] for item in items},
        digging={item: {None: Digging(digs=1, ticks=1, drops=Counter({item: 1}))} for item in items},
        last_seen=dict.fromkeys(items, (0, 0, 0)),
        offers={} if offers is None else {"station": offers},
    )


def explorer_of(known: Knowledge, dice: int = 0, **options: float) -> Explorer:
    return Explorer(
        known,
        Prices(known),
        edits=False,
        options=ExplorerOptions(**options),
        rng=np.random.default_rng(dice),
    )


def first_of(explorer: Explorer, known: Knowledge, held: dict[str, int], penalty=None) -> list[Proposal]:
    """Let what is proposed first give nothing."""
    found: list[Proposal] = []
    while len(found) < 24 and (proposal := explorer.propose(held, penalty)) is not None:
        known.grids[proposal.arrangement] = None
        explorer.noted(proposal.arrangement, worked=False, new=False, own=False)
        found.append(proposal)
    return found


def adapted(*exemplars: Arrangement, held: dict[str, int], penalty=None, **knowledge) -> list[Proposal]:
    known = knowing("log", "plank", "rod", "stone", **knowledge)
    explorer = explorer_of(known)
    explorer.heed(exemplars)
    found = [one for one in first_of(explorer, known, held, penalty) if one.source == "adaptation"]
    return sorted(found, key=lambda one: (one.bits, one.arrangement))


PLENTY = {"log": 9, "plank": 9, "rod": 9, "stone": 9}


def test_exemplars_are_adapted_one_item_for_another():
    found = adapted(BOX, held=PLENTY)
    boxes = [Arrangement("AA/AA", (item,)) for item in ("plank", "rod", "stone")]
    assert [(one.arrangement, one.bits) for one in found] == [(box, NAMING) for box in boxes]


def test_the_nearest_exemplar_comes_first_and_each_next_costs_its_rank():
    ranks = [one.bits for one in adapted(BOX, DOOR, held=PLENTY)]
    # log2 of the rank from one, and one bit to say which of two items it is.
    assert ranks[:3] == [NAMING] * 3
    assert ranks[3:] == [pytest.approx(NAMING + 1.0 + 1.0)] * 4


def test_an_adaptation_lets_all_other_items_be():
    laid = {one.arrangement for one in adapted(DOOR, held=PLENTY)}
    assert laid == {
        Arrangement("A/B", ("log", "rod")),
        Arrangement("A/B", ("stone", "rod")),
        Arrangement("A/B", ("plank", "log")),
        Arrangement("A/B", ("plank", "stone")),
    }


def test_what_an_adaptation_lacks_adds_its_price():
    (found,) = [
        one for one in adapted(DOOR, held={"plank": 1}) if one.arrangement.fillers == ("plank", "stone")
    ]
    # One stone is missing and costs one dig; the rod that it stands for is not needed.
    assert found.bits == pytest.approx(NAMING + 1.0 + np.log2(1.3))


def test_an_exemplar_with_something_never_held_beside_is_left_out():
    assert adapted(Arrangement("A/B", ("glass", "wool")), held=PLENTY) == []
    # The glass alone is unknown: it is the only one that can be replaced.
    fillers = [one.arrangement.fillers for one in adapted(Arrangement("A/B", ("glass", "rod")), held=PLENTY)]
    assert sorted(fillers) == [("log", "rod"), ("plank", "rod"), ("stone", "rod")]


def test_an_exemplar_laid_at_a_table_waits_for_one():
    ring = Arrangement("AAA/A.A/AAA", ("log",))
    assert adapted(ring, held=PLENTY) == []
    assert len(adapted(ring, held=PLENTY, offers="grid3")) == 3


def test_what_bears_on_the_goal_is_shorter_to_name_in_all_that_is_tried():
    found = {one.arrangement: one.bits for one in adapted(BOX, held=PLENTY, penalty=Doubtful(None, rod=-4.0))}
    assert found[Arrangement("AA/AA", ("rod",))] == NAMING - 4.0
    assert found[Arrangement("AA/AA", ("stone",))] == NAMING
    for penalty, item in ((None, "stone"), (Doubtful(None, log=-4.0), "log")):
        known = knowing("log", "stone")
        tried = first_of(explorer_of(known), known, PLENTY, penalty)
        assert tried[0].arrangement.fillers == (item,)


def test_a_smelting_exemplar_waits_for_a_fire():
    smelting = Arrangement.smelting("log")
    assert adapted(smelting, held=PLENTY) == []
    assert adapted(smelting, held=PLENTY, offers="grid3") == []
    laid = {one.arrangement for one in adapted(smelting, held=PLENTY, offers="smelt")}
    assert laid <= {Arrangement.smelting(item) for item in ("plank", "rod", "stone")}
    assert laid


def test_what_ranked_better_before_keeps_its_rank():
    known = knowing("log", "plank", "rod", "stone")
    explorer = explorer_of(known)
    explorer.heed([BOX])
    explorer.heed([DOOR, BOX])
    found = [one for one in first_of(explorer, known, PLENTY) if one.source == "adaptation"]
    assert {round(one.bits, 6) for one in found} == {NAMING, NAMING + 1.0}


@pytest.mark.parametrize(
    ("chance", "more"), [(None, 0.0), (2.0, 0.0), (1.0, 0.0), (0.25, 2.0), (0.0, -np.log2(0.05))]
)
def test_a_chance_below_the_mean_makes_an_adaptation_dearer_and_one_above_no_cheaper(chance, more):
    found = adapted(BOX, held=PLENTY, penalty=Doubtful(chance))
    assert [one.bits for one in found] == [pytest.approx(NAMING + more)] * 3
    assert [one.plain for one in found] == [NAMING] * 3


def test_without_exemplars_nothing_is_adapted():
    assert adapted(held=PLENTY) == []


def ranked(dice: int, spread: float) -> list[tuple[Arrangement, float]]:
    known = knowing("log", "stone")
    explorer = explorer_of(known, dice, dice_bits=spread)
    return [(one.arrangement, one.plain) for one in first_of(explorer, known, {"log": 9, "stone": 9})]


def test_without_dice_the_order_is_that_of_the_bits_whatever_the_seed():
    assert ranked(0, 0.0) == ranked(1, 0.0)


def test_dice_change_the_order_and_equal_seeds_throw_alike():
    assert ranked(0, 2.0) == ranked(0, 2.0)
    assert ranked(0, 2.0) != ranked(1, 2.0)


def test_an_arrangement_keeps_its_throw_when_all_is_ranked_anew():
    known = knowing("log", "stone")
    explorer = explorer_of(known, 3, dice_bits=2.0)
    held = {"log": 9, "stone": 9}
    first = explorer.propose(held, None)
    known.ways["feather"] = []
    again = explorer.propose(held, None)
    assert first is not None
    assert again is not None
    assert (first.arrangement, first.bits) == (again.arrangement, again.bits)


@pytest.mark.parametrize("share", [1.0, 10.0])
def test_missing_material_counts_by_the_share_of_its_price(share):
    known = knowing("log")
    proposal = explorer_of(known, price_share=share).propose({}, None)
    held = explorer_of(known, price_share=share).propose({"log": 1}, None)
    assert proposal is not None
    assert held is not None
    assert proposal.arrangement == held.arrangement == Arrangement("A", ("log",))
    assert proposal.bits - held.bits == pytest.approx(np.log2(1.0 + 0.3 * share))


@pytest.mark.parametrize("share", [1.0, 10.0])
def test_what_is_out_of_reach_stays_so_whatever_the_share_of_its_price(share):
    known = knowing("log")
    known.last_seen.clear()
    assert explorer_of(known, price_share=share).propose({}, None) is None
