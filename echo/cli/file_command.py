"""``echo-memory file``: one command of the agent's file tool, as JSON."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from echo.cli.mine_text import begun_memory, print_text
from echo.cli.screen import FAILED, exit_codes, print_json


def file(
    command: Annotated[
        str | None,
        typer.Argument(
            metavar="JSON", help="The command, such as the one below; left out: from standard input."
        ),
    ] = None,
    root: Annotated[Path, typer.Option(metavar="DIR", help="Memory folder.")] = Path(),
    schema: Annotated[
        bool, typer.Option("--schema", help="Print the tool as a model is told of it, and do nothing.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object: `text`, `is_error`.")
    ] = False,
) -> None:
    """Carry out one file command of an agent on the writable part of a memory.

    Commands are view, create, str_replace, insert, delete and rename, with paths under /memories. The
    answer is what the agent reads; exit code 1 where it tells an error.

    Example: echo-memory file '{"command": "view", "path": "/memories"}' --root runs/memory
    """
    with exit_codes("the command was carried out, or nothing was changed"):
        from echo.mfm.mine.filetool import FileTool
        from echo.mfm.mine.tool_schema import tool_schema

        if schema:
            print_json(tool_schema())
            return
        answer = FileTool(begun_memory(root)).answer(_parsed(command))
        if as_json:
            print_json({"text": answer.text, "is_error": answer.is_error})
        else:
            print_text(f"{answer.text}\n")
    if answer.is_error:
        raise typer.Exit(FAILED)


def _parsed(command: str | None) -> dict[str, object]:
    import json
    import sys

    from echo.experiments.spec import UsageError

    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape") if command is None else command
    try:
        held = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"expected a command as JSON, got {text[:80]!r} ({error}).") from error
    if not isinstance(held, dict):
        raise UsageError(f"expected a JSON object with `command`, got {text[:80]!r}.")
    return held
