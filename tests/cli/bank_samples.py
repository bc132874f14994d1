"""A small bank on disk and how the command line is called on it, shared by the tests of its commands."""

from __future__ import annotations

import json
import os
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
import typer.main

from csd.bank import Bank
from csd.descriptor import Csd, Meta
from csd.encode import HashingEncoder
from csd.protocol import Filing
from echo.cli.app import app
from tests.csd.descriptors import meta, says, wooden_pickaxe

COMMAND = typer.main.get_command(app)
"""Made once: putting it together takes longer than most commands on a small bank."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Done:
    """What a command printed, and its exit code."""

    exit_code: int
    stdout: str
    stderr: str


class Keyboard(TextIOWrapper):
    """Standard input that says it is a terminal."""

    def isatty(self) -> bool:
        """Return True."""
        return True


def call(*words: str | Path, stdin: str = "", typed: str | None = None) -> Done:
    """Return what the command prints at 80 columns, and its exit code.

    Args:
        words: The command line after the program's name.
        stdin: What is piped in.
        typed: What is typed at a terminal instead.
    """
    source = TextIOWrapper(BytesIO(stdin.encode())) if typed is None else Keyboard(BytesIO(typed.encode()))
    out, err = StringIO(), StringIO()
    with (
        patch.dict(os.environ, {"COLUMNS": "80"}),
        patch.object(sys, "stdin", source),
        redirect_stdout(out),
        redirect_stderr(err),
        pytest.raises(SystemExit) as ended,
    ):
        COMMAND.main([str(word) for word in words], prog_name="echo-memory")
    return Done(exit_code=int(ended.value.code or 0), stdout=out.getvalue(), stderr=err.getvalue())


def told(*words: str | Path, stdin: str = "") -> dict[str, Any]:
    """Return the one JSON object that a command prints."""
    done = call(*words, "--json", stdin=stdin)
    assert done.exit_code == 0, done.stderr
    value: dict[str, Any] = json.loads(done.stdout)
    return value


def stone_pickaxe() -> Csd:
    """Return a pickaxe of the same shape as `wooden_pickaxe`, of other material."""
    circumstances = meta("make a stone_pickaxe", step=200).model_dump() | {
        "product": "stone_pickaxe",
        "biome": "plains",
        "position": (100.0, 64.0, 50.0),
        "world": "test-2",
    }
    return Csd(
        meta=Meta(**circumstances),
        struct=(
            says("stone_pickaxe", "grid", "AAA/.B./.B."),
            says("cobblestone", "fills", "A"),
            says("stick", "fills", "B"),
            says("cobblestone", "part", "top row"),
        ),
        proc=(says("stone_pickaxe", "made_by", "craft"), says("stone_pickaxe", "consumes", "cobblestone x3")),
        func=(says("cobblestone", "plays", "head"), says("stick", "plays", "handle")),
    )


def failed_dig() -> Csd:
    """Return a failed experience that speaks on two axes."""
    circumstances = meta("dig stone", success=False, step=50).model_dump() | {"product": None, "verb": "mine"}
    return Csd(
        meta=Meta(**circumstances),
        attr=(says("stone", "refused", "hand"),),
        inter=(says("mine stone", "tried", "no_result"),),
    )


def make_bank(path: Path) -> Path:
    """Fill a bank at `path` with the three samples: two by 'ada', one under the tag 'tools'."""
    with Bank.open(path, HashingEncoder(), durable=False) as bank:
        bank.add(wooden_pickaxe(), filing=Filing(agent="ada", life="first", tags=("tools",)))
        bank.add(stone_pickaxe(), filing=Filing(agent="ada"), derived_from=[wooden_pickaxe().id])
        bank.add(failed_dig())
    return path


def write(path: Path, *csds: Csd) -> Path:
    """Write descriptors as JSON lines."""
    path.write_text("".join(f"{csd.canonical()}\n" for csd in csds))
    return path
