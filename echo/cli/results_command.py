"""``echo-memory results pack`` and ``unpack``: many runs in one small file, and back."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from echo.cli.screen import exit_codes, out_console, print_json
from echo.mfm.plain_text import plain

app = typer.Typer(no_args_is_help=True, help="Keep the results of many runs in one small file.")


@app.callback()
def results() -> None:
    """Keep the results of many runs in one small file."""


@app.command()
def pack(
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Results folder of a run command.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="File to write, called *.jsonl.xz.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Pack the runs of a results folder into one file, with everything that happened in them.

    Versions, commit, machine and command are kept once for all runs that share them; when each run
    started is left out.

    Example: echo-memory results pack runs/tasks --out data/results/tasks.jsonl.xz
    """
    with exit_codes():
        from echo.experiments.tasks.committed import pack_folder

        packed = pack_folder(folder, out)
        told = packed.results
        if as_json:
            print_json(
                {
                    "file": str(out),
                    "bytes": packed.bytes,
                    "kind": told.kind,
                    "runs": len(told.runs),
                    "unscored": dict(told.unscored),
                    "missing": list(told.missing),
                }
            )
            return
        console = out_console()
        console.print(
            f"{len(told.runs):,} runs of {told.kind} in {packed.bytes:,} bytes: {plain(str(out))}",
            markup=False,
            soft_wrap=True,
        )
        if told.unscored:
            console.print(f"{len(told.unscored):,} unscored runs are told with their reasons", markup=False)
        if told.missing:
            console.print(f"warning: {len(told.missing):,} expected runs were not played", markup=False)


@app.command()
def unpack(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Packed file.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Results folder to make.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make a results folder of a packed file, to report on it or to play further runs.

    Example: echo-memory results unpack data/results/tasks.jsonl.xz --out runs/committed
    """
    with exit_codes():
        from echo.experiments.tasks.committed import unpack_file

        told = unpack_file(file, out)
        if as_json:
            print_json({"out": str(out), "kind": told.kind, "runs": len(told.runs)})
            return
        console = out_console()
        console.print(
            f"{len(told.runs):,} runs of {told.kind}: {plain(str(out))}", soft_wrap=True, markup=False
        )
        console.print(
            f"next: echo-memory report {plain(shlex.quote(str(out)))}", soft_wrap=True, markup=False
        )
