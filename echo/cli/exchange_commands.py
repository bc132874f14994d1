"""``echo-memory export`` and ``echo-memory import``: a whole bank as one archive, without loss."""

from __future__ import annotations

from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from echo.cli.bank_door import NEW_BANK_ENCODER, AsJson, BankPath, EncoderChoice, bank_file
from echo.cli.plain_text import print_fields
from echo.cli.screen import exit_codes, out_console, print_json

if TYPE_CHECKING:
    from csd.upkeep.tally import Imported, Tally

UNCHANGED = "nothing was changed"


def export(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Archive to write; compressed if it ends in .gz.")
    ],
    bank: BankPath,
    as_json: AsJson = False,
) -> None:
    """Write a bank with all that hangs on it to an archive: one JSON object a line, vectors included.

    The archive is one moment of the bank; others may go on using it. An older archive is replaced.

    Example: echo-memory export memory.jsonl.gz --bank memory.sqlite
    """
    with exit_codes("there is no new archive; the bank is as it was"):
        from csd.store.file import connect
        from csd.upkeep.exchange import export_bank
        from echo.cli.bank_progress import counted

        source = bank_file(bank)
        with closing(connect(source, None)) as connection, counted("exporting") as told:
            made = export_bank(connection, str(source), file, progress=told)
        size = file.stat().st_size
        if as_json:
            print_json({"bank": str(source), "file": str(file), "bytes": size, **asdict(made)})
        else:
            typer.echo(
                f"{made.descriptors:,} descriptors, {made.links:,} links, {made.credit:,} credits, "
                f"{made.failures:,} failures"
            )
            typer.echo(f"archive: {file} ({size / 1e6:,.1f} MB)")


def import_(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Archive that export wrote.")],
    bank: BankPath,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count only; change nothing.")] = False,
    on_conflict: Annotated[
        Literal["keep", "theirs", "refuse"],
        typer.Option(help="Where both hold other vectors, state or credit of one descriptor."),
    ] = "refuse",
    reembed: Annotated[
        bool, typer.Option("--reembed", help="Embed an archive of another encoder anew.")
    ] = False,
    encoder: EncoderChoice = None,
    as_json: AsJson = False,
) -> None:
    """Take an archive into a bank, all of it or nothing; a missing bank is made.

    Taking the same archive twice is taking it once: nothing is ever added up. 'keep' leaves what the bank
    has, 'theirs' takes the archive's, 'refuse' changes nothing if anything differs.

    Example: echo-memory import memory.jsonl.gz --bank other.sqlite --dry-run
    """
    with exit_codes(UNCHANGED):
        from csd.encode import load_encoder
        from csd.store.file import stored_identity
        from csd.upkeep.intake import import_archive
        from echo.cli.bank_progress import counted
        from echo.experiments.spec import UsageError

        if encoder is not None and not reembed:
            raise UsageError(
                "expected --reembed with --encoder; got --encoder alone. Vectors come with FILE."
            )
        target = bank_file(bank)
        embedding = None
        if reembed:
            held = stored_identity(target).encoder if target.exists() else NEW_BANK_ENCODER
            embedding = load_encoder(encoder or held)
        with counted("importing") as told:
            taken = import_archive(
                file, target, on_conflict=on_conflict, encoder=embedding, dry_run=dry_run, progress=told
            )
        if as_json:
            print_json({"bank": str(target), "file": str(file), **asdict(taken)})
        else:
            _print_taken(taken, on_conflict)


def _print_taken(taken: Imported, rule: str) -> None:
    """Print what came of each kind, then the conflicts."""
    from rich.table import Table

    console = out_console()
    table = Table(box=None, pad_edge=False)
    table.add_column("would be taken" if taken.dry_run else "taken")
    for heading in ("new", "same", "conflicting"):
        table.add_column(heading, justify="right")
    for name in ("descriptors", "filings", "links", "credit", "failures"):
        tally: Tally = getattr(taken, name)
        table.add_row(name, f"{tally.new:,}", f"{tally.same:,}", f"{tally.conflicting:,}")
    console.print(table)
    if not taken.conflicts:
        return
    done = {
        "keep": "the bank's side stays",
        "theirs": "the archive's side is taken",
        "refuse": "refused: nothing is changed without --on-conflict keep or theirs",
    }
    console.print(f"\nconflicts, {done[rule]}", soft_wrap=True)
    print_fields(console, [("", line) for line in taken.conflicts])
