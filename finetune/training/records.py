"""What a training run leaves: what it was, and what it came to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from csd.descriptor import Record
from finetune.training.precision import Probe
from finetune.training.settings import Settings

Count = Annotated[int, Field(ge=0)]
Stopped = Literal["steps", "minutes", "patience"]

BEGUN = "begun.json"
RUN = "run.json"
ADAPTER = "adapter"
CHECKPOINTS = "checkpoints"
LOCK = ".lock"
"""Held while a run goes on in the folder."""
CURVE_TABLE = "curve.csv"
CURVE_PICTURE = "curve.png"


class Data(Record):
    """A file of rows."""

    sha256: str
    rows: Count
    """Used; of the validation perhaps not all."""
    lines: Count
    """Rows or packs of them."""
    tokens: Count
    longest: Count
    """Tokens of the longest line."""
    learned: Count | None
    """Tokens of the answers; None for rows with pictures."""


class Asked(Record):
    """What makes a run the same one: it only goes on with this unchanged, but for how memory is spent."""

    settings: Settings
    base_digest: str
    template_sha256: str
    """Of the chat template."""
    train: Data
    validation: Data
    processes: Count
    """Devices that share each step."""


class Begun(Record):
    """What a run is, written before its first step."""

    format: Literal[1] = 1
    asked: Asked
    trained: Count
    """Numbers in the adapter."""
    frozen: Count
    number: str
    """Number type of the base."""
    probe: Probe | None
    """None where there was nothing to try."""
    commit: str | None
    """Of the code, with '+changes' where files differed from it; None outside a checkout."""
    versions: dict[str, str]
    machine: dict[str, str | int]


class Ended(Record):
    """What a run came to."""

    stopped: Stopped
    """By which it ended: all steps made, out of time, or no longer getting better."""
    steps: Count
    epochs: float
    seconds: float
    """Wall time, of all beginnings of an interrupted run together."""
    best_step: Count
    """After which the kept adapter was; 0 if training never made it better."""
    best_loss: float
    """Mean loss per token (natural logarithm) of the validation rows then."""
    first_loss: float
    """The same, untrained."""
    last_loss: float
    adapter_sha256: str
    """Of its weights file."""


class RunRecord(Record):
    """A finished run."""

    begun: Begun
    ended: Ended


def differing(old: Asked, new: Asked) -> Mapping[str, tuple[Any, Any]]:
    """Return where two runs differ: dotted name -> its value in `old` and in `new`."""
    return dict(_differing(old.model_dump(mode="json"), new.model_dump(mode="json"), ""))


def _differing(old: Any, new: Any, name: str) -> list[tuple[str, tuple[Any, Any]]]:
    if isinstance(old, dict) and isinstance(new, dict):
        return [
            each
            for key in old
            for each in _differing(old[key], new.get(key), f"{name}.{key}" if name else key)
        ]
    return [] if old == new else [(name, (old, new))]
