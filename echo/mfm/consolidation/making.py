"""Lessons on what grids and ovens gave, by shape and by material."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from echo.mfm.consolidation.attempts import Attempt
from echo.mfm.consolidation.findings import (
    Finding,
    cited,
    counted,
    episodes_of,
    gains_text,
    grid_pattern,
    listed,
    materials_text,
    thing,
)

_RESULTS = 8
"""Results told of one shape."""
_VAIN = 12
"""Materials or shapes named that gave nothing, in one line."""

Materials = tuple[str, ...]


def crafting_lessons(attempts: Iterable[Attempt]) -> list[Finding]:
    """Return what each shape of a grid gave of which materials, and of which it gave nothing.

    Shapes that never gave anything are told by material, one line each.
    """
    shapes: dict[str, dict[Materials, list[Attempt]]] = {}
    for attempt in attempts:
        laid = _laid(attempt)
        if laid is not None:
            shapes.setdefault(laid[0], {}).setdefault(laid[1], []).append(attempt)
    fruitful = {shape: held for shape, held in shapes.items() if any(map(_gave, held.values()))}
    findings = [_shape(shape, held) for shape, held in fruitful.items()]
    by_material: dict[Materials, dict[str, list[Attempt]]] = {}
    for shape, held in shapes.items():
        if shape not in fruitful:
            for materials, tries in held.items():
                by_material.setdefault(materials, {})[shape] = tries
    findings.extend(_vain_shapes(materials, held) for materials, held in by_material.items())
    return findings


def smelting_lessons(attempts: Iterable[Attempt]) -> list[Finding]:
    """Return what came out of an oven for each input, what came out of none, and what burned."""
    by_input: dict[str, list[Attempt]] = {}
    fuels: dict[str, list[Attempt]] = {}
    for attempt in attempts:
        put, fuel = attempt.action.get("input"), attempt.action.get("fuel")
        if attempt.kind != "smelt" or not isinstance(put, str):
            continue
        if attempt.code in (None, "ok", "no_result"):
            by_input.setdefault(put, []).append(attempt)
        if isinstance(fuel, str) and fuel != put and attempt.delta.get(fuel, 0) < 0:
            fuels.setdefault(fuel, []).append(attempt)
    findings = [_smelted(put, tries) for put, tries in by_input.items() if _gave(tries)]
    vain = {put: tries for put, tries in by_input.items() if not _gave(tries)}
    if vain:
        findings.append(_several("smelting in vain", "nothing came of", vain, weight=35.0))
    if fuels:
        findings.append(_several("burning", "burned", fuels, weight=45.0))
    return findings


def _laid(attempt: Attempt) -> tuple[str, Materials] | None:
    """Return shape and materials of a grid that was really laid, not refused for want of something."""
    grid = attempt.action.get("grid")
    if attempt.kind != "craft" or attempt.code not in (None, "ok", "no_result") or not isinstance(grid, list):
        return None
    if not all(
        isinstance(row, list) and all(item is None or isinstance(item, str) for item in row) for row in grid
    ):
        return None
    shape, materials = grid_pattern(grid)
    return (shape, materials) if materials else None


def _gave(tries: Sequence[Attempt]) -> bool:
    return any(each.worked for each in tries)


def _result(tries: Sequence[Attempt]) -> str:
    """Return what came of attempts that worked; where nothing was gained, that they did."""
    gained = [each for each in tries if each.worked and each.gains]
    return f"gave {gains_text(gained)}" if gained else "worked, though no item came out"


def _fruitful(tries: Sequence[Attempt]) -> list[Attempt]:
    """Return the attempts that `_result` tells of."""
    return [each for each in tries if each.worked and each.gains] or [each for each in tries if each.worked]


def _shape(shape: str, held: Mapping[Materials, Sequence[Attempt]]) -> Finding:
    results: dict[str, list[Materials]] = {}
    for materials, tries in held.items():
        if _gave(tries):
            results.setdefault(_result(tries), []).append(materials)
    order = sorted(results, key=lambda told: (-sum(len(held[each]) for each in results[told]), told))
    parts = []
    for told in order[:_RESULTS]:
        tries = [each for materials in results[told] for each in held[materials]]
        gained = _fruitful(tries)
        of = listed([materials_text(materials) for materials in sorted(results[told])], 4)
        parts.append(f"{of} {told} ({len(gained)} of {len(tries)}) {cited(_sorted(gained))}")
    if len(order) > _RESULTS:
        left = len(order) - _RESULTS
        parts.append(f"{counted(left, 'more result')} {'is' if left == 1 else 'are'} left out")
    vain = {materials_text(materials): tries for materials, tries in held.items() if not _gave(tries)}
    if vain:
        parts.append(f"nothing came of {_named_with_one(vain)}")
    every = [each for tries in held.values() for each in tries]
    return Finding(
        rule="crafting",
        subject=f"crafting {shape}",
        text="; ".join(parts),
        episodes=_sorted(every),
        weight=(90.0 if vain else 70.0) + min(len(order), 50) / 100,
    )


def _vain_shapes(materials: Materials, held: Mapping[str, Sequence[Attempt]]) -> Finding:
    every = [each for tries in held.values() for each in tries]
    return Finding(
        rule="crafting",
        subject=f"crafting in vain from {materials_text(materials)}",
        text=f"nothing came of {_named_with_one(held)}",
        episodes=_sorted(every),
        weight=30.0 + min(len(held), 50) / 100,
    )


def _smelted(put: str, tries: Sequence[Attempt]) -> Finding:
    gained = _fruitful(tries)
    return Finding(
        rule="smelting",
        subject=f"smelting {thing(put)}",
        text=f"{_result(tries)} ({len(gained)} of {len(tries)}) {cited(_sorted(gained))}",
        episodes=_sorted(tries),
        weight=65.0 + min(len(tries), 50) / 100,
    )


def _several(subject: str, told: str, groups: Mapping[str, Sequence[Attempt]], *, weight: float) -> Finding:
    every = [each for tries in groups.values() for each in tries]
    return Finding(
        rule=subject.split(" ")[0],
        subject=subject,
        text=f"{told} {_named_with_one({thing(name): tries for name, tries in groups.items()}, most=40)}",
        episodes=_sorted(every),
        weight=weight,
    )


def _named_with_one(groups: Mapping[str, Sequence[Attempt]], most: int = _VAIN) -> str:
    """Return names, each with the episode that showed it first, and how often where more than once."""
    told = []
    for name in sorted(groups):
        times = f" ({len(groups[name])} times)" if len(groups[name]) > 1 else ""
        told.append(f"{name}{times} [{_sorted(groups[name])[0]}]")
    return listed(told, most)


def _sorted(attempts: Iterable[Attempt]) -> tuple[str, ...]:
    return tuple(sorted(episodes_of(attempts)))
