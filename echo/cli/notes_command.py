"""``echo-memory notes``: what stands in the writable part of a memory; checked, read, added to, undone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo.cli.mine_text import begun_memory, memory_folder, print_text
from echo.cli.plain_text import print_fields
from echo.cli.screen import FAILED, exit_codes, out_console, print_json
from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from echo.mfm.mine.change import Change
    from echo.mfm.mine.check import CheckedClaim, Finding, NotesReport

MOST = 20
"""Findings of one kind, and changes, that are printed; --json has all."""

app = typer.Typer(
    no_args_is_help=True,
    help="Notes, plans and procedures in the writable part of a memory folder.",
    epilog="Exit codes: 0 done, 1 failed or something is wrong, 2 wrong use.",
)

Root = Annotated[Path, typer.Option(metavar="DIR", help="Memory folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@app.command("check")
def check(
    root: Root = Path(),
    claims: Annotated[
        bool, typer.Option("--claims", help="Also print every claim with its verdict and evidence.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Find claims without citation, with citations to missing episodes, or that their evidence contradicts.

    Exit code 1 if anything is wrong.

    Example: echo-memory notes check --root runs/memory
    """
    with exit_codes("nothing was changed"):
        from echo.mfm.mine.check import check_notes

        report = check_notes(root)
        if as_json:
            print_json(_report_json(report))
        else:
            _print_report(report, claims=claims)
    if not report.sound:
        raise typer.Exit(FAILED)


@app.command("show")
def show(
    path: Annotated[
        str | None, typer.Argument(metavar="FILE", help="File in mine/; left out: list all files.")
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Print one file of the writable part, or the list of its files with their sizes in bytes.

    Example: echo-memory notes show notes.md --root runs/memory
    """
    with exit_codes("nothing was changed"):
        from echo.mfm.mine.writable import Mine

        mine = Mine(memory_folder(root), read_only=True)
        if path is None:
            sizes = mine.sizes()
            if as_json:
                print_json({"root": str(root), "files": sizes})
            else:
                print_fields(out_console(), [(f"{size:>9,}", name) for name, size in sizes.items()])
            return
        text = mine.read(path)
        if as_json:
            print_json({"root": str(root), "path": path, "text": text})
        else:
            print_text(text)


@app.command("add")
def add(
    text: Annotated[str, typer.Argument(metavar="TEXT", help="One fact or lesson.")],
    root: Root = Path(),
    cite: Annotated[
        list[str] | None,
        typer.Option(metavar="EP", help="Episode that shows it; may be repeated."),
    ] = None,
    file: Annotated[str, typer.Option(metavar="FILE", help="File in mine/ to add it to.")] = "notes.md",
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse a note that its evidence contradicts.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add a note that cites the episodes which show it; refused where it cites none or a missing one.

    Example: echo-memory notes add "Digging stone by hand leaves nothing." --cite ep_000012
    """
    with exit_codes("the note was added, or nothing was changed"):
        from echo.mfm.mine.remember import remember

        added = remember(begun_memory(root), text, cites=cite or (), by="person", path=file, strict=strict)
        if added.checked.objection is not None:
            typer.echo(plain(f"contradicted by its evidence: {added.checked.objection}"), err=True)
        if as_json:
            change = None if added.change is None else _change_json(added.change)
            print_json({"line": added.line, "change": change, **_claim_json(added.checked)})
            return
        word = "added" if added.change is not None else "there already"
        print_fields(
            out_console(),
            [(word, added.line), ("evidence", added.checked.verdict), *_evidence(added.checked)],
        )


@app.command("history")
def history(
    path: Annotated[
        str | None, typer.Argument(metavar="FILE", help="File or folder in mine/; left out: all.")
    ] = None,
    root: Root = Path(),
    number: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Print what change N did, as a diff.")
    ] = None,
    last: Annotated[int, typer.Option(metavar="N", min=1, help="How many changes at most.")] = MOST,
    as_json: AsJson = False,
) -> None:
    """List the changes, the latest first: number, time, by whom, why, which files.

    Example: echo-memory notes history notes.md --root runs/memory
    """
    with exit_codes("nothing was changed"):
        from echo.cli.screen import InputError
        from echo.mfm.mine.differences import differences
        from echo.mfm.mine.writable import Mine

        mine = Mine(memory_folder(root), read_only=True)
        changes = mine.history(path)
        damaged = mine.damaged_lines()
        if damaged:
            typer.echo(plain(_damaged_text(damaged)), err=True)
        if number is not None:
            changes = [change for change in changes if change.number == number]
            if not changes:
                raise InputError(f"expected the number of a change of {root}, got {number}.")
        shown = list(reversed(changes))[:last]
        if as_json:
            told = [_change_json(change) for change in shown]
            print_json({"root": str(root), "changes": told, "damaged_lines": damaged})
            return
        for change in shown:
            _print_change(change)
        for line in differences(mine, shown[0]) if number is not None else ():
            typer.echo(plain(line))


@app.command("undo")
def undo(
    number: Annotated[int, typer.Argument(metavar="N", help="Number of the change.", min=1)],
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Take one change back; refused where one of its files was changed since. Undoing can be undone.

    Example: echo-memory notes undo 12 --root runs/memory
    """
    with exit_codes("the change was taken back, or nothing was changed"):
        from echo.mfm.mine.writable import Mine

        change = Mine(begun_memory(root)).undo(number, by="person")
        if as_json:
            print_json({"undone": number, "change": None if change is None else _change_json(change)})
        elif change is None:
            typer.echo(f"change {number} left nothing to take back")
        else:
            _print_change(change)


def _damaged_text(lines: int) -> str:
    some = "1 line holds" if lines == 1 else f"{lines:,} lines hold"
    return f"history/changes.jsonl: {some} no change, left out here; the next change keeps such in mended/"


def _print_report(report: NotesReport, *, claims: bool) -> None:
    console = out_console()
    for claim in report.claims if claims else ():
        place = f"{claim.path}:{claim.line}"
        print_fields(console, [(place, claim.text), ("", claim.verdict), *_evidence(claim)])
        console.print()
    for fault in dict.fromkeys(one.fault for one in report.findings):
        alike = [one for one in report.findings if one.fault == fault]
        for one in alike[:MOST]:
            print_fields(console, [(f"{fault}:", f"{one.path}:{one.line} {one.text}"), ("", one.detail)])
            console.print()
        if len(alike) > MOST:
            console.print(f"{fault}: {len(alike) - MOST:,} more, --json tells all\n", soft_wrap=True)
    console.print(report.summary, soft_wrap=True)


def _evidence(claim: CheckedClaim) -> list[tuple[str, str]]:
    return [("", f"{each.verdict}: says {each.statement.said}; {each.evidence}") for each in claim.judged]


def _print_change(change: Change) -> None:
    files = ", ".join(
        f"{path}{' (new)' if before is None else ' (deleted)' if after is None else ''}"
        for path, (before, after) in change.files.items()
    )
    moment = change.time.strftime("%Y-%m-%d %H:%M:%S")
    print_fields(
        out_console(), [(f"{change.number}", f"{moment} UTC by {change.by}: {change.why}"), ("", files)]
    )


def _report_json(report: NotesReport) -> dict[str, Any]:
    return {
        "sound": report.sound,
        "files": list(report.files),
        "claims": [_claim_json(claim) for claim in report.claims],
        "findings": [_finding_json(finding) for finding in report.findings],
    }


def _claim_json(claim: CheckedClaim) -> dict[str, Any]:
    return {
        "path": claim.path,
        "line_number": claim.line,
        "text": claim.text,
        "verdict": claim.verdict,
        "statements": [
            {"says": each.statement.said, "verdict": each.verdict, "evidence": each.evidence}
            for each in claim.judged
        ],
    }


def _finding_json(finding: Finding) -> dict[str, Any]:
    return {
        "path": finding.path,
        "line_number": finding.line,
        "fault": finding.fault,
        "text": finding.text,
        "detail": finding.detail,
    }


def _change_json(change: Change) -> dict[str, Any]:
    return {
        "number": change.number,
        "time": change.time.isoformat(),
        "by": change.by,
        "why": change.why,
        "files": {path: {"before": before, "after": after} for path, (before, after) in change.files.items()},
    }
