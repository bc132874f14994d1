"""Tools that open one episode: its documents, what lies beside it, and its pictures."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from echo.mfm.evidence.crop import Box, crop_png
from echo.mfm.evidence.look import Look, look, look_json
from echo.mfm.evidence.pictures import frame_bytes
from echo.mfm.evidence.references import cited, place_of, steps_of
from echo.mfm.evidence.then_now import Moment, moment_of, newest_moment, side_by_side
from echo.mfm.layout import Row
from echo.serve.reply import Arguments, MemoryTool, Refused, Reply


class Inspecting(Arguments):
    """An episode to open, and what to see of its picture."""

    episode: str
    """Such as ep_000012, or life_2/ep_000012 for an earlier life."""
    frame: bool = False
    """Show the picture, magnified to be seen well."""
    place: int = Field(default=0, ge=0)
    """Which picture, where several were kept: steps from the first."""
    crop: list[int] | None = Field(default=None, min_length=4, max_length=4)
    """Show this part of it, magnified: [x, y, width, height] in pixels."""
    scale: int | None = None
    """Whole times to magnify; left out: as fits well."""
    grid: bool = False
    """Draw lines that name the pixels, to crop by."""
    smooth: bool = False
    """Magnify smoothly, for text on a screen; otherwise pixels stay squares."""

    @property
    def picture(self) -> bool:
        """Whether a picture is asked for."""
        return self.frame or self.crop is not None or self.scale is not None or self.grid or self.place > 0


class ThenNow(Arguments):
    """Two episodes whose frames are compared."""

    then: str
    """Episode that is remembered, such as ep_000012 or life_2/ep_000012."""
    now: str | None = None
    """Episode whose frame stands for now; left out: the newest of this life."""
    question: str | None = None
    """What the look should answer; written below the pictures."""


class Evidence:
    """The tools `inspect` and `then_now` of one memory folder."""

    def __init__(self, root: Path) -> None:
        """Look at the memory at `root`."""
        self._root = root

    def tools(self) -> list[MemoryTool]:
        """Return both."""
        return [
            MemoryTool(
                name="inspect",
                title="Inspect an episode",
                about=(
                    "Open one episode: what was seen before it (state), what was done (action), what came of "
                    "it (outcome), and its neighbours in time and place. With frame=true you see the "
                    "picture, magnified; with crop, a part of it, to tell small things apart."
                ),
                arguments=Inspecting,
                call=self.inspect,
            ),
            MemoryTool(
                name="then_now",
                title="Then and now",
                about=(
                    "See the frame of one episode beside that of another (or the newest of this life), to "
                    "find a place again or to see what changed there."
                ),
                arguments=ThenNow,
                call=self.then_now,
            ),
        ]

    def inspect(self, asked: Inspecting) -> Reply:
        """Return an episode in words, and its picture if one is asked for.

        Raises:
            MfmError: if there is no such episode, or its picture cannot be read.
            Refused: if it has no such picture.
        """
        seen = look(self._root, asked.episode)
        images = (self._magnified(seen, asked),) if asked.picture else ()
        told = look_json(seen)
        # Relative to the memory: where that lies on this machine means nothing to a client on another.
        told["folder"] = self._within(seen.folder)
        for one, file in zip(told["frames"], seen.frames, strict=True):
            one["path"] = self._within(file.path)
        return Reply(text="\n".join(_tell(seen, told)), data=told, images=images)

    def then_now(self, asked: ThenNow) -> Reply:
        """Return both frames side by side.

        Raises:
            MfmError: if there is no such episode, or a picture cannot be read.
            Refused: if one of them has no frame.
        """
        then = self._moment(asked.then)
        now = newest_moment(self._root) if asked.now is None else self._moment(asked.now)
        picture = side_by_side(then, now, asked.question)
        text = f"THEN {then.told} | NOW {now.told}. Q: {asked.question or '-'}"
        return Reply(text=text, images=(picture,))

    def _magnified(self, seen: Look, asked: Inspecting) -> bytes:
        held = frame_bytes(self._root, seen.name, asked.place)
        if held is None:
            places = ", ".join(str(one.place) for one in seen.frames) or "none"
            raise Refused(
                f"expected a picture of {seen.name} at place {asked.place}; those recorded are: {places}. "
                f"Its state tells what was seen: call inspect without frame."
            )
        box: Box | None = None
        if asked.crop is not None:
            left, top, width, height = asked.crop
            box = (left, top, width, height)
        return crop_png(held, box, asked.scale, asked.grid, asked.smooth)

    def _moment(self, episode: str) -> Moment:
        held = moment_of(self._root, episode)
        if held is None:
            raise Refused(f"expected an episode with a frame; {episode} has none. Choose another one.")
        return held

    def _within(self, path: Path) -> str:
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else path.name


def row_line(row: Row) -> str:
    """Return an episode in one line: name, steps, place, kind of action, summary."""
    parts = (cited(row), steps_of(row), place_of(row), row.get("action_kind"), row.get("summary"))
    return "  ".join(str(part) for part in parts if part)


def _tell(seen: Look, told: Mapping[str, Any]) -> Iterator[str]:
    yield row_line(seen.row) if seen.row is not None else seen.name
    for name in ("state", "action", "outcome"):
        yield f"{name}: {json.dumps(told[name], ensure_ascii=False)}"
    sizes = ", ".join(f"place {one.place}, {one.width}x{one.height}" for one in seen.frames)
    yield f"frames: {'switched off in this memory' if seen.frames_off else sizes or 'none'}"
    yield from (f"before: {row_line(row)}" for row in seen.before)
    yield from (f"after: {row_line(row)}" for row in seen.after)
    yield from (f"near, {one.blocks:.1f} blocks: {row_line(one.row)}" for one in seen.near)
    yield from (f"problem: {problem}" for problem in seen.problems)
