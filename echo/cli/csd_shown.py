"""A descriptor and what hangs on it, for reading and as JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from csd.axes import AXES
from csd.render import clauses, render_axis
from csd.store.errors import BankError
from echo.cli.plain_text import print_fields
from echo.cli.screen import out_console

if TYPE_CHECKING:
    from csd.bank import Bank
    from csd.descriptor import Csd, Evidence
    from csd.protocol import Version


def print_csd(csd: Csd) -> None:
    """Print circumstances, and each statement with the evidence for it."""
    meta, console = csd.meta, out_console()
    console.print(csd.id, markup=False, soft_wrap=True)
    x, y, z = meta.position
    print_fields(
        console,
        [
            ("task", f"{meta.task}: {'reached' if meta.success else 'failed'}"),
            ("did", f"{meta.verb} {meta.product or ''}".rstrip()),
            ("where", f"{meta.biome}, x {x:g}, y {y:g}, z {z:g}, {meta.world}"),
            ("when", f"step {meta.step:,}, tick {meta.tick:,}"),
            ("in sight", ", ".join(meta.objects) or "nothing"),
            ("from", f"{', '.join(meta.episodes)}, described by {meta.builder}"),
        ],
    )
    for axis in AXES:
        if csd.axis(axis):
            console.print(f"\n{axis.value}", markup=False)
        for statement in csd.axis(axis):
            (words,) = clauses(axis, [statement])
            print_fields(console, [("-", f"{words}  [{_seen(statement.evidence)}]")])


def print_versions(id: str, bank: Bank) -> None:
    """Print all states of the belief that `id` is one of, oldest first."""
    console = out_console()
    console.print("\nversions, oldest first")
    for one in bank.versions(id):
        mark = "*" if one.id == id else " "
        until = "now" if one.superseded_step is None else f"{one.superseded_step:,}"
        by = f", by {one.superseded_by}" if one.superseded_by else ""
        line = f"{mark} {one.id}  steps {one.valid_from:,} to {until}{by}"
        console.print(line, markup=False, soft_wrap=True)
        console.print(f"  first filed {one.recorded:%Y-%m-%d %H:%M:%S} UTC", markup=False, soft_wrap=True)


def print_links(id: str, bank: Bank) -> None:
    """Print the links from and to `id`, and its credit."""
    console = out_console()
    console.print("\nlinks")
    for source, kind, target in bank.links(id):
        console.print(f"  {source} {kind} {target}", markup=False, soft_wrap=True)
    if not bank.links(id):
        console.print("  none")
    console.print("\ncredit    successes failures")
    for axis, credit in bank.credits(id).items():
        console.print(f"  {axis.value:6} {credit.successes:10.2f} {credit.failures:8.2f}", markup=False)


def csd_json(csd: Csd, bank: Bank) -> dict[str, Any]:
    """Return a descriptor and all that hangs on it, for a program."""
    return {
        "id": csd.id,
        "descriptor": csd.model_dump(mode="json"),
        "texts": {axis.value: text for axis in AXES if (text := render_axis(csd, axis))},
        "versions": [_version(one) for one in bank.versions(csd.id)],
        "links": [
            {"source": source, "kind": kind, "target": target} for source, kind, target in bank.links(csd.id)
        ],
        "credit": {
            axis.value: {"successes": one.successes, "failures": one.failures}
            for axis, one in bank.credits(csd.id).items()
        },
    }


def graph_text(csd: Csd, form: Literal["node-link", "graphml"]) -> str:
    """Return the graph of a descriptor as the text of a file."""
    from csd.graph import csd_graph
    from csd.graph_files import to_graphml, to_node_link

    graph = csd_graph(csd)
    return to_graphml(graph) if form == "graphml" else json.dumps(to_node_link(graph), indent=2)


def hanging(id: str, bank: Bank) -> list[str]:
    """Return what a descriptor is about, then what would go, or lose its other end, with it.

    Raises:
        BankError: on an unknown id.
    """
    told = [_about(id, bank)]
    for source, kind, target in bank.links(id):
        told.append(f"link goes: {source} {kind} {target}")
    credit = [axis.value for axis, one in bank.credits(id).items() if one.successes or one.failures]
    if credit:
        told.append(f"credit goes: {', '.join(credit)}")
    for one in bank.versions(id):
        if one.superseded_by == id:
            told.append(f"stays superseded: {one.id}")
        if one.id == id and one.superseded_by is not None:
            told.append(f"an older version, superseded by {one.superseded_by}")
    return told


def _about(id: str, bank: Bank) -> str:
    try:
        meta = bank.get(id).meta
    except BankError:
        if id not in bank:
            raise
        return "its record is damaged"
    return f"{meta.task}: {'reached' if meta.success else 'failed'}"


def _seen(evidence: Iterable[Evidence]) -> str:
    return "; ".join(
        f"{one.episode} step {one.step} {one.kind}{f': {one.detail}' if one.detail else ''}"
        for one in evidence
    )


def _version(one: Version) -> dict[str, Any]:
    return {
        "id": one.id,
        "valid_from": one.valid_from,
        "superseded_step": one.superseded_step,
        "superseded_by": one.superseded_by,
        "recorded": one.recorded.isoformat(),
        "superseded_at": None if one.superseded_at is None else one.superseded_at.isoformat(),
    }
