from __future__ import annotations

import pytest

from csd.axes import AXES, Axis
from csd.build import describe
from csd.descriptor import Csd
from csd.episode import Craft, Episode, Grid, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.carrying import Carrier
from echo.agent.policy import Idea, NoMemory, Prospects
from echo.agent.transfer import TransferPolicy
from ical.profile import AxisProfiles
from tests.agent.toy_world import RULES, Rules, ToyWorld

PICK = ("AAA/.B./.B.", ("plank", "rod"))
RECIPES = {
    Arrangement(*PICK): ("pick", 1),
    Arrangement("AAA/.B./.B.", ("board", "rod")): ("pick_of_boards", 1),
    Arrangement("AAA/AAA", ("plank",)): ("shutter", 1),
    Arrangement("AAA/AAA", ("board",)): ("shutter_of_boards", 1),
}
ITEMS = ("plank", "board", "rod", "stone", "feather")


def shown(grid: Grid, number: int, held: dict[str, int]) -> Csd:
    """Return the descriptor of laying `grid` at a table."""
    world = ToyWorld(
        Rules(blocks=RULES.blocks, recipes=RECIPES, stations=RULES.stations), held={**held, "table": 1}
    )
    world._place("table")
    before, action = world.observe(), Craft(grid=grid)
    outcome = world.act(action)
    assert outcome.ok
    csd = describe(
        Episode(
            id=f"ep_{number:06d}",
            goal="make it",
            steps=(Step(before=before, action=action, outcome=outcome),),
            after=world.observe(),
            source="toy",
        )
    )
    assert isinstance(csd, Csd)
    return csd


def lay(rows: str, fillers: tuple[str, ...], number: int) -> Csd:
    laid = Arrangement(rows, fillers)
    return shown(laid.grid, number, laid.needs())


PICK_SHOWN = lay(*PICK, 1)
SHUTTER_SHOWN = lay("AAA/AAA", ("plank",), 2)
BOARDS_SHOWN = lay("AAA/AAA", ("board",), 3)


def policy_that_saw(*csds: Csd, axes: tuple[Axis, ...] = AXES) -> TransferPolicy:
    policy = TransferPolicy(AxisProfiles(axes))
    for csd in csds:
        policy.remember(csd)
    return policy


def prospects(*items: str, ways: int = 5) -> Prospects:
    return Prospects(
        items=list(items or ITEMS),
        held=dict.fromkeys(items or ITEMS, 20),
        prices=dict.fromkeys(items or ITEMS, 1.0),
        offers=("grid3",),
        ways=ways,
    )


def test_boards_are_laid_where_planks_worked_once_they_shared_a_place():
    idea = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN, BOARDS_SHOWN).suggest(prospects())
    assert idea is not None
    assert idea.arrangement == Arrangement("AAA/.B./.B.", ("board", "rod"))
    assert idea.source == "transfer"
    assert idea.exemplars == (PICK_SHOWN.id,)
    assert idea.detail == "board for plank in AAA/.B./.B."


def test_every_axis_gets_its_share_of_the_credit():
    idea = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN, BOARDS_SHOWN).suggest(prospects())
    assert idea is not None
    assert sum(idea.axes.values()) == pytest.approx(1.0)
    assert all(share > 0 for share in idea.axes.values())
    names = [axis.value for axis in AXES if axis.value in idea.axes]
    assert list(idea.axes) == names


def test_a_slot_that_took_two_fillers_before_is_a_pattern():
    for seen, source in (((SHUTTER_SHOWN,), "transfer"), ((SHUTTER_SHOWN, BOARDS_SHOWN), "pattern")):
        idea = policy_that_saw(*seen).suggest(prospects("plank", "board", "stone"))
        assert idea is not None
        assert (idea.arrangement.rows, idea.source) == ("AAA/AAA", source)


def test_a_masked_axis_gets_no_credit_and_leaves_no_feature():
    axes = (Axis.STRUCT, Axis.PROC)
    idea = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN, BOARDS_SHOWN, axes=axes).suggest(prospects())
    assert idea is not None
    assert set(idea.axes) <= {"struct", "proc"}
    profiles = AxisProfiles(axes)
    profiles.remember(PICK_SHOWN)
    assert profiles.features(Axis.STRUCT, "plank") != ()
    assert list(profiles._features) == list(axes)


def test_without_any_axis_there_are_suggestions_still_but_no_credit():
    idea = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN, axes=()).suggest(prospects())
    assert idea is not None
    assert idea.axes == {}


def test_what_failed_is_not_suggested():
    policy = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN, BOARDS_SHOWN)
    boards = Arrangement("AAA/.B./.B.", ("board", "rod"))
    idea = policy.suggest(prospects())
    assert idea is not None
    policy.judged(idea, worked=False, new=False)
    policy.failed(boards)
    for _ in range(5):
        later = policy.suggest(prospects())
        if later is None:
            break
        assert later.arrangement != boards
        policy.judged(later, worked=False, new=False)
        policy.failed(later.arrangement)


def test_what_is_set_aside_returns_when_more_ways_are_known():
    policy = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN, BOARDS_SHOWN)
    idea = policy.suggest(prospects(ways=5))
    assert idea is not None
    policy.set_aside(idea, 5)
    other = policy.suggest(prospects(ways=5))
    assert other is None or other.arrangement != idea.arrangement
    again = policy.suggest(prospects(ways=6))
    assert again is not None
    assert again.arrangement == idea.arrangement


def test_what_is_set_aside_for_good_does_not_return():
    policy = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN, BOARDS_SHOWN)
    idea = policy.suggest(prospects())
    assert idea is not None
    policy.set_aside(idea, None)
    other = policy.suggest(prospects(ways=10_000))
    assert other is None or other.arrangement != idea.arrangement


def test_a_grid_above_two_by_two_waits_for_a_table():
    policy = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN)
    here = prospects()
    at_hand = Prospects(items=here.items, held=here.held, prices=here.prices, offers=(), ways=here.ways)
    assert policy.suggest(at_hand) is None


def ore_smelted() -> Csd:
    world = ToyWorld(held={"oven": 1, "raw_ore": 1, "plank": 1})
    world._place("oven")
    before, action = world.observe(), Smelt(input="raw_ore", fuel="plank")
    outcome = world.act(action)
    csd = describe(
        Episode(
            id="ep_000009",
            goal="smelt it",
            steps=(Step(before=before, action=action, outcome=outcome),),
            after=world.observe(),
            source="toy",
        )
    )
    assert isinstance(csd, Csd)
    return csd


def smelting_gold(policy: TransferPolicy) -> Idea:
    here = prospects("raw_gold", "raw_ore")
    idea = policy.suggest(
        Prospects(items=here.items, held=here.held, prices=here.prices, offers=("smelt",), ways=1)
    )
    assert idea is not None
    return idea


def test_smelting_is_carried_over_to_like_inputs():
    idea = smelting_gold(policy_that_saw(ore_smelted()))
    assert idea.arrangement == Arrangement.smelting("raw_gold")
    assert idea.detail == "raw_gold for raw_ore in smelting"


def boards_for_planks(axes: tuple[Axis, ...] = AXES) -> Idea:
    """Return the idea of a pick of boards, carried over."""
    policy = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN, BOARDS_SHOWN, axes=axes)
    idea = policy.suggest(prospects())
    assert idea is not None
    assert idea.arrangement == Arrangement("AAA/.B./.B.", ("board", "rod"))
    assert (idea.task, idea.mapping) == (None, None)
    return policy.carried_over(idea, None)


def test_a_chosen_idea_becomes_a_task_that_says_what_it_takes_and_what_it_rests_on():
    idea = boards_for_planks()
    assert idea.task is not None
    assert idea.task.actions == (Craft(grid=(("board",) * 3, (None, "rod", None), (None, "rod", None))),)
    assert (idea.task.needs, idea.task.station) == ({"board": 3, "rod": 2}, "grid3")
    assert idea.task.goal == "craft AAA/.B./.B. with board in the place of plank, which gave pick"
    assert (idea.task.success, idea.task.source) == (idea.success, idea.source)
    (support,) = idea.task.support
    assert support.exemplar == PICK_SHOWN.id
    assert {axis.value: share for axis, share in support.axes.items()} == idea.axes


def test_the_item_is_mapped_to_what_it_replaces():
    mapping = boards_for_planks().mapping
    assert mapping is not None
    pair = mapping.standing_for("board")
    assert pair is not None
    assert pair.base == "plank"
    assert sum(pair.axes.values()) == pytest.approx(1.0)


def test_a_masked_axis_supports_no_correspondence_and_no_step():
    kept = (Axis.STRUCT, Axis.PROC)
    idea = boards_for_planks(kept)
    assert idea.mapping is not None
    assert idea.task is not None
    assert idea.mapping.axes == kept
    assert {axis for one in idea.mapping.correspondences for axis in one.axes} <= set(kept)
    assert {axis for one in idea.mapping.inferences for axis in (one.axis,)} <= set(kept)
    assert {axis for one in idea.task.support for axis in one.axes} <= set(kept)


def test_a_task_after_a_pattern_says_so():
    policy = policy_that_saw(SHUTTER_SHOWN, BOARDS_SHOWN)
    idea = policy.suggest(prospects("plank", "board", "stone"))
    assert idea is not None
    task = policy.carried_over(idea, None).task
    assert task is not None
    assert task.source == "pattern"


def test_smelting_burns_the_fuel_given_else_the_exemplars():
    policy = policy_that_saw(ore_smelted())
    idea = smelting_gold(policy)
    for fuel, burnt in (("coal", "coal"), (None, "plank")):
        task = policy.carried_over(idea, fuel).task
        assert task is not None
        assert task.actions == (Smelt(input="raw_gold", fuel=burnt),)


def test_without_an_axis_nothing_is_carried_over():
    policy = policy_that_saw(PICK_SHOWN, SHUTTER_SHOWN, axes=())
    idea = policy.suggest(prospects())
    assert idea is not None
    assert policy.carried_over(idea, None) is idea


def test_a_mapping_is_made_once_until_memory_grows():
    carrier = Carrier(AXES)
    for csd in (PICK_SHOWN, SHUTTER_SHOWN):
        carrier.remember(csd, csd.id)
    first = carrier.mapping(PICK_SHOWN.id, "plank", "board")
    assert carrier.mapping(PICK_SHOWN.id, "plank", "board") is first
    carrier.remember(BOARDS_SHOWN, BOARDS_SHOWN.id)
    grown = carrier.mapping(PICK_SHOWN.id, "plank", "board")
    assert first is not None
    assert grown is not None
    assert first.standing_for("board") is None
    assert grown.standing_for("board") is not None


def test_a_memory_that_saw_nothing_suggests_nothing():
    assert policy_that_saw().suggest(prospects()) is None


def test_no_memory_never_suggests_and_speaks_against_nothing():
    memory = NoMemory()
    memory.remember(PICK_SHOWN)
    memory.failed(Arrangement("A", ("plank",)))
    assert memory.suggest(prospects()) is None
    assert memory.penalty is None
