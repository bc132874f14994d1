"""The lines of an archive, and what they say in the terms of a bank."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from csd.descriptor import canonical_json
from csd.store.errors import BankError
from csd.store.rows import MAX_RECORD_BYTES, Draft, draft_held
from csd.store.where import microseconds


class Line(BaseModel):
    """A strict, immutable line, or a part of one."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class MadeWith(Line):
    """What the vectors were made with; see `csd.store.file.Identity`."""

    name: str
    dimension: int
    rendering: int


class Counts(Line):
    """How many lines of each kind follow the header."""

    descriptors: int
    links: int
    credit: int
    failures: int


class Header(Line):
    """The first line."""

    archive: Literal["echo-memory bank"] = "echo-memory bank"
    format: Literal[1] = 1
    tool: str
    """Version of echo-memory that wrote it."""
    encoder: MadeWith
    counts: Counts


class FiledLine(Line):
    """One filing of a descriptor."""

    agent: str
    life: str
    recorded: str
    """ISO time with a zone."""
    tags: list[str]


class SupersededLine(Line):
    """That a descriptor is superseded."""

    at: str
    """ISO time with a zone."""
    by: str | None
    """Id of what took its place; None if that was removed."""
    step: int


class CsdLine(Line):
    """A descriptor with its vectors and what became of it."""

    csd: str
    """Its id."""
    filings: list[FiledLine]
    record: dict[Any, Any]
    """The record, whose canonical JSON the id is made from."""
    recorded: str
    superseded: SupersededLine | None
    valid_from: int
    vectors: dict[str, str]
    """Axis -> Base64 of little-endian float16."""


class LinkLine(Line):
    """A link between two descriptors."""

    link: list[str]
    """[source id, kind, target id]"""


class CreditLine(Line):
    """Credit of one descriptor on one axis."""

    axis: str
    credit: str
    """The descriptor's id."""
    failures: float
    successes: float


class FailureLine(Line):
    """A logged failure."""

    conditions: dict[Any, Any]
    failure: int
    """Its number."""
    key: str
    step: int
    used: list[str]


class EndLine(Line):
    """The last line."""

    end: str
    """SHA-256 of all bytes before this line."""


KINDS: tuple[tuple[str, type[Line]], ...] = (
    ("archive", Header),
    ("csd", CsdLine),
    ("link", LinkLine),
    ("credit", CreditLine),
    ("failure", FailureLine),
    ("end", EndLine),
)
"""The field that tells each kind of line, in the order of the file."""


State = tuple[int, int | None, str | None, int | None]
"""(valid_from, superseded_step, superseded_by, superseded_at) as they are stored."""


def draft_of(archive: Path, number: int, line: CsdLine) -> Draft:
    """Return the descriptor of line `number` of an archive, ready to be written.

    Raises:
        BankError: on a record that is not what its id was made from, no descriptor, or too long.
    """
    try:
        record = canonical_json(line.record)
        draft = draft_held(line.csd, record, "the archive")
    except (BankError, ValueError) as error:
        raise refused(archive, number, f"the record of {line.csd}", str(error)) from error
    if len(record) > MAX_RECORD_BYTES:
        raise refused(archive, number, f"a record of at most {MAX_RECORD_BYTES} bytes", str(len(record)))
    return draft


def state_of(line: CsdLine) -> State:
    """Return the state of a descriptor as it is stored."""
    if line.superseded is None:
        return (line.valid_from, None, None, None)
    at = microseconds(moment_of(line.superseded.at))
    return (line.valid_from, line.superseded.step, line.superseded.by, at)


def moment_of(text: str) -> datetime:
    """Return the time that `text` says.

    Raises:
        ValueError: on a text that is no ISO time with a zone.
    """
    time = datetime.fromisoformat(text)
    if time.utcoffset() is None:
        raise ValueError(f"the time {text} without a zone")
    return time


def refused(path: Path, number: int, expected: str, got: str) -> BankError:
    """Return the error for line `number` of an archive."""
    return BankError(
        f"expected {expected} in line {number} of {path}; got {got}. The file is no archive of a bank, or "
        f"was altered or cut off: take another copy, or export it again. Nothing was changed."
    )
