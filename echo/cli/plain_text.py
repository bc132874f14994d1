"""Text as a terminal may show it: no control characters, wrapped to the width of the screen, counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import Console


def print_fields(
    console: Console, fields: Iterable[tuple[str, str]], *, indent: int = 0, lines: int | None = None
) -> None:
    """Print names and texts in two columns, texts wrapped beside their names.

    Args:
        console: where to.
        fields: name and text of each; a name may be empty.
        indent: columns to the left of the names.
        lines: how many lines a text may take; the last one ends in '…' where it is longer. None for all.
    """
    from rich.text import Text

    told = [(plain(name), plain(text)) for name, text in fields]
    left = max((len(name) for name, _ in told), default=0)
    width = max(20, console.width - indent - left - 2)
    for name, text in told:
        wrapped = Text(text).wrap(console, width, overflow="fold")
        kept = [line.plain.rstrip() for line in wrapped] or [""]
        if lines is not None and len(kept) > lines:
            kept = [*kept[: lines - 1], kept[lines - 1][: width - 2].rstrip() + " …"]
        for place, line in enumerate(kept):
            head = name if place == 0 else ""
            printed = f"{' ' * indent}{head:{left}}  {line}".rstrip()
            console.print(printed, markup=False, soft_wrap=True)


def counted(number: int, one: str, several: str | None = None) -> str:
    """Return a number with what is counted.

    >>> counted(1, "step"), counted(2, "step"), counted(1_000, "entry", "entries")
    ('1 step', '2 steps', '1,000 entries')
    """
    return f"{number:,} {one if number == 1 else several or f'{one}s'}"
