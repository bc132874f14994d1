"""Programs that a command is told to ask."""

from __future__ import annotations

from echo.cli.screen import InputError


def present(command: str) -> str:
    """Return `command` if its program is there, before anything is done for it.

    Raises:
        InputError: if it cannot be read as words, or there is no such program.
    """
    from echo.mfm.program import ProgramFailed, words_of

    try:
        words_of(command)
    except ProgramFailed as error:
        raise InputError(str(error)) from error
    return command
