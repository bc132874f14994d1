"""What ``echo-memory procedures`` prints."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from echo.mfm.plain_text import plain
from echo.mfm.procedural.atoms import atoms
from echo.mfm.procedural.format import ProcedureError
from echo.mfm.procedural.library import Library, Version
from echo.mfm.procedural.reflexes import check_reflex, reflex_names
from echo.mfm.procedural.run_record import Run
from echo.mfm.procedural.runs import Statistics, Tally
from echo.mfm.procedural.skills import skill_names
from echo.mfm.procedural.source import Flaw

_COLUMNS = 80


def list_json(library: Library) -> dict[str, Any]:
    """Return what there is as JSON; `about` and `version` are null for a flawed procedure."""
    held, statistics = [], library.all_statistics()
    for name in library.names():
        told = statistics.get(name, Statistics())
        entry: dict[str, Any] = {"name": name, "runs": told.runs, "successes": told.successes}
        try:
            saved = library.load(name)
        except ProcedureError as error:
            entry |= {"about": None, "version": None, "flaw": str(error)}
        else:
            entry |= {"about": saved.procedure.about, "version": saved.version.number, "flaw": None}
        held.append(entry)
    others = {"reflexes": reflex_names(library.root), "skills": skill_names(library.root)}
    return {"root": str(library.root), "procedures": held, **others}


def list_lines(library: Library) -> Iterator[str]:
    """Yield one line a procedure, then the reflexes and skills."""
    told = list_json(library)
    held = told["procedures"]
    width = max((len(each["name"]) for each in held), default=0)
    for each in held:
        about = each["about"] if each["flaw"] is None else "flawed: see `procedures check`"
        version = f"v{each['version']}" if each["version"] else "-"
        line = f"{each['name']:<{width}}  {version:>3}  {_share(each['successes'], each['runs']):>9}  {about}"
        yield _cut(plain(line))
    if not held:
        yield "no procedures"
    for kind in ("reflexes", "skills"):
        if told[kind]:
            yield from _wrapped(f"{kind}: {', '.join(told[kind])}", indent="")


def atom_lines() -> Iterator[str]:
    """Yield each atom with what it does."""
    for form, told in (("action", "yield"), ("loop", "yield from")):
        yield f"{told} ..."
        for atom in atoms():
            if atom.form == form:
                yield f"  {atom.call}"
                yield f"      {atom.about}"


def show_json(library: Library, name: str) -> dict[str, Any]:
    """Return a sound procedure as JSON."""
    saved = library.load(name)
    procedure, told = saved.procedure, library.statistics(name)
    return {
        "name": name,
        "about": procedure.about,
        "version": saved.version.number,
        "digest": saved.version.digest,
        "parameters": {
            each.name: {"default": each.default, "required": each.required, "about": each.about}
            for each in procedure.parameters
        },
        "needs": dict(procedure.needs),
        "expects": dict(procedure.expects),
        "evidence": list(procedure.evidence),
        "runs": told.runs,
        "successes": told.successes,
        "ends": dict(told.ends),
        "mean_steps": told.steps,
        "versions": [
            {"version": number, "digest": digest, "runs": tally.runs, "successes": tally.successes}
            for number, digest, tally in _tallies(library, name, told)
        ],
        "text": procedure.text,
    }


def show_lines(library: Library, name: str) -> Iterator[str]:
    """Yield what a person wants to know of a procedure; a flawed one shows its flaws and its text."""
    text = library.text(name)
    told = library.statistics(name)
    yield f"{name} {library.version(name, text)}"
    for number, digest, tally in _tallies(library, name, told):
        yield f"  {Version(number=number, digest=digest)}: {_share(tally.successes, tally.runs)}"
    if told.ends:
        yield f"  ends: {', '.join(f'{end} {count}' for end, count in told.ends.items())}"
    if told.last is not None and told.last.reason is not None:
        yield from _wrapped(f"last: {told.last.reason}")
    for flaw in library.flaws(name):
        yield from _wrapped(f"flaw, {flaw}")
    yield ""
    yield from (plain(line) for line in text.splitlines())


def flaws_of(library: Library, names: Sequence[str]) -> dict[str, tuple[Flaw, ...]]:
    """Return the flaws of each file, all of them where no name is given; procedures first.

    Raises:
        ProcedureError: if a name is neither that of a procedure nor that of a reflex.
    """
    scripts, reflexes = library.names(), reflex_names(library.root)
    for name in names:
        if name not in scripts and name not in reflexes:
            library.text(name)
    found = {f"procedures/{name}.py": library.flaws(name) for name in scripts if not names or name in names}
    found |= {
        f"reflexes/{name}.py": check_reflex(library.root, name)
        for name in reflexes
        if not names or name in names
    }
    return found


def run_json(run: Run) -> dict[str, Any]:
    """Return how a run went as JSON."""
    from csd.episode import action_to_json
    from echo.mfm.codec import to_json

    return {
        "name": run.name,
        "version": run.version.number,
        "digest": run.version.digest,
        "arguments": dict(run.arguments),
        "success": run.success,
        "end": run.end,
        "reason": run.reason,
        "surprise": None if run.surprise is None else to_json(run.surprise),
        "steps": [
            {
                "action": action_to_json(step.action),
                "code": step.outcome.code,
                "inventory_delta": dict(step.outcome.inventory_delta),
            }
            for step in run.steps
        ],
        "ticks": run.ticks,
        "notes": list(run.notes),
        "episodes": list(run.episodes),
        "inventory": {item: stack.count for item, stack in run.after.inventory.items()},
    }


def run_lines(run: Run) -> Iterator[str]:
    """Yield the steps of a run and how it ended."""
    from csd.episode import action_to_json

    for number, step in enumerate(run.steps, 1):
        held = action_to_json(step.action)
        words = " ".join(str(value) for key, value in held.items() if key != "kind" and value is not None)
        change = " ".join(f"{count:+d} {item}" for item, count in step.outcome.inventory_delta.items())
        yield _cut(plain(f"{number:>4}  {step.action.kind} {words}  {step.outcome.code}  {change}".rstrip()))
    for note in run.notes:
        yield from _wrapped(f"note: {note.rstrip()}")
    counted = f"{len(run.steps)} {'action' if len(run.steps) == 1 else 'actions'}, {run.ticks} ticks"
    yield f"{run.name} {run.version}: {run.end}, {counted}"
    if run.reason is not None:
        yield from _wrapped(run.reason)
    if run.episodes:
        yield f"  recorded as {', '.join(run.episodes)}"


def _tallies(library: Library, name: str, told: Statistics) -> Iterator[tuple[int, str, Tally]]:
    """Yield number, digest and runs of every version that was saved, then of those only run (number 0)."""
    numbers = {version.digest: version.number for version in library.versions(name)}
    for digest in dict.fromkeys((*numbers, *told.by_version)):
        yield numbers.get(digest, 0), digest, told.by_version.get(digest, Tally())


def _share(successes: int, runs: int) -> str:
    return f"{successes} of {runs}" if runs else "never run"


def _wrapped(text: str, indent: str = "  ") -> list[str]:
    return [
        line
        for part in text.split("\n")
        for line in textwrap.wrap(
            plain(part), _COLUMNS, initial_indent=indent, subsequent_indent=f"{indent}  "
        )
    ]


def _cut(line: str) -> str:
    return line if len(line) <= _COLUMNS else f"{line[: _COLUMNS - 1]}…"
