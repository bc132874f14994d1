"""Tasks as a model writes them: their bounded schema, and reading what was really written.

Source: Echo eq. 1 (a plan and assertions).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from csd.by_model.tolerant import Unreadable, read_json
from csd.chat import JsonSchema
from ical.asking import prompts
from ical.asking.words import action_schema, name_schema, record, short_text

MOST_ACTIONS = 4
"""Actions of one task, at most."""

MOST_CLAIMS = 4
"""Assertions that a model may add to those that follow from the actions."""

_NOTHING = ("", ".", "-", "air", "empty", "none", "null", "nothing")
"""What models write for an empty cell."""


def _name(value: Any) -> Any:
    """Return a name as worlds spell it: 'minecraft:Oak Planks' is oak_planks."""
    if not isinstance(value, str):
        return value
    return value.strip().lower().removeprefix("minecraft:").replace(" ", "_").replace("-", "_")


def _cell(value: Any) -> Any:
    return None if isinstance(value, str) and value.strip().lower() in _NOTHING else _name(value)


Name = Annotated[str, BeforeValidator(_name), Field(pattern=r"^[^\s,;:]{1,60}$")]
Cell = Annotated[
    Annotated[str, Field(pattern=r"^[^\s,;:]{1,60}$")] | None,
    BeforeValidator(_cell),
]
Row = Annotated[tuple[Cell, ...], Field(min_length=1, max_length=3)]


class _Part(BaseModel):
    """Part of an answer; what else a model adds is left out."""

    model_config = ConfigDict(frozen=True, extra="ignore", populate_by_name=True)


class CraftStep(_Part):
    """Lay a grid."""

    do: Literal["craft"]
    grid: Annotated[tuple[Row, ...], Field(min_length=1, max_length=3)]


class SmeltStep(_Part):
    """Smelt one input with a fuel."""

    do: Literal["smelt"]
    input: Name
    fuel: Name


class PlaceStep(_Part):
    """Put an item down."""

    do: Literal["place"]
    item: Name


class CollectStep(_Part):
    """Dig a kind of block."""

    do: Literal["collect"]
    block: Name


class AttackStep(_Part):
    """Fight a kind of creature."""

    do: Literal["attack"]
    mob: Name


Written = Annotated[CraftStep | SmeltStep | PlaceStep | CollectStep | AttackStep, Field(discriminator="do")]


class Claim(_Part):
    """One assertion; kinds as in `ical.task.Assertion`."""

    kind: Literal["holds", "station", "uses", "gains"]
    item: Name | None = None
    amount: Annotated[int, Field(ge=1, le=999)] = 1


class Draft(_Part):
    """One task as it was written."""

    like: str | None = None
    """Label of the experience that it is carried over from."""
    goal: Annotated[str, Field(max_length=200)] = ""
    actions: Annotated[tuple[Written, ...], Field(min_length=1, max_length=MOST_ACTIONS)]
    expect: Annotated[str, Field(max_length=200)] | None = None
    claims: Annotated[tuple[Claim, ...], Field(alias="assert", max_length=2 * MOST_CLAIMS)] = ()


class Wanted(_Part):
    """A thing to hold."""

    item: Name
    amount: Annotated[int, Field(ge=1, le=999)] = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """What could be read of an answer."""

    drafts: tuple[Draft, ...]
    """In the order in which they were written."""
    faults: tuple[str, ...]
    """What could not be read or had to be left out, in words."""
    mended: tuple[str, ...] = ()
    """What was not JSON by the letter and was taken all the same."""


def tasks_schema(
    names: tuple[str, ...], labels: tuple[str, ...], most: int, *, lays: bool = False
) -> JsonSchema:
    """Return the bounded schema of an answer with 1 to `most` tasks.

    Args:
        names: that actions may use; any name where there are none.
        labels: of the experiences told; a task is like one of them, or like none where none was told.
        most: tasks, at most.
        lays: whether tasks consist of crafting, smelting and placing alone.
    """
    name = name_schema(names)
    claim = record(
        kind={"enum": ["holds", "uses"]}, item=name, amount={"type": "integer", "minimum": 1, "maximum": 64}
    )
    task = record(
        like={"enum": list(labels)} if labels else {"type": "null"},
        goal=short_text(60),
        actions={
            "type": "array",
            "items": action_schema(names, lays=lays),
            "minItems": 1,
            "maxItems": MOST_ACTIONS,
        },
        expect=short_text(40),
        **{"assert": {"type": "array", "items": claim, "maxItems": MOST_CLAIMS}},
    )
    return record(tasks={"type": "array", "items": task, "minItems": 1, "maxItems": most})


def read_tasks(text: str, most: int) -> Reading:
    """Read the tasks in what a model answered; a task that cannot be read costs itself alone.

    The example of the prompt, given back, counts as nothing read. An answer that is one bare task counts as
    a list of one.
    """
    try:
        read = read_json(text, fits=_is_answer)
    except Unreadable as error:
        return Reading(drafts=(), faults=(str(error),))
    if read.value == prompts.example():
        fault = "expected tasks of your own; got the example of the question"
        return Reading(drafts=(), faults=(fault,), mended=read.mended)
    found = read.value.get("tasks", [read.value] if "actions" in read.value else None)
    if not isinstance(found, list) or not found:
        got = "an empty list" if found == [] else f"the keys {', '.join(map(repr, read.value))[:80]}"
        fault = f'expected {{"tasks": [...]}} with at least one task; got {got}'
        return Reading(drafts=(), faults=(fault,), mended=read.mended)
    drafts, faults = [], []
    for number, one in enumerate(found[:most], start=1):
        if one in prompts.example()["tasks"]:
            faults.append(f"task {number}: expected one of your own; got the example of the question")
            continue
        try:
            drafts.append(Draft.model_validate(one))
        except ValidationError as error:
            faults += [f"task {number}: {fault}" for fault in _faults(error)]
    if len(found) > most:
        faults.append(f"expected at most {most} tasks; got {len(found)}: the rest was left out")
    return Reading(drafts=tuple(drafts), faults=tuple(faults), mended=read.mended)


def _is_answer(value: dict[str, Any]) -> bool:
    return ("tasks" in value or "actions" in value) and value != prompts.example()


def _faults(error: ValidationError) -> list[str]:
    """Return what is wrong with a task, key by key, at most two."""
    said = []
    for one in error.errors(include_url=False)[:2]:
        where = ".".join(str(part) for part in one["loc"]) or "the task"
        got = str(one["input"])[:60]
        said.append(f"{one['msg'][:1].lower()}{one['msg'][1:]} at {where}; got {got!r}")
    return said
