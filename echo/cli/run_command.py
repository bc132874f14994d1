"""``echo-memory run ...``: play experiments."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from echo.cli.grid_options import Address, Jobs, Share, Where
from echo.cli.grid_running import read_means
from echo.cli.screen import FAILED, exit_codes, note_console, out_console, print_json
from echo.cli.tasks_command import ablate, continual, mfm, tasks
from echo.cli.turns_command import turns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from echo.experiments.means import Means
    from echo.experiments.spec import UnlockSpec
    from echo.experiments.unlocking import GridOutcome

app = typer.Typer(no_args_is_help=True, help="Play experiments and keep one result file a run.")


@app.callback()
def run() -> None:
    """Play experiments and keep one result file a run."""


@app.command()
def unlock(
    context: typer.Context,
    agents: Annotated[
        str, typer.Option(help="Agents, by comma: none, edits, name-similarity, bow, echo.")
    ] = "none,edits,name-similarity,bow,echo",
    axes: Annotated[
        list[str] | None,
        typer.Option(help="Extra echo run: '-func' without an axis, 'func' with it alone. Repeat, or ';'."),
    ] = None,
    seeds: Annotated[str, typer.Option(help="'3' (seed 3 alone), '0-9' (both ends in it) or '1,5,8'.")] = "0",
    steps: Annotated[int, typer.Option(min=1, help="Counted actions a run.")] = 2_000,
    shots: Annotated[int, typer.Option(min=0, max=8, help="Recipes demonstrated before the start.")] = 2,
    jobs: Jobs = 0,
    executor: Where = "local",
    address: Address = None,
    share: Share = None,
    invented_names: Annotated[
        int | None, typer.Option(min=0, metavar="SEED", help="Rename every item, by this seed.")
    ] = None,
    encoder: Annotated[
        Literal["minilm", "hashing"], typer.Option(help="Text encoder; hashing knows no words.")
    ] = "minilm",
    record: Annotated[
        Literal["none", "unlocks", "all"], typer.Option(help="Episodes kept on disk.")
    ] = "unlocks",
    out: Annotated[Path, typer.Option(help="Results folder; finished runs in it are kept.")] = Path(
        "runs/unlock"
    ),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Unlock items from an empty memory, several agents side by side.

    A run that has a result in the folder is not played again; after a kill, give the same command.

    Example: echo-memory run unlock --agents edits,echo --axes -func --seeds 0-4 --steps 2000
    """
    with exit_codes():
        from echo.experiments.spec import UnlockSpec, make_grid, parse_agents, parse_seeds, parse_variants

        base = UnlockSpec(
            agent="echo",
            steps=steps,
            shots=shots,
            invented_names=invented_names,
            encoder=encoder,
            record=record,
        )
        specs = make_grid(
            base, agents=parse_agents(agents), variants=parse_variants(axes or ()), seeds=parse_seeds(seeds)
        )
        command = _command_line(context, axes or [])
        outcome = _play(specs, out, context.obj, command, read_means(context.params))
        _warn_of_foreign(outcome)
        if as_json:
            print_json(_outcome_json(outcome, out))
        else:
            _print_outcome(outcome, out)
    if outcome.failed:
        raise typer.Exit(FAILED)


def _play(specs: Sequence[UnlockSpec], out: Path, player: Any, command: str, means: Means) -> GridOutcome:
    """Play `specs` with `player` (the Minecraft world's where None), showing progress."""
    from echo.cli.progress import RunProgress
    from echo.experiments.trial import play_minecraft
    from echo.experiments.unlocking import run_grid

    own = specs if means.share is None else means.share.take(specs)
    with RunProgress(own, note_console()) as listener:
        return run_grid(
            specs, out, player=player or play_minecraft, command=command, listener=listener, means=means
        )


def _warn_of_foreign(outcome: GridOutcome) -> None:
    """Say on standard error, in one line, which kept results other code made than this."""
    from echo.experiments.provenance import code_commit, package_versions, tell_foreign

    kept = [run for run in outcome.results if run.spec.name in outcome.kept]
    told = tell_foreign(kept, code_commit(), package_versions())
    if told is not None:
        typer.echo(f"warning: {told}", err=True)


def _command_line(context: typer.Context, axes: list[str]) -> str:
    """Return the command as it would be typed, every setting written out that decides a result."""
    words = ["echo-memory", "run", "unlock"]
    for name in ("agents", "seeds", "steps", "shots", "invented_names", "encoder", "record"):
        if context.params[name] is not None:
            words += [f"--{name.replace('_', '-')}", str(context.params[name])]
    for mask in axes:
        words += ["--axes", mask]
    return shlex.join(words)


def _outcome_json(outcome: GridOutcome, out: Path) -> dict[str, Any]:
    from echo.experiments.results import run_file

    return {
        "out": str(out),
        "runs": [
            {
                "name": run.spec.name,
                "label": run.spec.label,
                "agent": run.spec.agent,
                "axes": [axis.value for axis in run.spec.axes],
                "seed": run.spec.seed,
                "unlocks": len(run.unlocks),
                "actions": run.actions,
                "ticks": run.ticks,
                "milestones": run.milestones,
                "result_digest": run.result_digest,
                "kept": run.spec.name in outcome.kept,
                "file": str(run_file(out, run.spec.name)),
            }
            for run in outcome.results
        ],
        "failed": outcome.failed,
    }


def _print_outcome(outcome: GridOutcome, out: Path) -> None:
    """Print one line a competitor, and what to do next."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    for heading in ("agent", "runs", "items, mean", "least", "most", "actions, mean"):
        table.add_column(heading, justify="left" if heading == "agent" else "right")
    by_label: dict[str, list[tuple[int, int]]] = {}
    for run in outcome.results:
        by_label.setdefault(run.spec.label, []).append((len(run.unlocks), run.actions))
    for label, rows in by_label.items():
        items, actions = [row[0] for row in rows], [row[1] for row in rows]
        mean, spent = sum(items) / len(rows), sum(actions) / len(rows)
        table.add_row(
            label.replace("[", r"\["),
            str(len(rows)),
            f"{mean:.1f}",
            str(min(items)),
            str(max(items)),
            f"{spent:,.0f}",
        )
    console = out_console()
    if outcome.results:
        console.print(table)
    if outcome.failed:
        # Why was told on standard error as it happened.
        tried = len(outcome.failed) + len(outcome.results)
        names = ", ".join(outcome.failed)
        console.print(f"failed: {len(outcome.failed)} of {tried} runs: {names}", markup=False, soft_wrap=True)
    if outcome.results:
        console.print(f"next: echo-memory report {shlex.quote(str(out))}", markup=False, soft_wrap=True)


for command in (tasks, continual, ablate, mfm, turns):
    app.command()(command)
