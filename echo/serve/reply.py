"""What a tool of the server is and answers, apart from any protocol."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict

JsonSchema = dict[str, Any]


class Refused(ValueError):
    """A call that cannot be answered; the text says what was expected, what came and what to do."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    """The answer of a tool."""

    text: str
    """What a model reads."""
    data: Mapping[str, Any] | None = None
    """The same for a program, JSON values only; None where the text says it all."""
    images: tuple[bytes, ...] = ()
    """PNG files, shown after the text in this order."""


class Arguments(BaseModel):
    """What a tool is asked with; the text under a field is what a model is told of it."""

    # A misspelt name that is passed over would answer another question than was asked.
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class NoArguments(Arguments):
    """Nothing to say."""


@dataclass(frozen=True, kw_only=True)
class MemoryTool:
    """One tool: a plain function, and what a client is told about it."""

    name: str
    title: str
    about: str
    """Description for the model that chooses among tools."""
    arguments: type[Arguments]
    call: Callable[[Any], Reply]
    """Takes one record of type `arguments`."""
    writes: bool = False
    """Whether it changes the memory; such tools are left out of a read-only server."""
    destroys: bool = False
    """Whether what it changes may be lost from sight (a file deleted or overwritten)."""
    repeatable: bool = True
    """Whether a second call with the same arguments changes nothing further."""
    output: JsonSchema | None = None
    """Schema of `Reply.data`, where every reply has it."""


def foreseen() -> tuple[type[Exception], ...]:
    """Return the errors of a tool whose text was written for who called."""
    from csd.encode import EncodeError
    from csd.store.errors import BankError
    from echo.experiments.results import ResultsError
    from echo.experiments.spec import UsageError
    from echo.mfm.layout import MfmError

    return (Refused, MfmError, BankError, EncodeError, ResultsError, UsageError, OSError)


def whole_text(text: str) -> str:
    r"""Return `text` as UTF-8 can carry it: halves of a character joined, a lone half as U+FFFD.

    Memory files may hold such halves as escapes; JSON-RPC messages may not.

    >>> whole_text("a\ud83d\ude00b\ud83d")
    'a😀b�'
    """
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def whole_json(value: Any) -> Any:
    """Return a JSON value as a message can carry it: whole texts, and NaN and infinities as their names.

    >>> whole_json({"x": float("nan"), "y": (1, 2.5)})
    {'x': 'NaN', 'y': [1, 2.5]}
    """
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, Mapping):
        return {whole_text(str(key)): whole_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [whole_json(item) for item in value]
    return value
