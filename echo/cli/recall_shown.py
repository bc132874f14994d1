"""What was recalled, for reading and as JSON: a table of cosines, then the evidence behind each row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from csd.axes import AXES, Axis
from csd.render import render_axis
from echo.cli.plain_text import print_fields
from echo.cli.screen import out_console

if TYPE_CHECKING:
    from rich.table import Table

    from csd.descriptor import Csd
    from ical.map import Correspondence
    from ical.retrieve import Exemplar

LINES = 4
"""Most lines of one axis; the whole text is told by `echo-memory csd show`."""


def print_found(found: Sequence[Exemplar], k: int) -> None:
    """Print a table of scores and cosines, then what each descriptor says on the axes that were compared."""
    console = out_console()
    if not found:
        why = "nothing in the bank fits the query and its conditions" if k else "-k 0 asks for none"
        console.print(f"nothing recalled: {why}", soft_wrap=True)
        return
    console.print(_table(found))
    for place, one in enumerate(found, start=1):
        console.print()
        print_fields(console, [(str(place), f"{one.id}  {heading_of(one.csd)}")])
        compared = [axis for axis in AXES if one.cosines[axis] is not None]
        said = [(axis.value, render_axis(one.csd, axis)) for axis in compared]
        print_fields(console, [*said, *_mapped(one)], indent=3, lines=LINES)


def _table(found: Sequence[Exemplar]) -> Table:
    from rich.table import Table

    mapped = any(one.mapping is not None for one in found)
    table = Table(box=None, pad_edge=False)
    for heading in ("", "score", *AXES, *(["mapped"] if mapped else [])):
        table.add_column(heading, justify="right")
    table.add_column("id", no_wrap=True)
    for place, one in enumerate(found, start=1):
        cells = [_number(one.cosines[axis]) for axis in AXES]
        if mapped:
            cells.append(_number(None if one.mapping is None else one.mapping.score))
        table.add_row(str(place), _number(one.score), *cells, one.id)
    return table


def heading_of(csd: Csd) -> str:
    """Return in one line what a descriptor is about."""
    meta = csd.meta
    end = "reached" if meta.success else "failed"
    return f"{meta.task}: {end}, step {meta.step:,}, {meta.biome}"


def recall_json(found: Sequence[Exemplar], weights: Mapping[Axis, float] | None) -> dict[str, Any]:
    """Return all that was recalled, for a program."""
    return {
        "weights": None if weights is None else {axis.value: weights.get(axis, 0.0) for axis in AXES},
        "results": [
            {
                "id": one.id,
                "score": one.score,
                "cosines": {axis.value: one.cosines[axis] for axis in AXES},
                "meta": one.csd.meta.model_dump(mode="json"),
                "texts": {axis.value: text for axis in AXES if (text := render_axis(one.csd, axis))},
                "mapping_score": None if one.mapping is None else one.mapping.score,
                "correspondences": None
                if one.mapping is None
                else [_correspondence(pair) for pair in one.mapping.correspondences],
            }
            for one in found
        ],
    }


def _mapped(one: Exemplar) -> list[tuple[str, str]]:
    if one.mapping is None:
        return []
    pairs = one.mapping.correspondences
    moved = [
        f"{pair.base} -> {pair.target} ({', '.join(pair.axes)})" for pair in pairs if pair.base != pair.target
    ]
    alike = [pair.base for pair in pairs if pair.base == pair.target]
    told = [("maps", "; ".join(moved))] if moved else []
    if alike:
        told.append(("same", ", ".join(alike)))
    return told or [("maps", "nothing corresponds")]


def _correspondence(pair: Correspondence) -> dict[str, Any]:
    return {
        "from": pair.base,
        "to": pair.target,
        "axes": {axis.value: share for axis, share in pair.axes.items()},
    }


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"
