"""What a procedure yields, checked: an action of the world, or one of the harness, and what it expects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields
from typing import Any, get_args

from csd.episode import (
    ACTIONS,
    Action,
    OutcomeCode,
)
from echo.mfm.codec import Mismatch, from_json
from echo.mfm.procedural.bounds import MOST_NOTE, cut
from echo.mfm.procedural.conditions import CONDITIONS, ConditionError, Conditions, check_conditions
from echo.mfm.procedural.runs import ENDS

NOT_MET = "not_met"
"""Code of a watch whose conditions did not come to hold."""

CODES: tuple[str, ...] = (*get_args(OutcomeCode), NOT_MET, *ENDS[1:])
"""What may come of an action: outcomes of the world, of a watch, and ends of a called procedure."""

MOST_HEALTH_LOST = 2.0
"""Health that one action may cost without being a surprise: one heart."""

_MOST_TICKS = 24_000


class ActionFlaw(ValueError):
    """What a procedure yielded is no action, or what it expects of one is malformed."""


@dataclass(frozen=True, kw_only=True)
class Look:
    """Look again without doing anything."""


@dataclass(frozen=True, kw_only=True)
class Watch:
    """Wait until all of `until` hold, at most `ticks` ticks."""

    until: Conditions
    ticks: int


@dataclass(frozen=True, kw_only=True)
class Call:
    """Run another procedure."""

    name: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Note:
    """Leave a remark in the record of the run."""

    text: str


Wanted = Action | Look | Watch | Call | Note


@dataclass(frozen=True, kw_only=True)
class Expectation:
    """What must come of one action for it to be no surprise."""

    codes: tuple[str, ...] | None = ("ok",)
    """Codes that are none; None where any is."""
    health_lost: float = MOST_HEALTH_LOST
    """Most health it may cost."""
    conditions: Conditions = field(default_factory=dict)
    """What must hold afterwards; compared with the moment before the action."""


KINDS = (*ACTIONS, "look", "watch", "call", "note")
"""Every kind of action, those of the world first."""


def parse_action(value: Any) -> Wanted:
    """Return the action that a JSON object tells of; fields with a usual value may be left out.

    Raises:
        ActionFlaw: if it is none, or a field is missing, unknown or of a wrong type.

    >>> parse_action({"kind": "collect", "block": "oak_log"})
    Collect(block='oak_log', kind='collect')
    """
    kind = value.get("kind") if isinstance(value, dict) else None
    if not isinstance(kind, str) or kind not in KINDS:
        raise ActionFlaw(
            f"expected an action, such as collect('oak_log'), or an object whose kind is one of "
            f"{', '.join(KINDS)}; got {_short(value)}"
        )
    if kind in ACTIONS:
        record = ACTIONS[kind]
        usual = {each.name: each.default for each in fields(record) if each.default is not MISSING}
        try:
            action: Action = from_json(record, {**usual, **value})
        except Mismatch as mismatch:
            raise ActionFlaw(f"in {kind}, {mismatch}") from None
        return action
    return _own(kind, {key: each for key, each in value.items() if key != "kind"})


def parse_expectation(value: Any) -> Expectation:
    """Return what an action is expected to bring; None for the usual.

    Besides the conditions of `echo.mfm.procedural.conditions` it may say `code` (a code, a list of them, or
    'any') and `health_lost` (how much health the action may cost).

    Raises:
        ActionFlaw: if it is malformed.
    """
    if value is None:
        return Expectation()
    if not isinstance(value, dict):
        raise ActionFlaw(
            f"expected an expectation such as {{'gained': {{'oak_log': 1}}}}, got {_short(value)}"
        )
    rest = dict(value)
    codes = _codes(rest.pop("code", ["ok"]))
    lost = rest.pop("health_lost", MOST_HEALTH_LOST)
    if isinstance(lost, bool) or not isinstance(lost, int | float) or lost < 0:
        raise ActionFlaw(f"expected health_lost to be a number of at least 0, got {_short(lost)}")
    unknown = [key for key in rest if key not in CONDITIONS]
    if unknown:
        names = ", ".join(("code", "health_lost", *CONDITIONS))
        raise ActionFlaw(f"expected an expectation out of {names}; got {_short(unknown[0])}")
    return Expectation(codes=codes, health_lost=float(min(lost, 1e9)), conditions=_checked(rest))


def _own(kind: str, held: dict[str, Any]) -> Look | Watch | Call | Note:
    """Return an action of the harness."""
    wanted = {"look": (), "watch": ("until", "ticks"), "call": ("name", "arguments"), "note": ("text",)}[kind]
    if tuple(sorted(held)) != tuple(sorted(wanted)):
        raise ActionFlaw(
            f"expected {kind} with {', '.join(wanted) or 'nothing'}, got {', '.join(held) or 'nothing'}"
        )
    if kind == "watch":
        ticks = held["ticks"]
        if type(ticks) is not int or not 1 <= ticks <= _MOST_TICKS:
            raise ActionFlaw(f"expected watch for 1 to {_MOST_TICKS} ticks, got {_short(ticks)}")
        if not held["until"]:
            raise ActionFlaw("expected watch with a condition, such as watch(y_below=12), got none")
        return Watch(until=_checked(held["until"]), ticks=ticks)
    if kind == "call":
        if not isinstance(held["name"], str) or not isinstance(held["arguments"], dict):
            raise ActionFlaw(f"expected call('name', argument=...), got {_short(held)}")
        return Call(name=held["name"], arguments=held["arguments"])
    if kind == "note":
        if not isinstance(held["text"], str):
            raise ActionFlaw(f"expected note('text'), got {_short(held['text'])}")
        return Note(text=cut(held["text"], MOST_NOTE))
    return Look()


def _codes(value: Any) -> tuple[str, ...] | None:
    if value == "any":
        return None
    codes = [value] if isinstance(value, str) else value
    if not isinstance(codes, list) or not codes or any(code not in CODES for code in codes):
        raise ActionFlaw(f"expected code to be 'any' or out of {', '.join(CODES)}; got {_short(value)}")
    return tuple(codes)


def _checked(conditions: Any) -> Conditions:
    try:
        check_conditions(conditions)
    except ConditionError as error:
        raise ActionFlaw(str(error)) from None
    held: Conditions = conditions
    return held


def _short(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
