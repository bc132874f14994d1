"""``echo-memory consolidate``: episodes into notes, places, hazards, a digest and procedures."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo.cli.plain_text import counted
from echo.cli.programs import present
from echo.cli.screen import exit_codes, print_json
from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from echo.mfm.consolidation.consolidate import Consolidated
    from echo.mfm.consolidation.journal import Consolidation
    from echo.mfm.mine.change import Change

UNCHANGED = "mine/ is as it was, or as one whole consolidation left it"
_SHOWN = 20


def consolidate(
    root: Annotated[Path, typer.Option(metavar="DIR", help="Memory folder.")] = Path(),
    since: Annotated[
        str | None,
        typer.Option(metavar="EP", help="Write anew only what this episode or a later one bears on."),
    ] = None,
    least: Annotated[int, typer.Option(min=2, help="Episodes in which a procedure must have worked.")] = 3,
    writer: Annotated[
        str | None,
        typer.Option(
            metavar="COMMAND",
            help="A program as model: prompt on its standard input, lessons on its output.",
        ),
    ] = None,
    writer_seconds: Annotated[
        float, typer.Option(min=0.1, metavar="SECONDS", help="How long the writer may take for a prompt.")
    ] = 300.0,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Print what would change as a diff; write nothing.")
    ] = False,
    undo: Annotated[
        bool, typer.Option("--undo", help="Take the latest consolidation back; again: one before.")
    ] = False,
    log: Annotated[
        bool, typer.Option("--log", help="Print which rule said what, from which episodes.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Turn episodes into lessons, place notes, hazards, a digest and procedures.

    All is written into marked sections of mine/, as one change that can be undone. What was written or
    changed by hand stays. Episodes are only read.

    Example: echo-memory consolidate --root runs/memory --dry-run
    """
    with exit_codes(UNCHANGED):
        _check_use(dry_run=dry_run, undo=undo, log=log)
        if undo:
            _undo(root, dry_run, as_json)
        elif log:
            _log(root, as_json)
        else:
            _consolidate(root, since, least, writer, writer_seconds, dry_run, as_json)


def _check_use(*, dry_run: bool, undo: bool, log: bool) -> None:
    from echo.experiments.spec import UsageError

    given = [name for name, on in (("--dry-run", dry_run), ("--undo", undo)) if on]
    if log and given:
        raise UsageError(f"expected --log alone, got {' and '.join(given)} with it.")


def _consolidate(
    root: Path,
    since: str | None,
    least: int,
    command: str | None,
    seconds: float,
    dry_run: bool,
    as_json: bool,
) -> None:
    from echo.cli.bank_progress import counted as progress
    from echo.mfm.consolidation.command_writer import CommandWriter
    from echo.mfm.consolidation.consolidate import consolidate as run

    writer = None if command is None else CommandWriter(command=present(command), seconds=seconds)
    with progress("bytes of the index read") as told:
        done = run(root, since=since, dry_run=dry_run, writer=writer, least=least, told=told)
    if as_json:
        print_json({"root": str(root), "dry_run": dry_run, **_json(done)})
        return
    if dry_run:
        for line in done.diff.splitlines():
            typer.echo(plain(line))
    for line in _told(done, dry_run):
        typer.echo(plain(line), err=dry_run)
    for line in _warnings(done):
        typer.echo(plain(line), err=True)


def _told(done: Consolidated, dry_run: bool) -> Iterable[str]:
    """Yield what a person wants to know of a consolidation."""
    if not done.files:
        yield f"nothing new in {counted(done.episodes, 'episode')}"
    else:
        number = "" if done.change is None else f" (change {done.change}, take it back with --undo)"
        yield f"{_done(done, dry_run)}{number}"
        for file in done.files:
            before = 0 if file.before is None else len(file.before.encode())
            yield f"  mine/{file.path}  {before:,} -> {len((file.after or '').encode()):,} bytes"
    if done.left_out:
        less = counted(done.left_out, "finding")
        yield f"{less} of less weight {'is' if done.left_out == 1 else 'are'} left out"
    if done.asked is not None:
        yield f"writer: kept {counted(len(done.asked.kept), 'lesson')}, dropped {len(done.asked.dropped)}"


def _done(done: Consolidated, dry_run: bool) -> str:
    """Return what a consolidation that changes something does, in one line."""
    episodes = counted(done.episodes, "episode")
    removed = counted(done.removed, "line")
    if not done.findings and not done.removed:
        files = counted(len(done.files), "file")
        return f"{'would put' if dry_run else 'put'} {files} in order, nothing new in {episodes}"
    if not done.findings:
        return f"{'would take' if dry_run else 'took'} out {removed} that the episodes no longer bear out"
    wrote = f"{'would write' if dry_run else 'wrote'} {counted(len(done.findings), 'finding')}"
    return f"{wrote} from {episodes}" + (f", {removed} taken out" if done.removed else "")


def _warnings(done: Consolidated) -> Iterable[str]:
    if done.asked is not None:
        for claim, reason in done.asked.dropped[:_SHOWN]:
            yield f"dropped: {claim}: {reason}"
        if done.asked.failure is not None:
            yield f"writer failed: {done.asked.failure}; what the rules found is written all the same"
    for where in done.kept_by_hand[:_SHOWN]:
        yield f"kept as changed by hand: {where}"
    for world, episodes in done.elsewhere.items():
        yield f"places and hazards leave out {counted(episodes, 'episode')} of {world}"
    for episode, reason in done.unreadable[:_SHOWN]:
        yield f"left out {episode}: {reason}"
    if len(done.unreadable) > _SHOWN:
        yield f"and {counted(len(done.unreadable) - _SHOWN, 'more episode')} that cannot be read"


def _json(done: Consolidated) -> dict[str, Any]:
    return {
        "episodes": done.episodes,
        "change": done.change,
        "files": [{"path": file.path, "before": file.before, "after": file.after} for file in done.files],
        "findings": [
            {"where": where, "rule": found.rule, "line": found.line, "episodes": list(found.episodes)}
            for where, found in done.findings
        ],
        "kept_by_hand": list(done.kept_by_hand),
        "left_out": done.left_out,
        "removed": done.removed,
        "elsewhere": dict(done.elsewhere),
        "unreadable": [{"episode": episode, "reason": reason} for episode, reason in done.unreadable],
        "writer": None if done.asked is None else done.asked.record(),
    }


def _undo(root: Path, dry_run: bool, as_json: bool) -> None:
    from echo.mfm.consolidation.undoing import undo_last

    done = undo_last(root, dry_run=dry_run)
    if as_json:
        print_json(
            {
                "root": str(root),
                "dry_run": dry_run,
                "undone": done.consolidation,
                "change": None if done.change is None else done.change.number,
                "files": [file.path for file in done.files],
                "kept": [{"path": path, "reason": reason} for path, reason in done.kept],
            }
        )
        return
    for line in done.diff.splitlines() if dry_run else ():
        typer.echo(plain(line))
    if done.change is None:
        typer.echo(f"would take back change {done.consolidation}", err=dry_run)
    else:
        typer.echo(f"undo of change {done.consolidation} done as change {done.change.number}")
    for file in done.files:
        typer.echo(plain(f"  mine/{file.path}{'  (deleted)' if file.after is None else ''}"), err=dry_run)
    for path, reason in done.kept:
        typer.echo(plain(f"left as it is: mine/{path} {reason}"), err=True)


def _log(root: Path, as_json: bool) -> None:
    from echo.mfm.consolidation.journal import read_journal
    from echo.mfm.folder import MemoryFolder
    from echo.mfm.mine.writable import Mine

    MemoryFolder(root)
    changes = {change.number: change for change in Mine(root, read_only=True).history()}
    journal = read_journal(root, changes.values())
    if as_json:
        entries = [_entry_json(entry, changes.get(entry.change)) for entry in journal.entries]
        print_json({"root": str(root), "consolidations": entries, "writer": list(journal.asked)})
        return
    if not journal.entries:
        typer.echo("(no consolidation so far)", err=True)
    for entry in journal.entries:
        for line in _entry_lines(entry, changes.get(entry.change)):
            typer.echo(plain(line))


def _entry_lines(entry: Consolidation, change: Change | None) -> Iterable[str]:
    when = "at an unknown time" if change is None else f"{change.time:%Y-%m-%d %H:%M:%S} UTC"
    yield f"change {entry.change}  {when}  through {entry.through}{'  (undone)' if entry.undone else ''}"
    for finding in entry.findings:
        episodes = finding.get("episodes")
        count = len(episodes) if isinstance(episodes, list) else 0
        yield f"  {finding.get('where')}  {finding.get('rule')}  from {counted(count, 'episode')}"
        yield f"    {finding.get('line')}"
    if entry.writer is not None:
        kept, dropped = entry.writer.get("kept") or [], entry.writer.get("dropped") or []
        failure = entry.writer.get("failure") or "-"
        yield f"  writer  kept {len(kept)}, dropped {len(dropped)}, failure: {failure}"


def _entry_json(entry: Consolidation, change: Change | None) -> dict[str, Any]:
    return {
        "change": entry.change,
        "time": None if change is None else change.time.isoformat(),
        "through": entry.through,
        "undone": entry.undone,
        "findings": [dict(finding) for finding in entry.findings],
        "writer": None if entry.writer is None else dict(entry.writer),
    }
