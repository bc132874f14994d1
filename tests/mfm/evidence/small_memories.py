"""A small memory with frames, and one of another tool with an earlier life."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image

from csd.episode import Frame, Step
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.evidence.pictures import png_bytes
from tests.mfm.episodic.sample_steps import collect_log, seen

SIZE = 16


def plain_picture(*colour: int, size: int = SIZE) -> Frame:
    return np.full((size, size, 3), colour, dtype=np.uint8)


def half_picture(left: tuple[int, int, int], right: tuple[int, int, int], size: int = SIZE) -> Frame:
    picture = np.empty((size, size, 3), dtype=np.uint8)
    picture[:, : size // 2], picture[:, size // 2 :] = left, right
    return picture


def png(frame: Frame) -> bytes:
    return png_bytes(Image.fromarray(frame))


def step_at(number: int, place: tuple[float, float, float], frame: Frame | None) -> Step:
    step = collect_log(number, frame=frame)
    return replace(step, before=replace(step.before, position=place))


def record(root: Path, frames: list[Frame | None], *, places: list[tuple[float, float, float]] | None = None):
    """Record an initial state and one episode for each further frame; return their ids."""
    where = places or [(float(number), 64.0, 0.0) for number in range(len(frames))]
    with Recorder.open(root, source="test") as recorder:
        ids = [recorder.initial(replace(seen(0, frame=frames[0]), position=where[0]))]
        for number, frame in enumerate(frames[1:], start=1):
            ids.append(
                recorder.write(
                    goal="wood",
                    steps=[step_at(number, where[number], frame)],
                    after=seen(number + 1),
                    notes=[f"note {number}"],
                )
            )
    return ids


def foreign_life(folder: Path, rows: list[dict], files: dict[str, dict[str, bytes]]) -> None:
    """Write a life as another tool would: an index, and the given files of each episode."""
    folder.mkdir(parents=True)
    (folder / "index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    for name, contents in files.items():
        for path, data in contents.items():
            target = folder / "episodes" / name / path
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)


def foreign_row(id: str, **more: object) -> dict:
    return {"id": id, "path": f"episodes/{id}", "image": f"episodes/{id}/observation/image.png", **more}
