"""What can be read off the files of one episode: the evidence that claims are held against.

Tolerant: folders of other tools lack some of it. What is missing is unknown, which is not the same as
nothing: a rule that needs it does not judge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from echo.mfm.layout import ACTION, OUTCOME, STATE, STEPS, MfmError, read_json

KINDS = frozenset(
    (
        *("go_to", "look_at", "collect", "mine", "craft", "smelt"),
        *("place", "equip", "eat", "attack", "drop", "wait_until"),
    )
)
"""Actions whose meaning is known."""

_OBJECTS = ("block", "item", "mob", "input", "fuel", "target")


@dataclass(frozen=True, kw_only=True)
class Done:
    """One action and what came of it."""

    kind: str
    objects: frozenset[str] = frozenset()
    """What it was done to, and with: block, item, creature, fuel, what lay in the grid."""
    held: frozenset[str | None] = frozenset()
    """What was in the hand, None for nothing; empty where it is not known."""
    code: str | None = None
    """How it ended; None where it is not known."""
    change: Mapping[str, int] | None = None
    """Change in count per item; None where it is not known."""

    @property
    def came_to_pass(self) -> bool | None:
        """Whether it was done, if only with no drop; None where it is not known."""
        return None if self.code is None else self.code in ("ok", "no_drop", "inventory_full")


@dataclass(frozen=True, kw_only=True)
class Facts:
    """One episode as its files tell it."""

    name: str
    """As it is cited."""
    delta: Mapping[str, int] | None = None
    """Change in count per item over the whole episode; None where it is not known."""
    changes: tuple[Mapping[str, int], ...] = ()
    """The same of each step; empty where steps are not recorded."""
    done: tuple[Done, ...] = ()
    """The actions in order; empty where they are not known."""
    events: tuple[str, ...] | None = None
    tags: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    """How the actions ended, in order; empty where steps are not recorded."""
    hurt: bool = False
    """Whether health fell from one step to the next; where it is not known it did not."""
    kinds: tuple[str, ...] = ()
    """Kinds of the actions, in order; empty where they are not known."""
    named: frozenset[str] = frozenset()
    """What the actions were done to, and what was dug or placed."""
    held: frozenset[str | None] = frozenset()
    """What was in the hand at some moment, None for nothing; empty where it is not known."""
    places: tuple[tuple[float, float, float], ...] = ()
    """Where the agent stood, and the cells it acted on or saw."""
    names: frozenset[str] = field(default=frozenset())
    """Every item, block and creature the files name."""
    involved: frozenset[str] = frozenset()
    """Those of them that were acted on, held, used, gained or lost."""

    def gains(self, item: str) -> list[int]:
        """Return by how much `item` rose: in each step in which it did, then over the whole episode."""
        steps = [change[item] for change in self.changes if change.get(item, 0) > 0]
        total = (self.delta or {}).get(item, 0)
        return steps + ([total] if total > 0 else [])

    def losses(self, item: str) -> list[int]:
        """Return by how much `item` fell, as positive numbers: in each such step, then altogether."""
        steps = [-change[item] for change in self.changes if change.get(item, 0) < 0]
        total = (self.delta or {}).get(item, 0)
        return steps + ([-total] if total < 0 else [])

    @property
    def gained_anything(self) -> bool:
        """Whether any item rose in any step, or altogether."""
        return any(change > 0 for changes in (*self.changes, self.delta or {}) for change in changes.values())


def read_facts(folder: Path, name: str) -> Facts:
    """Return what the files of the episode in `folder` tell; a file that cannot be read tells nothing."""
    state, action, outcome = (_object(folder / file) for file in (STATE, ACTION, OUTCOME))
    record = _object(folder / STEPS)
    steps = [step for step in _list(record.get("steps")) if isinstance(step, dict)]
    actions = [_dict(step.get("action")) for step in steps] or _actions(action)
    outcomes = [_dict(step.get("outcome")) for step in steps]
    seen = [state, *(_dict(step.get("before")) for step in steps), _dict(record.get("after"))]
    delta = outcome.get("inventory_delta")
    changes = tuple(_amounts(each.get("inventory_delta")) for each in outcomes)
    named = frozenset(_texts([each.get(key) for each in [*actions, *outcomes] for key in _OBJECTS]))
    held = frozenset(_held(state, [step.get("before") for step in steps], actions))
    done = tuple(_done(steps)) or tuple(_done_of_another_tool(actions, state, delta))
    return Facts(
        name=name,
        delta=_amounts(delta) if isinstance(delta, dict) else None,
        changes=changes,
        events=tuple(_texts(outcome["events"])) if isinstance(outcome.get("events"), list) else None,
        tags=tuple(_texts(_list(outcome.get("tags")))),
        codes=tuple(_texts([each.code for each in done])),
        done=done,
        hurt=_lost_health(seen[1:]),
        kinds=tuple(_texts([each.get("kind") for each in actions])),
        named=named,
        held=held,
        places=tuple(_places(seen, actions, outcomes)),
        names=named.union(
            *(each.keys() for each in (_amounts(delta), *changes)),
            *(_dict(each.get(key)).keys() for each in seen for key in ("inventory", "blocks", "mobs")),
        ),
        involved=named.union(
            *(each.keys() for each in (_amounts(delta), *changes)),
            *(each.objects for each in done),
            _texts(held),
            _texts(_dict(station).get("block") for each in seen for station in _list(each.get("stations"))),
        ),
    )


def _done(steps: Iterable[Mapping[str, Any]]) -> Iterable[Done]:
    for step in steps:
        action, outcome, before = (_dict(step.get(key)) for key in ("action", "outcome", "before"))
        change = outcome.get("inventory_delta")
        yield Done(
            kind=str(action.get("kind")),
            objects=_objects(action, outcome),
            held=frozenset(_held({}, [before], ())),
            code=next(iter(_texts([outcome.get("code")])), None),
            change=_amounts(change) if isinstance(change, dict) else None,
        )


def _done_of_another_tool(
    actions: Sequence[Mapping[str, Any]], state: Mapping[str, Any], delta: Any
) -> Iterable[Done]:
    """Yield the actions where steps are not recorded: what came of each is known where there is one."""
    alone = len(actions) == 1 and isinstance(delta, dict)
    for each in actions:
        yield Done(
            kind=str(each.get("kind")),
            objects=_objects(each),
            held=frozenset(_texts([state.get("mainhand")])) if len(actions) == 1 else frozenset(),
            code=next(iter(_texts([each.get("code")])), None),
            change=_amounts(delta) if alone else None,
        )


def _objects(*told: Mapping[str, Any]) -> frozenset[str]:
    cells = [cell for each in told for row in _list(each.get("grid")) for cell in _list(row)]
    words = [word for each in told for word in _list(each.get("args"))]
    return frozenset(_texts([*words, *cells, *(each.get(key) for each in told for key in _OBJECTS)]))


def _held(
    state: Mapping[str, Any], before: Iterable[Any], actions: Iterable[Mapping[str, Any]]
) -> Iterable[str | None]:
    """Yield what was in the hand; null in state.json is unknown, in the record of a step nothing."""
    yield from _texts([state.get("mainhand")])
    yield from _texts([each.get("item") for each in actions if each.get("kind") == "equip"])
    for seen in map(_dict, before):
        if isinstance(seen.get("mainhand", 0), str | None):
            yield seen["mainhand"]


def _lost_health(seen: Iterable[Mapping[str, Any]]) -> bool:
    found = [_dict(each.get("vitals")).get("health") for each in seen]
    known = [health for health in found if isinstance(health, int | float)]
    return any(later < earlier for earlier, later in pairwise(known))


def _actions(action: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the actions of action.json: our list of items, or the one action of another tool's entry."""
    entry = _dict(action.get("entry"))
    items = [item for item in _list(entry.get("items")) if isinstance(item, dict)]
    one = entry.get("action")
    if not items and isinstance(one, dict):
        items = [one]
    if not items and isinstance(name := entry.get("procedure") or one, str):
        items = [{"kind": name, "args": entry.get("args")}]
    return [
        item if "kind" in item else {**item, "kind": item.get("procedure") or item.get("action")}
        for item in items
    ]


def _places(
    seen: Iterable[Mapping[str, Any]],
    actions: Iterable[Mapping[str, Any]],
    outcomes: Iterable[Mapping[str, Any]],
) -> Iterable[tuple[float, float, float]]:
    for each in seen:
        spot = _dict(each.get("pos"))
        yield from _point([spot.get(axis) for axis in "xyz"])
        yield from _point(each.get("position"))
        for block in _dict(each.get("blocks")).values():
            yield from _point(_dict(block).get("nearest"))
    for each in [*actions, *outcomes]:
        yield from _point(each.get("target"))
        yield from _point(each.get("cell"))


def _point(value: Any) -> Iterable[tuple[float, float, float]]:
    if isinstance(value, list) and len(value) == 3 and all(type(part) in (int, float) for part in value):
        yield value[0], value[1], value[2]


def _object(path: Path) -> dict[str, Any]:
    try:
        return _dict(read_json(path))
    except (MfmError, OSError):
        return {}


def _dict(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _texts(values: Iterable[Any]) -> list[str]:
    return [value for value in values if isinstance(value, str)]


def _amounts(value: Any) -> dict[str, int]:
    return {item: amount for item, amount in _dict(value).items() if type(amount) is int and amount}
