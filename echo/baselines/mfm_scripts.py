"""Procedures of tasks: a success written as a script, and a script as a plan or as what it tells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from csd.episode import (
    Action,
    Attack,
    Collect,
    Craft,
    Equip,
    GoTo,
    ItemStack,
    Observation,
    Outcome,
    Place,
    Smelt,
    Station,
    Step,
    action_to_json,
)
from echo.agent.goal import Fill, Goal
from echo.baselines.mfm_deeds import Course, Deed, course
from echo.baselines.mfm_reading import CELL, Script
from echo.mfm.procedural.rendering import procedure_text

_PREFIX = "reach_"
_LONGEST_NAME = 52


def script_name(goal: Goal) -> str:
    """Return the first name of the procedures for a goal.

    >>> from echo.agent.goal import Have
    >>> script_name(Have(text="carry iron_pickaxe", items={"iron_pickaxe": 1}))
    'reach_carry_iron_pickaxe'
    """
    words = "".join(letter if letter.isascii() and letter.isalnum() else "_" for letter in goal.text.lower())
    return f"{_PREFIX}{'_'.join(filter(None, words.split('_')))}"[:_LONGEST_NAME].rstrip("_")


def script_text(name: str, goal: Goal, done: Course, evidence: Sequence[str]) -> str:
    """Return the file of a procedure that does the deeds of `done`.

    Raises:
        ProcedureError: if names stand in it that no procedure can hold.
    """
    cells = [list(cell) for cell in goal.cells] if isinstance(goal, Fill) else []
    parameters = {f"{CELL}{place}": cell for place, cell in enumerate(cells, 1)}
    needs: dict[str, Any] = {}
    if done.missing:
        needs["inventory"] = dict(done.missing)
    if done.stations:
        needs["near"] = list(done.stations)
    return procedure_text(
        name,
        about=f"{' '.join(goal.text.split())}: {_told(done.deeds)}.",
        actions=list(_given(done.deeds)),
        parameters=parameters,
        needs=needs,
        evidence=evidence,
    )


def plan_of(script: Script, goal: Goal, seen: Observation) -> tuple[Action, ...]:
    """Return what a script would have done now to reach `goal`; empty where it does not lead there from here.

    Deeds whose fruit is carried already are left out. What the rest takes must be carried, a station that it
    does not put down must be within reach, and what it digs or strikes first must be in sight.
    """
    if isinstance(goal, Fill):
        if script.cells != len(goal.cells):
            return ()
        script = replace(script, deeds=tuple(_moved(deed, goal) for deed in script.deeds))
    elif script.cells:
        return ()
    stock = {item: stack.count for item, stack in seen.inventory.items()}
    found = course(script.deeds, goal, stock)
    if found is None or found.missing or not set(found.stations) <= {each.block for each in seen.stations}:
        return ()
    for deed in found.deeds:
        if isinstance(deed.action, Collect | Attack):
            there = seen.blocks if isinstance(deed.action, Collect) else seen.mobs
            if _object(deed.action) not in there:
                return ()
            break
    return tuple(_with_tools(found.deeds, seen.mainhand))


def told_steps(script: Script, seen: Observation) -> tuple[Step, ...]:
    """Return the experience that a script tells of, as steps that a reader of it can learn from.

    A script of a task says with which tool each thing was dug. Another one that names none was seen with
    several, or with a bare hand: digging is then left out, since it may be that no bare hand can do it.
    """
    sure = script.name.startswith(_PREFIX)
    return tuple(
        _as_step(deed, script, seen)
        for deed in script.deeds
        if (deed.gained or deed.used)
        and (sure or deed.tool is not None or not isinstance(deed.action, Collect))
    )


def _as_step(deed: Deed, script: Script, seen: Observation) -> Step:
    x, y, z = seen.position
    at = (int(x // 1), int(y // 1), int(z // 1))
    stations: tuple[Station, ...] = ()
    if deed.station is not None:
        smelts = isinstance(deed.action, Smelt)
        stations = (Station(block=deed.station, position=at, offers="smelt" if smelts else "grid3"),)
    delta = {item: -count for item, count in deed.used.items()}
    for item, count in deed.gained.items():
        delta[item] = delta.get(item, 0) + count
    block = _object(deed.action) if isinstance(deed.action, Collect | Place) else None
    inventory = dict(seen.inventory)
    if deed.tool is not None:
        inventory.setdefault(deed.tool, ItemStack(count=1, stack_size=1))
    return Step(
        before=replace(seen, mainhand=deed.tool, inventory=inventory, stations=stations, frame=None),
        action=deed.action,
        outcome=Outcome(
            code="ok",
            message=f"as the procedure {script.name} tells",
            inventory_delta={item: delta[item] for item in sorted(delta) if delta[item]},
            block=block,
        ),
    )


def _object(action: Action) -> str:
    match action:
        case Collect():
            return action.block
        case Attack():
            return action.mob
        case Place():
            return action.item
        case _:
            return ""


def _moved(deed: Deed, goal: Fill) -> Deed:
    """Return a deed at the cells of `goal` in place of those of the script, which stand as (number, 0, 0)."""
    action = deed.action
    if isinstance(action, Place | GoTo) and action.target is not None:
        return replace(deed, action=replace(action, target=goal.cells[action.target[0] - 1]))
    return deed


def _with_tools(deeds: Sequence[Deed], held: str | None) -> Iterator[Action]:
    for deed in deeds:
        if deed.tool is not None and deed.tool != held:
            held = deed.tool
            yield Equip(item=held)
        yield deed.action


def _told(deeds: Sequence[Deed]) -> str:
    made = dict.fromkeys(
        item for deed in deeds if isinstance(deed.action, Craft | Smelt) for item in deed.gained
    )
    got = dict.fromkeys(item for deed in deeds for item in deed.gained)
    return f"{len(deeds)} actions, by {', '.join(list(made or got)[:8]) or 'what is carried'}"


def _given(deeds: Sequence[Deed]) -> Iterator[Any]:
    """Yield what the file is written from: actions with what they gave, and the station where one is used."""
    held: str | None = None
    for deed in deeds:
        if deed.tool is not None and deed.tool != held:
            held = deed.tool
            yield Equip(item=held)
        expected: dict[str, Any] = {}
        if deed.gained:
            expected["gained"] = dict(deed.gained)
        if deed.station is not None:
            expected["near"] = [deed.station]
        action = action_to_json(deed.action)
        yield (action, expected) if expected else action
