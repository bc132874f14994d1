"""A command-line program as a model: the prompt on its standard input, the completion on its output."""

from __future__ import annotations

from dataclasses import dataclass

from echo.mfm.consolidation.writer import WriterFailed
from echo.mfm.program import ProgramFailed, ask_program

SECONDS = 300.0


@dataclass(frozen=True, kw_only=True)
class CommandWriter:
    """A `Writer` that runs a command for each prompt, without a shell."""

    command: str
    """Program and arguments as in a shell, such as 'llm -m small'."""
    seconds: float = SECONDS
    """How long it may take."""

    def __call__(self, prompt: str) -> str:
        """Return what the command writes.

        Raises:
            WriterFailed: if it cannot be started, takes too long, fails, or writes no UTF-8.
        """
        try:
            return ask_program(self.command, prompt, seconds=self.seconds)
        except ProgramFailed as error:
            raise WriterFailed(str(error)) from error
