"""``echo-memory inspect``: one episode of a memory folder, and its frames, cropped and magnified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo.cli.plain_text import plain, print_fields
from echo.cli.screen import exit_codes, note_console, out_console, print_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from echo.mfm.evidence.look import Look
    from echo.mfm.layout import Row

MOST_LINES = 6
"""Lines that one value may take; --json has all."""


def inspect(
    episode: Annotated[
        str, typer.Argument(metavar="EP", help="Id of an episode: ep_000012, or life_2/ep_000012.")
    ],
    root: Annotated[Path, typer.Option(metavar="DIR", help="Memory folder.")] = Path(),
    crop: Annotated[
        str | None, typer.Option(metavar="x,y,w,h", help="Part of the frame, in its pixels.")
    ] = None,
    scale: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, max=64, help="Times to magnify; left out: to about 768 pixels."),
    ] = None,
    grid: Annotated[bool, typer.Option("--grid", help="Draw lines with the coordinates.")] = False,
    smooth: Annotated[
        bool, typer.Option("--smooth", help="Magnify smoothly; left out: square pixels of exact colour.")
    ] = False,
    place: Annotated[
        int, typer.Option(metavar="N", min=0, help="The frame before step N of the episode, from 0.")
    ] = 0,
    out: Annotated[
        Path | None, typer.Option(metavar="PNG", help="Write the frame there; inspect.png if not named.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Show an episode: state, action, outcome, frames, and its neighbours in time and place.

    The frame is written to --out where that or any of --crop, --scale, --grid, --smooth is given.

    Example: echo-memory inspect ep_000012 --root runs/memory --crop 20,24,16,16 --grid --out closer.png
    """
    with exit_codes("nothing was changed"):
        from echo.mfm.evidence.look import look, look_json

        seen = look(root, episode)
        wanted = out is not None or crop is not None or scale is not None or grid or smooth or place > 0
        target = (out or Path("inspect.png")) if wanted else None
        if target is not None:
            _write_frame(seen, root, target, crop=crop, scale=scale, grid=grid, smooth=smooth, place=place)
        if as_json:
            print_json({**look_json(seen), "written": None if target is None else str(target)})
            return
        _print(seen)
        if target is not None:
            note_console().print(f"wrote {plain(str(target))}", markup=False, soft_wrap=True)


def _write_frame(
    seen: Look, root: Path, target: Path, *, crop: str | None, scale: int | None, grid: bool, smooth: bool,
    place: int,
) -> None:  # fmt: skip
    from echo.experiments.spec import UsageError
    from echo.mfm.evidence.crop import crop_png, parse_box
    from echo.mfm.evidence.pictures import frame_bytes, write_picture
    from echo.mfm.layout import MfmError

    try:
        box = None if crop is None else parse_box(crop)
    except ValueError as error:
        raise UsageError(str(error)) from error
    data = frame_bytes(root, seen.name, place)
    if data is None:
        places = ", ".join(str(frame.place) for frame in seen.frames)
        raise MfmError(
            f"expected a frame before step {place} of {seen.name}, got none. "
            + (f"Frames were recorded at {places}." if places else "No frame was recorded with this episode.")
        )
    write_picture(target, crop_png(data, box, scale, grid, smooth))


def _print(seen: Look) -> None:
    console = out_console()
    print_fields(console, list(_told(seen)), lines=MOST_LINES)


def _told(seen: Look) -> Iterator[tuple[str, str]]:
    row: Row = seen.row or {}
    yield seen.name, "  ".join(_when_and_where(row)) if seen.row else "(not in the index)"
    yield from ((key, _words(row[key])) for key in ("summary", "tags") if row.get(key))
    yield "folder", str(seen.folder)
    yield from _told_frames(seen)
    for name, document in (("state", seen.state), ("action", seen.action), ("outcome", seen.outcome)):
        yield "", ""
        yield name, "" if document else "(none)"
        yield from ((f"  {key}", text) for key, text in _values(document or {}))
    if seen.before or seen.after:
        yield "", ""
        yield "in time", ""
        yield from (("  before", _one_line(other)) for other in seen.before)
        yield from (("  after", _one_line(other)) for other in seen.after)
    if seen.near:
        yield "", ""
        yield "in place", ""
        yield from ((f"  {one.blocks:.1f} blocks", _one_line(one.row)) for one in seen.near)
    if seen.problems:
        yield "", ""
        yield from (("problem", problem) for problem in seen.problems)


def _told_frames(seen: Look) -> Iterator[tuple[str, str]]:
    if seen.frames_off:
        yield "frames", "switched off in this memory"
    elif not seen.frames:
        yield "frames", "none recorded"
    for frame in seen.frames:
        size = "unreadable" if frame.width is None else f"{frame.width}x{frame.height}"
        inside = frame.path.relative_to(seen.folder)
        yield f"frame {frame.place}", f"{size}, {frame.size:,} bytes, {inside}"


def _when_and_where(row: Row) -> Iterator[str]:
    from echo.mfm.evidence.references import place_of, steps_of

    yield steps_of(row)
    if place := place_of(row):
        yield place


def _one_line(row: Row) -> str:
    from echo.mfm.evidence.references import cited

    return "  ".join((cited(row), *_when_and_where(row), _words(row.get("summary") or "")))


def _values(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the names and values of a document that say something."""
    for key, value in document.items():
        if value is not None and value != [] and value != {} and value != "":
            yield key, _words(value)


def _words(value: object) -> str:
    import json

    if isinstance(value, str):
        return value
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, dict) and all(not isinstance(each, dict | list) for each in value.values()):
        return ", ".join(f"{key} {_words(each)}" for key, each in value.items() if each is not None)
    if isinstance(value, list) and value and all(isinstance(each, str) for each in value):
        return "; ".join(value)
    return json.dumps(value, ensure_ascii=False)
