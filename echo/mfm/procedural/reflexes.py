"""Reflexes: small functions of the agent, JSON in and JSON out, that can do nothing but compute.

A reflex is a file mine/reflexes/NAME.py with `def reflex(given): return ...`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo.mfm.layout import REFLEXES, MfmError
from echo.mfm.mine.writable import Mine
from echo.mfm.options import require
from echo.mfm.procedural.library import require_folder
from echo.mfm.procedural.sandbox import Answer, Defences, Failed, Limits, Sandbox
from echo.mfm.procedural.source import Flaw, imports_of, is_name, is_plain, reflex_flaws

REFLEX_LIMITS = Limits(cpu_seconds=2, answer_seconds=4.0)
"""A reflex answers at once or not at all."""


@dataclass(frozen=True, kw_only=True)
class Ran:
    """A reflex that answered."""

    value: Any
    """A JSON value."""
    said: str
    """What it printed, cut at 4,000 characters."""
    defences: Defences
    """What held in its process."""


def reflex_names(root: Path | str) -> list[str]:
    """Return the names of all reflexes of the memory at `root`, sorted."""
    files = (path.removeprefix(f"{REFLEXES}/") for path in Mine(root, read_only=True).paths(REFLEXES))
    found = (file.removesuffix(".py") for file in files if file.endswith(".py"))
    return sorted(name for name in found if is_name(name))


def check_reflex(root: Path | str, name: str) -> tuple[Flaw, ...]:
    """Return what is wrong with the file of a reflex; empty for a sound one.

    Raises:
        MfmError: if there is no such file.
    """
    return reflex_flaws(Mine(root, read_only=True).read(f"{REFLEXES}/{name}.py"), name)


def run_reflex(
    root: Path | str, name: str, given: Any, *, limits: Limits = REFLEX_LIMITS, unsafe: bool = False
) -> Ran | Failed:
    """Run a reflex on a value and return what it gave.

    Whatever goes wrong with the script is a value, not an exception.

    Args:
        root: The memory folder.
        name: Of the reflex.
        given: A JSON value.
        limits: What it may use.
        unsafe: Whether to run it even where nothing holds it back from the network.

    Raises:
        MfmError: if there is no such folder, procedures are switched off, or its options are unreadable.
    """
    require_folder(Path(root))
    require(Path(root), "procedures")
    if not is_plain(given):
        return Failed(fault="value", text=f"expected a JSON value for the reflex {name}, got {given!r:.80}.")
    known = reflex_names(root)
    if name not in known:
        there = ", ".join(known) or "none at all"
        return Failed(fault="missing", text=f"expected a reflex of {root}, got {name!r}; there are: {there}.")
    try:
        text = Mine(root, read_only=True).read(f"{REFLEXES}/{name}.py")
    except MfmError as error:
        return Failed(fault="flawed", text=str(error))
    flaws = reflex_flaws(text, name)
    if flaws:
        return Failed(fault="flawed", text=f"{name}.py: {flaws[0]}", line=flaws[0].line or None)
    with Sandbox(limits, imports=imports_of(text), unsafe=unsafe) as sandbox:
        answer = sandbox.ask({"mode": "reflex", "script": text, "name": f"{name}.py", "given": given})
        if isinstance(answer, Answer):
            return Ran(value=answer.value, said=answer.said, defences=sandbox.defences)
        return answer
