"""``echo-memory finetune train``: train an adapter with which a language model writes descriptors."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.screen import InputError, exit_codes, note_console, out_console, print_json

if TYPE_CHECKING:
    from finetune.training.records import RunRecord
    from finetune.training.settings import Settings

KEPT = "the last checkpoint is kept, the same command goes on from there"

INSTEAD = "Instead of what the settings say"


def train(
    config: Annotated[
        str, typer.Option("--config", metavar="FILE", help="Settings (TOML), or the name of some we ship.")
    ],
    data: Annotated[
        Path, typer.Option("--data", metavar="FOLDER", help="From `finetune examples`: train.jsonl, ...")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="New folder, or one of this run.")],
    base: Annotated[
        str | None, typer.Option(metavar="BASE", help="Base model.", rich_help_panel=INSTEAD)
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed.", rich_help_panel=INSTEAD)] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Steps to make.", rich_help_panel=INSTEAD)] = None,
    minutes: Annotated[
        float | None, typer.Option(help="End after so long, at the best state.", rich_help_panel=INSTEAD)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the record as one JSON object.")] = False,
) -> None:
    """Train an adapter (LoRA) on data from `finetune examples`.

    FOLDER gets adapter/ (the best on the validation rows), curve.csv, curve.png and run.json with every
    setting, version and digest. An interrupted run goes on from its last checkpoint when the same command is
    given again. On several GPUs: torchrun --nproc-per-node 4 -m echo.cli.main finetune train ...

    Example: echo-memory finetune train --config smollm2-cpu --data data --out runs/tuned
    """
    # Else torch's threads spin while they wait, and steps take several times as long beside other work.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    with exit_codes(KEPT):
        from echo.experiments.spec import UsageError
        from finetune.adapter import AdapterError
        from finetune.base import BaseError
        from finetune.training.errors import TrainingError
        from finetune.training.settings import read_settings

        named = {"base": base, "seed": seed, "schedule.steps": steps, "schedule.minutes": minutes}
        changes = {name: value for name, value in named.items() if value is not None}
        try:
            settings = read_settings(config, changes)
        except TrainingError as error:
            raise UsageError(str(error)) from error
        try:
            record = _train(settings, data, out)
        except (TrainingError, BaseError, AdapterError) as error:
            raise InputError(str(error)) from error
        if _silent():
            return
        if as_json:
            print_json(record.model_dump(mode="json"))
        else:
            _print(record, out)


def _train(settings: Settings, data: Path, out: Path) -> RunRecord:
    from echo.cli.finetune_progress import TrainingProgress
    from echo.experiments.provenance import code_commit, machine_facts, package_versions
    from finetune.training.run import Origin, train

    origin = Origin(commit=code_commit(), versions=package_versions(), machine=machine_facts())
    if _silent():
        return train(settings, data, out, origin=origin)
    with TrainingProgress(note_console(), minutes=settings.schedule.minutes) as progress:
        return train(settings, data, out, origin=origin, listener=progress)


def _silent() -> bool:
    """Return whether this is one of several processes, of which the first one speaks."""
    return os.environ.get("RANK", "0") != "0"


def _print(record: RunRecord, out: Path) -> None:
    from rich.table import Table

    begun, ended = record.begun, record.ended
    why = {"steps": "all steps made", "minutes": "out of time", "patience": "no longer got better"}
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column("")
    table.add_column("", justify="right")
    table.add_row("rows", f"{begun.asked.train.rows:,}")
    table.add_row("numbers trained", f"{begun.trained:,} of {begun.trained + begun.frozen:,}")
    table.add_row("steps", f"{ended.steps:,} ({ended.epochs:.2f} epochs)")
    table.add_row("minutes", f"{ended.seconds / 60:.1f}")
    table.add_row("ended by", why[ended.stopped])
    table.add_row("validation loss, untrained", f"{ended.first_loss:.4f}")
    table.add_row(f"  best, step {ended.best_step:,}", f"{ended.best_loss:.4f}")
    table.add_row("  last", f"{ended.last_loss:.4f}")
    out_console().print(table)
    if ended.best_step == 0:
        typer.echo("training never made it better: the adapter kept changes nothing", err=True)
    typer.echo(f"adapter: {out / 'adapter'}  digest {ended.adapter_sha256[:16]}")
