"""A procedure made ready to run, and how one run of it went."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from csd.episode import Observation, Step
from echo.mfm.procedural.conditions import ConditionError, Conditions, check_conditions, fill_in
from echo.mfm.procedural.format import ProcedureError
from echo.mfm.procedural.library import Library, Saved, Version
from echo.mfm.procedural.runs import End, Surprise


@dataclass(frozen=True, kw_only=True)
class Run:
    """How one run of a procedure went."""

    name: str
    version: Version
    arguments: Mapping[str, Any]
    steps: tuple[Step, ...]
    """Everything done, that of called procedures included."""
    after: Observation
    """What was perceived at the end."""
    ticks: int
    """World time used."""
    end: End
    reason: str | None = None
    """What went wrong, in words; None for a success."""
    surprise: Surprise | None = None
    notes: tuple[str, ...] = ()
    """Remarks of the script and what it printed, in order."""
    episodes: tuple[str, ...] = ()
    """Ids of the episodes that record it."""
    caller: str | None = None
    """The procedure that called it, if one did."""

    @property
    def success(self) -> bool:
        """Whether it came to its end without a surprise and all it promises held then."""
        return self.end == "done"


@dataclass(frozen=True, kw_only=True)
class Given:
    """A procedure with the arguments of one run filled in."""

    saved: Saved
    arguments: Mapping[str, Any]
    needs: Conditions
    expects: Conditions


@dataclass(frozen=True, kw_only=True)
class Ended:
    """A script that came to an end, and which steps of the session are its own."""

    run: Run
    first: int
    """Place of its first step."""


def prepare(library: Library, name: str, arguments: Mapping[str, Any]) -> Given:
    """Return the procedure `name` ready to run.

    Raises:
        ProcedureError: if there is none, its file has flaws, or an argument is wrong.
    """
    saved = library.load(name)
    procedure = saved.procedure
    filled = procedure.arguments(arguments)
    try:
        needs, expects = fill_in(procedure.needs, filled), fill_in(procedure.expects, filled)
        check_conditions(needs, before=True)
        check_conditions(expects)
    except ConditionError as error:
        raise ProcedureError(
            f"expected arguments of {name} that its needs and expects can use, got others: {error}. "
            f"Give other arguments, or mend its PROCEDURE."
        ) from None
    return Given(saved=saved, arguments=filled, needs=needs, expects=expects)
