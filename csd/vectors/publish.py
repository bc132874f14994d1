"""Publishing: from segments in memory to a snapshot of files that stands whole or not at all.

One process publishes at a time. It writes new files under names never used before, waits until they are
safe on disk, and only then puts the new state in the place of the old. Whoever dies on the way leaves
files that no state names; the next one that publishes takes them away.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from csd.store.errors import BankError
from csd.store.feed import Mark
from csd.vectors.files import replace, sole_holder, write_new
from csd.vectors.merge import in_files, in_memory, needs_writing, plan
from csd.vectors.segment import Segment
from csd.vectors.sizes import Sizes
from csd.vectors.snapshot import (
    KINDS,
    LOCK,
    STATE,
    Damaged,
    MarkRecord,
    SegmentFiles,
    State,
    read_state,
)


@dataclass(frozen=True, kw_only=True, slots=True)
class Published:
    """Segments that stand for a moment of the bank, and the state that names their files."""

    mark: Mark
    last_row: int
    dimension: int
    segments: tuple[Segment, ...]
    state: State | None
    """None where they are, at least in part, in memory alone."""


def publish(
    folder: Path | None, current: Callable[[], Published], sizes: Sizes, *, everything: bool
) -> Published | None:
    """Publish what `current` gives once no other process publishes; None if one does.

    Args:
        folder: where to; None merges in memory.
        current: gives what is to be published, with the state on disk that it rests on.
        sizes: the numbers that decide.
        everything: whether to merge all that can be merged and drop all dead rows.

    Raises:
        BankError: if the files cannot be written; the old snapshot stands then.
    """
    if folder is None:
        base = current()
        return _merged_in_memory(base, sizes, everything=everything)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with sole_holder(folder / LOCK) as held:
            if not held:
                return None
            return _published(folder, current(), sizes, everything=everything)
    except (OSError, RuntimeError) as error:
        raise BankError(
            f"expected a folder at {folder} that the searchable vectors can be written to; got {error}. "
            f"Check its permissions and free space. Nothing is lost: searching goes on from memory, and "
            f"the bank itself was not touched."
        ) from error


def _merged_in_memory(base: Published, sizes: Sizes, *, everything: bool) -> Published:
    segments = []
    for group in plan(base.segments, sizes, everything=everything):
        members = [base.segments[place] for place in group]
        merged: Segment | None = members[0]
        if len(group) > 1 or needs_writing(members[0], sizes, everything=everything):
            merged = in_memory(members, sizes)
        if merged is not None:
            segments.append(merged)
    return _with(base, segments, None)


def _published(folder: Path, base: Published, sizes: Sizes, *, everything: bool) -> Published:
    on_disk = _state_on_disk(folder)
    groups = plan(base.segments, sizes, everything=everything)
    # Only what stands on disk now may be kept: names may have been used anew in a folder made anew.
    files = _files_there(folder, base.state) if on_disk == base.state else {}
    kept = [
        len(group) == 1
        and base.segments[group[0]].name in files
        and not needs_writing(base.segments[group[0]], sizes, everything=everything)
        for group in groups
    ]
    if all(kept) and on_disk is not None and on_disk == base.state and on_disk.feed_mark() == base.mark:
        _remove(folder, lambda name: name not in on_disk.names())
        return base
    generation = 1 + _newest_generation(folder, on_disk)
    try:
        segments: list[Segment] = []
        entries: list[SegmentFiles] = []
        for place, (group, stays) in enumerate(zip(groups, kept, strict=True)):
            members = [base.segments[member] for member in group]
            if stays:
                segments.append(members[0])
                entries.append(files[str(members[0].name)])
                continue
            name = f"{generation:08d}-{place}"
            written = in_files(members, sizes, folder, name)
            if written is not None:
                segments.append(written[0])
                entries.append(written[1])
        state = _state(folder, base, generation, segments, entries)
        replace(folder / STATE, state.model_dump_json(indent=1).encode())
    except BaseException:
        _remove(folder, lambda name: name.startswith(f"{generation:08d}"))
        raise
    _remove(folder, lambda name: name not in state.names())
    return _with(base, segments, state)


def _state(
    folder: Path, base: Published, generation: int, segments: Sequence[Segment], entries: list[SegmentFiles]
) -> State:
    standing = write_new(
        folder / f"{generation:08d}.standing", [segment.standing.tobytes() for segment in segments]
    )
    mark = base.mark
    return State(
        generation=generation,
        dimension=base.dimension,
        mark=MarkRecord(epoch=mark.epoch, sequence=mark.sequence, chain=mark.chain),
        last_row=base.last_row,
        segments=tuple(entries),
        standing=standing,
    )


def _with(base: Published, segments: Sequence[Segment], state: State | None) -> Published:
    return Published(
        mark=base.mark,
        last_row=base.last_row,
        dimension=base.dimension,
        segments=tuple(segments),
        state=state,
    )


def _state_on_disk(folder: Path) -> State | None:
    try:
        return read_state(folder)
    except Damaged:
        return None


def _files_there(folder: Path, state: State | None) -> dict[str, SegmentFiles]:
    """Return the segments of `state` whose files are all in place, by name."""
    if state is None:
        return {}
    return {
        files.name: files
        for files in state.segments
        if all((folder / name).is_file() for name in files.names())
    }


def _newest_generation(folder: Path, state: State | None) -> int:
    numbers = [int(path.name[:8]) for path in folder.iterdir() if re.match(r"[0-9]{8}[-.]", path.name)]
    return max([0 if state is None else state.generation, *numbers])


def _remove(folder: Path, chosen: Callable[[str], bool]) -> None:
    # Best effort: what stays is named by no state, and the next one that publishes tries again.
    for path in sorted(folder.iterdir()):
        if path.name.endswith(KINDS) and chosen(path.name):
            with suppress(OSError):
                path.unlink()
