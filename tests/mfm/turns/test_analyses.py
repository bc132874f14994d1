from __future__ import annotations

import pytest

from echo.mfm.turns.analyses import Sum, cost, looking, pace
from echo.mfm.turns.record import Call, Done, Turn, Viewed


def turn(
    number: int, *, steps: int = 0, at=(0.0, 0.0), to=(), viewed=(), calls=(), commands=(), **more
) -> Turn:
    return Turn(
        turn=number,
        life=more.get("life", 1),
        first_step=100,
        last_step=100 + steps,
        at=at,
        model="scripted",
        brief="",
        block="",
        plan="",
        destinations=to,
        calls=calls,
        commands=commands,
        changed=more.get("changed", ()),
        viewed=tuple(Viewed(episode=f"ep_{n:06d}", at=spot) for n, spot in enumerate(viewed)),
        episodes=(),
        milestones=more.get("milestones", ()),
        failure=more.get("failure"),
    )


def call(prompt: int | None, completion: int | None, money: float | None) -> Call:
    return Call(
        prompt_digest="",
        completion="",
        prompt_tokens=prompt,
        completion_tokens=completion,
        money=money,
        seed=None,
    )


def test_the_rolling_median_looks_back_over_the_window_only():
    steps = [10, 0, 2, 50, 4]
    told = pace([turn(n, steps=taken) for n, taken in enumerate(steps, start=1)], window=3)
    assert [each.steps for each in told] == steps
    assert [each.rolling for each in told] == [10, 5.0, 2, 2, 4]


def test_a_look_is_credited_with_new_destinations_and_their_nearness_to_the_frame():
    turns = [
        turn(1, at=(0.0, 0.0), to=((10.0, 0.0),)),  # new, without a look
        turn(2, at=(20.0, 0.0), to=((10.0, 2.0),)),  # the same place again
        turn(
            3, at=(20.0, 0.0), viewed=(None, (40.0, 3.0)), to=((40.0, 0.0),)
        ),  # new, 3 blocks from the frame
        turn(4, at=(40.0, 0.0), viewed=((0.0, 0.0),)),  # looked, went nowhere
    ]
    told = looking(turns)
    assert (told.with_look.turns, told.with_look.new, told.with_look.share) == (2, 1, 0.5)
    assert (told.without_look.turns, told.without_look.new, told.without_look.share) == (2, 1, 0.5)
    assert told.distance == pytest.approx(3.0)
    # Mean distance from (40, 0) to the places stood at so far: 40, 20 and 20.
    assert told.chance == pytest.approx(80 / 3)


def test_without_turns_shares_and_distances_are_unknown_and_not_zero():
    told = looking([])
    assert (told.with_look.share, told.without_look.share, told.distance, told.chance) == (None,) * 4


def test_cost_adds_up_over_the_calls_that_say_it():
    done = (Done(command="{}", output="", ok=True), Done(command="{}", output="no", ok=False))
    first = turn(1, calls=(call(100, 10, 0.25), call(50, 5, 0.5)), commands=done, milestones=("wood",))
    second = turn(
        2, calls=(call(7, None, None),), milestones=("stone", "wood"), changed=("notes.md",), failure="x"
    )
    told = cost([first, second])
    assert (told.turns, told.calls) == (2, 3)
    assert told.prompt_tokens == Sum(known=157, calls=3)
    assert (told.completion_tokens, told.money) == (Sum(known=15, calls=2), Sum(known=0.75, calls=2))
    assert told.milestones == ((1, "wood"), (1, "stone"))
    assert (told.commands, told.failed_commands, told.failures, told.files_changed) == (2, 1, 1, 1)
    assert cost([]).money == Sum(known=0, calls=0)


def test_each_life_has_a_pace_places_and_milestones_of_its_own():
    there = ((10.0, 0.0),)
    turns = [
        turn(1, steps=9, to=there, milestones=("wood",)),
        turn(2, steps=1, to=there, milestones=("wood",), life=2),
    ]
    assert [each.rolling for each in pace(turns)] == [9, 1]
    assert looking(turns).without_look.new == 2
    assert cost(turns).milestones == ((1, "wood"), (2, "wood"))
