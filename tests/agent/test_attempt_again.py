"""Making again what is known to work, and attempts that come to nothing before they begin."""

from __future__ import annotations

import pytest

from csd.episode import Collect, Craft, OutcomeCode, Place, Smelt
from echo.agent.arrangement import Arrangement
from echo.agent.options import AgentOptions
from tests.agent.attempting import Setting, carried, idea, kinds, proposal
from tests.agent.toy_world import ToyWorld

PLANKS, WALL = Arrangement("A", ("log",)), Arrangement("AA/AA", ("stone",))


def test_what_is_known_to_work_is_made_again_as_often_as_wanted():
    at = Setting(ToyWorld(held={"log": 2}))
    assert at.attempter.redo(PLANKS)
    assert at.attempter.redo(PLANKS)
    assert at.world.held == {"plank": 8}
    # No attempt of anything new: nobody is told, nothing is counted.
    assert at.policy.told == []
    assert at.chronicle.attempts.get("exploration", {"tried": 0})["tried"] == 0


def test_what_it_takes_is_gathered_first():
    at = Setting(ToyWorld())
    at.do(Collect(block="tree"), Craft(grid=(("log",),)))
    assert at.attempter.redo(PLANKS)
    assert kinds(at.world) == ["collect", "craft"]


def test_what_cannot_be_prepared_or_gives_nothing_now_is_not_made():
    at = Setting(ToyWorld())
    assert not at.attempter.redo(PLANKS)
    assert at.world.done == []
    held = Setting(ToyWorld(held={"stone": 4}))
    assert not held.attempter.redo(WALL)
    assert kinds(held.world) == ["craft"]


def test_smelting_is_done_again_with_what_burns():
    at = Setting(ToyWorld(held={"oven": 1, "log": 2, "rod": 9, "plank": 2}))
    at.known.offers["oven"] = "smelt"
    at.known.not_fuel["rod"] = None
    assert at.attempter.redo(Arrangement.smelting("log"))
    assert [action for action, _ in at.world.done] == [Place(item="oven"), Smelt(input="log", fuel="plank")]


def test_attempts_given_up_for_want_of_material_are_counted():
    at = Setting(ToyWorld())
    at.attempter.attempt(proposal(WALL))
    at.attempter.attempt(idea(PLANKS))
    assert at.attempter.unprepared == 2
    assert at.world.done == []


def test_attempts_that_were_tried_rejected_or_known_are_not_counted_as_unprepared():
    at = Setting(ToyWorld(held={"stone": 4, "log": 1}))
    at.attempter.attempt(proposal(WALL))
    at.attempter.attempt(idea(WALL))
    at.attempter.attempt(carried(Arrangement("A", ("marble",))))
    assert at.attempter.unprepared == 0


def test_without_a_verifier_a_task_with_an_unheard_of_name_is_not_rejected_but_cannot_be_prepared():
    at = Setting(ToyWorld(held={"log": 4}), AgentOptions(verifies=False))
    unheard_of = Arrangement("AA/AA", ("marble",))
    at.attempter.attempt(carried(unheard_of))
    assert at.policy.told == [("aside", unheard_of, 0)]
    assert at.attempter.unprepared == 1
    assert at.chronicle.attempts == {}


class Full(ToyWorld):
    """Has room for nothing more once it is full."""

    full = False

    def _dig(self, kind: str) -> OutcomeCode:
        return "inventory_full" if self.full else super()._dig(kind)


@pytest.mark.parametrize("plans", [1, 3])
def test_plans_are_made_so_often_and_no_more(plans):
    world = Full()
    at = Setting(world, AgentOptions(plans=plans))
    at.do(Collect(block="tree"))
    world.full = True
    assert not at.attempter.prepare(Arrangement("AA", ("log",)))
    assert kinds(world) == ["collect"] * plans
