"""What every command shares: where text goes, and which exit code a failure has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

FAILED = 1
WRONG_USE = 2


def out_console() -> Console:
    """Return a console for results on standard output; plain text where that is no terminal."""
    from rich.console import Console

    return Console(highlight=False)


def note_console() -> Console:
    """Return a console for progress and notes on standard error."""
    from rich.console import Console

    return Console(stderr=True, highlight=False)


def print_json(value: Any) -> None:
    """Print one JSON object on standard output and nothing else."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


@contextmanager
def exit_codes() -> Iterator[None]:
    """Turn the errors a user can cause into a message and an exit code: 2 for wrong use, 1 otherwise.

    Errors that nobody foresaw pass through with their traceback.
    """
    from echo.experiments.results import ResultsError
    from echo.experiments.spec import UsageError
    from echo.mfm.layout import MfmError

    try:
        yield
    except UsageError as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(WRONG_USE) from error
    except (ResultsError, MfmError, OSError) as error:
        typer.echo(f"error: {error}", err=True)
        raise typer.Exit(FAILED) from error
    except KeyboardInterrupt as error:
        typer.echo("interrupted; finished runs are kept, the same command goes on from there", err=True)
        raise typer.Exit(FAILED) from error
