"""One run told unlock by unlock, each with the frame its episode recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from echo.experiments.results import RunResult, UnlockRecord, memory_folder
from echo.experiments.spec import UsageError
from echo.mfm.layout import IMAGE, episode_path


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One unlock of the told run."""

    unlock: UnlockRecord
    frame: bytes | None
    """PNG of what was seen, None where none was recorded."""


@dataclass(frozen=True, kw_only=True)
class Timeline:
    """A run as a row of moments."""

    run: RunResult
    moments: tuple[Moment, ...]

    @property
    def frames(self) -> int:
        """Number of moments with a frame."""
        return sum(moment.frame is not None for moment in self.moments)


def choose_run(runs: Sequence[RunResult], folder: Path, name: str | None) -> RunResult:
    """Return the run to tell: the one called `name`, else the first that has a memory, else the first.

    Raises:
        UsageError: if no run is called `name`.
    """
    if name is not None:
        for run in runs:
            if run.spec.name == name:
                return run
        names = ", ".join(run.spec.name for run in runs[:12])
        raise UsageError(
            f"expected a run out of {names}{', ...' if len(runs) > 12 else ''}; got {name!r} for --timeline. "
            f"The names are those of the files in {folder / 'runs'}."
        )
    return next((run for run in runs if memory_folder(folder, run.spec.name).is_dir()), runs[0])


def tell_run(run: RunResult, folder: Path) -> Timeline:
    """Return the timeline of `run`, with frames as far as its memory in `folder` holds them."""
    memory = memory_folder(folder, run.spec.name)
    return Timeline(
        run=run,
        moments=tuple(Moment(unlock=unlock, frame=_read_frame(memory, unlock)) for unlock in run.unlocks),
    )


def _read_frame(memory: Path, unlock: UnlockRecord) -> bytes | None:
    """Return the last picture of the unlock's episode, which shows what was seen once it was gained."""
    if unlock.episode is None:
        return None
    first = episode_path(memory, unlock.episode) / IMAGE
    # By name they are in the order of time: image.png, image_0001.png, ...
    pictures = sorted(first.parent.glob(f"{first.stem}*{first.suffix}"))
    return pictures[-1].read_bytes() if pictures else None
