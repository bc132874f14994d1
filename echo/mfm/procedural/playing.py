"""Drive the script of a procedure: take what it wants, check it, do it, and tell it what came of that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csd.episode import Observation, Outcome, WaitUntil
from echo.mfm.codec import to_json
from echo.mfm.layout import MfmError, to_line
from echo.mfm.procedural.actions import (
    NOT_MET,
    ActionFlaw,
    Call,
    Expectation,
    Look,
    Note,
    Watch,
    parse_action,
    parse_expectation,
)
from echo.mfm.procedural.bounds import MOST_ACTION_BYTES, MOST_REASON, cut
from echo.mfm.procedural.conditions import findings
from echo.mfm.procedural.format import ProcedureError
from echo.mfm.procedural.library import Library
from echo.mfm.procedural.run_record import Ended, Given, Run, prepare
from echo.mfm.procedural.runs import End, Surprise
from echo.mfm.procedural.sandbox import Answer, Failed, Limits, Sandbox
from echo.mfm.procedural.session import BudgetSpent, Session
from echo.mfm.procedural.surprise import surprise

_WATCH_TICKS = 20
"""How often a watch looks: once a second of world time."""

Came = dict[str, Any]


class _Stop(Exception):
    """The script goes no further."""

    def __init__(self, end: End, reason: str, surprise: Surprise | None = None) -> None:
        super().__init__(reason)
        self.end, self.reason, self.surprise = end, reason, surprise


class Player:
    """Drives the scripts of one run: that of the procedure asked for and those of all it calls."""

    def __init__(
        self, library: Library, session: Session, *, limits: Limits, unsafe: bool, depth: int
    ) -> None:
        """Take over a session.

        Args:
            library: Where called procedures come from.
            session: The world and the steps so far.
            limits: What each script may use.
            unsafe: Whether to run even where nothing holds a script back from the network.
            depth: Procedures within one another, the first counted.
        """
        self._library, self.session = library, session
        self._limits, self._unsafe, self._depth = limits, unsafe, depth
        self.ended: list[Ended] = []
        """Every script that came to an end, in order."""

    def play(self, given: Given, caller: str | None = None, deep: int = 1) -> Run:
        """Run one script to its end."""
        session = self.session
        first, ticks, notes = len(session.steps), session.ticks, len(session.notes)
        end: End = "done"
        reason, found = None, None
        try:
            self._drive(_Script(self, given, deep), given)
        except _Stop as stop:
            end, reason, found = stop.end, stop.reason, stop.surprise
        except BudgetSpent as spent:
            end, reason = "budget", f"{spent}."
        reason = None if reason is None else cut(reason, MOST_REASON)
        run = Run(
            name=given.saved.procedure.name,
            version=given.saved.version,
            arguments=given.arguments,
            steps=tuple(session.steps[first:]),
            after=session.seen,
            ticks=session.ticks - ticks,
            end=end,
            reason=reason,
            surprise=found,
            notes=tuple(session.notes[notes:]),
            caller=caller,
        )
        self.ended.append(Ended(run=run, first=first))
        return run

    def call(self, wanted: Call, caller: str, deep: int) -> Run:
        """Run a called procedure.

        Raises:
            ProcedureError: as `prepare`, or if procedures lie too deep within one another.
        """
        if deep > self._depth:
            raise ProcedureError(
                f"expected procedures at most {self._depth} deep within one another, got {wanted.name} "
                f"deeper. Look for one that calls itself."
            )
        return self.play(prepare(self._library, wanted.name, wanted.arguments), caller, deep)

    def _drive(self, script: _Script, given: Given) -> None:
        session = self.session
        start = session.seen
        unmet = findings(given.needs, start)
        if unmet:
            raise _Stop("needs", "; ".join(map(str, unmet)) + ".")
        first = len(session.steps)
        procedure = given.saved.procedure
        with Sandbox(self._limits, imports=procedure.imports, unsafe=self._unsafe) as sandbox:
            message: dict[str, Any] = {
                "mode": "procedure",
                "script": procedure.text,
                "name": f"{procedure.name}.py",
                "seen": to_json(start),
                "arguments": dict(given.arguments),
            }
            while True:
                answer = sandbox.ask(message, within=session.seconds_left())
                if answer.said:
                    session.note(answer.said)
                if isinstance(answer, Failed):
                    if answer.fault == "time":
                        session.seconds_left()  # Where no time is left, that is why it was late.
                    raise _Stop("failed", f"{procedure.name}.py: {answer.text}")
                if answer.action is None:
                    break
                session.count_message()
                message = {"came": script.carry_out(answer, len(session.steps) - first + 1)}
        broken = findings(given.expects, session.seen, start)
        if broken:
            found = Surprise(
                step=len(session.steps) - first + 1,
                action={},
                expected=f"{broken[0].condition}: {broken[0].expected}",
                seen=broken[0].got,
            )
            raise _Stop("surprise", f"at the end, {broken[0]}.", found)


class _Script:
    """Carries out what one script wants."""

    def __init__(self, player: Player, given: Given, deep: int) -> None:
        self._player, self._session, self._deep = player, player.session, deep
        self._name = given.saved.procedure.name

    def carry_out(self, answer: Answer, step: int) -> Came:
        """Do one thing and return what the script is told of it; a surprise ends the script."""
        do, line = (answer.action or {}).get("do"), answer.line
        try:
            wanted = parse_action(do)
            expected = parse_expectation((answer.action or {}).get("expect"))
        except ActionFlaw as flaw:
            raise _Stop("failed", f"{self._name}.py{_at(line)}: {flaw}.") from None
        size = 0 if isinstance(wanted, Note) else len(to_line(answer.action))
        if size > MOST_ACTION_BYTES:
            raise _Stop(
                "failed",
                f"{self._name}.py{_at(line)}: expected an action of at most {MOST_ACTION_BYTES:,} bytes of "
                f"JSON, got {size:,}.",
            )
        shown = do if isinstance(do, dict) else {}
        if isinstance(wanted, Note):
            self._session.note(wanted.text)
            return self._came("ok", wanted.text)
        if isinstance(wanted, Look):
            self._session.look()
            return self._judged(
                self._came("ok", "looked"), expected, self._session.seen, _Told(step, shown, line)
            )
        if isinstance(wanted, Watch):
            return self._watch(wanted, expected, _Told(step, shown, line))
        if isinstance(wanted, Call):
            return self._call(wanted, expected, _Told(step, shown, line))
        try:
            done = self._session.act(wanted)
        except ValueError as error:
            raise _Stop("failed", f"{self._name}.py{_at(line)}: the world refused it: {error}") from None
        found = surprise(done, self._session.seen, expected)
        if found is not None:
            self._surprised(found.condition, found.expected, found.got, _Told(step, shown, line))
        return self._came_of(done.outcome)

    def _watch(self, wanted: Watch, expected: Expectation, told: _Told) -> Came:
        session = self._session
        start, left, worst = session.seen, wanted.ticks, expected.health_lost
        watched = {"damage", "health_below"} & set(wanted.until)
        while unmet := findings(wanted.until, session.seen, start):
            if left <= 0:
                came = self._came(NOT_MET, "; ".join(map(str, unmet)))
                return self._judged(came, expected, start, told)
            outcome = session.act(WaitUntil(ticks=min(_WATCH_TICKS, left))).outcome
            left -= max(outcome.ticks, 1)
            lost = start.vitals.health - session.seen.vitals.health
            if lost > worst and not watched:
                self._surprised("health", f"at most {worst:g} health lost", f"{lost:g} lost", told)
        return self._judged(self._came("ok", "came to hold"), expected, start, told)

    def _call(self, wanted: Call, expected: Expectation, told: _Told) -> Came:
        start = self._session.seen
        try:
            run = self._player.call(wanted, self._name, self._deep + 1)
        except MfmError as error:
            raise _Stop("failed", f"{self._name}.py{_at(told.line)}: {error}") from None
        if run.end == "budget":
            raise BudgetSpent((run.reason or "").rstrip("."))
        came = self._came("ok" if run.success else run.end, run.reason or "done")
        came.update(ticks=run.ticks, inventory_delta=_change(start, self._session.seen))
        return self._judged(came, expected, start, told)

    def _judged(self, came: Came, expected: Expectation, start: Observation, told: _Told) -> Came:
        """Return `came` unless it is a surprise."""
        if expected.codes is not None and came["code"] not in expected.codes:
            self._surprised("code", " or ".join(expected.codes), f"{came['code']} ({came['message']})", told)
        broken = findings(expected.conditions, self._session.seen, start)
        if broken:
            self._surprised(broken[0].condition, broken[0].expected, broken[0].got, told)
        return came

    def _surprised(self, what: str, expected: str, seen: str, told: _Told) -> None:
        found = Surprise(
            step=told.step,
            action=told.action,
            expected=cut(f"{what}: {expected}", MOST_REASON),
            seen=cut(seen, MOST_REASON),
            line=told.line,
        )
        kind = told.action.get("kind")
        reason = f"step {told.step}{_at(told.line)}, {kind}: expected {found.expected}, got {seen}."
        raise _Stop("surprise", reason, found)

    def _came(self, code: str, message: str) -> Came:
        return self._came_of(Outcome(code="ok", message=message)) | {"code": code, "ok": code == "ok"}

    def _came_of(self, outcome: Outcome) -> Came:
        return {**to_json(outcome), "ok": outcome.ok, "seen": to_json(self._session.seen)}


@dataclass(frozen=True)
class _Told:
    """Which action of a script is judged."""

    step: int
    action: Mapping[str, Any]
    line: int | None


def _at(line: int | None) -> str:
    return "" if line is None else f", line {line}"


def _change(start: Observation, now: Observation) -> dict[str, int]:
    """Return how much more of each item is carried than at the start, zeros left out, sorted by name."""
    items = sorted({*start.inventory, *now.inventory})
    return {item: change for item in items if (change := now.count(item) - start.count(item)) != 0}
