"""``echo-memory doctor``: what is inconsistent in a bank, and mending it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.bank_door import (
    AsJson,
    BankArgument,
    OptionalBankPath,
    bank_encoder,
    chosen_bank,
)
from echo.cli.plain_text import print_fields
from echo.cli.screen import FAILED, exit_codes, out_console, print_json

if TYPE_CHECKING:
    from collections.abc import Sequence

    from csd.upkeep.findings import Finding

MOST = 3
"""Findings of one kind that are printed; --json has all."""


def doctor(
    bank_argument: BankArgument = None,
    bank: OptionalBankPath = None,
    repair: Annotated[
        bool, typer.Option("--repair", help="Mend what can be mended without inventing data.")
    ] = False,
    episodes: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER", help="Memory folder: also look at the files of described episodes."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Find every inconsistency in a bank and name it; exit code 1 while any is left.

    A repair derives anew what is derived, and moves what is damaged into a file beside the bank.

    Example: echo-memory doctor memory.sqlite --repair --episodes runs/memory
    """
    with exit_codes("the bank is as it was, or mended as a whole"):
        from csd.upkeep.doctor import examine
        from csd.upkeep.doctor import repair as mend
        from echo.mfm.episodic.wholeness import EpisodeFolder

        file = chosen_bank(bank_argument, bank)
        check = None if episodes is None else EpisodeFolder(episodes)
        encoder = bank_encoder(file)
        if repair:
            mended = mend(file, episodes=check, encoder=encoder)
            found, left, done, aside = mended.found, mended.left, mended.done, mended.aside
        else:
            found = left = examine(file, episodes=check, encoder=encoder).findings
            done, aside = (), None
        if as_json:
            print_json(
                {
                    "bank": str(file),
                    "sound": not left,
                    "found": [_finding_json(one) for one in found],
                    "done": list(done),
                    "left": [_finding_json(one) for one in left],
                    "aside": None if aside is None else str(aside),
                }
            )
        else:
            _print_repair(done, aside)
            _print_findings(left, str(file), repaired=repair)
    if left:
        raise typer.Exit(FAILED)


def _print_repair(done: Sequence[str], aside: Path | None) -> None:
    console = out_console()
    if done:
        console.print("done")
        print_fields(console, [("-", line) for line in done])
    if aside is not None:
        print_fields(console, [("-", f"what was taken out of the bank is kept in {aside}")])
    if done:
        console.print()


def _print_findings(left: Sequence[Finding], bank: str, *, repaired: bool) -> None:
    console = out_console()
    if not left:
        print_fields(console, [("sound:", f"nothing inconsistent in {bank}")])
        return
    number = f"{len(left):,} finding{'' if len(left) == 1 else 's'}"
    print_fields(console, [(f"{number}{' left' if repaired else ''}", f"in {bank}")])
    for kind in dict.fromkeys(one.kind for one in left):
        alike = [one for one in left if one.kind == kind]
        for one in alike[:MOST]:
            console.print()
            print_fields(console, [(f"{kind}:", one.where)])
            print_fields(console, [("", one.what), ("", f"{'repair: ' if one.mendable else ''}{one.repair}")])
        if len(alike) > MOST:
            console.print(f"\n{kind}: {len(alike) - MOST:,} more, --json tells all", soft_wrap=True)
    mendable = sum(one.mendable for one in left)
    if mendable and not repaired:
        console.print(f"\n{mendable:,} can be mended: give the same command with --repair", soft_wrap=True)


def _finding_json(finding: Finding) -> dict[str, object]:
    told = asdict(finding)
    del told["row"]
    return told
