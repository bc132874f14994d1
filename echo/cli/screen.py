"""What every command shares: where text goes, and which exit code a failure has."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from echo.mfm.plain_text import plain

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


class InputError(ValueError):
    """A file that a command was given and cannot take; it ends with exit code 1."""


RUNS_KEPT = "finished runs are kept, the same command goes on from there"


@contextmanager
def exit_codes(interrupted: str = RUNS_KEPT) -> Iterator[None]:
    """Turn the errors a user can cause into a message and an exit code: 2 for wrong use, 1 otherwise.

    Errors that nobody foresaw pass through with their traceback.

    Args:
        interrupted: what to say of the state that Ctrl-C leaves.
    """
    from csd.encode import EncodeError
    from csd.store.errors import BankError
    from echo.experiments.results import ResultsError
    from echo.experiments.spec import UsageError
    from echo.mfm.layout import MfmError

    try:
        yield
    except BrokenPipeError:
        raise  # Whoever read has enough; typer ends quietly.
    except UsageError as error:
        typer.echo(f"error: {_plain(error)}", err=True)
        raise typer.Exit(WRONG_USE) from error
    except (BankError, EncodeError, InputError, ResultsError, MfmError, OSError) as error:
        typer.echo(f"error: {_plain(error)}", err=True)
        raise typer.Exit(FAILED) from error
    except KeyboardInterrupt as error:
        typer.echo(f"interrupted; {interrupted}", err=True)
        raise typer.Exit(FAILED) from error


def _plain(error: Exception) -> str:
    """Return what an error says; it may quote a file whose control characters must not steer the terminal."""
    said = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        said = f"expected to read or write {error.filename}; got {error.strerror or type(error).__name__}."
    return "\n".join(map(plain, said.split("\n")))
