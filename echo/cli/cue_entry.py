"""``echo-memory cue`` among the other commands, for `echo-memory --help`; `echo.cli.main` runs it without."""

from __future__ import annotations

from typing import Annotated

import typer

from csd.axes import Axis
from echo.cli.cue_command import DEFAULT_LIMIT, answer


def cue(
    text: Annotated[list[str], typer.Argument(metavar="TEXT", help="Plain words.")],
    bank: Annotated[
        str, typer.Option("--bank", metavar="PATH", help="Bank file, or memory folder with one.")
    ],
    limit: Annotated[int, typer.Option("--limit", metavar="N", help="How many at most.")] = DEFAULT_LIMIT,
    axis: Annotated[
        list[Axis] | None,
        typer.Option("--axis", help="Axis to look on; may be repeated."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the descriptors in which all words of TEXT occur, best first.

    'oak*' finds what begins so, 'oak_planks' what stands side by side.

    Example: echo-memory cue oak planks --bank runs/memory --axis func
    """
    raise typer.Exit(
        answer(
            " ".join(text),
            bank,
            limit=limit,
            axes=None if axis is None else [one.value for one in axis],
            as_json=as_json,
        )
    )
