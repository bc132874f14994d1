"""Ask a program on this machine: text in, text out, in bounded time and size. Standard library only."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import threading
from contextlib import suppress
from typing import IO

MOST_BYTES = 4 * 1024 * 1024
"""Of an answer; a program that writes more is stopped."""

_SHOWN = 300
_BLOCK = 65_536
_LAST_SECONDS = 2.0
"""How long to wait for the end of an output that something else keeps open."""


class ProgramFailed(RuntimeError):
    """A program gave no answer; the text says why."""


def words_of(command: str) -> list[str]:
    """Return the words of a command whose program is there.

    Raises:
        ProgramFailed: if it cannot be read as words, or there is no such program.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ProgramFailed(f"expected a command, got {command!r} ({error})") from error
    if not words:
        raise ProgramFailed("expected a command, got an empty text")
    if shutil.which(words[0]) is None:
        raise ProgramFailed(f"expected to start {words[0]}, got no such program. Check its name and path.")
    return words


def ask_program(command: str, given: str, *, seconds: float) -> str:
    """Run `command` with `given` on its standard input, without a shell, and return what it writes.

    When it takes too long or writes too much, it is stopped with all that it started.

    Args:
        command: Program and arguments as in a shell, such as 'llm -m small'.
        given: What it reads, as UTF-8; half a character is written as an escape.
        seconds: How long it may take.

    Raises:
        ProgramFailed: if it cannot be started, takes too long, writes more than `MOST_BYTES` or no UTF-8,
            or fails.
    """
    words = words_of(command)
    try:
        child = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise ProgramFailed(f"expected to start {words[0]}, got {error.strerror or error}") from error
    talk = _Talk(child, given.encode("utf-8", "backslashreplace"))
    try:
        child.wait(seconds)
    except subprocess.TimeoutExpired as error:
        raise ProgramFailed(f"expected an answer of {words[0]} within {seconds:g} s, got none") from error
    finally:
        talk.end()
    if talk.too_much:
        raise ProgramFailed(f"expected at most {MOST_BYTES:,} bytes of {words[0]}, got more")
    if child.returncode != 0:
        told = talk.said.decode("utf-8", "replace").strip()[-_SHOWN:]
        raise ProgramFailed(
            f"expected exit code 0 of {words[0]}, got {child.returncode}{f' ({told})' if told else ''}"
        )
    try:
        return talk.written.decode()
    except UnicodeDecodeError as error:
        raise ProgramFailed(f"expected UTF-8 from {words[0]}, got something else ({error})") from error


class _Talk:
    """Writes to a program and reads what it writes, in threads, so that no pipe can block another."""

    def __init__(self, child: subprocess.Popen[bytes], given: bytes) -> None:
        self.written, self.said, self.too_much = bytearray(), bytearray(), False
        self._child, self._given = child, given
        work = (self._write, self._read, self._listen)
        self._threads = [threading.Thread(target=each, daemon=True) for each in work]
        for thread in self._threads:
            thread.start()

    def end(self) -> None:
        """Stop the program with all that it started, and take in what it had written."""
        self._kill()
        self._child.wait()
        for thread in self._threads:
            thread.join(_LAST_SECONDS)

    def _write(self) -> None:
        with suppress(OSError, ValueError), _pipe(self._child.stdin) as pipe:
            pipe.write(self._given)

    def _read(self) -> None:
        with suppress(OSError, ValueError), _pipe(self._child.stdout) as pipe:
            while block := os.read(pipe.fileno(), _BLOCK):
                self.written += block
                if len(self.written) > MOST_BYTES:
                    self.too_much = True
                    self._kill()
                    return

    def _listen(self) -> None:
        with suppress(OSError, ValueError), _pipe(self._child.stderr) as pipe:
            while block := os.read(pipe.fileno(), _BLOCK):
                self.said = (self.said + block)[-_BLOCK:]

    def _kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._child.pid, signal.SIGKILL)


def _pipe(pipe: IO[bytes] | None) -> IO[bytes]:
    if pipe is None:
        raise ValueError("expected a pipe, got none")
    return pipe
