"""Reads the task files in ``data/tasks/``."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from csd.descriptor import canonical_json
from csd.resources import data_file
from echo.experiments.spec import UsageError
from echo.experiments.tasks import task as records
from echo.experiments.tasks.task import Task
from echo.worlds.minecraft.facts import Facts, load_facts

_NAMES = (
    "bed",
    "iron-pickaxe",
    "shield",
    "bridge-eq",
    "smelt-eq",
    "weapon-eq",
    "weapon-set",
    "tool-bench",
    "armor-set",
    "craft-grid",
    "craft-table",
    "furnace",
)


class TaskFileError(ValueError):
    """A task file is not as it should be."""


def task_names() -> tuple[str, ...]:
    """Return the names of the twelve tasks, in the order of all tables."""
    return _NAMES


def ladder_names() -> tuple[str, ...]:
    """Return the names of the ladder tasks, sorted."""
    stored = (file.name.removesuffix(".toml") for file in data_file("tasks").iterdir())
    return tuple(sorted(name for name in stored if name not in _NAMES and not name.startswith(".")))


@lru_cache(maxsize=64)
def load_task(name: str) -> Task:
    """Return the task called `name`.

    Raises:
        UsageError: if there is none, with the near names.
        TaskFileError: if its file is not as it should be.
    """
    known = (*_NAMES, *ladder_names())
    if name not in known:
        raise UsageError(f"expected a task out of {', '.join(known)}; got {name!r}.{_near(name, known)}")
    file = data_file("tasks", f"{name}.toml")
    task = read_task(file.read_text(encoding="utf-8"), where=f"tasks/{name}.toml")
    if task.name != name:
        raise TaskFileError(f"expected name = {name!r}; got {task.name!r} in tasks/{name}.toml.")
    return task


def read_task(text: str, *, where: str, facts: Facts | None = None) -> Task:
    """Read one task file.

    Args:
        text: The TOML.
        where: Its place, for messages.
        facts: What names are known; the game's when None.

    Raises:
        TaskFileError: if it is no TOML, has unknown keys or values out of range, or names unknown things.
    """
    try:
        task = Task.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise TaskFileError(f"expected TOML; got {error} in {where}.") from error
    except ValidationError as error:
        raise TaskFileError(_first_fault(error, where)) from error
    _check_names(task, load_facts() if facts is None else facts, where)
    return task


def tasks_digest(names: Sequence[str]) -> str:
    """Return the sha256 over the contents of the tasks `names`, 64 hexadecimal digits; order matters not."""
    told = {name: load_task(name).model_dump(mode="json") for name in sorted(dict.fromkeys(names))}
    return hashlib.sha256(canonical_json(told).encode()).hexdigest()


def _check_names(task: Task, facts: Facts, where: str) -> None:
    everything = {**facts.items, **facts.mobs}
    known: Mapping[str, Mapping[str, object]] = {
        "items": facts.items,
        "blocks": facts.blocks,
        "mobs": facts.mobs,
        "text": everything,
    }
    for kind, names in task.named().items():
        for name in names:
            if name not in known[kind]:
                noun = "items or mobs" if kind == "text" else kind
                raise TaskFileError(
                    f"expected {noun} of the game; got {name!r} in {where}.{_near(name, tuple(known[kind]))}"
                )


def _first_fault(error: ValidationError, where: str) -> str:
    # A misspelt key shows up twice, as unknown and as missing; the first says what to do.
    faults = sorted(error.errors(), key=lambda fault: fault["type"] != "extra_forbidden")
    fault = faults[0]
    place = ".".join(str(part) for part in fault["loc"]) or "the whole"
    more = f" ({error.error_count() - 1} more)" if error.error_count() > 1 else ""
    if fault["type"] == "extra_forbidden":
        key = str(fault["loc"][-1])
        return f"expected known keys; got {place!r} in {where}{more}.{_near(key, _every_key())}"
    if fault["type"] == "missing":
        return f"expected the key {place!r}; got none in {where}{more}."
    said = fault["msg"].removeprefix("Value error, ")
    if fault["type"] == "value_error":
        return f"{said} At {place!r} in {where}{more}."
    return f"expected another value for {place!r} in {where}{more}; got {fault['input']!r:.60}: {said}."


def _every_key() -> tuple[str, ...]:
    every: dict[str, Any] = {}
    for value in vars(records).values():
        if isinstance(value, type) and issubclass(value, BaseModel):
            every.update(value.model_fields)
    return tuple(every)


def _near(text: str, known: tuple[str, ...]) -> str:
    near = get_close_matches(text.lower(), known, n=3, cutoff=0.5)
    return f" Did you mean {' or '.join(near)}?" if near else ""
