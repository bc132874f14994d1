"""The renderings of a trace: the same facts told in different ways, so that no model learns one template.

Each is a function from what was perceived to text. Each tells every fact; what differs is order, layout and
the words around.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from csd.by_model.perceive import Laid, Perceived, Result, Thing
from csd.wording import NONE


def plain(told: Perceived) -> str:
    """Labelled lines."""
    lines = [f"Goal: {told.goal}{_wanted(told, '; to get {}')}"]
    for turn in told.turns:
        lines += [f"{turn.number}. {turn.done}"]
        lines += [f"  {_joined(_result(one), '; ')}" for one in turn.results]
    if told.laid:
        laid = "; ".join(f"{one.letter} {one.item}, {_cells(one)}, {one.part}" for one in told.laid)
        lines.append(f"Grid: {laid}; symmetry {told.symmetry}")
    lines += [f"- {one.name}: {_joined(_looks(one), '; ')}" for one in told.things]
    lines += [f"In reach: {block}, offers {offers}" for block, offers in told.stations]
    return "\n".join(lines)


def _wanted(told: Perceived, form: str) -> str:
    return "" if told.wanted is None else form.format(told.wanted)


def _cells(one: Laid) -> str:
    return f"{one.cells} cell{'' if one.cells == 1 else 's'}"


def _joined(pieces: Iterable[str], mark: str) -> str:
    return mark.join(pieces)


def _result(one: Result) -> Iterable[str]:
    if one.held is not None:
        yield f"held {one.held}"
    if one.station is not None:
        yield "made by hand" if one.station == NONE else f"made at {one.station}"
    yield one.feedback
    yield f"{one.ticks} ticks" if one.work_ticks is None else f"{one.ticks} ticks, {one.work_ticks} digging"
    if one.worn is not None:
        yield f"{one.worn} more worn"


def _looks(one: Thing) -> Iterable[str]:
    if one.colour is not None:
        yield one.colour
    if one.lies is not None:
        yield one.lies
    if one.near is not None:
        yield f"next to {one.near}"
    if one.stack_size is not None:
        yield f"carried {one.carried}, {one.stack_size} a slot"


def log(told: Perceived) -> str:
    """Key and value, as programs log."""
    lines = [f"goal={told.goal!r}{_wanted(told, ' want={}')}"]
    for thing in told.things:
        keys = {
            "colour": thing.colour,
            "at": thing.lies and f'"{thing.lies}"',
            "beside": thing.near,
            "slot_holds": thing.stack_size,
            "have": thing.carried if thing.stack_size is not None else None,
        }
        lines.append(f"see {thing.name} {_pairs(keys)}")
    lines += [f"reach {block} offers={offers}" for block, offers in told.stations]
    for turn in told.turns:
        lines.append(f"act {turn.number} {turn.done}")
        for one in turn.results:
            keys = {
                "held": one.held,
                "at": one.station,
                "ticks": one.ticks,
                "dig": one.work_ticks,
                "worn": one.worn,
                "got": f'"{one.feedback}"',
            }
            lines.append(f"  {_pairs(keys)}")
    lines += [f"laid {one.letter}={one.item} n={one.cells} as={one.part!r}" for one in told.laid]
    if told.symmetry is not None:
        lines.append(f"laid symmetry={told.symmetry}")
    return "\n".join(lines)


def _pairs(keys: dict[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in keys.items() if value is not None)


def story(told: Perceived) -> str:
    """Sentences of a player."""
    said = [f"My goal: {told.goal}." if told.goal else "I had no goal.", _wanted(told, "I wanted {}.")]
    said += [_seen(one) for one in told.things]
    said += [f"Within reach stood {block}, which offers {offers}." for block, offers in told.stations]
    for turn in told.turns:
        said.append(f"Step {turn.number}, {turn.done}.")
        said += [_told(one) for one in turn.results]
    said += [f"{one.item} ({one.letter}) lay in {_cells(one)}: {one.part}." for one in told.laid]
    if told.symmetry is not None:
        said.append(f"What I laid had {told.symmetry} symmetry.")
    return " ".join(one for one in said if one)


def _seen(one: Thing) -> str:
    parts = []
    if one.colour is not None:
        parts.append(f"looked {one.colour}")
    if one.lies is not None:
        parts.append(f"was {one.lies} away")
    if one.near is not None:
        parts.append(f"had {one.near} beside it")
    if one.stack_size is not None:
        parts.append(f"fits {one.stack_size} on a slot, I had {one.carried}")
    return f"{one.name} {', '.join(parts) or 'was not to be seen'}."


def _told(one: Result) -> str:
    with_what = "" if one.held is None else f"With {one.held} "
    at = "" if one.station is None else "By hand " if one.station == NONE else f"At the {one.station} "
    dig = "" if one.work_ticks is None else f", {one.work_ticks} of them digging"
    worn = "" if one.worn is None else f" It wore my {one.worn}."
    return f"{with_what or at or 'So '}I got [{one.feedback}] in {one.ticks} ticks{dig}.{worn}"


def table(told: Perceived) -> str:
    """Rows of cells under headings."""
    lines = [
        f"task | {told.goal or '-'} | {told.wanted or '-'}",
        "no | done | held or at | back | ticks | dig | worn",
    ]
    for turn in told.turns:
        for one in turn.results:
            cells = [one.held or one.station, one.feedback, one.ticks, one.work_ticks, one.worn]
            lines.append(_row([turn.number, turn.done, *cells]))
    lines.append("seen | colour | place | nearest | slot | have")
    lines += [
        _row([one.name, one.colour, one.lies, one.near, one.stack_size, one.carried]) for one in told.things
    ]
    if told.laid:
        lines.append(f"laid, {told.symmetry} symmetry | item | cells | place")
        lines += [_row([one.letter, one.item, one.cells, one.part]) for one in told.laid]
    if told.stations:
        lines += ["reach | offers", *(_row(pair) for pair in told.stations)]
    return "\n".join(lines)


def _row(cells: Iterable[object]) -> str:
    return " | ".join("-" if cell is None else str(cell) for cell in cells)


def record(told: Perceived) -> str:
    """JSON as a program hands it on; other keys than those of a descriptor."""
    turns = [
        {"n": turn.number, "did": turn.done, "back": [_some(_result_keys(one)) for one in turn.results]}
        for turn in told.turns
    ]
    view = {
        one.name: _some(
            {
                "looks": one.colour,
                "where": one.lies,
                "next": one.near,
                "slot": one.stack_size,
                "have": None if one.stack_size is None else one.carried,
            }
        )
        for one in told.things
    }
    laid = {one.letter: [one.item, one.cells, one.part] for one in told.laid}
    keys = {
        "goal": told.goal or None,
        "want": told.wanted,
        "turns": turns,
        "laid": laid or None,
        "mirror": told.symmetry,
        "view": view or None,
        "reach": dict(told.stations) or None,
    }
    return json.dumps(_some(keys), separators=(",", ":"), ensure_ascii=False)


def _result_keys(one: Result) -> dict[str, Any]:
    return {
        "hand": one.held,
        "at": one.station,
        "gave": one.feedback,
        "ticks": one.ticks,
        "dig": one.work_ticks,
        "worn": one.worn,
    }


def _some(keys: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in keys.items() if value is not None}


def caption(told: Perceived) -> str:
    """State, caption, objects and relations, as Echo's perception gives them (Fig. 6)."""
    coloured = ", ".join(f"{one.colour} {one.name}" for one in told.things if one.colour is not None)
    carried = ", ".join(
        f"{one.name} x{one.carried} (stack of {one.stack_size})"
        for one in told.things
        if one.stack_size is not None
    )
    relations = [f"{one.name} is {one.lies}" for one in told.things if one.lies is not None]
    relations += [f"{one.name} is nearest to {one.near}" for one in told.things if one.near is not None]
    relations += [f"{one.item} = {one.letter}, {_cells(one)}, {one.part}" for one in told.laid]
    if told.symmetry is not None:
        relations.append(f"{told.symmetry} symmetry")
    lines = [f"TASK {told.goal}{_wanted(told, ' -> {}')}"]
    lines.append(f"CAPTION {coloured or 'nothing to see'}")
    lines.append(f"OBJECTS {carried or 'nothing carried'}")
    lines.append(f"RELATIONS {'; '.join(relations) or 'none'}")
    lines += [f"STATION {block}: {offers}" for block, offers in told.stations]
    for turn in told.turns:
        lines.append(f"ACTION {turn.number}: {turn.done}")
        lines += [f"RESULT {_joined(_result(one), ' / ')}" for one in turn.results]
    return "\n".join(lines)
