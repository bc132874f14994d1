"""Carry out what an agent says in a turn: act in the world, run what it saved, ask its memory."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from csd.episode import GoTo, Observation, Step
from echo.mfm.episodic.documents import Cause, Entry
from echo.mfm.episodic.frames import encode_frame
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.evidence.look import look
from echo.mfm.layout import MfmError
from echo.mfm.options import require
from echo.mfm.procedural.actions import ActionFlaw, Call, Look, Note, Watch, parse_action, parse_expectation
from echo.mfm.procedural.execution import Execution
from echo.mfm.procedural.reflexes import run_reflex
from echo.mfm.procedural.sandbox import Failed
from echo.mfm.procedural.session import World
from echo.mfm.procedural.surprise import surprise
from echo.mfm.turns.commands import Command, NotUnderstood
from echo.mfm.turns.record import Done, Spot, Viewed
from echo.mfm.turns.tools import Told, Tool

MOST_REPEATS = 64
MOST_COMMANDS = 64
"""Of one reply; what stands behind them is dropped."""
MOST_OUTPUT = 12_000
"""Characters of an answer to a command that the agent is told; so much is kept in its records, too."""
MOST_BLOCKS = 30_000_000.0
"""How far a destination may lie; no world of this kind is larger."""

_SPOT = re.compile(r"\(\s*(-?\d+(?:\.\d+)?)\s*,\s*(?:-?\d+(?:\.\d+)?\s*,\s*)?(-?\d+(?:\.\d+)?)\s*\)")
"""(x, z) or (x, y, z) in the words of a plan."""


@dataclass(kw_only=True)
class Acted:
    """What has come of the commands of a turn so far."""

    done: list[Done] = field(default_factory=list)
    images: list[bytes] = field(default_factory=list)
    """Pictures that the agent is to be shown with the answers."""
    plan: str = ""
    destinations: list[Spot] = field(default_factory=list)
    viewed: list[Viewed] = field(default_factory=list)
    episodes: list[str] = field(default_factory=list)
    turn: int
    """Number of the turn, which its episodes name."""
    over: bool = False
    """Whether the turn is over: something was done in the world, or the agent ended it."""


_TOO_MANY = Told(text=f"expected at most {MOST_COMMANDS} commands in a reply", ok=False)


class InTurn:
    """Records episodes that say which turn and plan they belong to."""

    def __init__(self, recorder: Recorder, acted: Acted) -> None:
        """Record with `recorder` for the turn `acted`."""
        self._recorder, self._acted = recorder, acted

    def record(self, entry: Entry, /) -> str:
        """Record one episode and return its id; raises as `Recorder.record`."""
        cause = replace(entry.cause or Cause(), turn=self._acted.turn, plan=self._acted.plan or None)
        return self._recorder.record(replace(entry, cause=cause))


class Hands:
    """Carries out commands in one world with one memory."""

    def __init__(self, world: World, recorder: Recorder, tools: Sequence[Tool], goal: str) -> None:
        """Take over a world.

        Args:
            world: Where to act.
            recorder: Records each act and run as an episode, pictures included where it keeps them; its
                folder is the memory.
            tools: What the agent can ask.
            goal: What episodes say they were for, where the agent gave no plan.
        """
        self._root, self._world, self._recorder, self._goal = recorder.root, world, recorder, goal
        self._tools = {tool.name: tool for tool in tools}
        self._verbs: dict[str, Callable[[Command, Acted], Told]] = {
            "plan": self._plan,
            "act": self._act,
            "run": self._run,
            "reflex": self._reflex,
            "look": self._look,
            "end": self._end,
        }

    @property
    def verbs(self) -> tuple[str, ...]:
        """Keys that make a command: the verbs, then the tools."""
        return (*self._verbs, *self._tools)

    def carry_out(self, commands: Sequence[Command | NotUnderstood], acted: Acted) -> bool:
        """Carry out commands in order and return whether all went well; the first that did not is the last.

        Raises:
            OSError: if the disk refuses.
        """
        for place, command in enumerate(commands):
            told = self._one(command, acted) if place < MOST_COMMANDS else _TOO_MANY
            output = _cut(told.text, MOST_OUTPUT)
            acted.done.append(Done(command=_cut(command.text, MOST_OUTPUT), output=output, ok=told.ok))
            acted.images += told.images
            if not told.ok:
                dropped = len(commands) - place - 1
                if dropped:
                    note = f"{dropped} more command{'s were' if dropped > 1 else ' was'} dropped"
                    acted.done[-1] = Done(command=command.text, output=f"{output}\n({note})", ok=False)
                return False
            if acted.over and isinstance(command, Command) and command.verb == "end":
                break
        return True

    def _one(self, command: Command | NotUnderstood, acted: Acted) -> Told:
        if isinstance(command, NotUnderstood):
            return Told(text=f"not understood: {command.reason}", ok=False)
        try:
            if command.verb in self._verbs:
                return self._verbs[command.verb](command, acted)
            if not isinstance(command.value, dict):
                usage = self._tools[command.verb].usage
                return Told(text=f"expected {usage} for {command.verb}, got {command.value!r:.80}", ok=False)
            told = self._tools[command.verb].ask(command.value)
        except (MfmError, ValueError, OverflowError) as error:
            return Told(text=str(error), ok=False)
        acted.viewed += [self._viewed(episode) for episode in told.viewed]
        return told

    def _plan(self, command: Command, acted: Acted) -> Told:
        if not isinstance(command.value, str):
            return Told(text=f"expected a plan in words, got {command.value!r:.80}", ok=False)
        acted.plan = f"{acted.plan}\n{command.value}".strip()
        named = (_spot([float(x), float(z)]) for x, z in _SPOT.findall(command.value))
        spots = [spot for spot in named if spot is not None]
        given = command.more.get("destination")
        if given is not None:
            spot = _spot(given)
            if spot is None:
                return Told(text=f"expected a destination [x, z], got {given!r:.80}", ok=False)
            spots = [spot, *spots]
        acted.destinations += [spot for spot in spots if spot not in acted.destinations]
        return Told(text="noted")

    def _end(self, command: Command, acted: Acted) -> Told:
        acted.over = True
        return Told(text="the turn is over")

    def _act(self, command: Command, acted: Acted) -> Told:
        repeat = command.more.get("repeat", 1)
        if type(repeat) is not int or not 1 <= repeat <= MOST_REPEATS:
            return Told(text=f"expected to repeat 1 to {MOST_REPEATS} times, got {repeat!r:.40}", ok=False)
        try:
            action = parse_action(command.value)
            expected = parse_expectation(command.more.get("expect"))
        except ActionFlaw as flaw:
            return Told(text=str(flaw), ok=False)
        if isinstance(action, Look | Watch | Call | Note):
            return Told(text=f"expected an action in the world, got {command.value['kind']}", ok=False)
        if isinstance(action, GoTo):
            spot = _spot([action.target[0], action.target[2]])
            if spot is None:
                return Told(text=f"expected a target in the world, got {command.value!r:.120}", ok=False)
            acted.destinations.append(spot)
        steps: list[Step] = []
        seen = self._world.observe(frame=True)
        wrong: str | None = None
        while wrong is None and len(steps) < repeat:
            outcome = self._world.act(action)
            steps.append(Step(before=seen, action=action, outcome=outcome))
            seen = self._world.observe(frame=True)
            found = surprise(steps[-1], seen, expected)
            wrong = None if found is None else f"expected {found.expected}, got {found.got}"
        return self._recorded(steps, seen, wrong, acted)

    def _recorded(self, steps: list[Step], seen: Observation, wrong: str | None, acted: Acted) -> Told:
        acted.over = True
        notes = () if wrong is None else (f"surprise: {wrong}",)
        name = InTurn(self._recorder, acted).record(
            Entry(
                goal=acted.plan.split("\n")[-1] or self._goal,
                steps=tuple(steps),
                after=seen,
                notes=notes,
                tags=() if wrong is None else ("surprise",),
            )
        )
        acted.episodes.append(name)
        changes = _changes(steps)
        times = "" if len(steps) == 1 else f" {len(steps)} times"
        told = f"{name}: {steps[-1].action.kind}{times}, {steps[-1].outcome.message}{changes}"
        return Told(text=told if wrong is None else f"{told}\nsurprise: {wrong}", ok=wrong is None)

    def _run(self, command: Command, acted: Acted) -> Told:
        arguments = command.more.get("args", {})
        if not isinstance(command.value, str) or not isinstance(arguments, dict):
            return Told(text='expected {"run": "NAME", "args": {...}}', ok=False)
        execution = Execution(self._root, self._world, recorder=InTurn(self._recorder, acted))
        run = execution.run(command.value, **arguments)
        acted.over = True
        acted.episodes += run.episodes
        reason = "" if run.reason is None else f": {run.reason}"
        told = f"{run.name} {run.end} after {len(run.steps)} actions{reason}{_changes(run.steps)}"
        return Told(text=f"{told} [{', '.join(run.episodes) or 'nothing recorded'}]", ok=run.success)

    def _reflex(self, command: Command, acted: Acted) -> Told:
        if not isinstance(command.value, str):
            return Told(text='expected {"reflex": "NAME", "given": ...}', ok=False)
        ran = run_reflex(self._root, command.value, command.more.get("given"))
        if isinstance(ran, Failed):
            return Told(text=f"{ran.fault}: {ran.text}", ok=False)
        return Told(text=repr(ran.value))

    def _look(self, command: Command, acted: Acted) -> Told:
        require(self._root, "frames")
        seen = self._world.observe(frame=True)
        if seen.frame is None:
            return Told(text="this world draws no pictures", ok=False)
        return Told(text="the current view is shown below", images=(encode_frame(seen.frame),))

    def _viewed(self, name: str) -> Viewed:
        """Return an opened frame with where it was recorded."""
        row = look(self._root, name, in_time=0, in_place=0).row or {}
        return Viewed(episode=name, at=_spot([row.get("x"), row.get("z")]))


def _spot(value: Any) -> Spot | None:
    """Return a place on the map, or None for what is none: other types, beyond all worlds, not a number."""
    match value:
        case [int() | float() as x, int() | float() as z] if max(abs(x), abs(z)) <= MOST_BLOCKS:
            return float(x), float(z)
    return None


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[:most]}\n({len(text) - most:,} characters cut)"


def _changes(steps: Sequence[Step]) -> str:
    total: dict[str, int] = {}
    for step in steps:
        for item, change in step.outcome.inventory_delta.items():
            total[item] = total.get(item, 0) + change
    told = ", ".join(f"{change:+d} {item}" for item, change in sorted(total.items()) if change)
    return f" ({told})" if told else ""
