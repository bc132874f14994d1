"""``echo-memory bench``: what the memory costs on this machine, beside others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from echo.cli.recovery_command import recovery
from echo.cli.screen import exit_codes, note_console, print_json

app = typer.Typer(no_args_is_help=True)


@app.callback()
def bench() -> None:
    """Measure the memory engine on this machine."""


app.command("recovery")(recovery)


@app.command("retrieval")
def retrieval(
    sizes: Annotated[str, typer.Option(help="Numbers of records, separated by commas.")] = "10000",
    peers: Annotated[
        str,
        typer.Option(
            help="'installed', 'none', 'all' (at every size, for hours), or names separated by commas."
        ),
    ] = "installed",
    embeddings: Annotated[
        Literal["synthetic", "real"],
        typer.Option(help="Synthetic clusters, or real embeddings of descriptors of recorded runs."),
    ] = "synthetic",
    seed: Annotated[int, typer.Option(min=0, help="Of synthetic data and of the questions.")] = 0,
    queries: Annotated[int, typer.Option(min=1, help="Questions of each kind.")] = 200,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder of results.json and the plot.")] = Path(
        "runs/bench-retrieval"
    ),
    cache: Annotated[
        Path, typer.Option(metavar="DIR", help="Folder of real descriptors and their embeddings.")
    ] = Path("runs/bench-cache"),
    minutes: Annotated[
        float, typer.Option(min=0.0, help="How long real descriptors may be gathered if there are too few.")
    ] = 10.0,
    cue: Annotated[bool, typer.Option(help="Time word search from the shell too.")] = True,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object with every number.")] = False,
) -> None:
    """Compare searches, writes, memory and disk of the bank with other engines, one process each.

    Results are written after each engine; the same command goes on where it was interrupted.

    Example: echo-memory bench retrieval --sizes 10000,100000 --peers numpy,faiss-flat
    """
    with exit_codes():
        from echo.bench.retrieval.bars import judge
        from echo.bench.retrieval.run import PLOT, BenchError, Plan, run
        from echo.bench.retrieval.table import tell
        from echo.experiments.spec import UsageError

        console = note_console()
        with console.status("starting") as status:

            def progress(told: str) -> None:
                if console.is_terminal:
                    status.update(told)
                else:
                    console.print(told, markup=False)

            try:
                results = run(
                    Plan(
                        sizes=_numbers(sizes),
                        peers=peers,
                        embeddings=embeddings,
                        seed=seed,
                        queries=queries,
                        out=out,
                        cache=cache,
                        minutes=minutes,
                        cue=cue,
                    ),
                    progress,
                )
            except BenchError as error:
                raise UsageError(str(error)) from error
        if as_json:
            print_json({**results, "bars": [verdict.as_json() for verdict in judge(results)]})
        else:
            typer.echo(tell(results))
            typer.echo(f"\nresults: {out / 'results.json'}\nplot: {out / PLOT}")


def _numbers(text: str) -> tuple[int, ...]:
    """Read numbers separated by commas.

    Raises:
        UsageError: on anything else.
    """
    from echo.experiments.spec import UsageError

    try:
        return tuple(int(part.replace("_", "")) for part in text.split(",") if part.strip())
    except ValueError as error:
        raise UsageError(f"expected --sizes as numbers separated by commas; got {text!r}.") from error
