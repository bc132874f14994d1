"""Everything a training run is asked to do, as a TOML file says it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError, model_validator

from csd.descriptor import Record
from csd.resources import data_file
from finetune.training.errors import TrainingError

Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1)]


class Adapter(Record):
    """The LoRA that is trained."""

    rank: Count = 16
    """Of each pair of matrices."""
    alpha: Count = 32
    """What they give is scaled by alpha / rank."""
    dropout: Annotated[float, Field(ge=0, lt=1)] = 0.0
    targets: tuple[str, ...] = ()
    """Ends of the names of the linear layers that get one; none named: every linear layer but the head."""
    last_layers: Count | None = None
    """Only so many of the model's last layers get one; None: all. Those below then need no backward pass."""
    number: Literal["float32", "base"] = "float32"
    """Number type of its weights: float32 is steadier, the base's own faster."""
    added_tokens: tuple[str, ...] = ()
    """Tokens to add to the tokenizer, each trained with the adapter."""


class Batches(Record):
    """How examples become steps."""

    rows: Count = 8
    """Rows a step and device."""
    accumulate: Count = 1
    """Batches a step: gradients are summed over them."""
    tokens_at_once: Count = 2048
    """Tokens, padding included, that go through the model at once: a batch of more is cut into parts whose
    gradients are summed. Memory grows with it; results change by rounding alone. A row is never cut."""
    most_tokens: Count = 1024
    """No row may be longer. A longer example is an error; nothing is cut."""
    packing: bool = False
    """Whether several short examples share a row, each seeing itself alone. Text models only."""
    by_length: bool = True
    """Whether rows of like length stand in one batch, which saves padding."""


class Schedule(Record):
    """How long, and how fast."""

    epochs: Count | None = None
    """Passes over the data; this or `steps`."""
    steps: Count | None = None
    minutes: Annotated[float, Field(gt=0)] | None = None
    """Ends the run in so many minutes of wall time, loading included, at its best state so far; the learning
    rate then falls with time where that runs out before the steps. None: no limit."""
    learning_rate: Annotated[float, Field(gt=0)] = 5e-4
    """At its highest."""
    warm_up: Share = 0.05
    """Share of the run in which it rises."""
    decay: Literal["cosine", "linear", "none"] = "cosine"
    """How it falls afterwards."""
    last: Share = 0.05
    """What is left of it at the end, as a share of the highest."""
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    clip: Annotated[float, Field(gt=0)] = 1.0
    """Longest gradient of a step; longer ones are shortened to it."""
    evaluate_every: Count = 50
    """Steps between looks at the validation rows."""
    save_every: Count = 50
    """Steps between checkpoints."""
    validation_rows: Count | None = None
    """Of the validation data the first so many; None: all."""
    patience: Count | None = None
    """Stops after so many looks in a row without a better one; None: never."""

    @model_validator(mode="after")
    def _one_length(self) -> Schedule:
        if (self.epochs is None) == (self.steps is None):
            raise ValueError("expected either epochs or steps; got both or neither")
        return self


class Settings(Record):
    """A training run, fully said.

    Equal settings, data and base on the same machine give equal adapters, unless there is a limit in minutes.
    """

    base: str = "smollm2"
    """As for `finetune.base.find_base`."""
    seed: Annotated[int, Field(ge=0, lt=2**32)] = 0
    device: Literal["auto", "cpu"] = "auto"
    """``auto`` is a GPU where there is one; CUDA_VISIBLE_DEVICES says which."""
    number: Literal["auto", "float32", "bfloat16"] = "auto"
    """Number type of the base's weights; ``auto`` tries a step with each on a CPU and takes the faster."""
    checkpointing: bool = False
    """Whether activations are computed again in the backward pass instead of kept: a third slower, far less
    memory."""
    template: str | None = None
    """File with a chat template (Jinja) to use instead of the base's own."""
    adapter: Adapter = Adapter()
    batches: Batches = Batches()
    schedule: Schedule


def read_settings(named: str, changes: Mapping[str, Any] | None = None) -> Settings:
    """Return the settings in a TOML file.

    Args:
        named: a file, or the name of one that comes with the project, such as ``smollm2-cpu``.
        changes: values to take instead of the file's: dotted name (``schedule.minutes``) -> value. Steps
            take the place of epochs and the other way round.

    Raises:
        TrainingError: if there is no such file, or it says what is not meant.
    """
    path = Path(named)
    try:
        text = path.read_text(encoding="utf-8") if path.is_file() else _shipped(named)
        told = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise TrainingError(f"expected TOML in {named}; got: {error}.") from error
    except RecursionError as error:
        raise TrainingError(f"expected TOML in {named}; got: values nested too deep.") from error
    for name, value in (changes or {}).items():
        _change(told, name, value)
    try:
        return Settings.model_validate_json(_json(told), strict=True)
    except ValidationError as error:
        raise TrainingError(f"expected settings of training in {named}; got {faults(error)}.") from error


def faults(error: ValidationError) -> str:
    """Return what is wrong, name by name."""
    return "; ".join(
        f"{'.'.join(map(str, each['loc'])) or 'the file'}: {each['msg']}" for each in error.errors()
    )


def shipped() -> tuple[str, ...]:
    """Return the names of the settings that come with the project, in order."""
    names = (each.name for each in data_file("finetune").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


def _shipped(named: str) -> str:
    if named not in shipped():
        raise TrainingError(
            f"expected a TOML file, or one of {', '.join(shipped())}; got {named!r}, which is neither."
        )
    return data_file("finetune", f"{named}.toml").read_text(encoding="utf-8")


def _change(told: dict[str, Any], name: str, value: Any) -> None:
    *above, last = name.split(".")
    place = told
    for each in above:
        place = place.setdefault(each, {})
    place[last] = value
    if name == "schedule.steps":
        place.pop("epochs", None)
    if name == "schedule.epochs":
        place.pop("steps", None)


def _json(told: Mapping[str, Any]) -> str:
    # Read as JSON, pydantic takes lists for tuples, and as it is strict nothing else loosely.
    import json

    return json.dumps(told, default=str)
