"""What the commands over the writable part of a memory share."""

from __future__ import annotations

import sys
from pathlib import Path

import typer

from echo.cli.screen import InputError
from echo.mfm.plain_text import plain


def memory_folder(root: Path) -> Path:
    """Return `root`, which has to be a folder.

    Raises:
        InputError: if it is none.
    """
    if not root.is_dir():
        raise InputError(f"expected a memory folder at {root}, got none. Name one with --root.")
    return root


def begun_memory(root: Path) -> Path:
    """Return `root`, which has to be a memory that was begun: nothing is written into another folder.

    Raises:
        InputError: if it is no folder, or holds no index.
    """
    from echo.mfm.layout import INDEX

    if not (memory_folder(root) / INDEX).is_file():
        raise InputError(
            f"expected a memory at {root}, got a folder without {INDEX}. "
            f"`echo-memory begin {root}` makes one; nothing was written."
        )
    return root


def print_text(text: str) -> None:
    """Print a text as it is; on a terminal without the control characters that could steer it."""
    if sys.stdout.isatty():
        text = "\n".join(plain(line.replace("\t", "        ")) for line in text.split("\n"))
    typer.echo(text, nl=False)
