"""Options that all commands share which play a grid of runs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

Size = Annotated[
    Literal["quick", "standard", "full"] | None,
    typer.Option(help="Minutes (the default), hours, or forty runs a cell."),
]
SpecFile = Annotated[
    Path | None, typer.Option("--spec", metavar="FILE", help="A spec of your own, in TOML, instead.")
]
Agents = Annotated[
    str | None, typer.Option(help="These instead, by comma: echo, mp5/-patroller, echo/-struct ...")
]
Tasks = Annotated[str | None, typer.Option(help="These instead, by comma: bed, bridge-eq ...")]
Runs = Annotated[int | None, typer.Option(min=1, help="Runs of each agent in each task.")]
Episodes = Annotated[int | None, typer.Option(min=1, help="Episodes a run.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of lands, starts and dice.")]
InventedNames = Annotated[
    int | None, typer.Option(min=0, metavar="SEED", help="Rename every item, by this seed.")
]
Jobs = Annotated[int, typer.Option(min=0, help="Runs at a time; 0 is one a core.")]
Where = Annotated[
    Literal["local", "ray"], typer.Option("--executor", help="Processes here, or a Ray cluster.")
]
Address = Annotated[
    str | None, typer.Option(metavar="HOST:PORT", help="Ray cluster; without it Ray runs on this machine.")
]
Share = Annotated[
    str | None, typer.Option("--slice", metavar="N/OF", help="Only this share of the runs, such as 3/40.")
]
Reasoner = Annotated[
    str | None,
    typer.Option(metavar="MODEL", help="Who decides: rule, openai:MODEL, hf:PATH[+ADAPTER], scripted:FILE."),
]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Print the grid and the estimate, play nothing.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
