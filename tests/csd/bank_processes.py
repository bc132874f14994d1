"""What other processes do to a bank in tests: die in the middle of work, run out of room, lose permission.

Run as `python -m tests.csd.bank_processes deaths|full|short|locked FOLDER ...` from the project root; each
prints one JSON value.
"""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from csd.axes import Axis
from csd.bank import Bank
from csd.caches import cache_folder
from csd.encode import HashingEncoder
from csd.store.errors import BankError
from csd.upkeep.doctor import examine
from csd.upkeep.reembed import reembed
from csd.vectors.sizes import Sizes
from tests.csd.descriptors import digging, playing, wooden_pickaxe
from tests.csd.other_encoder import ReversedEncoder

Acknowledge = Callable[[str], object]

SIZES = Sizes(segment_rows=64, code_rows=16, publish_rows=16, small_rows=16)
"""So small that some tens of descriptors are published."""

QUERY = {Axis.ATTR: "block 3 drops block 3"}


def life(path: Path, acknowledge: Acknowledge) -> None:
    """Make a bank, change it in every way, and say after each change that it is done."""
    with Bank.open(path, HashingEncoder()) as bank:
        acknowledge("made")
        pickaxe = bank.add(wooden_pickaxe())
        acknowledge("pickaxe")
        bank.add_many([digging("sand"), playing("coal", "fuel")])
        acknowledge("two more")
        bank.remove(pickaxe)
        acknowledge("removed")
        bank.add(digging("clay"), derived_from=[digging("sand").id])
        acknowledge("clay")
    reembed(path, ReversedEncoder())
    acknowledge("reembedded")


def die_before_statement(number: int, path: Path) -> None:
    """Live until just before SQL statement `number` (from 0), then be killed; write what was done."""
    count = 0
    connect = sqlite3.connect

    def counted(statement: str) -> None:
        nonlocal count
        if count == number:
            os.kill(os.getpid(), signal.SIGKILL)
        count += 1

    def watched(*arguments: Any, **settings: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **settings)
        connection.set_trace_callback(counted)
        return connection

    setattr(sqlite3, "connect", watched)  # noqa: B010 - a type checker would not let it be replaced
    done = os.open(path.with_suffix(".done"), os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    life(path, lambda what: os.write(done, what.encode() + b"\n"))


def deaths(folder: Path, first: int, apart: int) -> int:
    """Die before statement `first`, `first + apart`, ... in one new bank each; return how many died."""
    number = first
    while True:
        child = os.fork()
        if child == 0:
            die_before_statement(number, folder / f"{number:03d}.db")
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            return (number - first) // apart
        number += apart


def refusals(*changes: Callable[[], object]) -> list[str]:
    """Return what each change was refused with, '' where it was done."""
    told = []
    for change in changes:
        try:
            change()
            told.append("")
        except BankError as error:
            told.append(str(error))
    return told


def fill(folder: Path) -> dict[str, Any]:
    """Add descriptors until there is no room, try everything else, make room, and go on."""
    path, ballast = folder / "full.db", folder / "ballast"
    if shutil.disk_usage(folder).free < 100_000_000:
        ballast.write_bytes(b"\0" * 2_000_000)
    else:
        resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, resource.RLIM_INFINITY))
    added: list[str] = []
    with Bank.open(path, HashingEncoder(), sizes=SIZES) as bank:
        error = ""
        while not error:
            [error] = refusals(lambda: added.append(bank.add(digging(f"block_{len(added)}"))))
            if len(added) % 16 == 0:
                bank.recall(QUERY, k=3)
        told = refusals(
            lambda: bank.add_many([digging("sand"), digging("clay"), digging("gravel")]),
            lambda: bank.supersede(added[0], digging("sand")),
            lambda: bank.export(folder / "archive.jsonl"),
            bank.compact,
        )
        readable = [bank.get(id).id for id in added]
        found = [match.id for match in bank.recall(QUERY, k=10_000)]
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        ballast.unlink(missing_ok=True)
        late = bank.add(digging("late"))
        bank.compact()
    findings = [str(finding) for finding in examine(path).findings]
    return {
        "added": added, "error": error, "told": told, "readable": readable, "found": found, "late": late,
        "findings": findings,
    }  # fmt: skip


def write_short(folder: Path) -> list[dict[str, Any]]:
    """Do a bank's work under ever larger limits on the size of files: writes end in the middle of a page."""
    seed = folder / "seed.db"
    with Bank.open(seed, HashingEncoder(), sizes=SIZES) as bank:
        bank.add_many([digging(f"block_{number}") for number in range(40)])
    told = []
    for limit in (1, 30_001, 60_007, 90_011, 100_003, 130_003, 200_017, 400_009):
        path = folder / f"{limit}.db"
        shutil.copy(seed, path)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        errors: list[str] = []
        try:
            with Bank.open(path, HashingEncoder(), sizes=SIZES) as bank:
                errors += refusals(
                    lambda: bank.recall(QUERY, k=3),
                    lambda: bank.add_many([digging(f"more_{number}") for number in range(40)]),
                    lambda: bank.recall(QUERY, k=3),
                    lambda: bank.cue("block"),
                    bank.compact,
                )
        except BankError as error:
            errors.append(str(error))
        resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        with Bank.open(path, HashingEncoder(), sizes=SIZES) as bank:
            found = [match.id for match in bank.recall(QUERY, k=10_000)]
            told.append(
                {"limit": limit, "errors": [one for one in errors if one], "ids": bank.ids(), "found": found}
            )
        told[-1]["findings"] = [str(finding) for finding in examine(path).findings]
    return told


def add_sand(path: Path) -> None:
    """Open the bank at `path` and add one descriptor."""
    with Bank.open(path, HashingEncoder()) as bank:
        bank.add(digging("sand"))


def lose_permission(folder: Path) -> dict[str, Any]:
    """Work on banks where the file, the folder, or the folder of caches may not be written to."""
    path = folder / "bank.db"
    with Bank.open(path, HashingEncoder(), sizes=SIZES) as bank:
        bank.add_many([digging(f"block_{number}") for number in range(40)])
        right = [match.id for match in bank.recall(QUERY, k=99)]
    shutil.rmtree(cache_folder(path), ignore_errors=True)
    before = path.read_bytes()
    told: dict[str, Any] = {"right": right}
    folder.chmod(0o500)
    told["new file"] = refusals(lambda: Bank.open(folder / "other.db", HashingEncoder()))
    told["folder"] = refusals(lambda: add_sand(path))
    path.chmod(0o400)
    told["file and folder"] = refusals(lambda: add_sand(path))
    folder.chmod(0o700)
    told["file"] = refusals(lambda: add_sand(path))
    told["same"] = path.read_bytes() == before
    shutil.rmtree(cache_folder(path), ignore_errors=True)
    for beside in folder.glob("bank.db*"):
        # SQLite gives the files beside a bank the permissions of the bank.
        beside.chmod(0o600)
    cache_folder(path).mkdir()
    cache_folder(path).chmod(0o500)
    with Bank.open(path, HashingEncoder(), sizes=SIZES) as bank:
        told["found"] = [match.id for match in bank.recall(QUERY, k=99)]
        told["cue"] = [hit.id for hit in bank.cue("block_3")]
        told["compact"] = refusals(bank.compact)
        told["late"] = bank.add(digging("late"))
        told["ids"] = bank.ids()
    cache_folder(path).chmod(0o700)
    return told


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["deaths", folder, first, apart]:
            answer: object = deaths(Path(folder), int(first), int(apart))
        case ["full", folder]:
            answer = fill(Path(folder))
        case ["short", folder]:
            answer = write_short(Path(folder))
        case ["locked", folder]:
            answer = lose_permission(Path(folder))
        case wrong:
            sys.exit(f"expected deaths, full, short or locked; got {wrong}")
    print(json.dumps(answer))
