"""``echo-memory finetune ...``: data for, training, evaluation and use of a model that writes descriptors."""

from __future__ import annotations

import typer

from echo.cli.finetune_evaluate_command import evaluate
from echo.cli.finetune_examples_command import examples
from echo.cli.finetune_train_command import train
from echo.cli.finetune_use_command import export, merge

app = typer.Typer(no_args_is_help=True, help="Teach a language model to write descriptors, and use it.")


@app.callback()
def finetune() -> None:
    """Teach a language model to write descriptors, and use it."""


app.command("examples")(examples)
app.command("train")(train)
app.command("evaluate")(evaluate)
app.command("merge")(merge)
app.command("export")(export)
