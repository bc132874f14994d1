"""The turns of a model-driven agent, for reading and as JSON."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from echo.cli.plain_text import print_fields
from echo.cli.screen import out_console
from echo.mfm.turns.analyses import Heading, Sum, cost, looking, pace
from echo.mfm.turns.record import read_turns
from echo.mfm.turns.storage import storage

LAST = 10
"""Turns whose pace is shown."""


def turns_json(root: Path) -> dict[str, Any]:
    """Return everything that the turn records and the folder of the memory at `root` tell.

    Raises:
        MfmError: if `root` is no memory.
    """
    held = read_turns(root)
    seen = looking(held.turns)
    return {
        "root": str(root),
        "unread": held.unread,
        "sittings": [dict(sitting) for sitting in held.sittings],
        "pace": [asdict(each) for each in pace(held.turns)],
        "looking": {
            "with_look": {**asdict(seen.with_look), "share": seen.with_look.share},
            "without_look": {**asdict(seen.without_look), "share": seen.without_look.share},
            "distance": seen.distance,
            "chance": seen.chance,
        },
        "cost": asdict(cost(held.turns)),
        "storage": asdict(storage(root)),
    }


def print_turns(root: Path) -> None:
    """Print pace, looking, cost and storage of the memory at `root`. Raises as `turns_json`."""
    held = read_turns(root)
    kept = storage(root)
    console = out_console()
    spent, seen = cost(held.turns), looking(held.turns)
    paced = pace(held.turns)
    lines = [("turns", f"{spent.turns:,}, {spent.failures:,} of them without a usable answer")]
    if held.unread:
        lines.append(("unread", f"{held.unread:,} lines of turns.jsonl hold no turn of this version"))
    if paced:
        shown = ", ".join(f"{each.steps} ({each.rolling:g})" for each in paced[-LAST:])
        lines.append(("steps a turn", f"{shown}; the last {len(paced[-LAST:])}, with the rolling median"))
    lines += [
        ("commands", f"{spent.commands:,}, {spent.failed_commands:,} of them failed"),
        ("milestones", ", ".join(f"{name} (life {life})" for life, name in spent.milestones) or "none"),
        ("calls", f"{spent.calls:,} to the model"),
        ("tokens in", _sum(spent.prompt_tokens, spent.calls)),
        ("tokens out", _sum(spent.completion_tokens, spent.calls)),
        ("money", _sum(spent.money, spent.calls)),
        ("frames viewed", f"{spent.frames_viewed:,}"),
        ("files changed", f"{spent.files_changed:,} below mine/"),
        ("new destination", f"{_share(seen.with_look)} with a look; {_share(seen.without_look)} without one"),
        ("from the frame", _distance(seen.distance, seen.chance)),
        ("", ""),
        ("lives", f"{kept.lives:,}"),
        ("steps", _known(kept.steps)),
        ("episodes", f"{kept.episodes:,}, {kept.episode_bytes / 1e6:,.2f} MB without pictures"),
        ("frames", f"{kept.frames:,}, {kept.frame_bytes / 1e6:,.2f} MB"),
        ("index", f"{kept.index_bytes / 1e3:,.1f} KB"),
        ("mine/", f"{kept.mine_bytes / 1e3:,.1f} KB, history {kept.history_bytes / 1e3:,.1f} KB"),
        ("cache/", f"{kept.cache_bytes / 1e6:,.2f} MB, may be deleted"),
    ]
    print_fields(console, lines)


def _known(value: int | None) -> str:
    return "unknown" if value is None else f"{value:,}"


def _sum(told: Sum, calls: int) -> str:
    if not told.calls:
        return "unknown"
    known = f"{told.known:,}" if isinstance(told.known, int) else f"{told.known:,.4f}"
    return (
        known
        if told.calls == calls
        else f"{known} in {told.calls:,} of {calls:,} calls; the others do not say"
    )


def _share(heading: Heading) -> str:
    share = heading.share
    told = f"{heading.new:,} of {heading.turns:,} turns"
    return told if share is None else f"{told} ({share:.0%})"


def _distance(distance: float | None, chance: float | None) -> str:
    if distance is None or chance is None:
        return "unknown: no turn named a new destination after a look"
    return f"{distance:.1f} blocks to the new destination (median); {chance:.1f} from any place, by chance"
