from __future__ import annotations

import pytest

from csd.episode import Action, GoTo, Outcome
from echo.agent.body import Body, BudgetSpent
from echo.agent.knowledge import Knowledge
from echo.agent.scouting import POINTS, STRIDE, Scout
from tests.agent.toy_goals import NOTHING, GoalWorld, deeds, have


class Island(GoalWorld):
    """A land on which walks fail that go beyond its edges."""

    def __init__(self, *, east: int = 999, south: int = 999, down: int = 999) -> None:
        super().__init__(have(gold=1), rules=NOTHING)
        self._east, self._south, self._down = east, south, down

    def act(self, action: Action) -> Outcome:
        assert isinstance(action, GoTo)
        x, y, z = action.target
        if x > self._east or z > self._south or 64 - y > self._down:
            self.done.append((action, "out_of_reach"))
            return Outcome(code="out_of_reach", message="the land ends")
        return super().act(action)


def scout_in(world: GoalWorld, budget: int = 1_000) -> Scout:
    return Scout(Body(world, Knowledge(), budget, lambda taken: None, counted=frozenset({"go_to"})))


def walked(world: GoalWorld) -> list[tuple[int, int, int]]:
    """Return the points tried, in strides (east, down, south)."""
    scout = scout_in(world)
    while scout.go_on():
        pass
    targets = [action.target for action in deeds(world) if isinstance(action, GoTo)]
    return [(x // STRIDE, (64 - y) // STRIDE, z // STRIDE) for x, y, z in targets]


def test_the_nearest_points_come_first_straight_down_before_the_four_sides():
    assert POINTS[:5] == ((0, 1, 0), (1, 0, 0), (0, 0, 1), (-1, 0, 0), (0, 0, -1))
    far = [abs(east) + down + abs(south) for east, down, south in POINTS]
    assert far == sorted(far)


def test_every_point_is_walked_to_once_and_then_there_is_none():
    world = Island()
    assert walked(world) == list(POINTS)
    # Nine columns of four depths, the start left out; four points north and south of three depths.
    assert len(POINTS) == 9 * 4 - 1 + 4 * 3
    assert len(dict.fromkeys(POINTS)) == len(POINTS)


def test_where_the_land_ends_to_the_east_nothing_further_east_is_tried():
    east = [point for point in walked(Island(east=10)) if point[0] > 0]
    assert east == [(1, 0, 0)]


def test_where_nothing_lies_below_only_the_surface_is_walked():
    deep = [point for point in walked(Island(down=10)) if point[1] > 0]
    assert deep == [(0, 1, 0)]


def test_two_strides_south_are_left_out_where_one_already_ended():
    south = [point for point in walked(Island(south=10)) if point[2] > 0]
    assert south == [(0, 0, 1)]
    # Where one stride is possible and two are not, three are not tried.
    further = [point for point in walked(Island(south=30)) if point[2] > 1]
    assert further == [(0, 0, 2)]


def test_a_corner_that_cannot_be_reached_leaves_the_sides_open():
    class Corner(Island):
        def act(self, action: Action) -> Outcome:
            x, _, z = getattr(action, "target", (0, 0, 0))
            return super().act(action if x * z <= 0 or x < 0 else GoTo(target=(1_000, 64, 1_000)))

    seen = walked(Corner())
    corner = [point for point in seen if point[0] > 40]
    assert len(corner) == 1
    assert all(point in seen for point in ((1, 1, 0), (0, 1, 1), (0, 0, 3)))


def test_no_point_lies_below_the_second_layer():
    world = GoalWorld(have(gold=1), rules=NOTHING)
    world._at = (0, 30, 0)
    scout = scout_in(world)
    while scout.go_on():
        pass
    heights = [action.target[1] for action in deeds(world) if isinstance(action, GoTo)]
    assert sorted(dict.fromkeys(heights)) == [2, 10, 30]


def test_walking_ends_with_the_budget():
    scout = scout_in(Island(), budget=2)
    assert scout.go_on()
    assert scout.go_on()
    with pytest.raises(BudgetSpent):
        scout.go_on()
