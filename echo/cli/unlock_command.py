"""``echo-memory run unlock``: cold-start unlocking."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from echo.cli.grid_options import (
    Address,
    AsJson,
    DryRun,
    InventedNames,
    Jobs,
    Reasoner,
    Share,
    Size,
    SpecFile,
    Where,
)
from echo.cli.grid_running import read_means
from echo.cli.grid_unlock_shown import outcome_json, plan_json, print_outcome, print_plan
from echo.cli.screen import FAILED, exit_codes, note_console, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from echo.experiments.means import Means
    from echo.experiments.spec import UnlockSpec
    from echo.experiments.unlock_sizes import UnlockExperiment
    from echo.experiments.unlocking import GridOutcome

_OVERRIDES = ("seeds", "steps", "shots", "invented_names", "encoder", "record", "reasoner")
"""Options that stand in the place of a key of the spec as they are."""


def unlock(
    context: typer.Context,
    size: Size = None,
    spec: SpecFile = None,
    agents: Annotated[
        str | None, typer.Option(help="These instead, by comma: none, edits, voyager, echo ...")
    ] = None,
    axes: Annotated[
        list[str] | None,
        typer.Option(help="Extra echo run: '-func' without an axis, 'func' with it alone. Repeat, or ';'."),
    ] = None,
    seeds: Annotated[
        str | None, typer.Option(help="'3' (seed 3 alone), '0-9' (both ends in it) or '1,5,8'.")
    ] = None,
    steps: Annotated[int | None, typer.Option(min=1, help="Counted actions a run.")] = None,
    shots: Annotated[
        int | None, typer.Option(min=0, max=8, help="Recipes demonstrated before the start.")
    ] = None,
    jobs: Jobs = 0,
    executor: Where = "local",
    address: Address = None,
    share: Share = None,
    invented_names: InventedNames = None,
    reasoner: Reasoner = None,
    encoder: Annotated[
        Literal["minilm", "hashing"] | None, typer.Option(help="Text encoder; hashing knows no words.")
    ] = None,
    record: Annotated[
        Literal["none", "unlocks", "all"] | None, typer.Option(help="Episodes kept on disk.")
    ] = None,
    out: Annotated[Path, typer.Option(help="Results folder; finished runs in it are kept.")] = Path(
        "runs/unlock"
    ),
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Unlock items from an empty memory, several agents side by side.

    A run that has a result in the folder is not played again; after a kill, give the same command.

    Example: echo-memory run unlock --agents edits,echo --axes -func --seeds 0-4 --steps 2000
    """
    with exit_codes():
        experiment = _experiment(context.params)
        means, specs = read_means(context.params), experiment.make_specs()
        command = _command_line(experiment)
        if dry_run:
            _plan(experiment, specs, out, means, as_json=as_json)
            return
        player = context.obj or _player(experiment)
        outcome = _play(specs, out, player, command, means)
        _warn_of_foreign(outcome)
        if as_json:
            print_json(outcome_json(outcome, out))
        else:
            print_outcome(outcome, out)
    if outcome.failed:
        raise typer.Exit(FAILED)


def _experiment(asked: Mapping[str, Any]) -> UnlockExperiment:
    """Return the experiment of a shipped size or of a spec file, with what the options change.

    Raises:
        UsageError: if both are given, or the experiment cannot be.
    """
    from echo.experiments.spec import UsageError, parse_agents
    from echo.experiments.unlock_sizes import load_unlocking, read_unlocking

    changes: dict[str, Any] = {key: asked[key] for key in _OVERRIDES if asked[key] is not None}
    if asked["agents"] is not None:
        changes["agents"] = parse_agents(asked["agents"])
    if asked["axes"]:
        changes["axes"] = tuple(asked["axes"])
    if changes:
        changes["about"] = ""  # It is told of the spec as it stands.
    if asked["spec"] is None:
        return load_unlocking(f"unlock-{asked['size'] or 'quick'}", changes)
    if asked["size"] is not None:
        raise UsageError(f"expected --size or --spec; got --size {asked['size']} and --spec {asked['spec']}.")
    return read_unlocking(asked["spec"], changes)


def _plan(
    experiment: UnlockExperiment, specs: Sequence[UnlockSpec], out: Path, means: Means, *, as_json: bool
) -> None:
    """Print what would be played."""
    from echo.experiments.trial import play_minecraft
    from echo.experiments.unlocking import make_jobs, split_finished

    own = specs if means.share is None else means.share.take(specs)
    finished, waiting = split_finished(own, out)
    jobs = make_jobs(waiting, out, player=play_minecraft, command="", finished=finished.values())
    if as_json:
        print_json(plan_json(jobs, len(own), means))
    else:
        print_plan(experiment, jobs, len(own), means)


def _play(specs: Sequence[UnlockSpec], out: Path, player: Any, command: str, means: Means) -> GridOutcome:
    """Play `specs` with `player`, showing progress."""
    from echo.cli.progress import RunProgress
    from echo.experiments.unlocking import run_grid

    own = specs if means.share is None else means.share.take(specs)
    with RunProgress(own, note_console()) as listener:
        return run_grid(specs, out, player=player, command=command, listener=listener, means=means)


def _player(experiment: UnlockExperiment) -> Any:
    """Return who plays in the Minecraft world: the rule, or the model named, as it is reached from here."""
    from functools import partial

    from echo.experiments.reasoner_names import RULE
    from echo.experiments.trial import play_minecraft

    own = experiment.reasoner
    return play_minecraft if own == RULE else partial(play_minecraft, reasoner=own)


def _warn_of_foreign(outcome: GridOutcome) -> None:
    """Say on standard error, in one line, which kept results other code made than this."""
    from echo.experiments.provenance import code_commit, package_versions, tell_foreign

    kept = [run for run in outcome.results if run.spec.name in outcome.kept]
    told = tell_foreign(kept, code_commit(), package_versions())
    if told is not None:
        typer.echo(f"warning: {told}", err=True)


def _command_line(experiment: UnlockExperiment) -> str:
    """Return the command as it would be typed, every setting written out that decides a result."""
    from echo.experiments.reasoner_names import RULE

    words = ["echo-memory", "run", "unlock", "--agents", ",".join(experiment.agents)]
    for name in _OVERRIDES:
        value = getattr(experiment, name)
        if value is not None and value != RULE:
            words += [f"--{name.replace('_', '-')}", str(value)]
    for mask in experiment.axes:
        words += ["--axes", mask]
    # A result file is UTF-8, and what was typed need not be.
    return shlex.join(words).encode(errors="backslashreplace").decode()
