"""What stands between an agent and what it wants: ways not known, blocks not seen, fires without fuel."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from echo.agent.knowledge import Knowledge
from echo.agent.planner import UNREACHABLE, Prices


@dataclass(slots=True)
class Wants:
    """What is missing, each in the order found, without repetition."""

    ways: dict[str, None] = field(default_factory=dict)
    """Items to which no way is known."""
    blocks: dict[str, None] = field(default_factory=dict)
    """Block kinds that a known way begins with and that are not in sight or mind."""
    creatures: dict[str, None] = field(default_factory=dict)
    """Creature kinds, none in sight, that a known way leads to."""
    smelts: dict[str, None] = field(default_factory=dict)
    """Inputs that are known to smelt into something wanted, while no fuel can be had."""


def wants_of(items: Iterable[str], held: Mapping[str, int], knowledge: Knowledge, prices: Prices) -> Wants:
    """Follow the known ways to `items` back to where they break off.

    Args:
        items: what is wanted.
        held: item -> how many are carried; what is carried is not followed.
        knowledge: ways, offers of stations, blocks in mind.
        prices: of fuels.
    """
    wants = Wants()
    done: dict[str, None] = {}
    waiting = list(items)
    while waiting:
        item = waiting.pop(0)
        if item in done or held.get(item, 0) > 0:
            continue
        done[item] = None
        known = knowledge.ways.get(item, [])
        if not known:
            wants.ways[item] = None
        made = any(way.verb in ("craft", "smelt") for way in known)
        for way in known:
            if way.mob is not None and way.mob not in knowledge.creatures and not made:
                wants.creatures[way.mob] = None
            elif way.verb == "collect" and way.block is not None:
                # What can be made need not be found standing about.
                if way.block not in knowledge.last_seen and not made:
                    wants.blocks[way.block] = None
                worked = knowledge.worked_with(way.block)
                waiting += [tool for tool in worked if tool is not None and None not in worked]
            elif way.verb == "smelt":
                waiting += [block for block, offer in knowledge.offers.items() if offer == "smelt"]
                fuel = prices.fuel()
                if fuel is None or (prices.of(fuel) >= UNREACHABLE and not held.get(fuel)):
                    wants.smelts[way.inputs[0][0]] = None
            elif way.grid is not None and way.grid.offer is not None:
                waiting += [block for block, offer in knowledge.offers.items() if offer == way.grid.offer]
            waiting += [item for item, _ in way.inputs]
    return wants
