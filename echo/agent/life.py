"""One life of an agent: perceive, decide (memory, else explore), prepare, attempt, write back."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from csd.build import describe
from csd.descriptor import Csd
from csd.episode import Collect, Craft, Episode, Equip, GoTo, Place, Smelt, Step
from echo.agent.body import Body, BudgetSpent, World
from echo.agent.explorer import Explorer, Proposal
from echo.agent.knowledge import GridKey, Knowledge, grid_key, needs, offer_needed
from echo.agent.planner import Planner, Prices
from ical.loop import Induced, Transfer
from ical.slots import SMELT_ROWS

EXPLORE_SHARE = 0.15


@dataclass
class Life:
    world: World
    budget: int
    rng: np.random.Generator
    transfer: Transfer | None
    edits: bool
    demonstrations: Sequence[Episode] = ()
    progress: Callable[[int, int], None] | None = None
    unlocks: list[tuple] = field(default_factory=list)
    stats: dict = field(default_factory=dict)
    decisions: list[float] = field(default_factory=list)

    def play(self) -> None:
        self.k = Knowledge()
        self.trace: list[Step] = []
        self.fresh: list[str] = []
        self.current = ("collect", "")
        for d in self.demonstrations:
            self.watch(d)
        self.body = Body(self.world, self.k, self.budget, self.on_step)
        self.prices = Prices(self.k)
        self.planner = Planner(self.k, self.prices)
        self.explorer = Explorer(self.k, self.prices, edits=self.edits)
        self.known_ways = (0, 0)
        self.described: set[str] = set()
        self.toolprobe: dict[str, int] = {}
        self.placed: set[str] = set()
        self.rate = 0.3
        for d in self.demonstrations:
            for s in d.steps:
                if isinstance(s.action, Craft):
                    self.explorer.noted(grid_key(s.action.grid), worked=True, new=True, own=False)
        try:
            self.tour()
            while True:
                self.turn()
        except BudgetSpent:
            pass

    # -- bookkeeping
    def watch(self, d: Episode) -> None:
        for s in d.steps:
            self.k.note(s)
            for st in s.before.stations:
                self.k.offers[st.block] = st.offers
        csd = describe(d)
        if self.transfer is not None and isinstance(csd, Csd):
            self.transfer.remember(csd, csd.id)

    def on_step(self, step: Step, fresh: list[str]) -> None:
        self.trace.append(step)
        del self.trace[:-40]
        for item in fresh:
            self.unlocks.append((item, self.body.actions if hasattr(self, "body") else 0, *self.current))
            self.fresh.append(item)
            s = self.stats.setdefault(self.current[0], [0, 0, 0])
            s[2] += 1
        key = None
        if step.outcome.ok and isinstance(step.action, Craft):
            key = str(grid_key(step.action.grid))
        elif step.outcome.ok and isinstance(step.action, Smelt):
            key = "smelt " + step.action.input
        elif step.outcome.ok and isinstance(step.action, Collect):
            tool = step.before.mainhand
            if tool is not None and self.k.stack_size.get(tool) != 1:
                tool = None
            key = f"dig {step.outcome.block} {tool} {sorted(step.outcome.inventory_delta)}"
        elif isinstance(step.action, Place):
            key = f"place {step.action.item} {step.outcome.code}"
        if (key is not None and key not in self.described) or fresh:
            self.described.add(key or "")
            self.write(step)

    def write(self, step: Step) -> None:
        if self.transfer is None:
            return
        self.n_ep = getattr(self, "n_ep", 0) + 1
        ep = Episode(
            id=f"ep_{self.n_ep:06d}", goal="find out", steps=(step,), after=self.body.seen, source="minecraft"
        )
        csd = describe(ep)
        if isinstance(csd, Csd):
            self.transfer.remember(csd, csd.id)

    def refresh(self) -> None:
        n = (sum(map(len, self.k.ways.values())), len(self.k.last_seen))
        if n != self.known_ways or self.fresh:
            self.known_ways = n
            self.prices.refresh()

    # -- turns
    def tour(self) -> None:
        x, y, z = self.body.seen.position
        for dy in (0, -25, -50):
            for dx in (0, -28, 28):
                for dz in (0, -30, 30):
                    self.body.do(GoTo(target=(int(x) + dx, max(2, int(y) + dy), int(z) + dz)))
        self.body.do(GoTo(target=(int(x), int(y), int(z))))

    def turn(self) -> None:
        self.refresh()
        self.fresh.clear()
        if self.progress:
            self.progress(self.body.actions, len(self.unlocks))
        if self.probe_places() or self.probe_blocks() or self.recall():
            return
        t = time.perf_counter()
        choice = self.decide()
        self.decisions.append(time.perf_counter() - t)
        start = self.body.actions
        n = len(self.unlocks)
        if choice is None:
            self.dig_anything()
        elif isinstance(choice, Proposal):
            self.attempt(choice, choice.source)
            spent = self.body.actions - start
            if spent:
                gained = len(self.unlocks) - n
                a = 1 - 0.985**spent
                self.rate = (1 - a) * self.rate + a * gained / spent
        else:
            self.attempt(choice, "transfer")

    def decide(self):
        held = self.body.held()
        idea = None
        if self.transfer is not None:
            price = {i: self.prices.of(i) for i in self.k.items}
            self.transfer.ways = len(self.k.ways)
            idea = self.transfer.suggest(self.k.items, held, price, list(self.k.offers.values()))
        if idea is not None and idea.score > self.rate and self.rng.random() > EXPLORE_SHARE:
            return idea
        prop = self.explorer.propose(held, None, "grid3" in self.k.offers.values())
        return prop if prop is not None else idea

    def attempt(self, choice, source: str) -> None:
        if isinstance(choice, Proposal):
            key, smelt = choice.key, choice.smelt
        else:
            if choice.slot.rows == SMELT_ROWS:
                key, smelt = None, choice.item
            else:
                from csd.pattern import canonical_grid, lay, letters

                pat = canonical_grid(
                    lay(choice.slot.rows, dict(zip(letters(choice.slot.rows), choice.slot.fillers(choice.item), strict=True)))
                )
                key, smelt = (pat.rows, tuple(pat.fillers.values())), None
        if key is not None and key in self.k.grids:
            if self.transfer is not None and self.k.grids[key] is None:
                self.transfer.failed(*key)
            if isinstance(choice, Induced):
                self.transfer.aside[(choice.slot, choice.item)] = 10**9
            return
        self.current = ("prepare", "")
        if not self.prepare(key, smelt):
            self.explorer.block(key if key is not None else ("smelt", smelt))
            if isinstance(choice, Induced):
                self.transfer.aside[(choice.slot, choice.item)] = len(self.k.ways)
            return
        self.current = (source, str(key or smelt))
        before = len(self.unlocks)
        s = self.stats.setdefault(source, [0, 0, 0])
        if key is not None:
            out = self.body.lay_grid(key)
            if out.code not in ("ok", "no_result"):
                self.explorer.block(key)
                if isinstance(choice, Induced):
                    self.transfer.aside[(choice.slot, choice.item)] = len(self.k.ways)
                return
            rows, fillers = key
        else:
            out = self.try_smelt(smelt)
            rows, fillers = SMELT_ROWS, (smelt,)
            if out is None or out.code not in ("ok", "no_result"):
                self.explorer.block(("smelt", smelt))
                if isinstance(choice, Induced):
                    self.transfer.aside[(choice.slot, choice.item)] = len(self.k.ways)
                return
        s[0] += 1
        s[1] += out.ok
        if getattr(self, "log", None) is not None:
            self.log.append((self.body.actions, source, str(key or smelt), out.code,
                             round(getattr(choice, "success", 0), 3), round(getattr(choice, "score", 0) or getattr(choice, "bits", 0), 3), round(self.rate, 3)))
        if key is not None:
            self.explorer.noted(key, worked=out.ok, new=out.ok and len(self.unlocks) > before, own=source != "transfer")
        if source != "transfer":
            self.explorer.judged(source, new=len(self.unlocks) > before)
        if isinstance(choice, Induced):
            self.transfer.judged(choice, worked=out.ok, new=len(self.unlocks) > before)
        if self.transfer is not None and not out.ok:
            self.transfer.failed(rows, fillers)

    def prepare(self, key: GridKey | None, smelt: str | None) -> bool:
        for _ in range(3):
            if key is not None:
                plan = self.planner.for_grid(key, self.body.held())
            else:
                want = {smelt: 1}
                f = self.prices.fuel()
                if f is not None:
                    want[f] = want.get(f, 0) + 1
                plan = self.planner.for_items(want, self.body.held(), "smelt")
            if plan is None:
                return False
            surprise = self.body.carry_out(plan)
            if surprise is None:
                return True
            self.refresh()
        return False

    def try_smelt(self, item):
        f = self.prices.fuel()
        if f is not None and self.body.seen.count(f) > (f == item):
            return self.body.smelt(item, f)
        for fuel in sorted(self.body.held(), key=lambda i: (-self.body.seen.count(i), i)):
            if fuel in self.k.not_fuel or fuel == item:
                continue
            out = self.body.smelt(item, fuel)
            if out.code != "not_fuel":
                return out
        return None

    def recall(self) -> bool:
        for key, product in self.k.grids.items():
            if product is not None and product not in self.k.index and not self.explorer._is_blocked(("recall", key)):
                if all(i in self.k.index for i in key[1]) and (
                    offer_needed(key[0]) is None or "grid3" in self.k.offers.values()
                ):
                    self.current = ("prepare", "")
                    if self.prepare(key, None):
                        self.current = ("recall", str(key))
                        self.body.lay_grid(key)
                        if product in self.k.index:
                            return True
                    self.explorer.block(("recall", key))
        return False

    def probe_places(self) -> bool:
        for item in self.k.items:
            if item in self.placed or self.body.seen.count(item) == 0:
                continue
            self.placed.add(item)
            if item in self.k.placeable or item in self.k.last_seen:
                continue
            self.current = ("place", item)
            self.body.do(Place(item=item))
            return True
        return False

    def probe_blocks(self) -> bool:
        for block in list(self.body.seen.blocks) + list(self.k.last_seen):
            if block not in self.k.digging and block not in self.k.own_blocks and block not in getattr(self, "undiggable", set()):
                self.current = ("collect", block)
                tool = self.best_tool()
                out = self.body.dig(block, tool)
                if out is not None and out.code in ("not_breakable", "not_seen"):
                    self.undiggable = getattr(self, "undiggable", set()) | {block}
                elif out is None:
                    self.undiggable = getattr(self, "undiggable", set()) | {block}
                return True
        for tool in self.k.items:
            if self.k.stack_size[tool] != 1 or self.body.seen.count(tool) == 0 or self.toolprobe.get(tool) == -1:
                continue
            n = self.toolprobe.get(tool, 0)
            closed = [b for b in self.k.digging if self.k.closed(b) and tool not in self.k.digging[b]
                      and b in self.k.last_seen]
            closed.sort(key=lambda b: (-(self.body.seen.blocks[b].count if b in self.body.seen.blocks else 0), b))
            if not closed:
                continue
            if n >= 2:
                self.toolprobe[tool] = -1
                continue
            block = closed[0]
            self.current = ("collect", block)
            best = min((d.ticks for d in self.k.digging[block].values()), default=10**9)
            out = self.body.dig(block, tool)
            if out is None:
                self.k.last_seen.pop(block, None)
                return True
            helped = out.ok or out.work_ticks < best
            self.toolprobe[tool] = 0 if helped else n + 1
            return True
        return False

    def best_tool(self):
        """The held unstackable item that opened most."""
        score = {}
        for b, t in self.k.digging.items():
            for tool, d in t.items():
                if tool is not None and d.yielded and self.k.stack_size.get(tool) == 1 and self.body.seen.count(tool):
                    score[tool] = score.get(tool, 0) + 1
        return max(score, key=lambda t: (score[t], t)) if score else None

    def dig_anything(self) -> None:
        blocks = [b for b in self.body.seen.blocks if self.k.digging.get(b)]
        block = blocks[int(self.rng.integers(len(blocks)))]
        tool, _ = self.planner.tool_for(block, self.body.held())
        self.current = ("collect", block)
        self.body.dig(block, tool)
