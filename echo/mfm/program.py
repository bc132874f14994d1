"""Ask a program on this machine: text in, text out, in bounded time. Standard library only."""

from __future__ import annotations

import shlex
import subprocess

_SHOWN = 300


class ProgramFailed(RuntimeError):
    """A program gave no answer; the text says why."""


def ask_program(command: str, given: str, *, seconds: float) -> str:
    """Run `command` with `given` on its standard input, without a shell, and return what it writes.

    Args:
        command: Program and arguments as in a shell, such as 'llm -m small'.
        given: What it reads, as UTF-8; half a character is written as an escape.
        seconds: How long it may take.

    Raises:
        ProgramFailed: if it cannot be started, takes too long, fails, or writes no UTF-8.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ProgramFailed(f"expected a command, got {command!r} ({error})") from error
    if not words:
        raise ProgramFailed("expected a command, got an empty text")
    try:
        done = subprocess.run(
            words,
            input=given.encode("utf-8", "backslashreplace"),
            capture_output=True,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ProgramFailed(f"expected an answer of {words[0]} within {seconds:g} s, got none") from error
    except OSError as error:
        raise ProgramFailed(f"expected to start {words[0]}, got {error.strerror or error}") from error
    if done.returncode != 0:
        said = done.stderr.decode("utf-8", "replace").strip()[-_SHOWN:]
        raise ProgramFailed(
            f"expected exit code 0 of {words[0]}, got {done.returncode}{f' ({said})' if said else ''}"
        )
    try:
        return done.stdout.decode()
    except UnicodeDecodeError as error:
        raise ProgramFailed(f"expected UTF-8 from {words[0]}, got something else ({error})") from error
