from __future__ import annotations

from pathlib import Path

import pytest

from csd.build import describe
from csd.claims import known_name, mentions, plain_name, read_claims
from csd.descriptor import Csd
from csd.episode import Craft
from csd.ground_released import Rate, ground_released, rates_of
from csd.released import read_entry, read_released
from tests.csd import sample_episodes as samples
from tests.csd.released_samples import bowl

RELEASED = Path(__file__).parents[2] / ".." / "shared" / "data" / "echo" / "csd_data.json"


def problems(**changes):
    return ground_released(read_entry("crafting_bowl", bowl(**changes)))


def only_problem(**changes):
    (problem,) = problems(**changes)
    return problem


def crafted_sticks() -> Csd:
    before = samples.see({"oak_planks": 2})
    made = samples.brought(inventory_delta={"oak_planks": -2, "stick": 4})
    grid = (("oak_planks",), ("oak_planks",))
    csd = describe(samples.episode((before, Craft(grid=grid), made), after=samples.see({"stick": 4})))
    assert isinstance(csd, Csd)
    return csd


def test_an_entry_that_bears_itself_out_is_accepted():
    assert problems() == ()


def test_things_put_into_slots_that_the_history_never_had_are_refused():
    problem = only_problem(
        attr={"kiln": {"color": "red"}, "gold_ore": {"color": "yellow"}},
        struct="A kiln stands ahead. Gold ore lies in its upper slot.",
        func={},
    )
    assert problem.where == "struct.description"
    assert problem.excerpt == "Gold ore lies in its upper slot."
    assert "got gold_ore, which no line of it mentions" in problem.reason


def test_things_merely_standing_there_need_no_history():
    assert problems(struct="A spruce stands on a grass_block. It is tall.") == ()


def test_things_put_into_slots_that_the_history_had_are_accepted():
    assert problems(struct="Spruce planks fill three slots.") == ()


def test_a_thing_that_was_neither_seen_nor_done_is_refused():
    problem = only_problem(proc="The Agent uses a stone_cutter and crafts 4 bowls.")
    assert problem.where == "proc.description"
    assert "got stone_cutter" in problem.reason


def test_a_role_for_a_thing_never_seen_is_refused():
    problem = only_problem(func={"anvil": "Mends things."})
    assert (problem.where, problem.excerpt) == ("func.anvil", "Mends things.")


def test_using_more_than_was_brought_in_is_refused():
    problem = only_problem(
        proc="",
        inter__detailed="",
        inter__hist=["Crafted 4 spruce_planks.", "Crafted 8 bowls from 6 spruce_planks."],
    )
    assert problem.excerpt == "Crafted 8 bowls from 6 spruce_planks."
    assert "at most the 4 spruce_plank" in problem.reason


def test_what_was_used_up_is_gone():
    problem = only_problem(
        proc="",
        inter__detailed="",
        inter__hist=[
            "Crafted 4 spruce_planks.",
            "Crafted 4 bowls from 3 spruce_planks.",
            "Crafted 2 sticks from 2 spruce_planks.",
        ],
    )
    assert "at most the 1 spruce_plank" in problem.reason


def test_what_was_carried_from_before_the_history_may_be_used():
    assert problems(proc="", inter__detailed="", inter__hist=["Crafted 4 bowls from 3 spruce_planks."]) == ()


def test_a_text_that_states_another_amount_than_the_history_is_refused():
    problem = only_problem(proc="It crafts 9 bowls.")
    assert problem.where == "proc.description"
    assert "states (4); got 9" in problem.reason


def test_a_total_over_several_lines_agrees_with_the_history():
    hist = ["Crafted 4 bowls.", "Crafted 4 bowls."]
    assert problems(proc="It crafts 8 bowls.", inter__detailed="", inter__hist=hist) == ()


def test_one_making_at_two_rates_is_refused():
    problem = only_problem(
        proc="",
        inter__detailed="",
        inter__hist=["Crafted 4 bowls from 3 spruce_planks.", "Crafted 8 bowls from 3 spruce_planks."],
    )
    assert "bowl from spruce_plank at one rate (1.33333" in problem.reason
    assert "got 2.66667" in problem.reason


def test_an_entry_without_history_cannot_be_checked():
    problem = only_problem(inter__hist=[])
    assert (problem.where, problem.excerpt) == ("inter.hist", "Bowls from a spruce.")


def test_amounts_at_odds_with_what_was_seen_to_take_are_refused():
    entry = read_entry(
        "sticks",
        {
            "meta": {"task": "Craft sticks."},
            "inter": {"hist": ["Crafted 8 sticks from 2 oak planks."]},
        },
    )
    assert ground_released(entry) == ()
    (problem,) = ground_released(entry, rates_of([crafted_sticks()]))
    assert "expected 2 stick for each oak_plank, as seen; got 4" in problem.reason
    assert problem.where == "inter.hist"


def test_amounts_that_agree_with_what_was_seen_are_accepted():
    entry = read_entry(
        "sticks",
        {"meta": {"task": "Craft."}, "inter": {"hist": ["Crafted 12 sticks from 6 oak planks."]}},
    )
    assert ground_released(entry, rates_of([crafted_sticks()])) == ()


def test_rates_are_those_of_crafts_each_once():
    csd = crafted_sticks()
    assert rates_of([csd, csd]) == (Rate(product="stick", yields=4, consumes=(("oak_plank", 2),)),)
    stone = describe(samples.dug_stone())
    assert isinstance(stone, Csd)
    assert rates_of([stone]) == ()


def test_the_released_samples_are_told_apart():
    if not RELEASED.is_file():
        pytest.skip(f"the released sample memory is not at {RELEASED}")
    entries = {entry.task_id: entry for entry in read_released(RELEASED.read_text(encoding="utf-8"))}
    rates = rates_of([crafted_sticks()])
    assert ground_released(entries["crafting_stick"]) == ()
    assert ground_released(entries["crafting_stick"], rates) == ()
    (copied,) = ground_released(entries["crafting_wooden_pickaxe"])
    assert copied.where == "struct.description"
    assert "iron_ore, charcoal" in copied.reason
    found = ground_released(entries["crafting_wooden_pickaxe"], rates)
    assert [problem.where for problem in found] == [
        "struct.description",
        "inter.hist",
        "proc.description",
        "inter.detailed",
    ]
    assert found[1].excerpt == "Crafted 8 sticks from 2 oak planks."


def test_a_clause_is_read_into_what_was_used_and_made():
    (claim,) = read_claims("Finally, combining 3 oak planks and 2 sticks, the Agent crafts a wooden pickaxe.")
    assert claim.of("used") == {"oak_plank": 3, "stick": 2}
    assert claim.of("made") == {"wooden_pickaxe": 1}


def test_short_forms_are_taken_for_the_one_known_name_they_fit():
    (claim,) = read_claims(
        "using two of those planks, it crafts eight slender sticks", ["oak_plank", "stick"]
    )
    assert (claim.of("used"), claim.of("made")) == ({"oak_plank": 2}, {"stick": 8})


def test_a_short_form_that_fits_two_names_is_left_as_it_is():
    assert known_name("planks", ["oak_plank", "birch_plank"]) is None


def test_coordinates_and_scores_are_no_amounts():
    assert read_claims("Found oak_log at (-262, 73, -211) and completed with a score of 1.") == ()


def test_what_came_out_counts_and_not_how_often_it_was_done():
    (claim,) = read_claims("Crafted 1 oak_planks, resulting in 4 oak_planks.")
    assert claim.of("made") == {"oak_plank": 4}


@pytest.mark.parametrize(
    ("name", "plain"),
    [("Oak planks", "oak_plank"), ("iron_ore", "iron_ore"), ("grass", "grass"), ("gas", "gas")],
)
def test_plain_names(name, plain):
    assert plain_name(name) == plain


@pytest.mark.parametrize(
    ("text", "found"),
    [("Iron ore is here", True), ("two iron_ores", True), ("iron", False), ("environ_ore", False)],
)
def test_a_name_is_found_in_its_spellings_only(text, found):
    assert mentions(text, "iron_ore") is found
