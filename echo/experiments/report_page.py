"""The parts every report's page is put together from, as HTML."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from echo.experiments.report_style import STYLE


def page(title: str, body: str) -> str:
    """Return a whole page around a body that is HTML already."""
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="color-scheme" content="light dark">\n'
        f"<title>{escape(title)}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n{body}\n</main>\n"
        "</body>\n</html>\n"
    )


def section(title: str, note: str, *parts: str) -> str:
    """Return a section of parts, title and note that are HTML already; an empty note is left out."""
    shown = f'<p class="note">{note}</p>\n' if note else ""
    return f"<section>\n<h2>{title}</h2>\n{shown}" + "\n".join(parts) + "\n</section>"


def figure(svg: str) -> str:
    """Return a drawing in its frame."""
    return f"<figure>{svg}</figure>"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of cells that are HTML already, in a box that scrolls by itself where it is too wide."""
    head = "".join(f"<th>{cell}</th>" for cell in header)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return (
        f'<div class="scroll"><table><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>'
    )


def dense_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table of many columns, set closer."""
    return table(header, rows).replace('class="scroll"', 'class="scroll dense"', 1)


def tile_row(tiles: Iterable[tuple[str, str]]) -> str:
    """Return tiles of a large number, HTML already, and a text under it that is not."""
    cells = (f'<div class="tile"><b>{value}</b><span>{escape(text)}</span></div>' for value, text in tiles)
    return f'<div class="tiles">{"".join(cells)}</div>'


def fact_list(facts: Mapping[str, str]) -> str:
    """Return names and what is said of them, as they were typed."""
    rows = "".join(f"<dt>{name}</dt><dd><code>{escape(text)}</code></dd>" for name, text in facts.items())
    return f"<dl>{rows}</dl>"


def counted(number: int, thing: str) -> str:
    """Return a number with what it counts.

    >>> counted(1, "seed"), counted(2000, "seed")
    ('1 seed', '2,000 seeds')
    """
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def ranges(numbers: Sequence[int]) -> str:
    """Return rising numbers with runs of them written as ranges.

    >>> ranges((0, 1, 2, 5))
    '0-2, 5'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in runs)
