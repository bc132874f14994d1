from __future__ import annotations

from dataclasses import replace

import pytest

from csd.axes import AXES
from csd.encode import HashingEncoder
from csd.episode import Action, Attack, Collect, Craft, Episode, Equip, GoTo, Place, Smelt, Step
from echo.agent.arrangement import Arrangement
from echo.agent.goal import HAND, Fell, Fill, Make
from echo.agent.memory import Ended, Question, Recalled
from echo.agent.policy import NoMemory, Prospects
from echo.agent.transfer_memory import DOUBT, SHARPNESS, TransferMemory, lesson
from tests.agent.toy_goals import TREE, GoalWorld, Lay, have, lived
from tests.agent.toy_world import RULES, ToyWorld
from tests.baselines.hand_made import ScriptedEncoder

DIG, ROCK, PLANKS = Collect(block="tree"), Collect(block="rock"), Craft(grid=(("log",),))
RODS, TABLE = Craft(grid=(("plank",), ("plank",))), Craft(grid=(("plank", "plank"), ("plank", "plank")))
CELL = (3, 63, 0)
GAP = Fill(text="fill the gap", cells=(CELL,))
SEEN = ToyWorld().observe()


def spider(within: int) -> Fell:
    return Fell(text="fell it", mob="spider", within=within)


def memory(*steps: Step, **settings) -> TransferMemory:
    """Return a memory that took in `steps`."""
    made = TransferMemory(encoder=settings.pop("encoder", HashingEncoder()), **settings)
    for step in steps:
        made.take_in(step, (), SEEN)
    return made


def recall(kept: TransferMemory, goal=None, **asked) -> Recalled:
    return kept.recall(Question(goal=goal or have(gold=1), seen=SEEN, **asked))


def fight(weapon: str | None, ticks: int) -> Step:
    world = GoalWorld(
        spider(1), Lay(mobs={"spider": (0, 64, 0)}, ticks={weapon: ticks}), held={weapon or "log": 1}
    )
    return lived(Equip(item=weapon), Attack(mob="spider"), world=world)[-1]


def laid(item: str, *, carries: bool) -> Step:
    lay = Lay(carriers=(item,) if carries else (), loose=(item,))
    (step,) = lived(Place(item=item, target=CELL), world=GoalWorld(GAP, lay, held={item: 1}))
    return step


def burnt(fuel: str) -> Step:
    return lived(Place(item="oven"), Smelt(input="log", fuel=fuel), oven=1, log=1, **{fuel: 1})[-1]


def test_a_grid_teaches_what_is_laid_and_whether_it_gives_something():
    works, fails = lived(PLANKS, Craft(grid=(("rod",),)), log=1, rod=1)
    assert lesson(works) == ("craft", Arrangement("A", ("log",)), "ok")
    assert lesson(fails) == ("craft", Arrangement("A", ("rod",)), "no_result")
    assert lesson(lived(PLANKS)[0]) is None


def test_a_fire_teaches_of_input_and_fuel_or_of_what_does_not_burn():
    assert lesson(burnt("plank")) == ("smelt", "log", "plank", "ok")
    assert lesson(burnt("rod")) == ("fuel", "rod")


def test_a_dig_teaches_what_a_tool_brings_and_a_handful_is_no_tool():
    _, dug = lived(Equip(item="pick"), ROCK, pick=1)
    assert lesson(dug) == ("dig", "rock", "pick", "ok", ("stone",))
    _, planks = lived(Equip(item="plank"), DIG, plank=3)
    assert lesson(planks) == lesson(lived(DIG)[0]) == ("dig", "tree", None, "ok", ("log",))
    assert lesson(lived(ROCK)[0]) == ("dig", "rock", None, "no_drop", ())


def test_a_block_put_down_teaches_whether_it_serves_where_one_is_asked_for():
    assert lesson(laid("brick", carries=True)) == ("place", "brick", "ok", True)
    assert lesson(laid("sand", carries=False)) == ("place", "sand", "ok", False)
    assert lesson(lived(Place(item="table"), table=1)[0]) == ("place", "table", "ok", None)
    assert lesson(lived(Place(item="rod"), rod=1)[0]) == ("place", "rod", "not_placeable", None)


def test_a_fight_teaches_how_long_it_takes_with_what_is_held():
    assert lesson(fight("sword", 40)) == ("fight", "spider", "sword", 40)
    assert lesson(fight(None, 80)) == ("fight", "spider", None, 80)


def test_walking_and_holding_teach_nothing():
    assert [lesson(step) for step in lived(GoTo(target=CELL), Equip(item=None))] == [None, None]


def test_each_lesson_is_recalled_once_oldest_first_and_no_experience_before_the_first():
    dig, again, planks = lived(DIG, DIG, PLANKS)
    assert recall(memory()) == Recalled(places={})
    assert recall(memory(dig, again, planks)).steps == (dig, planks)


def taken(kept: TransferMemory, world: ToyWorld, *actions: Action) -> None:
    """Let a memory take in what is done in a world."""
    for action in actions:
        (step,) = lived(action, world=world)
        kept.take_in(step, (), world.observe())


def test_places_are_recalled_at_the_start_and_where_one_is_asked_for():
    kept = memory()
    world = ToyWorld()
    taken(kept, world, DIG)
    assert recall(kept).places == {kind: seen.nearest for kind, seen in world.observe().blocks.items()}
    assert recall(kept, block="tree") == Recalled(places={"tree": SEEN.blocks["tree"].nearest})
    assert recall(kept, block="gem") == Recalled()


def test_the_land_of_a_demonstration_gives_no_place():
    kept = memory()
    kept.show(demonstration("plank", 1))
    assert recall(kept).places == {}


def test_of_several_places_the_nearest_is_recalled():
    kept = memory()
    for cell in (TREE, (7, 64, 0)):
        world = GoalWorld(have(gold=1), Lay(far={"tree": cell}))
        taken(kept, world, GoTo(target=(cell[0] - 2, 64, 0)))
    assert recall(kept).places["tree"] == (7, 64, 0)
    far = replace(SEEN, position=(30.5, 64.0, 0.5))
    assert kept.recall(Question(goal=GAP, seen=far)).places["tree"] == TREE


def test_a_place_where_nothing_of_the_kind_is_in_sight_any_more_is_forgotten():
    kept = memory()
    taken(kept, GoalWorld(have(gold=1), Lay(far={"tree": TREE})), GoTo(target=(20, 64, 0)))
    assert recall(kept).places["tree"] == TREE
    other = GoalWorld(have(gold=1), Lay(far={"tree": (60, 64, 0)}))
    taken(kept, other, GoTo(target=(5, 64, 0)))
    assert recall(kept).places["tree"] == TREE
    taken(kept, other, GoTo(target=TREE))
    assert "tree" not in recall(kept).places


def test_a_question_about_an_item_leaves_what_suggestions_aim_at():
    goal = replace(have(stick=1), text="carry a stick")
    assert suggested_rows(goal) == suggested_rows(goal, asked="plank box") == "A/A"


def test_exemplars_are_what_made_the_things_with_the_nearest_names_nearest_first():
    planks, rods, table = lived(PLANKS, RODS, TABLE, log=1, plank=4)
    encoder = ScriptedEncoder({"plank": 0.5, "rod": 0.9, "table": 0.1}, ("carry a stick",))
    goal = replace(have(stick=1), text="carry a stick")
    assert recall(memory(planks, rods, table, encoder=encoder, shots=2), goal).exemplars == (rods, planks)
    assert recall(memory(planks, rods, table, encoder=encoder), goal).exemplars == (rods, planks, table)


def test_the_exemplar_of_a_thing_is_the_latest_way_to_make_it():
    log, branch = Arrangement("A", ("log",)), Arrangement("A", ("branch",))
    rules = replace(RULES, recipes={log: ("plank", 4), branch: ("plank", 1)})
    world = ToyWorld(rules, {"log": 2, "branch": 1})
    first, other, again = lived(PLANKS, Craft(grid=(("branch",),)), PLANKS, world=world)
    assert recall(memory(first, other, again)).exemplars == (other,)


def test_asked_for_an_item_only_exemplars_are_told():
    planks, rods = lived(PLANKS, RODS, log=1)
    encoder = ScriptedEncoder({"plank": 0.5, "rod": 0.9}, ("stick",))
    kept = memory(planks, rods, encoder=encoder)
    assert recall(kept, item="stick") == Recalled(exemplars=(rods, planks))


def test_recalling_twice_answers_alike():
    kept = memory(*lived(DIG, PLANKS, RODS))
    assert recall(kept) == recall(kept)
    assert recall(kept, item="rod") == recall(kept, item="rod")


def test_the_end_of_an_episode_changes_nothing():
    kept = memory(*lived(DIG, PLANKS))
    before = recall(kept)
    kept.close(Ended(goal=have(plank=1), steps=(), after=SEEN, ending="reached"))
    assert recall(kept) == before


def test_without_an_opinion_on_likeness_every_item_is_as_likely_as_not():
    assert memory(burnt("plank")).fits("fuel", ["feather"]) == {"feather": 0.5}


def test_what_served_is_likely_and_what_did_not_is_not():
    fits = memory(burnt("plank"), burnt("rod")).fits("fuel", ["plank", "rod"])
    # Its own trial weighs 1, beside a prior of one half that weighs 0.3.
    assert fits == {"plank": pytest.approx(1.15 / 1.3), "rod": pytest.approx(0.15 / 1.3)}
    bridge = memory(laid("brick", carries=True), laid("sand", carries=False))
    assert bridge.fits("bridge", ["sand", "brick"]) == {
        "sand": pytest.approx(0.15 / 1.3),
        "brick": pytest.approx(1.15 / 1.3),
    }


def test_likeness_on_the_axes_speaks_for_another_item_by_its_power():
    kept = memory(burnt("plank"))
    for number, item in enumerate(("plank", "board")):
        kept.show(demonstration(item, number))
    alike = float(kept._transfer.inducer.alike(["board", "plank"])[0, 1])
    assert 0.0 < alike < 1.0
    weight = alike**SHARPNESS
    expected = (weight + 0.5 * DOUBT) / (weight + DOUBT)
    # Both were laid as a box, so that what is known of planks speaks for boards, and not for feathers.
    assert kept.fits("fuel", ["board"]) == {"board": pytest.approx(expected)}
    assert kept.fits("fuel", ["feather"]) == {"feather": 0.5}


@pytest.mark.parametrize(("within", "served"), [(39, False), (40, True), (64, True)])
def test_whether_a_weapon_served_depends_on_the_time_that_the_goal_allows(within, served):
    kept = memory(fight("sword", 40))
    recall(kept, spider(within))
    expected = (served + 0.15) / 1.3
    assert kept.fits("weapon", ["sword"]) == {"sword": pytest.approx(expected)}


def test_a_weapon_that_served_against_one_creature_vouches_for_nothing_against_another():
    kept = memory(fight("sword", 40))
    recall(kept, Fell(text="fell it", mob="cow", within=64))
    assert kept.fits("weapon", ["sword"]) == {}


def test_the_bare_hand_is_among_the_weapons():
    kept = memory(fight(None, 80), fight("sword", 40))
    recall(kept, spider(64))
    assert kept.fits("weapon", [HAND, "sword"]) == {
        HAND: pytest.approx(0.15 / 1.3),
        "sword": pytest.approx(1.15 / 1.3),
    }


def test_what_was_never_tried_in_a_role_gives_no_opinion():
    kept = memory(burnt("plank"), laid("brick", carries=True))
    assert kept.fits("weapon", ["plank"]) == {}
    assert memory(*lived(DIG)).fits("fuel", ["plank"]) == {}


def test_only_the_most_alike_players_count_where_exemplars_are_few():
    trials = (burnt("plank"), burnt("rod"))
    assert memory(*trials, shots=1).fits("fuel", ["rod"]) == {"rod": pytest.approx(0.15 / 1.3)}


def test_without_ical_it_recalls_and_has_no_opinion_of_its_own():
    kept = memory(burnt("plank"), *lived(PLANKS, log=1), ical=False)
    assert kept.fits("fuel", ["plank"]) == {}
    assert isinstance(kept.policy, NoMemory)
    assert len(recall(kept).steps) == 2
    assert len(recall(kept).exemplars) == 2


def test_without_its_verifier_suggestions_are_not_checked():
    assert memory().habits.checks
    assert not memory(verifies=False).habits.checks


def demonstration(item: str, number: int) -> Episode:
    """Return the laying of four of `item` as a box."""
    box = Arrangement("AA/AA", (item,))
    world = ToyWorld(replace(RULES, recipes={box: (f"{item}_box", 1)}), {item: 4})
    steps = lived(Craft(grid=box.grid), world=world)
    return Episode(id=f"ep_{number:06d}", goal="a box", steps=steps, after=world.observe(), source="toy")


BOX_OF_STONE = Prospects(
    items=["plank", "stone"], held={"plank": 9, "stone": 9}, prices={}, offers=(), ways=1
)


@pytest.mark.parametrize(("maintains", "exemplars"), [(True, 1), (False, 2)])
def test_descriptors_that_say_the_same_are_merged_unless_nothing_is_maintained(maintains, exemplars):
    kept = memory(maintains=maintains)
    for number in (1, 2):
        kept.show(demonstration("plank", number))
    idea = kept.policy.suggest(BOX_OF_STONE)
    assert idea is not None
    assert idea.detail == "stone for plank in AA/AA"
    assert len(idea.exemplars) == exemplars


def test_a_demonstration_is_recalled_like_an_experience():
    shown = demonstration("plank", 1)
    kept = memory()
    kept.show(shown)
    assert recall(kept).steps == recall(kept).exemplars == shown.steps


def suggested_rows(goal, asked: str | None = None) -> str:
    """Return what is suggested first where boxes and rods were shown, `goal` and then an item asked about."""
    encoder = ScriptedEncoder({"plank box": 0.1, "rod": 0.9}, ("carry a stick",))
    kept = memory(encoder=encoder, shots=1)
    kept.show(demonstration("plank", 1))
    steps = lived(RODS, plank=2)
    after = ToyWorld(held={"rod": 4}).observe()
    kept.show(Episode(id="ep_000002", goal="rods", steps=steps, after=after, source="toy"))
    recall(kept, goal)
    if asked is not None:
        recall(kept, goal, item=asked)
    idea = kept.policy.suggest(BOX_OF_STONE)
    assert idea is not None
    return idea.arrangement.rows


def test_suggestions_aim_at_what_is_like_the_goal_where_a_certain_thing_is_asked_for():
    assert suggested_rows(replace(have(stick=1), text="carry a stick")) == "A/A"
    assert suggested_rows(Make(text="carry a stick", where="hands")) == "AA/AA"


COSINES = {"log": 0.1, "plank": 0.3, "stone": 0.8, "rod": 0.2}


def bears(kept: TransferMemory, *items: str) -> list[float]:
    """Return by how much of the most a goal can take off, items are shorter to name."""
    penalty = kept.policy.penalty
    assert penalty is not None
    return [penalty.naming(item) / -4.0 for item in items]


def test_what_is_called_like_the_goal_bears_on_it_from_the_mean_up():
    kept = memory(encoder=ScriptedEncoder(COSINES, ("gem",)))
    for item in COSINES:
        kept.take_in(lived(DIG)[0], (item,), SEEN)
    recall(kept, have(gem=1))
    # The mean of the four cosines is 0.35, the highest 0.8.
    assert bears(kept, "log", "plank", "stone", "rod", "feather") == [0.0, 0.0, 1.0, 0.0, 0.0]
    kept.take_in(lived(DIG)[0], ("clay",), SEEN)
    # With one more, of cosine 0, the mean is 0.28.
    assert bears(kept, "plank", "stone") == [pytest.approx(0.02 / 0.52), 1.0]
    recall(kept, Make(text="gem", where="hands"))
    assert bears(kept, "plank", "stone") == [0.0, 0.0]


def test_what_a_thing_called_like_the_goal_was_made_of_bears_on_it_as_much():
    kept = memory(encoder=ScriptedEncoder({"log": 0.0, "plank": 0.1, "rod": 0.9, "stone": 0.2}, ("staff",)))
    for item in ("log", "plank", "rod", "stone"):
        kept.take_in(lived(DIG)[0], (item,), SEEN)
    recall(kept, have(staff=1))
    assert bears(kept, "plank", "rod") == [0.0, 1.0]
    for step in lived(RODS, plank=2):
        kept.take_in(step, (), SEEN)
    recall(kept, have(staff=1))
    assert bears(kept, "log", "plank", "rod") == [0.0, 1.0, 1.0]


def test_the_first_piece_tells_what_the_others_are_made_of_and_nothing_bears_on_what_is_known_how_to_make():
    encoder = ScriptedEncoder({"log": 0.0, "plank": 0.1, "stone": 0.2}, ("rod", "staff"))
    kept = memory(encoder=encoder)
    for item in ("log", "plank", "stone", "rod"):
        kept.take_in(lived(DIG)[0], (item,), SEEN)
    recall(kept, have(rod=1, staff=1))
    assert bears(kept, "plank", "stone")[0] == 0.0
    for step in lived(RODS, plank=2):
        kept.take_in(step, (), SEEN)
    recall(kept, have(rod=1, staff=1))
    assert bears(kept, "plank") == [1.0]
    recall(kept, have(rod=1))
    assert bears(kept, "plank", "stone") == [0.0, 0.0]


def test_axes_that_are_masked_speak_for_nothing():
    kept = memory(burnt("plank"), axes=())
    for number, item in enumerate(("plank", "board")):
        kept.show(demonstration(item, number))
    assert kept.fits("fuel", ["board"]) == {"board": 0.5}
    assert len(AXES) == 5
