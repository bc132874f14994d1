"""The file of a procedure, read as deeds without running any of it.

Only straight scripts are read: actions in order, loops of a fixed number of rounds, and the two closed loops
that consolidation writes. Others are left to whoever can run them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from csd.episode import Attack, Cell, Collect, Craft, GoTo, Place, Smelt
from echo.baselines.mfm_deeds import Deed, wide
from echo.mfm.procedural.format import Procedure, ProcedureError, parse_procedure
from echo.mfm.procedural.source import function_of

CELL = "cell_"
"""Parameters of this name and a number are cells to fill; in deeds they stand as (number, 0, 0)."""


@dataclass(frozen=True, kw_only=True)
class Script:
    """A procedure, read as deeds."""

    name: str
    text: str
    deeds: tuple[Deed, ...]
    cells: int
    """How many cells it fills, its parameters; 0 for one that fills none."""
    evidence: tuple[str, ...]
    """Episodes it was learned from, as far as they are in this memory."""


def read_script(name: str, text: str) -> Script | None:
    """Return the procedure `name` as deeds; None for one that is not sound, or not a straight script."""
    try:
        procedure = parse_procedure(text, name)
        deeds = _burning(list(_Reader(procedure).deeds()), procedure.needs.get("inventory", {}))
    except (ProcedureError, _NotStraight):
        return None
    if not deeds:
        return None
    cells = sum(each.name.startswith(CELL) for each in procedure.parameters)
    return Script(name=name, text=text, deeds=deeds, cells=cells, evidence=procedure.evidence)


def _burning(deeds: Sequence[Deed], brought: Mapping[str, int]) -> tuple[Deed, ...]:
    """Return deeds in which no more fuel is used up than the script has.

    A file does not tell which smelting took a piece. As a script is cut down to what it takes, what it brings
    and takes along of a fuel, beyond what it lays into grids and puts down, is what burns, at least one
    piece.
    """
    left = {item: count for item, count in brought.items() if type(count) is int}
    for deed in deeds:
        burnt = deed.action.fuel if isinstance(deed.action, Smelt) else None
        for item, count in deed.gained.items():
            left[item] = left.get(item, 0) + count
        for item, count in deed.used.items():
            if item != burnt:
                left[item] = left.get(item, 0) - count
    lit: dict[str, int] = {}
    changed = []
    for deed in deeds:
        if isinstance(deed.action, Smelt):
            fuel = deed.action.fuel
            lit[fuel] = lit.get(fuel, 0) + 1
            if lit[fuel] > max(1, left.get(fuel, 0)):
                used = {deed.action.input: 1}
                changed.append(replace(deed, used=used))
                continue
        changed.append(deed)
    return tuple(changed)


class _NotStraight(Exception):
    """A script computes something."""


class _Reader:
    """Reads the body of a procedure that does the same whatever comes of it."""

    def __init__(self, procedure: Procedure) -> None:
        found = function_of(ast.parse(procedure.text), "run")
        if found is None:
            raise _NotStraight
        self._body = found.body
        # Cells are read as numbers, so that they can be put elsewhere.
        self._values: dict[str, Any] = {
            each.name: [int(each.name.removeprefix(CELL)), 0, 0]
            if each.name.startswith(CELL)
            else each.default
            for each in procedure.parameters
        }
        self._held: str | None = procedure.needs.get("holds")
        self._near: str | None = None

    def deeds(self) -> Iterator[Deed]:
        """Yield the deeds in order.

        Raises:
            _NotStraight: if the script is none of ours.
        """
        for statement in self._body:
            yield from self._read(statement)

    def _read(self, statement: ast.stmt) -> Iterator[Deed]:
        match statement:
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[rounds]), body=body, orelse=[]):
                for _ in range(int(self._value(rounds))):
                    for inner in body:
                        yield from self._read(inner)
            case ast.Expr(value=ast.Yield(value=ast.Tuple(elts=[ast.Call() as call, expected]))):
                yield from self._deed(call, self._value(expected))
            case ast.Expr(value=ast.Yield(value=ast.Call() as call)):
                yield from self._deed(call, {})
            case ast.Expr(value=ast.YieldFrom(value=ast.Call() as call)):
                yield from self._loop(call)
            case ast.Expr(value=ast.Constant()):
                pass
            case _:
                raise _NotStraight

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Name(id=name) if name in self._values:
                return self._values[name]
            case ast.List(elts=elements) | ast.Tuple(elts=elements):
                return [self._value(each) for each in elements]
            case ast.Dict(keys=keys, values=values):
                return {
                    self._value(key): self._value(value)
                    for key, value in zip(keys, values, strict=True)
                    if key is not None
                }
            case ast.Constant(value=value):
                return value
        raise _NotStraight

    def _arguments(self, call: ast.Call) -> tuple[str, list[Any]]:
        if not isinstance(call.func, ast.Name):
            raise _NotStraight
        given = [*call.args, *(word.value for word in call.keywords)]
        return call.func.id, [self._value(each) for each in given]

    def _deed(self, call: ast.Call, expected: Mapping[str, Any]) -> Iterator[Deed]:
        name, given = self._arguments(call)
        gained = dict(expected.get("gained", {}))
        near = next(iter(expected.get("near", ())), self._near)
        match name, given:
            case "equip", [item]:
                self._held = item
            case "collect", [block]:
                yield Deed(action=Collect(block=block), gained=gained, tool=self._held)
            case "attack", [mob]:
                yield Deed(action=Attack(mob=mob), gained=gained, tool=self._held)
            case "craft", [grid]:
                yield _crafted(Craft(grid=tuple(tuple(row) for row in grid)), gained, near)
            case "smelt", [put, fuel]:
                used = {put: 1, fuel: 1} if put != fuel else {put: 2}
                yield Deed(action=Smelt(input=put, fuel=fuel), gained=gained, used=used, station=near)
            case "place", [item]:
                yield Deed(action=Place(item=item), used={item: 1})
            case "place", [item, target]:
                yield Deed(action=Place(item=item, target=_cell(target)), used={item: 1})
            case "go_to", [target]:
                yield Deed(action=GoTo(target=_cell(target)))
            case _:
                raise _NotStraight

    def _loop(self, call: ast.Call) -> Iterator[Deed]:
        name, given = self._arguments(call)
        match name, given:
            case "collect_until", [block, item, count]:
                for _ in range(int(count)):
                    yield Deed(action=Collect(block=block), gained={item: 1}, tool=self._held)
            case "ensure_near", [station]:
                self._near = station
                yield Deed(action=Place(item=station), used={station: 1})
            case _:
                raise _NotStraight


def _crafted(action: Craft, gained: Mapping[str, int], near: str | None) -> Deed:
    used: dict[str, int] = {}
    for row in action.grid:
        for item in row:
            if item is not None:
                used[item] = used.get(item, 0) + 1
    return Deed(action=action, gained=gained, used=used, station=near if wide(action) else None)


def _cell(value: Any) -> Cell:
    if not isinstance(value, list) or len(value) != 3 or not all(type(each) is int for each in value):
        raise _NotStraight
    return (value[0], value[1], value[2])
