"""From the options of a command to a played grid of runs."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from echo.cli.grid_shown import outcome_json, plan_json, plan_lines, print_outcome, print_plan
from echo.cli.screen import FAILED, exit_codes, note_console, print_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from echo.experiments.means import Means
    from echo.experiments.tasks.experiment import Experiment
    from echo.experiments.tasks.records import Kind
    from echo.experiments.tasks.running import Outcome, Plan

OVERRIDES: tuple[str, ...] = ("agents", "tasks", "runs", "episodes", "seed", "invented_names", "reasoner")
"""Options that stand in the place of a key of the spec."""


def play_asked(context: typer.Context, kind: Kind) -> None:
    """Play, or plan, what the options of a command ask for, and print what came of it.

    Args:
        context: Of the command; its object is who plays, None for the rule reasoner in the Minecraft world.
        kind: Of the experiment.

    Raises:
        typer.Exit: with 1 where runs failed, and as `exit_codes`.
    """
    asked = context.params
    with exit_codes():
        experiment = _experiment(kind, asked)
        means = read_means(asked)
        command = _command_line(kind, asked)
        player = context.obj or _player(experiment)
        from echo.experiments.tasks.running import make_plan

        plan = make_plan(experiment, asked["out"], player=player, command=command, share=means.share)
        if asked["dry_run"]:
            if asked["as_json"]:
                print_json(plan_json(plan, experiment, means))
            else:
                print_plan(plan, experiment, means)
            return
        typer.echo(plan_lines(plan, means), err=True)
        outcome = _play(experiment, plan, asked["out"], player, command, means)
        _warn_of_foreign(outcome)
        if asked["as_json"]:
            print_json(outcome_json(outcome, kind, asked["out"]))
        else:
            print_outcome(outcome, kind, asked["out"])
    if outcome.failed:
        raise typer.Exit(FAILED)


def _experiment(kind: Kind, asked: dict[str, Any]) -> Experiment:
    """Return the experiment of a shipped size or of a spec file, with what the options change.

    Raises:
        UsageError: if both are given, or the file describes an experiment of another kind.
    """
    from echo.experiments.spec import UsageError
    from echo.experiments.tasks.experiment import load_experiment, read_spec

    changes = {key: asked[key] for key in OVERRIDES if asked.get(key) is not None}
    for key in ("agents", "tasks"):
        if key in changes:
            changes[key] = [name.strip() for name in changes[key].split(",") if name.strip()]
            if not changes[key]:
                raise UsageError(f"expected names by comma; got {asked[key]!r} for --{key}.")
    if changes:
        changes["about"] = ""  # It is told of the spec as it stands.
    if asked["spec"] is None:
        return _only_named(load_experiment(f"{kind}-{asked['size'] or 'quick'}", changes), "tasks" in changes)
    if asked["size"] is not None:
        raise UsageError(f"expected --size or --spec; got --size {asked['size']} and --spec {asked['spec']}.")
    experiment = read_spec(asked["spec"], changes)
    if experiment.kind != kind:
        raise UsageError(
            f"expected a spec of kind {kind!r}; got {experiment.kind!r} in {asked['spec']}. "
            f"Play it with: echo-memory run {experiment.kind} --spec {asked['spec']}"
        )
    return _only_named(experiment, "tasks" in changes)


def _only_named(experiment: Experiment, named: bool) -> Experiment:
    """Return an experiment without skill pairs of other tasks than its own, where these were `named`."""
    if not named:
        return experiment
    kept = tuple(pair for pair in experiment.skills if pair.task in experiment.tasks)
    return experiment.model_copy(update={"skills": kept})


def read_means(asked: Mapping[str, Any]) -> Means:
    """Return where and how the options ask runs to be played.

    Raises:
        UsageError: on an address without Ray, or a slice that is none.
    """
    from echo.experiments.means import Means
    from echo.experiments.pool_folder import Slice
    from echo.experiments.spec import UsageError

    if asked["address"] is not None and asked["executor"] != "ray":
        raise UsageError(f"expected --address with --executor ray alone; got {asked['address']!r}.")
    share = None if asked["share"] is None else Slice.parse(asked["share"])
    # A model on this machine takes memory and all cores for itself.
    alone = asked["jobs"] == 0 and str(asked.get("reasoner") or "").startswith("hf:")
    processes = 1 if alone else asked["jobs"]
    return Means(executor=asked["executor"], processes=processes, address=asked["address"], share=share)


def _player(experiment: Experiment) -> Any:
    """Return who plays: the rule, or the model that the experiment names, as it is reached from here."""
    from functools import partial

    from echo.experiments.reasoner_names import RULE
    from echo.experiments.tasks.playing import play_spec

    return play_spec if experiment.reasoner == RULE else partial(play_spec, reasoner=experiment.reasoner)


def _play(experiment: Experiment, plan: Plan, out: Path, player: Any, command: str, means: Means) -> Outcome:
    from echo.cli.grid_progress import GridProgress
    from echo.experiments.tasks.running import play

    with GridProgress(plan.jobs, len(plan.finished), note_console()) as listener:
        return play(experiment, out, player=player, command=command, means=means, listener=listener)


def _warn_of_foreign(outcome: Outcome) -> None:
    """Say on standard error, in one line, which kept results other code made than this."""
    from echo.experiments.provenance import code_commit, package_versions, tell_foreign

    kept = [run for run in outcome.runs if run.spec.name in outcome.kept]
    told = tell_foreign(kept, code_commit(), package_versions())
    if told is not None:
        typer.echo(f"warning: {told}", err=True)


def _command_line(kind: Kind, asked: dict[str, Any]) -> str:
    """Return the command as it would be typed, every option written out that decides a result."""
    words = ["echo-memory", "run", kind]
    if asked["spec"] is not None:
        words += ["--spec", str(asked["spec"])]
    else:
        words += ["--size", asked["size"] or "quick"]
    for name in OVERRIDES:
        if asked.get(name) is not None:
            words += [f"--{name.replace('_', '-')}", str(asked[name])]
    # A result file is UTF-8, and the name of a spec need not be.
    return shlex.join(words).encode(errors="backslashreplace").decode()
