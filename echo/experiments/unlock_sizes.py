"""What an unlocking experiment consists of: agents, seeds and budget, read from a spec file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from echo.experiments.reasoner import resolved
from echo.experiments.reasoner_names import RULE
from echo.experiments.spec import (
    Encoder,
    FileRecord,
    Recording,
    UnlockSpec,
    UsageError,
    make_grid,
    parse_agents,
    parse_seeds,
    parse_variants,
)
from echo.experiments.spec_files import SIZES, read_settings, told

SHIPPED: tuple[str, ...] = tuple(f"unlock-{size}" for size in SIZES)
"""Names of the specs that come with the project, from quick to full."""


class UnlockExperiment(FileRecord):
    """Everything that decides which unlocking runs there are."""

    kind: Literal["unlock"]
    about: str = ""
    """What it is for, in a line."""
    agents: tuple[str, ...]
    """As `parse_agents` reads them, each with all axes."""
    axes: tuple[str, ...] = ()
    """Masks as `parse_variants` reads them, each of one more echo."""
    seeds: str
    """As `parse_seeds` reads them, such as '0-9'."""
    steps: Annotated[int, Field(ge=1, strict=True)]
    """Budget in counted actions."""
    shots: Annotated[int, Field(ge=0, le=8, strict=True)]
    invented_names: Annotated[int, Field(ge=0, strict=True)] | None = None
    encoder: Encoder = "minilm"
    record: Recording
    reasoner: str = RULE
    """Who decides: 'rule', or a model as `echo.experiments.reasoner.resolved` reads it."""

    def make_specs(self) -> tuple[UnlockSpec, ...]:
        """Every run, seeds outermost, with the resolved name of the reasoner.

        Raises:
            UsageError: on unknown agents, axes or seeds, or a reasoner that is not there.
        """
        base = UnlockSpec(
            agent="echo",
            steps=self.steps,
            shots=self.shots,
            invented_names=self.invented_names,
            encoder=self.encoder,
            record=self.record,
            reasoner=resolved(self.reasoner),
        )
        return make_grid(
            base,
            agents=parse_agents(",".join(self.agents)),
            variants=parse_variants(self.axes),
            seeds=parse_seeds(self.seeds),
        )


KEYS: tuple[str, ...] = ("base", *UnlockExperiment.model_fields)
"""Keys of a spec file."""


def load_unlocking(name: str, changes: Mapping[str, Any] | None = None) -> UnlockExperiment:
    """Return a spec that comes with the project, such as 'unlock-quick', with `changes` to its keys.

    Raises:
        UsageError: on an unknown name, or an experiment that cannot be.
    """
    return _made({**read_settings(name, Path(), keys=KEYS, shipped=SHIPPED), **(changes or {})}, name)


def read_unlocking(path: Path, changes: Mapping[str, Any] | None = None) -> UnlockExperiment:
    """Return the spec in a file of a user's own, with `changes` to its keys.

    Raises:
        UsageError: if the file is missing, is no TOML, has unknown keys or a base that leads back to itself,
            or describes an experiment that cannot be.
    """
    settings = read_settings(path.name, path.parent, keys=KEYS, shipped=SHIPPED)
    return _made({**settings, **(changes or {})}, str(path))


def _made(settings: Mapping[str, Any], where: str) -> UnlockExperiment:
    try:
        experiment = UnlockExperiment.model_validate(
            {key: value for key, value in settings.items() if key != "base"}
        )
    except ValidationError as error:
        raise UsageError(f"expected a spec of unlocking runs; got {told(error)} in {where}.") from error
    try:
        experiment.make_specs()
    except UsageError as error:
        raise UsageError(f"{error} (in {where})") from error
    return experiment
