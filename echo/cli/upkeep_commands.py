"""``echo-memory doctor | rebuild | compact | stats | reembed``: looking after a bank."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from echo.cli.bank_door import (
    AsJson,
    BankArgument,
    EncoderName,
    OptionalBankPath,
    chosen_bank,
    chosen_path,
    open_bank,
)
from echo.cli.screen import exit_codes, print_json

UNCHANGED = "the bank is as it was"


def rebuild(
    bank_argument: BankArgument = None, bank: OptionalBankPath = None, as_json: AsJson = False
) -> None:
    """Throw away what makes a bank searchable - vectors, full text, graph - and make it again from the file.

    The file itself is not touched; records are not embedded anew.

    Example: echo-memory rebuild memory.sqlite
    """
    with exit_codes("the rest is made again when it is needed"):
        file = chosen_bank(bank_argument, bank)
        with open_bank(file, embeds=False) as memory:
            memory.rebuild()
            count, digest = len(memory), memory.index_digest()
        if as_json:
            print_json({"bank": str(file), "descriptors": count, "index_digest": digest})
        else:
            typer.echo(f"rebuilt for {count:,} descriptors, index {digest[:16]}")


def compact(
    bank_argument: BankArgument = None, bank: OptionalBankPath = None, as_json: AsJson = False
) -> None:
    """Drop what was removed from the searchable files, merge them, and give space back.

    Example: echo-memory compact memory.sqlite
    """
    with exit_codes("what was there stays in use"):
        file = chosen_bank(bank_argument, bank)
        before = _bytes(file)
        with open_bank(file, embeds=False) as memory:
            memory.compact()
        after = _bytes(file)
        if as_json:
            print_json({"bank": str(file), "bytes_before": before, "bytes_after": after})
        else:
            typer.echo(f"compacted: {before / 1e6:,.1f} MB before, {after / 1e6:,.1f} MB now")


def reembed(
    encoder: Annotated[EncoderName, typer.Option(help="Text encoder that the bank shall have.")],
    bank_argument: BankArgument = None,
    bank: OptionalBankPath = None,
    as_json: AsJson = False,
) -> None:
    """Give a bank the vectors of another text encoder, on all axes or not at all.

    Others may go on using the old vectors until the end. After an interruption the same command goes on.

    Example: echo-memory reembed memory.sqlite --encoder minilm-int8
    """
    with exit_codes("the bank has its old vectors; the same command goes on from there"):
        from csd.encode import load_encoder
        from csd.upkeep.reembed import reembed as embed_anew
        from echo.cli.bank_progress import counted

        file = chosen_bank(bank_argument, bank)
        with counted("embedding") as told:
            count = embed_anew(file, load_encoder(encoder), progress=told)
        if as_json:
            print_json({"bank": str(file), "encoder": encoder, "descriptors": count})
        else:
            typer.echo(f"embedded {count:,} descriptors with {encoder}")


def stats(
    bank_argument: BankArgument = None,
    bank: OptionalBankPath = None,
    turns: Annotated[
        bool, typer.Option("--turns", help="Of a memory folder: its agent's turns, their cost, and storage.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Count what a bank holds and what it takes on disk; or, of a memory folder, what its agent's turns tell.

    Example: echo-memory stats memory.sqlite --json
    """
    with exit_codes(UNCHANGED):
        if turns:
            from echo.cli.turns_shown import print_turns, turns_json

            folder = chosen_path(bank_argument, bank)
            if as_json:
                print_json(turns_json(folder))
            else:
                print_turns(folder)
            return
        from echo.cli.stats_shown import print_stats
        from echo.experiments.spec import UsageError
        from echo.mfm.layout import INDEX

        file = chosen_bank(bank_argument, bank)
        if not file.exists() and (file.parent / INDEX).exists():
            raise UsageError(f"expected a bank at {file}; the memory folder has none. Give --turns for it.")
        with open_bank(file, embeds=False) as memory:
            found = memory.stats()
        if as_json:
            print_json({"bank": str(file), **asdict(found)})
        else:
            print_stats(found, str(file))


def _bytes(file: Path) -> int:
    """Return the size of a bank with all that lies beside it."""
    from csd.caches import cache_folder

    beside = [file.with_name(file.name + end) for end in ("", "-wal", "-shm")]
    files = [*beside, *cache_folder(file).rglob("*")]
    return sum(one.stat().st_size for one in files if one.is_file())
