"""Reading descriptors that a user hands in: one JSON object, a list, one a line, or released ones."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from echo.cli.episode_describing import Builder, describe_folder
from echo.cli.screen import InputError
from echo.experiments.spec import UsageError

if TYPE_CHECKING:
    from csd.descriptor import Csd

STDIN = "-"


@dataclass(frozen=True, kw_only=True, slots=True)
class Handed:
    """A JSON value that a file holds, and where."""

    where: str
    """Such as 'new.json' or 'new.jsonl, line 3'."""
    value: Any


def read_descriptors(file: Path, success: bool | None = None, builder: Builder | None = None) -> list[Csd]:
    """Return the descriptors in `file`, in its order; '-' is standard input.

    Args:
        file: one descriptor, a JSON list of them, JSON lines, a released memory file, or a memory folder,
            whose episodes are described.
        success: whether released entries reached their goal, where their history does not say.
        builder: who describes the episodes of a memory folder; None is the rules.

    Raises:
        InputError: if the file cannot be read or one of its records is no descriptor; names line and field.
        UsageError: if a model is to describe what is no memory folder.
    """
    if file.is_dir():
        return describe_folder(file, builder or Builder())
    if builder is not None and builder.is_model:
        raise UsageError(
            f"expected a memory folder, whose episodes {builder.name} can describe; got {file}. "
            f"Leave out --builder: a file holds descriptors already."
        )
    handed = list(_split(_text(file), "standard input" if str(file) == STDIN else str(file)))
    return [csd for one in handed for csd in _descriptors(one, success)]


def read_descriptor(file: Path, success: bool | None = None) -> Csd:
    """Return the one descriptor in `file`.

    Raises:
        InputError: as in `read_descriptors`, or if there is not exactly one.
    """
    found = read_descriptors(file, success)
    if len(found) != 1:
        raise InputError(f"expected one descriptor in {file}; got {len(found)}. Give a file of one.")
    return found[0]


def _text(file: Path) -> str:
    try:
        data = sys.stdin.buffer.read() if str(file) == STDIN else file.read_bytes()
    except FileNotFoundError as error:
        raise InputError(f"expected a file of descriptors at {file}; got none. Check the path.") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"expected UTF-8 text in {file}; got byte {data[error.start]:#04x} at offset {error.start}. "
            f"Save the file as UTF-8."
        ) from error


def _split(text: str, name: str) -> Iterator[Handed]:
    """Yield the records of a file, whichever of the forms it has."""
    lines = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
    if len(lines) > 1 and _is_json(lines[0][1]):
        for number, line in lines:
            yield Handed(where=f"{name}, line {number}", value=_json(line, name, number))
        return
    value = _json(text, name, 1)
    if isinstance(value, list):
        for place, one in enumerate(value):
            yield Handed(where=f"{name}, record {place + 1} of {len(value)}", value=one)
    else:
        yield Handed(where=name, value=value)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _json(text: str, name: str, first_line: int) -> Any:
    try:
        return json.loads(text, object_pairs_hook=_object)
    except json.JSONDecodeError as error:
        raise InputError(
            f"expected JSON in {name}; got {error.msg} at line {first_line + error.lineno - 1}, "
            f"column {error.colno}. Write one descriptor, a list of them, or one a line."
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"expected JSON in {name}; got {error} in what begins at line {first_line}. Write one "
            f"descriptor, a list of them, or one a line."
        ) from error


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object, each of whose keys was given once: of two values one would be lost."""
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the key {twice!r} twice in one object")
    return found


def _descriptors(handed: Handed, success: bool | None) -> list[Csd]:
    if not isinstance(handed.value, dict):
        raise InputError(
            f"expected a JSON object in {handed.where}; got {type(handed.value).__name__}. "
            f"A descriptor is an object with meta and its axes."
        )
    if _is_released(handed.value):
        return _released(handed, success)
    return [_descriptor(handed)]


def _is_released(value: dict[str, Any]) -> bool:
    """Whether an object is an entry, or a map of entries, in the released form."""
    if isinstance(value.get("task_id"), str):
        return True
    entries = list(value.values())
    return bool(entries) and all(
        isinstance(one, dict) and ("task_id" in one or "meta" in one) for one in entries
    )


def _descriptor(handed: Handed) -> Csd:
    from pydantic import ValidationError

    from csd.descriptor import Csd

    # As text: JSON has lists where the model has tuples, which only its reader of text takes for such.
    text = json.dumps(handed.value, ensure_ascii=False)
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise InputError(
            f"expected whole Unicode text in {handed.where}; got half a surrogate pair, "
            f"{text[error.start : error.end]!r}, after {text[: error.start][-30:]!r}. Nothing was added."
        ) from error
    try:
        return Csd.from_json(text)
    except ValidationError as error:
        faults = error.errors(include_url=False)
        told = "; ".join(f"{_field(fault['loc'])}: {fault['msg']}" for fault in faults[:5])
        more = f"; and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise InputError(
            f"expected a descriptor in {handed.where}; got {told}{more}. Mend this; nothing was added."
        ) from error


def _field(location: tuple[int | str, ...]) -> str:
    """Return the place of a field as it would be written: 'struct[0].value'."""
    told = ""
    for step in location:
        told += f"[{step}]" if isinstance(step, int) else f".{step}" if told else step
    return told or "the record"


def _released(handed: Handed, success: bool | None) -> list[Csd]:
    from csd.released import read_released
    from csd.released_facts import csd_of_released

    try:
        found = [csd_of_released(entry, success) for entry in read_released(json.dumps(handed.value))]
    except ValueError as error:
        raise InputError(f"{error} (in {handed.where}; nothing was added.)") from error
    typer.echo(f"released entries in {handed.where}: kept what their histories bear out", err=True)
    return found
