"""What other processes do to a bank in tests: die in the middle of a write, fill the disk, write at once.

Run as `python -m tests.csd.bank_processes deaths|full|write FOLDER ...` from the project root.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.reembed import reembed
from csd.tables import BankError
from tests.csd.descriptors import digging, playing, wooden_pickaxe
from tests.csd.other_encoder import ReversedEncoder

Acknowledge = Callable[[str], object]


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


def deaths(folder: Path, first: int, apart: int) -> None:
    """Die before statement `first`, `first + apart`, ... in one new bank each; print how many died."""
    number = first
    while True:
        child = os.fork()
        if child == 0:
            die_before_statement(number, folder / f"{number:03d}.db")
            os._exit(0)
        if os.waitpid(child, 0)[1] == 0:
            break
        number += apart
    print(json.dumps((number - first) // apart))


def fill_disk(folder: Path) -> None:
    """Add descriptors until a file may not grow further; print those added and the refusal."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    added: list[str] = []
    with Bank.open(folder / "full.db", HashingEncoder()) as bank:
        try:
            while True:
                added.append(bank.add(digging(f"block_{len(added)}")))
        except BankError as error:
            readable = [bank.get(id).id for id in added]
            print(json.dumps({"added": added, "readable": readable, "error": str(error)}))


def write(folder: Path, name: str) -> None:
    """Add twenty descriptors one by one; print their ids."""
    with Bank.open(folder / "shared.db", HashingEncoder()) as bank:
        print(json.dumps([bank.add(digging(f"{name}_{number}")) for number in range(20)]))


if __name__ == "__main__":
    match sys.argv[1:]:
        case ["deaths", folder, first, apart]:
            deaths(Path(folder), int(first), int(apart))
        case ["full", folder]:
            fill_disk(Path(folder))
        case ["write", folder, name]:
            write(Path(folder), name)
        case wrong:
            sys.exit(f"expected deaths, full or write; got {wrong}")
