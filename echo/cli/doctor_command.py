"""``echo-memory doctor``: what is inconsistent in a bank or a memory folder, and mending it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.bank_door import (
    AsJson,
    OptionalBankPath,
    bank_encoder,
    chosen_bank,
)
from echo.cli.plain_text import counted, print_fields
from echo.cli.screen import FAILED, InputError, exit_codes, out_console, print_json

if TYPE_CHECKING:
    from csd.upkeep.findings import Finding
    from echo.mfm.episodic.examine import Flaw
    from echo.mfm.episodic.repair import MemoryRepair

MOST = 3
"""Findings of one kind that are printed; --json has all."""


def doctor(
    bank_argument: Annotated[
        Path | None,
        typer.Argument(
            metavar="[BANK]", help="Bank file, or memory folder with or without a bank. As --bank."
        ),
    ] = None,
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
    """Find every inconsistency in a bank or memory folder and name it; exit code 1 while any is left.

    Every episode of a memory folder, earlier lives too, is compared with its
    digests; a bank in the folder is examined as well. A repair derives anew
    what is derived, and moves what is damaged into a file beside the bank, or
    into mended/.

    Example: echo-memory doctor runs/memory --repair
    """
    with exit_codes("what is examined is as it was, or mended as a whole"):
        from csd.store.schema import BANK_FILE
        from echo.mfm.episodic.examine import is_memory

        file = chosen_bank(bank_argument, bank)
        folder = file.parent if (bank_argument or bank or Path()).is_dir() else None
        memory = _memory_told(folder, repair=repair) if folder is not None and is_memory(folder) else None
        alone = memory is not None and file.name == BANK_FILE and not file.exists()
        if folder is not None and memory is None and not file.exists():
            raise _no_memory(folder)
        told = None if alone else _bank_told(file, episodes, repair=repair)
        sound = (told is None or not told.left) and (memory is None or memory.left.sound)
        if as_json:
            print_json(
                {"bank": None, "sound": sound}
                | ({} if told is None else told.to_json())
                | ({} if memory is None or folder is None else {"memory": _memory_json(folder, memory)})
                | {"sound": sound}
            )
        else:
            if told is not None:
                _print_repair(told.done, told.aside)
                _print_findings(told.left, told.bank, repaired=repair)
            if memory is not None and folder is not None:
                _print_memory(memory, str(folder), repaired=repair)
    if not sound:
        raise typer.Exit(FAILED)


def _no_memory(folder: Path) -> InputError:
    """Return the error for a folder that is neither a memory nor holds a bank."""
    from echo.mfm.layout import EPISODES, INDEX, MINE

    mine = f"only {MINE}/, which makes no memory" if (folder / MINE).is_dir() else "neither"
    return InputError(
        f"expected a memory folder with {INDEX} or {EPISODES}/, or a bank, at {folder}; got {mine}. "
        f"Check the path, or make it a memory, which keeps {MINE}/ as it is: echo-memory begin {folder}"
    )


@dataclass(frozen=True, kw_only=True)
class BankTold:
    """What was found in a bank and done about it."""

    bank: str
    found: Sequence[Finding]
    done: Sequence[str] = ()
    left: Sequence[Finding]
    aside: Path | None = None

    def to_json(self) -> dict[str, object]:
        """Return it as --json prints it."""
        return {
            "bank": self.bank,
            "sound": not self.left,
            "found": [_finding_json(one) for one in self.found],
            "done": list(self.done),
            "left": [_finding_json(one) for one in self.left],
            "aside": None if self.aside is None else str(self.aside),
        }


def _bank_told(file: Path, episodes: Path | None, *, repair: bool) -> BankTold:
    from csd.upkeep.doctor import examine
    from csd.upkeep.doctor import repair as mend
    from echo.mfm.episodic.wholeness import EpisodeFolder

    check = None if episodes is None else EpisodeFolder(episodes)
    encoder = bank_encoder(file)
    if not repair:
        findings = examine(file, episodes=check, encoder=encoder).findings
        return BankTold(bank=str(file), found=findings, left=findings)
    mended = mend(file, episodes=check, encoder=encoder)
    return BankTold(
        bank=str(file), found=mended.found, done=mended.done, left=mended.left, aside=mended.aside
    )


def _memory_told(folder: Path, *, repair: bool) -> MemoryRepair:
    from echo.cli.doctor_logs import log_flaws
    from echo.mfm.episodic.examine import examine_memory
    from echo.mfm.episodic.repair import MemoryRepair, repair_memory

    if repair:
        mended = repair_memory(folder)
        found, done, left = mended.found, mended.done, mended.left
    else:
        found = left = examine_memory(folder)
        done = ()
    logs = log_flaws(folder)
    return MemoryRepair(
        found=replace(found, flaws=(*found.flaws, *logs)),
        done=done,
        left=replace(left, flaws=(*left.flaws, *logs)),
    )


def _memory_json(folder: Path, memory: MemoryRepair) -> dict[str, object]:
    return {
        "root": str(folder),
        "sound": memory.left.sound,
        "episodes": memory.left.episodes,
        "lives": memory.left.lives,
        "found": [asdict(one) for one in memory.found.flaws],
        "done": list(memory.done),
        "left": [asdict(one) for one in memory.left.flaws],
        "remarks": list(memory.left.remarks),
    }


def _print_memory(memory: MemoryRepair, folder: str, *, repaired: bool) -> None:
    left = memory.left
    _print_repair(memory.done, None)
    looked = f"{counted(left.episodes, 'episode', 'episodes')}, "
    looked += counted(left.lives, "earlier life", "earlier lives")
    if left.sound:
        print_fields(out_console(), [("sound:", f"nothing inconsistent in {folder} ({looked})")])
    else:
        _print_findings(left.flaws, f"{folder} ({looked})", repaired=repaired)
    print_fields(out_console(), [("remark:", one) for one in left.remarks])


def _print_repair(done: Sequence[str], aside: Path | None) -> None:
    console = out_console()
    if done:
        console.print("done")
        print_fields(console, [("-", line) for line in done])
    if aside is not None:
        print_fields(console, [("-", f"what was taken out of the bank is kept in {aside}")])
    if done:
        console.print()


def _print_findings(left: Sequence[Finding | Flaw], bank: str, *, repaired: bool) -> None:
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
