"""Run a saved procedure in a world, step by step, and stop at the first surprise.

The script runs in a sandbox and only says what it wants done; everything that touches the world, the
memory or another procedure happens here.
"""

from __future__ import annotations

import datetime
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

from echo.mfm.codec import to_json
from echo.mfm.episodic.documents import Cause
from echo.mfm.layout import MfmError
from echo.mfm.procedural.library import Library
from echo.mfm.procedural.playing import Player
from echo.mfm.procedural.run_record import Ended, Given, Run, prepare
from echo.mfm.procedural.runs import append_run, utc_text
from echo.mfm.procedural.sandbox import Limits
from echo.mfm.procedural.session import Budget, EpisodeWriter, Session, World

EPISODE_STEPS = 20
"""Actions that an episode of a run holds at most."""


class Execution:
    """Runs the procedures of one memory in one world."""

    def __init__(
        self,
        root: Path | str,
        world: World,
        *,
        recorder: EpisodeWriter | None = None,
        budget: Budget | None = None,
        limits: Limits | None = None,
        unsafe: bool = False,
        clock: Callable[[], datetime.datetime] | None = None,
    ) -> None:
        """Take over a world.

        Args:
            root: The memory folder.
            world: The world to act in.
            recorder: Where runs are recorded as episodes, with pictures; None records none.
            budget: What one run may use.
            limits: What one script may use.
            unsafe: Whether to run even where nothing holds a script back from the network.
            clock: Returns an aware time, for tests.

        Raises:
            MfmError: if the memory has procedures switched off, or its options are unreadable.
        """
        self.library = Library(root)
        self._world, self._recorder, self._budget = world, recorder, budget or Budget()
        self._limits, self._unsafe = limits or Limits(), unsafe
        self._clock = clock or _now

    def run(self, name: str, /, **arguments: Any) -> Run:
        """Run the procedure `name` and return how it went; a run that goes wrong is a value too.

        The run, and each of a procedure it calls, gets one line in runs.jsonl once all is over, the called
        ones first.

        Raises:
            ProcedureError: if there is no such procedure, its file has flaws, or an argument is wrong;
                nothing is done or written then.
            MfmError: if the recorder or the log refuses.
            OSError: if the disk does.
        """
        given = prepare(self.library, name, arguments)
        session = Session(
            self._world,
            self._budget,
            recorder=self._recorder,
            cause=Cause(procedure=name, arguments=given.arguments),
            episode_steps=EPISODE_STEPS,
        )
        player = Player(
            self.library, session, limits=self._limits, unsafe=self._unsafe, depth=self._budget.depth
        )
        try:
            player.play(given)
        except BaseException as error:
            with suppress(MfmError, OSError, ValueError):
                self._keep(session, [*player.ended, _broken_off(given, session, error)])
            raise
        return self._keep(session, player.ended)

    def _keep(self, session: Session, ended: list[Ended]) -> Run:
        """Record what was done and return the last of the runs that ended, with its episodes."""
        run = ended[-1].run
        told = f"{run.name} {run.version}: {run.end}{'' if run.reason is None else f', {run.reason}'}"
        session.close(notes=(told, *session.notes), tags=() if run.end == "done" else (run.end,))
        time = utc_text(self._clock())
        for each in ended:
            last = each.first + len(each.run.steps)
            run = replace(each.run, episodes=session.episodes_of(each.first, last))
            append_run(self.library.root, _entry(run, time))
        return run


def _broken_off(given: Given, session: Session, error: BaseException) -> Ended:
    reason = f"broken off: {type(error).__name__}: {error}"[:500]
    run = Run(
        name=given.saved.procedure.name,
        version=given.saved.version,
        arguments=given.arguments,
        steps=tuple(session.steps),
        after=session.seen,
        ticks=session.ticks,
        end="failed",
        reason=reason,
    )
    return Ended(run=run, first=0)


def _entry(run: Run, time: str) -> dict[str, Any]:
    """Return the line of runs.jsonl for a run."""
    return {
        "name": run.name,
        "version": run.version.digest,
        "arguments": dict(run.arguments),
        "steps": len(run.steps),
        "ticks": run.ticks,
        "end": run.end,
        "success": run.success,
        "reason": run.reason,
        "surprise": None if run.surprise is None else to_json(run.surprise),
        "episodes": list(run.episodes),
        "caller": run.caller,
        "time": time,
    }


def _now() -> datetime.datetime:
    return datetime.datetime.now(datetime.UTC)
