"""Reader of descriptors as Echo's released code writes them: one JSON object, task id -> entry.

Source: the released sample memory of Echo. Entries hold free text where ours hold triples, write `Inter` or
`inter`, and may lack whole axes; they carry no episode, so that evidence can only point into the entry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from csd.axes import Axis
from csd.descriptor import Evidence, Statement


def _text_as_mapping(value: Any) -> Any:
    """Take a bare text, as some entries have it for an axis, for the description."""
    return {"description": value} if isinstance(value, str) else value


class ReleasedRecord(BaseModel):
    """An immutable part of an entry; fields that we do not know are kept out, and named."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, populate_by_name=True)


class ReleasedMeta(ReleasedRecord):
    """Circumstances of an entry."""

    task: str
    """The goal in words."""
    agent_pos: tuple[float, float, float] | None = None
    facing: str | None = None
    time_step: int | None = None
    world_time: str | None = None
    biome: str | None = None
    observed_objects: tuple[str, ...] = ()


class ReleasedInter(ReleasedRecord):
    """What the entry tells of acting."""

    detailed: str = ""
    summary: str = ""
    hist: tuple[str, ...] = Field(default=(), validation_alias=AliasChoices("hist", "history"))
    """One line an action, in order."""


def _inter(value: Any) -> Any:
    return {"detailed": value} if isinstance(value, str) else value


class ReleasedEntry(ReleasedRecord):
    """One released descriptor, with its axes as written; an axis that is missing is empty."""

    task_id: str
    generated_at: str | None = None
    meta: ReleasedMeta
    struct: Annotated[dict[str, str], BeforeValidator(_text_as_mapping)] = {}
    attr: dict[str, dict[str, str]] = {}
    proc: Annotated[dict[str, str], BeforeValidator(_text_as_mapping)] = {}
    func: dict[str, str] = {}
    inter: Annotated[ReleasedInter, BeforeValidator(_inter)] = Field(
        default=ReleasedInter(), validation_alias=AliasChoices("Inter", "inter")
    )
    format: Literal["echo-released"] = "echo-released"

    def axis(self, axis: Axis) -> tuple[Statement, ...]:
        """Return the entry's content on `axis` as triples whose evidence is the place in the entry.

        Free text keeps the key it stood under as its predicate ('description', 'color', 'role', 'hist'), so
        that these triples are read like a descriptor's but are never taken for grounded ones.
        """
        match axis:
            case Axis.STRUCT | Axis.PROC:
                texts: Mapping[str, str] = self.struct if axis is Axis.STRUCT else self.proc
                facts = [(self.task_id, key, text) for key, text in texts.items()]
            case Axis.ATTR:
                facts = [
                    (name, key, text) for name, traits in self.attr.items() for key, text in traits.items()
                ]
            case Axis.FUNC:
                facts = [(name, "role", text) for name, text in self.func.items()]
            case Axis.INTER:
                inter = self.inter
                facts = [(self.task_id, "detailed", inter.detailed), (self.task_id, "summary", inter.summary)]
                facts += [(self.task_id, "hist", line) for line in inter.hist]
        return tuple(
            Statement(subject=subject, predicate=key, value=text, evidence=(self._evidence(axis, number),))
            for number, (subject, key, text) in enumerate(facts)
            if text
        )

    def _evidence(self, axis: Axis, number: int) -> Evidence:
        return Evidence(
            episode=self.task_id, step=number, kind="observation", detail=f"{axis.value}[{number}]"
        )


def read_released(text: str) -> tuple[ReleasedEntry, ...]:
    """Read a released memory file.

    Args:
        text: JSON of an object task id -> entry, or of one entry.

    Returns:
        The entries, in the order of the file.

    Raises:
        ValueError: if the text is not JSON, holds no entries, or a field is missing, unknown
            or of the wrong kind; the message names each such field as "task.field".
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise ValueError(
            f"expected JSON of released descriptors; got {error.msg} at line {error.lineno}, column "
            f"{error.colno}. Pass the file as it was released."
        ) from error
    if not isinstance(value, dict) or not value:
        raise ValueError(
            f"expected a JSON object task id -> entry; got {type(value).__name__} of length "
            f"{len(value) if isinstance(value, (dict, list, str)) else 0}. Pass the file as it was released."
        )
    entries = {value["task_id"]: value} if isinstance(value.get("task_id"), str) else value
    return tuple(read_entry(name, entry) for name, entry in entries.items())


def read_entry(name: str, value: Any) -> ReleasedEntry:
    """Read one released entry.

    Args:
        name: the task id it is filed under; taken where the entry does not repeat it.
        value: the entry as JSON gave it.

    Raises:
        ValueError: if a field is missing, unknown or of the wrong kind; the message names each one.
    """
    if not isinstance(value, dict):
        raise ValueError(f"expected an object for {name}; got {type(value).__name__}. Mend or remove it.")
    present = {key: part for key, part in value.items() if part is not None}
    try:
        return ReleasedEntry.model_validate({"task_id": name, **present})
    except ValidationError as error:
        faults = "; ".join(f"{_path(name, fault['loc'])}: {fault['msg']}" for fault in error.errors())
        raise ValueError(
            f"expected an entry with meta.task and known fields; got {faults}. Mend or remove these fields."
        ) from error


def _path(name: str, location: tuple[int | str, ...]) -> str:
    return ".".join((name, *map(str, location)))
