"""Keeps the tables of README and docs in step with the committed results and the task files.

A page marks a table with ``<!-- table: NAME -->`` and ``<!-- end -->``; what stands between is generated.
``python -m echo.experiments.tasks.tables`` names the tables that differ, ``--write`` writes them.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from pathlib import Path

from echo.experiments.results import ResultsError
from echo.experiments.tasks.table_texts import TABLES, Committed
from echo.experiments.whole_files import write_atomically

_MARK = re.compile(r"^<!-- (?:table: (?P<name>[^\n>]*?)|(?P<end>end)) -->\n", re.MULTILINE)


class MarkError(ValueError):
    """The marks of a page do not pair, or name an unknown table."""


def fill(text: str, tables: Mapping[str, str]) -> str:
    r"""Return a page with the content of its tables replaced.

    >>> print(fill("<!-- table: a -->\nold\n<!-- end -->\n", {"a": "new\n"}), end="")
    <!-- table: a -->
    new
    <!-- end -->

    Args:
        text: The page.
        tables: Name -> content, ending in a line feed; all that the page names.

    Raises:
        MarkError: as `find_marks`.
    """
    whole, after = "", 0
    for name, start, end in _marked(text):
        whole += text[after:start] + tables[name]
        after = end
    return whole + text[after:]


def find_marks(text: str) -> tuple[str, ...]:
    """Return the names of the tables on a page, in order.

    Raises:
        MarkError: if a mark has no partner, or names a table that is none of `TABLES`, with the near names.
    """
    names = tuple(name for name, _, _ in _marked(text))
    for name in names:
        if name not in TABLES:
            near = get_close_matches(name, TABLES, n=2, cutoff=0.5)
            hint = f" Did you mean {' or '.join(near)}?" if near else ""
            raise MarkError(f"expected a table out of {', '.join(TABLES)}; got {name!r}.{hint}")
    return names


def filled_pages(root: Path) -> dict[Path, str]:
    """Return every page of a checkout that has a table, with what it ought to say.

    Args:
        root: The checkout, with README.md, docs/ and data/results/.

    Raises:
        MarkError: as `find_marks`, with the page.
        ResultsError: if a table's results are missing or cannot be read.
    """
    committed = Committed(root / "data" / "results")
    texts: dict[str, str] = {}
    pages: dict[Path, str] = {}
    for page in (root / "README.md", *sorted((root / "docs").glob("*.md"))):
        if not page.exists():
            continue
        text = page.read_text(encoding="utf-8")
        try:
            names = find_marks(text)
        except MarkError as error:
            raise MarkError(f"{error} ({page})") from error
        for name in names:
            if name not in texts:
                texts[name] = TABLES[name](committed)
        if names:
            pages[page] = fill(text, texts)
    return pages


def _marked(text: str) -> Iterator[tuple[str, int, int]]:
    """Yield the name of each table, and where its content starts and ends in `text`."""
    opened: re.Match[str] | None = None
    for mark in _MARK.finditer(text):
        if (opened is None) != (mark["end"] is None):
            line = text.count("\n", 0, mark.start()) + 1
            raise MarkError(
                f"expected <!-- table: NAME --> and <!-- end --> by turns; got another in line {line}."
            )
        if opened is not None:
            yield opened["name"], opened.end(), mark.start()
        opened = mark if opened is None else None
    if opened is not None:
        raise MarkError(f"expected <!-- end --> after the table {opened['name']!r}; got the end of the page.")


def main() -> int:
    """Compare or write all tables; 1 where one differs and is not written, or cannot be made."""
    parser = argparse.ArgumentParser(
        prog="python -m echo.experiments.tasks.tables", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--root", type=Path, default=Path(), metavar="DIR", help="the checkout (.)")
    parser.add_argument("--write", action="store_true", help="write what differs")
    asked = parser.parse_args()
    try:
        pages = filled_pages(asked.root)
    except (MarkError, ResultsError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    differing = [page for page, text in pages.items() if page.read_text(encoding="utf-8") != text]
    for page in differing:
        if asked.write:
            write_atomically(page, pages[page].encode())
        sys.stdout.write(f"{'wrote' if asked.write else 'differs'}: {page}\n")
    return 1 if differing and not asked.write else 0


if __name__ == "__main__":
    sys.exit(main())
