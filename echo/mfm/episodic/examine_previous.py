"""What is inconsistent in the rows of earlier lives: previous/index.jsonl beside the lives themselves."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from echo.mfm.episodic.flaw import RESTORE, Flaw, mendable, tried
from echo.mfm.episodic.index_mend import SortedOut, sort_out
from echo.mfm.episodic.life import unfinished_lives
from echo.mfm.episodic.previous import differing_rows, lacking_rows, row_life, rows_without_folder
from echo.mfm.layout import INDEX, PREVIOUS, life_name
from echo.mfm.regular import read_regular


def previous_flaws(root: Path, lives: list[int]) -> Iterator[Flaw]:
    """Yield what is wrong with previous/ of the memory `root`, the lives themselves left out."""
    where = f"{PREVIOUS}/{INDEX}"
    unread: list[Flaw] = []
    unfinished: list[int] = tried(lambda: unfinished_lives(root), [], PREVIOUS, "a folder", unread)
    for number in unfinished:
        yield mendable("life half put away", f"{PREVIOUS}/{life_name(number)}", "expected a whole life")
    index = root / where
    there = os.path.lexists(index)
    data = tried(lambda: read_regular(index), b"", where, f"an index at {index}", unread) if there else b""
    yield from unread
    if unread or not (lives or there):
        return
    held = sort_out(data, key=lambda row: (row_life(row), row["id"]))
    yield from index_flaws(where, held)
    yield from _row_flaws(root, lives, held, where)


def _row_flaws(root: Path, lives: list[int], held: SortedOut, where: str) -> Iterator[Flaw]:
    lacking = lacking_rows(root, lives, held.lines)
    if lacking:
        row = lacking[0].row
        yield mendable(
            "rows of earlier lives",
            where,
            f"expected a row for each episode, {len(lacking)} have none, "
            f"{life_name(row['life'])}/{row['id']} first",
        )
    for line in differing_rows(root, lives, held.lines):
        name = f"{life_name(row_life(line.row) or 0)}/{line.row['id']}"
        yield Flaw(
            kind="altered row",
            where=name,
            what=f"expected its row in {where} to say what the index of its life says; got another",
            repair="take it from the index of its life; the one before is kept in mended/",
            mendable=True,
        )
    for line in held.lines:
        if row_life(line.row) is None:
            yield Flaw(
                kind="row without life",
                where=f"{where}: {line.row['id']}",
                what=f"expected the number of its life, got {line.row.get('life')!r:.80}",
                repair=RESTORE,
                mendable=False,
            )
    for name in rows_without_folder(root, lives, held.lines):
        yield Flaw(
            kind="missing episode",
            where=name,
            what=f"expected a folder for this row of {where}, got none",
            repair=RESTORE,
            mendable=False,
        )


def index_flaws(where: str, held: SortedOut) -> Iterator[Flaw]:
    """Yield what is wrong with the lines of an index."""
    for each in held.out:
        kind = "torn index" if each.reason.startswith("torn") else "second row"
        yield mendable(kind, f"{where} at byte {each.torn.offset}", each.reason)
    if held.rejoined:
        yield mendable("glued rows", where, f"expected a line for each row, {held.rejoined} have none")
