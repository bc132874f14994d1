"""The task manager: subgoals are named by a model, and reached or given up by what happens."""

from __future__ import annotations

from csd.chat import ScriptedModel
from ical.asking.calls import Asker
from ical.asking.subgoals import Subgoals, ask_subgoals
from tests.ical.asking.samples import here, known


def told(text):
    asker = Asker(ScriptedModel([text]))
    return ask_subgoals(asker, known(), here(aim="hold an iron_pickaxe")), asker.calls[0]


def test_subgoals_are_taken_in_order_each_once():
    found, call = told(
        '{"subgoals":[{"item":"Stone Pickaxe","amount":1},{"item":"raw_iron","amount":3},"raw_iron"]}'
    )
    assert found.wanted == (("stone_pickaxe", 1), ("raw_iron", 3))
    assert call.usable


def test_an_answer_that_cannot_be_read_leaves_the_aim_alone():
    found, call = told("first a pickaxe")
    assert found.wanted == ()
    assert found.current is None
    assert not call.usable
    assert call.findings


def test_a_subgoal_once_reached_stays_so_though_it_is_used_up():
    goals = Subgoals(wanted=(("stick", 2), ("pickaxe", 1)))
    goals.see({"stick": 1})
    assert goals.current == "stick"
    goals.see({"stick": 2})
    goals.see({})
    assert (goals.current, goals.reached) == ("pickaxe", ("stick",))


def test_a_subgoal_for_which_too_much_failed_is_given_up():
    goals = Subgoals(wanted=(("stick", 1), ("pickaxe", 1)), patience=2)
    goals.failed()
    assert goals.current == "stick"
    goals.failed()
    assert (goals.current, goals.reached) == ("pickaxe", ())
    goals.failed()
    goals.failed()
    goals.failed()
    assert goals.current is None
