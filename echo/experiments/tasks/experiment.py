"""What an experiment on tasks consists of, read from a spec file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, get_args

from pydantic import Field, ValidationError

from echo.experiments.reasoner_names import RULE
from echo.experiments.spec import FileRecord, UsageError
from echo.experiments.spec_files import SIZES, read_settings, told
from echo.experiments.tasks.competitors import Competitor
from echo.experiments.tasks.loading import TaskFileError, load_task
from echo.experiments.tasks.records import Kind

MIXING: tuple[Kind, ...] = ("continual",)
"""Kinds whose runs draw another task each episode, so that they name none."""

MOST = 10_000
"""Runs a cell, and episodes a run, at most: all of them are held in memory."""

_KINDS: tuple[Kind, ...] = get_args(Kind)


class SkillPair(FileRecord):
    """A task played once without and once with what was learned in another."""

    task: str
    installed: str
    """Task in which the procedures were learned."""


class Experiment(FileRecord):
    """Everything that decides which runs there are."""

    kind: Kind
    about: str = ""
    """What it is for, in a line."""
    agents: Annotated[tuple[Competitor, ...], Field(min_length=1)]
    tasks: tuple[str, ...] = ()
    """Tasks that every agent plays; none for kinds that mix them."""
    skills: tuple[SkillPair, ...] = ()
    """Pairs that the plain mfm plays besides, in kind 'mfm'."""
    runs: Annotated[int, Field(ge=1, le=MOST, strict=True)]
    """Runs of each agent in each task."""
    episodes: Annotated[int, Field(ge=1, le=MOST, strict=True)]
    seed: Annotated[int, Field(ge=0, strict=True)] = 0
    invented_names: Annotated[int, Field(ge=0, strict=True)] | None = None
    reasoner: str = RULE
    """Who decides: 'rule', or a model as `echo.experiments.reasoner.resolved` reads it."""

    @property
    def named(self) -> tuple[str, ...]:
        """All tasks that it names, in order of mention."""
        paired = (name for pair in self.skills for name in (pair.task, pair.installed))
        return tuple(dict.fromkeys((*self.tasks, *paired)))


KEYS: tuple[str, ...] = ("base", *Experiment.model_fields)
"""Keys of a spec file."""


def shipped_specs() -> tuple[str, ...]:
    """Return the names of the specs that come with the project, kinds in order, from quick to full."""
    return tuple(f"{kind}-{size}" for kind in _KINDS for size in SIZES)


def load_experiment(name: str, changes: Mapping[str, Any] | None = None) -> Experiment:
    """Return a spec that comes with the project, such as 'tasks-quick', with `changes` to its keys.

    Raises:
        UsageError: on an unknown name, or as `make_experiment`.
    """
    settings = read_settings(name, Path(), keys=KEYS, shipped=shipped_specs())
    return make_experiment({**settings, **(changes or {})}, name)


def read_spec(path: Path, changes: Mapping[str, Any] | None = None) -> Experiment:
    """Return the spec in a file of a user's own, with `changes` to its keys.

    Its base is a spec that comes with the project, or another file beside it, named with its ``.toml``.

    Raises:
        UsageError: if the file is missing, is no TOML, has unknown keys or a base that leads back to itself,
            or as `make_experiment`.
    """
    settings = read_settings(path.name, path.parent, keys=KEYS, shipped=shipped_specs())
    return make_experiment({**settings, **(changes or {})}, str(path))


def make_experiment(settings: Mapping[str, Any], where: str) -> Experiment:
    """Check settings and return the experiment they describe.

    Args:
        settings: Keys of `KEYS` but 'base'; agents as `Competitor.parse` reads them.
        where: Where the settings come from, for messages.

    Raises:
        UsageError: on an unknown agent, switch or task (with the near names), a count of 0, a value of
            another type, or keys that do not go together.
    """
    values = {key: value for key, value in settings.items() if key != "base"}
    _check_lists(values, where)
    if "agents" in values:
        agents = dict.fromkeys(Competitor.parse(text) for text in values["agents"])
        values["agents"] = tuple(agents)
    values["tasks"] = tuple(dict.fromkeys(values.get("tasks", ())))
    try:
        experiment = Experiment.model_validate(values)
    except ValidationError as error:
        raise UsageError(f"expected a spec of an experiment; got {told(error)} in {where}.") from error
    _check_tasks(experiment, where)
    return experiment


def _check_lists(values: Mapping[str, Any], where: str) -> None:
    for key in ("agents", "tasks"):
        value = values.get(key, ())
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise UsageError(f"expected a list of names for {key!r}; got {value!r} in {where}.")
        if key == "agents" and key in values and not value:
            raise UsageError(f"expected at least one agent; got none in {where}. Name some under 'agents'.")
        if not all(isinstance(name, str) for name in value):
            raise UsageError(f"expected names in {key!r}; got {list(value)!r} in {where}.")


def _check_tasks(experiment: Experiment, where: str) -> None:
    """Check that every task is known, and that kind, tasks and skills go together."""
    mixes = experiment.kind in MIXING
    if mixes and experiment.tasks:
        raise UsageError(
            f"expected no tasks in a spec of kind {experiment.kind!r}, whose episodes draw from all twelve; "
            f"got {', '.join(experiment.tasks)} in {where}. Leave 'tasks' out."
        )
    if not mixes and not experiment.tasks and not experiment.skills:
        raise UsageError(f"expected at least one task; got none in {where}. Name some under 'tasks'.")
    if experiment.skills and experiment.kind != "mfm":
        raise UsageError(
            f"expected skills in a spec of kind 'mfm' only; got {experiment.kind!r} in {where}. "
            f"Leave them out."
        )
    for name in experiment.named:
        try:
            load_task(name)
        except TaskFileError as error:
            raise UsageError(str(error)) from error
