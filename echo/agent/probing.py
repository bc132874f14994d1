"""Probing: what does a block give, what does a tool open, what can be put down. Every agent does it alike."""

from __future__ import annotations

from csd.episode import Attack, GoTo, Place
from echo.agent.agent import Agent
from echo.agent.body import Body
from echo.agent.planner import Planner
from echo.agent.writeback import Chronicle, Purpose, Source

TOUR_HEIGHTS = (0, -25, -50)
TOUR_EAST = (0, -28, 28)
TOUR_SOUTH = (0, -30, 30)
"""Where the first look around goes, in blocks from the start: sight reaches 32."""


class Prober:
    """Tries out blocks, tools and placing; each combination once."""

    def __init__(self, agent: Agent, body: Body, planner: Planner, chronicle: Chronicle) -> None:
        """Start with nothing probed."""
        self._body, self._planner, self._chronicle = body, planner, chronicle
        self._options, self._rng = agent.options, agent.rng
        self._knowledge = body.knowledge
        self._placed: dict[str, None] = {}
        self._undiggable: dict[str, None] = {}
        self._idle: dict[str, int] = {}
        """Tool -> closed blocks, one after another, on which it was no help."""
        self._done: dict[str, None] = {}
        """Tools that are not probed further."""
        self.source: Source = "collect"
        """Whose the latest probe was."""

    def tour(self) -> None:
        """Walk around the start, also below it, and return: to have seen what there is."""
        x, y, z = (int(place) for place in self._body.seen.position)
        for down in TOUR_HEIGHTS:
            for east in TOUR_EAST:
                for south in TOUR_SOUTH:
                    self._body.do(GoTo(target=(x + east, max(2, y + down), z + south)))
        self._body.do(GoTo(target=(x, y, z)))

    def probe(self) -> bool:
        """Make one probe that has not been made; False where none is left.

        Raises:
            BudgetSpent: when the budget ends.
        """
        return self._probe_place() or self._probe_block() or self._probe_creature() or self._probe_tool()

    def dig_anything(self) -> bool:
        """Dig a block in sight that may be dug, drawn at random, else go to one; False where none is known.

        Raises:
            BudgetSpent: when the budget ends.
        """
        known = self._knowledge
        blocks = [block for block in self._body.seen.blocks if known.digging.get(block)]
        blocks = blocks or [block for block in known.digging if block in known.last_seen]
        if not blocks:
            return False
        block = blocks[int(self._rng.integers(len(blocks)))]
        tool, _ = self._planner.tool_for(block, self._body.held())
        self._start("collect", f"digging {block} for want of something better")
        outcome = self._body.dig(block, tool)
        if outcome is not None:
            self._chronicle.count("collect", made=outcome.ok)
        return True

    def _probe_place(self) -> bool:
        """Put down an item that was never put down."""
        for item in self._knowledge.items:
            if item in self._placed or self._body.seen.count(item) == 0:
                continue
            self._placed[item] = None
            if item in self._knowledge.placeable or item in self._knowledge.last_seen:
                continue
            self._start("exploration", f"putting down {item}")
            self._body.do(Place(item=item))
            return True
        return False

    def _probe_block(self) -> bool:
        """Dig a kind of block that was never dug, with the tool that opened most so far."""
        for block in (*self._body.seen.blocks, *self._knowledge.last_seen):
            if block in self._knowledge.digging or block in self._knowledge.own_blocks:
                continue
            if block in self._undiggable:
                continue
            self._start("collect", f"digging {block}")
            outcome = self._body.dig(block, self._best_tool())
            if outcome is None or outcome.code not in ("ok", "no_drop"):
                # Nothing was learned, nor would be the next time: a full bag stays full.
                self._undiggable[block] = None
            if outcome is not None:
                self._chronicle.count("collect", made=outcome.ok)
            return True
        return False

    def _probe_creature(self) -> bool:
        """Strike a creature of a kind that was never fought."""
        for mob in self._body.seen.mobs:
            if mob not in self._knowledge.fights:
                self._start("collect", f"striking {mob}")
                outcome = self._body.do(Attack(mob=mob))
                self._chronicle.count("collect", made=outcome.ok)
                self._knowledge.fights.setdefault(mob, {})
                return True
        return False

    def _probe_tool(self) -> bool:
        """Dig a block that never gave anything with a tool not tried on it; the hardest block first."""
        closed = [block for block in self._knowledge.closed() if block in self._knowledge.last_seen]
        closed.sort(key=lambda block: (-self._least_ticks(block), block))
        for tool in self._knowledge.items:
            if self._knowledge.stack_size[tool] != 1 or self._body.seen.count(tool) == 0:
                continue
            untried = [block for block in closed if tool not in self._knowledge.digging[block]]
            if tool in self._done or not untried:
                continue
            if self._idle.get(tool, 0) >= self._options.idle_probes:
                self._done[tool] = None
                continue
            self._probe_with(tool, untried[0])
            return True
        return False

    def _probe_with(self, tool: str, block: str) -> None:
        self._start("collect", f"digging {block} with {tool}")
        least = self._least_ticks(block)
        outcome = self._body.dig(block, tool)
        if outcome is None:
            self._knowledge.last_seen.pop(block, None)
            return
        self._chronicle.count("collect", made=outcome.ok)
        helped = outcome.ok or outcome.work_ticks < least
        self._idle[tool] = 0 if helped else self._idle.get(tool, 0) + 1

    def _least_ticks(self, block: str) -> int:
        return min(digging.ticks for digging in self._knowledge.digging[block].values())

    def _best_tool(self) -> str | None:
        """Return the held tool that opened most kinds of blocks, ties to the last by name, or None."""
        opened: dict[str, int] = {}
        for tried in self._knowledge.digging.values():
            for tool, digging in tried.items():
                if tool is None or not digging.yielded or self._knowledge.stack_size.get(tool) != 1:
                    continue
                if self._body.seen.count(tool) > 0:
                    opened[tool] = opened.get(tool, 0) + 1
        return max(opened, key=lambda tool: (opened[tool], tool)) if opened else None

    def _start(self, source: Source, detail: str) -> None:
        self.source = source
        self._chronicle.start(Purpose(source=source, detail=detail))
