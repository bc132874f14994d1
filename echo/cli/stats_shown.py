"""The counts of a bank, for reading."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from echo.cli.plain_text import print_fields
from echo.cli.screen import out_console

if TYPE_CHECKING:
    from csd.upkeep.stats import Stats


def print_stats(stats: Stats, bank: str) -> None:
    """Print what a bank holds and what it takes, one line a subject."""
    sizes = "; ".join(f"{name} {size / 1e6:,.1f} MB" for name, size in stats.bytes.items() if size)
    credit = "; ".join(
        f"{axis} {good:,.1f} : {bad:,.1f}" for axis, (good, bad) in stats.credit.items() if good or bad
    )
    print_fields(
        out_console(),
        [
            ("bank", bank),
            ("on disk", sizes),
            ("encoder", f"{stats.encoder}, {stats.dimension} numbers a vector, wording {stats.rendering}"),
            (
                "descriptors",
                f"{stats.descriptors:,}: {stats.current:,} current, {stats.superseded:,} superseded",
            ),
            ("goal", _counts(stats.by_success)),
            ("verbs", _counts(stats.by_verb)),
            ("worlds", _counts(stats.by_world)),
            ("axes", _counts(stats.by_axis)),
            ("filed by", _counts({name or "no one": count for name, count in stats.by_agent.items()})),
            ("tags", _counts(stats.tags)),
            ("episodes", f"{stats.episodes:,}"),
            ("links", _counts(stats.links)),
            ("credit", credit or "none"),
            ("failures", f"{stats.failures:,}"),
            ("history", f"{stats.changes:,} changes"),
            ("index", "; ".join(f"{name} {_short(value)}" for name, value in stats.index.items())),
        ],
        lines=4,
    )


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count:,}" for name, count in counts.items()) or "none"


def _short(value: object) -> str:
    if isinstance(value, (list, tuple)):
        return str(len(value))
    return f"{value:,}" if isinstance(value, int) else "none" if value is None else str(value)
