"""``echo-memory run tasks``, ``continual``, ``ablate`` and ``mfm``: experiments on tasks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from echo.cli.grid_options import (
    Address,
    Agents,
    AsJson,
    DryRun,
    Episodes,
    InventedNames,
    Jobs,
    Reasoner,
    Runs,
    Seed,
    Share,
    Size,
    SpecFile,
    Tasks,
    Where,
)
from echo.cli.grid_running import play_asked

_OUT = "Results folder; finished runs in it are kept."


def tasks(
    context: typer.Context,
    size: Size = None,
    spec: SpecFile = None,
    agents: Agents = None,
    tasks: Tasks = None,
    runs: Runs = None,
    episodes: Episodes = None,
    seed: Seed = None,
    invented_names: InventedNames = None,
    reasoner: Reasoner = None,
    jobs: Jobs = 0,
    executor: Where = "local",
    address: Address = None,
    share: Share = None,
    out: Annotated[Path, typer.Option(help=_OUT)] = Path("runs/tasks"),
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Play twelve tasks with every agent, thirty episodes on one memory.

    A run that has a result in the folder is not played again; after a kill, give the same command.

    Example: echo-memory run tasks --size quick --agents echo,jarvis-1 --tasks bed,shield --dry-run
    """
    play_asked(context, "tasks")


def continual(
    context: typer.Context,
    size: Size = None,
    spec: SpecFile = None,
    agents: Agents = None,
    runs: Runs = None,
    episodes: Episodes = None,
    seed: Seed = None,
    invented_names: InventedNames = None,
    reasoner: Reasoner = None,
    jobs: Jobs = 0,
    executor: Where = "local",
    address: Address = None,
    share: Share = None,
    out: Annotated[Path, typer.Option(help=_OUT)] = Path("runs/continual"),
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Play mixed episodes on one memory, each with another of the twelve tasks.

    All agents meet the same tasks in the same order in runs of the same number.

    Example: echo-memory run continual --size quick --agents echo,mp5 --runs 2
    """
    play_asked(context, "continual")


def ablate(
    context: typer.Context,
    size: Size = None,
    spec: SpecFile = None,
    agents: Agents = None,
    tasks: Tasks = None,
    runs: Runs = None,
    episodes: Episodes = None,
    seed: Seed = None,
    invented_names: InventedNames = None,
    reasoner: Reasoner = None,
    jobs: Jobs = 0,
    executor: Where = "local",
    address: Address = None,
    share: Share = None,
    out: Annotated[Path, typer.Option(help=_OUT)] = Path("runs/ablate"),
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Play the twelve tasks with echo, without each axis and with each alone.

    Example: echo-memory run ablate --size quick --agents echo,echo/-func,echo/only-func --tasks smelt-eq
    """
    play_asked(context, "ablate")


def mfm(
    context: typer.Context,
    size: Size = None,
    spec: SpecFile = None,
    agents: Agents = None,
    tasks: Tasks = None,
    runs: Runs = None,
    episodes: Episodes = None,
    seed: Seed = None,
    invented_names: InventedNames = None,
    reasoner: Reasoner = None,
    jobs: Jobs = 0,
    executor: Where = "local",
    address: Address = None,
    share: Share = None,
    out: Annotated[Path, typer.Option(help=_OUT)] = Path("runs/mfm"),
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Climb to a diamond with parts of the folder memory switched off.

    Skills learned in one task are also installed for another, and the steps without and with them compared.

    Example: echo-memory run mfm --size quick --agents mfm,mfm/-procedures,direct
    """
    play_asked(context, "mfm")
