"""What an agent can ask of its memory in a turn: named tools, given to the harness by whoever builds it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from echo.mfm.options import MemoryOptions

SEARCHING = frozenset({"query", "recall", "why"})
"""Tools that need the index or what is built on it."""
PLACES = frozenset(
    {"places_near", "places_nearest", "places_changed", "places_known", "places_remembered", "map"}
)
PICTURES = frozenset({"then_now", "map"})
PROCEDURES = frozenset({"procedures_list", "procedure_show", "procedure_save"})
CONSOLIDATION = frozenset({"consolidate"})
EPISODES = SEARCHING | PLACES | PICTURES | {"inspect"}
"""Tools that read episodes; an agent without a memory of episodes has none of them."""


@dataclass(frozen=True, kw_only=True)
class Told:
    """What a tool answers."""

    text: str
    ok: bool = True
    images: tuple[bytes, ...] = ()
    """PNG files to look at."""
    viewed: tuple[str, ...] = ()
    """Episodes whose frames these show, such as 'ep_000012' or 'life_2/ep_000012'."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool. It answers wrong use in words and never raises for it."""

    name: str
    usage: str
    """How its arguments are written, such as '{"episode": "ep_000012"}'."""
    about: str
    """One line."""
    ask: Callable[[Mapping[str, Any]], Told]


def allowed_tools(tools: Iterable[Tool], options: MemoryOptions, *, direct: bool = False) -> list[Tool]:
    """Return the tools that the memory's options leave, in the given order.

    Args:
        tools: All there are.
        options: What is switched off.
        direct: Whether the agent has no memory of episodes at all; it keeps its own files and procedures.
    """
    off: frozenset[str] = EPISODES if direct else frozenset()
    if not options.index:
        off |= SEARCHING | PLACES
    if not options.frames:
        off |= {"then_now"}
    if not options.procedures:
        off |= PROCEDURES
    if not options.consolidation:
        off |= CONSOLIDATION
    return [tool for tool in tools if tool.name not in off]
