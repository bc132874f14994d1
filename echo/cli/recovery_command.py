"""``echo-memory bench recovery``: what the death of a process costs a memory bank."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from echo.cli.screen import FAILED, exit_codes, note_console, print_json


def recovery(
    kills: Annotated[int, typer.Option(min=0, help="How many deaths.")] = 200,
    soak: Annotated[
        float, typer.Option(min=0.0, metavar="SECONDS", help="How long 4 writers and 4 readers work at once.")
    ] = 60.0,
    seed: Annotated[int, typer.Option(min=0, help="Of all that is drawn.")] = 0,
    keep: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Leave banks there, to look at damaged ones.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Kill banks in the middle of their work, and see that nothing is lost, half there or wrong.

    Exits with 1 where something is.

    Example: echo-memory bench recovery --kills 50 --soak 10
    """
    with exit_codes():
        from echo.bench.recovery.report import measure_recovery, written

        console = note_console()
        result = measure_recovery(
            kills, seed, soak, lambda told: console.print(told, markup=False, soft_wrap=True), keep
        )
        if as_json:
            print_json(result)
        else:
            typer.echo(written(result))
        if not result["sound"]:
            raise typer.Exit(FAILED)
