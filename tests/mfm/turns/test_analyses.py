from __future__ import annotations

import pytest

from echo.mfm.turns.analyses import cost, looking, pace
from echo.mfm.turns.record import Call, Done, Turn, Viewed


def turn(
    number: int, *, steps: int = 0, at=(0.0, 0.0), to=(), viewed=(), calls=(), commands=(), **more
) -> Turn:
    return Turn(
        turn=number,
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
            3, at=(20.0, 0.0), viewed=((40.0, 3.0), None), to=((40.0, 0.0),)
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


def test_cost_adds_up_and_is_unknown_where_one_call_does_not_say():
    done = (Done(command="{}", output="", ok=True), Done(command="{}", output="no", ok=False))
    first = turn(1, calls=(call(100, 10, 0.25), call(50, 5, 0.5)), commands=done, milestones=("wood",))
    second = turn(
        2, calls=(call(7, None, None),), milestones=("stone", "wood"), changed=("notes.md",), failure="x"
    )
    told = cost([first, second])
    assert (told.turns, told.calls, told.prompt_tokens) == (2, 3, 157)
    assert (told.completion_tokens, told.money) == (None, None)
    assert told.milestones == ("wood", "stone")
    assert (told.commands, told.failed_commands, told.failures, told.files_changed) == (2, 1, 1, 1)
    assert cost([first]).money == 0.75
