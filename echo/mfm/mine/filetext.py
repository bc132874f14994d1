"""What the file tool shows of text: numbered lines, snippets, listings; and its two edits. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MAX_LINES = 999_999
"""Lines of a file that can be shown: their numbers fit six columns."""
LEVELS = 2
"""How deep a folder is listed."""
_AROUND = 2
"""Lines before and after an edit in its snippet."""
_LEFT_OUT = "node_modules"


@dataclass(frozen=True, kw_only=True)
class Edit:
    """A text with one piece of it replaced."""

    lines: tuple[int, ...]
    """Numbers, from 1, of the lines in which the old piece begins; the edit was made where there is one."""
    text: str = ""
    snippet: str = ""


def numbered(lines: Sequence[str], first: int) -> str:
    r"""Return lines behind their numbers, six columns wide, and a tab.

    >>> numbered(["a", "b"], 9)
    '     9\ta\n    10\tb'
    """
    return "\n".join(f"{first + place:6}\t{line}" for place, line in enumerate(lines))


def shown_lines(view_range: Sequence[int] | None, count: int) -> tuple[int, int]:
    """Return first and last line to show, from 1; the first is behind the last where the range is wrong.

    >>> shown_lines(None, 5), shown_lines([2, -1], 5), shown_lines([2, 9], 5), shown_lines([6, 9], 5)
    ((1, 5), (2, 5), (2, 5), (6, 5))
    """
    if view_range is None:
        return 1, count
    first, last = view_range
    return max(1, first), count if last == -1 else min(last, count)


def replaced_once(text: str, old: str, new: str) -> Edit:
    """Return `text` with its only `old` replaced by `new`; unedited where `old` is not there just once.

    Overlapping occurrences count as several; an empty `old` occurs nowhere.
    """
    places, start = [], text.find(old) if old else -1
    while start >= 0:
        places.append(start)
        start = text.find(old, start + 1)
    lines = tuple(text.count("\n", 0, place) + 1 for place in places)
    if len(places) != 1:
        return Edit(lines=lines)
    edited = text[: places[0]] + new + text[places[0] + len(old) :]
    held = edited.split("\n")
    first = max(1, lines[0] - _AROUND)
    last = min(len(held), lines[0] + new.count("\n") + _AROUND)
    return Edit(lines=lines, text=edited, snippet=numbered(held[first - 1 : last], first))


def insert_at(text: str, line: int, inserted: str) -> str:
    r"""Return `text` with `inserted` behind its `line`-th line, 0 for the beginning, on lines of its own.

    Missing line ends are added the way the text has them; nothing else is changed.

    >>> insert_at("a\nb\n", 1, "new")
    'a\nnew\nb\n'
    >>> insert_at("a", 1, "new\n")
    'a\nnew\n'
    """
    end = "\r\n" if "\r\n" in text else "\n"
    place = 0
    for _ in range(line):
        place = text.find("\n", place) + 1 or len(text)
    before, after = text[:place], text[place:]
    if before and not before.endswith("\n"):
        before += end
    if not inserted.endswith("\n"):
        inserted += end
    return before + inserted + after


def listing(path: str, inside: str, sizes: Mapping[str, int]) -> str:
    """Return what a folder holds, two levels deep, each with its size; a folder's name ends in '/'.

    Args:
        path: The folder, as the agent names it.
        inside: The same relative to mine/.
        sizes: Bytes of all files below it, by their paths relative to mine/.
    """
    depth = len(inside.split("/")) if inside else 0
    total: dict[tuple[str, ...], int] = {}
    folders: dict[tuple[str, ...], bool] = {}
    for name, size in sizes.items():
        names = tuple(name.split("/")[depth:])
        if _LEFT_OUT in names:
            continue
        for level in range(min(LEVELS, len(names)) + 1):
            head = names[:level]
            total[head] = total.get(head, 0) + size
            folders[head] = level < len(names)
    rows = [f"{readable_size(total.get((), 0))}\t{path}"]
    rows += [
        f"{readable_size(total[head])}\t{path}/{'/'.join(head)}{'/' if folders[head] else ''}"
        for head in sorted(total)
        if head
    ]
    first = (
        f"Here're the files and directories up to {LEVELS} levels deep in {path}, "
        f"excluding hidden items and node_modules:"
    )
    return "\n".join([first, *rows])


def readable_size(size: int) -> str:
    """Return a size in bytes the way a person reads it.

    >>> readable_size(0), readable_size(1023), readable_size(1024), readable_size(5632)
    ('0B', '1023B', '1K', '5.5K')
    """
    step = min(max(0, size.bit_length() - 1) // 10, 3)
    value = size / 1024**step
    return f"{int(value) if value == int(value) else f'{value:.1f}'}{'BKMG'[step]}"
