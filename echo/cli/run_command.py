"""``echo-memory run ...``: play experiments."""

from __future__ import annotations

import typer

from echo.cli.tasks_command import ablate, continual, mfm, tasks
from echo.cli.turns_command import turns
from echo.cli.unlock_command import unlock

app = typer.Typer(no_args_is_help=True, help="Play experiments and keep one result file a run.")


@app.callback()
def run() -> None:
    """Play experiments and keep one result file a run."""


for command in (unlock, tasks, continual, ablate, mfm, turns):
    app.command()(command)
