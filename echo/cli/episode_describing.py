"""Descriptors of the episodes of a memory folder: by the rules, or by a language model."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.screen import InputError, note_console

if TYPE_CHECKING:
    from csd.by_model.author import Author
    from csd.chat import Model
    from csd.descriptor import Csd
    from csd.episode import Episode

STYLE = "plain"
"""How episodes are told to a model; see `csd.by_model.trace`."""

RULES = "rules"
"""The builder that follows rules and asks nobody."""

BuilderChoice = Annotated[
    str,
    typer.Option(
        "--builder",
        metavar="WHO",
        help="Describes episodes: rules, openai:MODEL, hf:PATH[+ADAPTER], scripted:FILE, command:PROGRAM.",
    ),
]

ExplainChoice = Annotated[
    bool | None,
    typer.Option(
        "--explain/--no-explain",
        help="Tell a model with examples what descriptors are; left out: unless it has an adapter.",
    ),
]

FramesChoice = Annotated[bool, typer.Option("--frames", help="Show a model the recorded frames too.")]


@dataclass(frozen=True, kw_only=True, slots=True)
class Builder:
    """Who describes the episodes of a folder, as the command line says."""

    name: str = RULES
    """`RULES`, or a model as `echo.models.named` reads it."""
    explain: bool | None = None
    """Whether a model is told what descriptors are; None: unless it has an adapter."""
    frames: bool = False
    """Whether a model is shown the frames."""
    attempts: Path | None = None
    """File that takes every attempt of a model; None keeps none."""

    @property
    def is_model(self) -> bool:
        """Whether a model is asked."""
        return self.name != RULES


def describe_folder(folder: Path, builder: Builder) -> list[Csd]:
    """Describe the episodes of a memory folder; those that give no descriptor are told and left out.

    Raises:
        UsageError: if no model is named so, or the rules are to be explained something.
        InputError: if a model gave no descriptor of any episode; its first failure is told.
        MfmError: if the folder is no memory.
    """
    from echo.experiments.spec import UsageError

    if not builder.is_model and (builder.frames or builder.explain is not None):
        raise UsageError(
            "expected --frames and --explain with a model; got the rules, and only a model is told anything. "
            "Name one with --builder."
        )
    found, left = _by_rules(folder) if not builder.is_model else by_model(folder, _model(builder), builder)
    if left:
        typer.echo(f"left out {len(left)} of {len(left) + len(found)} episodes, such as {left[0]}", err=True)
    if left and not found and builder.is_model:
        raise InputError(f"{left[0]} {builder.name} described no episode; nothing was added.")
    return found


def _by_rules(folder: Path) -> tuple[list[Csd], list[str]]:
    from csd.build import describe
    from csd.descriptor import Csd

    found: list[Csd] = []
    left: list[str] = []
    for episode in _episodes(folder, left, frames=False):
        try:
            made = describe(episode)
        except ValueError as error:
            # What a descriptor refuses, such as an empty name.
            left.append(f"{episode.id}: {' '.join(str(error).split())[:200]}")
            continue
        if isinstance(made, Csd):
            found.append(made)
        else:
            left.append(f"{episode.id}: {made.reason}")
    return found, left


def by_model(folder: Path, model: Model, builder: Builder) -> tuple[list[Csd], list[str]]:
    """Have `model` describe the episodes of a memory folder.

    Returns:
        The descriptors, and for each episode left out its id and why; both in the order of the folder.
    """
    left: list[str] = []
    author = _author(model, builder)
    episodes = list(_episodes(folder, left, frames=builder.frames))
    return _written(author, episodes, builder.attempts, left), left


def _written(
    author: Author, episodes: Sequence[Episode], attempts: Path | None, left: list[str]
) -> list[Csd]:
    from rich.progress import track

    from csd.by_model.kept import kept_attempts
    from echo.mfm.log import append_log

    found: list[Csd] = []
    console = note_console()
    shown = track(
        author.write_each(episodes),
        "describing",
        total=len(episodes),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    for written in shown:
        if attempts is not None:
            for attempt in kept_attempts(written, author.builder):
                append_log(attempts, attempt.model_dump(mode="json"))
        if written.csd is None:
            left.append(f"{written.episode}: {written.reason}")
        else:
            found.append(written.csd)
    return found


def _author(model: Model, builder: Builder) -> Author:
    from csd.by_model.author import Author
    from csd.by_model.example import example_shots

    explain = builder.explain
    if explain is None:
        # An adapter was tuned on the short prompt alone.
        explain = not _has_adapter(builder.name)
    shots = example_shots(STYLE) if explain else ()
    return Author(model, style=STYLE, shots=shots, sees_frames=builder.frames)


def _has_adapter(name: str) -> bool:
    from echo.models.named import base_and_adapter

    kind, _, rest = name.partition(":")
    return kind == "hf" and base_and_adapter(rest)[1] is not None


def _model(builder: Builder) -> Model:
    from csd.chat import ModelError
    from echo.experiments.spec import UsageError
    from echo.models.named import KINDS, model_named
    from echo.models.settings import from_environment

    try:
        return model_named(builder.name, settings=from_environment())
    except ModelError as error:
        if builder.name.partition(":")[0] not in KINDS:
            raise UsageError(f"{error} Without a model it is {RULES!r}.") from error
        raise InputError(str(error)) from error


def _episodes(folder: Path, left: list[str], *, frames: bool) -> Iterator[Episode]:
    from echo.mfm.episodic.reader import read_episode
    from echo.mfm.folder import MemoryFolder

    for row in MemoryFolder(folder).rows():
        try:
            yield read_episode(folder, row["id"], frames=frames)
        except ValueError as error:
            # MfmError is one.
            left.append(f"{row['id']}: {' '.join(str(error).split())[:200]}")
