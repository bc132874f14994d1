"""``echo-memory inspect``: one episode of a memory folder, and its frames, cropped and magnified."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo.cli.plain_text import print_fields
from echo.cli.screen import exit_codes, note_console, out_console, print_json
from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from echo.mfm.evidence.look import Look
    from echo.mfm.layout import Row

MOST_LINES = 6
"""Lines that one value may take; --json has all."""
MOST_ACTIONS = 50
"""Actions of an episode that are told one by one."""


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

    The frame is written to --out where that or any of --crop, --scale, --grid, --smooth is given. Where it
    cannot be, the episode is told, then why, with exit code 1.

    Example: echo-memory inspect ep_000012 --root runs/memory --crop 20,24,16,16 --grid --out closer.png
    """
    with exit_codes("nothing was changed"):
        from echo.mfm.evidence.look import look, look_json
        from echo.mfm.layout import MfmError

        seen = look(root, episode)
        wanted = out is not None or crop is not None or scale is not None or grid or smooth or place > 0
        target = (out or Path("inspect.png")) if wanted else None
        fault: MfmError | OSError | None = None
        try:
            if target is not None:
                _write_frame(
                    seen, root, target, crop=crop, scale=scale, grid=grid, smooth=smooth, place=place
                )
        except (MfmError, OSError) as error:
            # The episode can be told all the same; why there is no picture is said after it.
            fault, target = error, None
        if as_json:
            print_json({**look_json(seen), "written": None if target is None else str(target)})
        else:
            _print(seen)
        if fault is not None:
            raise fault
        if target is not None and not as_json:
            note_console().print(f"wrote {plain(str(target))}", markup=False, soft_wrap=True)


def _write_frame(
    seen: Look, root: Path, target: Path, *, crop: str | None, scale: int | None, grid: bool, smooth: bool,
    place: int,
) -> None:  # fmt: skip
    from echo.experiments.spec import UsageError
    from echo.mfm.evidence.crop import crop_png, parse_box
    from echo.mfm.evidence.pictures import frame_bytes
    from echo.mfm.layout import MfmError
    from echo.mfm.picture_file import write_picture

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
    for attached in seen.attachments:
        yield "attachment", f"{attached.name}, {attached.size:,} bytes, {attached.path}"
    for name, document in (("state", seen.state), ("action", seen.action), ("outcome", seen.outcome)):
        yield "", ""
        yield name, "" if document else "(none)"
        yield from ((f"  {key}", text) for key, text in _values(_without_items(document or {})))
        if document is seen.action:
            yield from _told_items(document or {})
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


def _without_items(document: Mapping[str, Any]) -> Mapping[str, Any]:
    entry = document.get("entry")
    if not isinstance(entry, dict) or not _items(document):
        return document
    rest = {key: value for key, value in entry.items() if key != "items" and value is not None}
    return {**document, "entry": rest}


def _items(document: Mapping[str, Any]) -> list[Any]:
    entry = document.get("entry")
    items = entry.get("items") if isinstance(entry, dict) else None
    return items if isinstance(items, list) else []


def _told_items(document: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the actions of an episode one by one, each with its end where that is told."""
    items = _items(document)
    for place, item in enumerate(items[:MOST_ACTIONS]):
        if not isinstance(item, dict):
            yield f"  step {place}", _words(item)
            continue
        done = {key: value for key, value in item.items() if key not in ("kind", "code", "message")}
        parts = [_words(item.get("kind") or ""), _words(done) if done else ""]
        parts += [_words(item[key]) for key in ("code", "message") if item.get(key)]
        yield f"  step {place}", "  ".join(part for part in parts if part)
    if len(items) > MOST_ACTIONS:
        yield "  ...", f"{len(items) - MOST_ACTIONS} more, see --json"


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
