"""``echo-memory query``: the episodes of a memory that meet all conditions, as quick as a small script.

Nothing is loaded here that takes long: no typer, no numpy, no pathlib. Pictures and vectors load what
they need when they are asked for.
"""

from __future__ import annotations

import os
import sys

from echo.cli.query_arguments import Asked, read_arguments
from echo.mfm.plain_text import plain
from echo.mfm.query.ask import Answer, Found, ask
from echo.mfm.query.lines import json_line, text_line
from echo.mfm.query.question import Question

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from echo.mfm.layout import Row

    Key = tuple[object, str]
    """A row's life and id."""

DONE, FAILED, WRONG_USE = 0, 1, 2

DEFAULT_SIMILAR = 10
"""How many episodes --similar tells where no --limit is given."""

_PICTURES = (".png", ".jpg", ".jpeg", ".webp")

_TELL_AFTER_SECONDS = 0.5


def main(words: Sequence[str]) -> int:
    """Run the command with its arguments (without 'query') and return its exit code."""
    return answer(read_arguments(words))


def answer(asked: Asked) -> int:
    """Print what the memory answers and return the exit code."""
    try:
        if asked.then_now is not None:
            return _then_now(asked)
        return _query(asked)
    except _WrongUse as error:
        _tell(f"{error}")
        return WRONG_USE
    except (ValueError, OSError) as error:
        # MfmError is a ValueError.
        _tell(f"error: {error}")
        return FAILED
    except KeyboardInterrupt:
        _tell("interrupted; what the cache holds so far is kept")
        return FAILED


class _WrongUse(Exception):
    """Something that only the user can put right, told as it stands."""


def _query(asked: Asked) -> int:
    question = Question(
        steps=None if asked.steps is None else (asked.steps[0], asked.steps[1]),
        near=None if asked.near is None else (asked.near[0], asked.near[1]),
        radius=asked.radius,
        tag=asked.tag,
        action=asked.action,
        grep=asked.grep,
        text=asked.text,
        last=asked.last,
        limit=asked.limit if asked.similar is None else None,
        previous=asked.previous,
    )
    told = _Progress("reading the memory for the first time")
    chosen = None if asked.same_screen is None else _same_screen(asked, asked.same_screen)
    found = ask(asked.root, question, chosen=chosen, told=told)
    told.end()
    if asked.similar is not None:
        found = Answer(_most_similar(asked, asked.similar, found.found), found.torn, found.unread)
    _print(asked, found)
    return DONE


def _print(asked: Asked, answer: Answer) -> None:
    lines = [
        json_line(one.row, one.line, one.note) if asked.json else text_line(one.row, one.note).encode("utf-8")
        for one in answer.found
    ]
    _write(b"".join(line + b"\n" for line in lines))
    if not answer.found:
        _tell("(no matching episodes)")
    if asked.sheet is not None and answer.found:
        _sheet(asked, asked.sheet, [one.row for one in answer.found])
        _tell(f"sheet: {asked.sheet}{'' if asked.q is None else f'  Q: {asked.q}'}")
    elif asked.q is not None and asked.sheet is None:
        _tell(f"Q: {asked.q}")
    if answer.torn:
        _tell(
            f"passed over {answer.torn} {'stretch' if answer.torn == 1 else 'stretches'} of the index that "
            f"hold no row; `echo-memory doctor` tells where"
        )
    if answer.unread:
        more = f" and {len(answer.unread) - 1} more" if len(answer.unread) > 1 else ""
        _tell(f"could not read {answer.unread[0]}{more}")


def _same_screen(asked: Asked, picture: str) -> Callable[[Row], bool]:
    from pathlib import Path

    from echo.mfm.evidence.hashes import same_screen
    from echo.mfm.folder import MemoryFolder
    from echo.mfm.layout import MfmError
    from echo.mfm.options import require

    MemoryFolder(asked.root)
    require(Path(asked.root), "frames")
    try:
        rows = same_screen(
            asked.root, Path(picture), previous=asked.previous, told=_Progress("reading frames")
        )
    except (MfmError, OSError) as error:
        raise _WrongUse(f"cannot read PNG: {error}") from error
    alike = {_key(row) for row in rows}
    return lambda row: _key(row) in alike


def _most_similar(asked: Asked, what: str, found: list[Found]) -> list[Found]:
    """Return the most similar ones of `found`, the best first; `what` is a picture file, or a text."""
    limit = DEFAULT_SIMILAR if asked.limit is None else max(0, asked.limit)
    if not found or limit == 0:
        return []
    from pathlib import Path

    from echo.mfm.evidence.similar import similar_pictures, similar_texts

    told = _Progress("comparing")
    if what.lower().endswith(_PICTURES) and not Path(what).exists():
        raise _WrongUse(f"cannot read {what}: expected a picture, got no file; a text may end otherwise")
    if Path(what).is_file():
        best = similar_pictures(asked.root, Path(what), limit=sys.maxsize, previous=asked.previous, told=told)
    else:
        best = similar_texts(asked.root, what, limit=sys.maxsize, previous=asked.previous, told=told)
    told.end()
    held = {_key(one.row): one for one in found}
    ordered = [held[key] for key in map(_key, (one.row for one in best)) if key in held]
    return ordered[:limit]


def _sheet(asked: Asked, out: str, rows: list[Row]) -> None:
    from pathlib import Path

    from echo.mfm.options import require

    require(Path(asked.root), "frames")
    from echo.mfm.evidence.sheet import tiles, write_sheet

    write_sheet(Path(out), tiles(asked.root, rows))


def _then_now(asked: Asked) -> int:
    from pathlib import Path

    from echo.mfm.evidence.then_now import NoFrame, write_then_now

    now = None if asked.now is None else Path(asked.now)
    try:
        told = write_then_now(asked.root, asked.then_now or "", now, Path(asked.out), question=asked.q)
    except NoFrame as error:
        _tell(str(error))
        return FAILED
    _write(f"{plain(told)}\n".encode())
    return DONE


def _write(data: bytes) -> None:
    """Write to standard output.

    Raises:
        OSError: if that cannot be done, for another reason than that whoever read on has enough.
    """
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    except OSError as error:
        # Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise


def _key(row: Row) -> Key:
    life = row.get("life")
    return life if isinstance(life, int) else None, row["id"]


class _Progress:
    """Tells on standard error how far a cache is made, where that takes long."""

    def __init__(self, what: str) -> None:
        import time

        self._now = time.monotonic
        self._what = what
        self._next = self._now() + _TELL_AFTER_SECONDS
        self._line = sys.stderr.isatty()
        self._told = False

    def __call__(self, done: int, of: int) -> None:
        """Tell, not too often."""
        if self._now() < self._next or done >= of:
            return
        self._next = self._now() + (_TELL_AFTER_SECONDS if self._line else 10 * _TELL_AFTER_SECONDS)
        self._told = True
        share = f"{self._what}: {done / max(of, 1):.0%}"
        sys.stderr.write(f"\r{share}\x1b[K" if self._line else f"{share}\n")
        sys.stderr.flush()

    def end(self) -> None:
        """Take the line away."""
        if self._told and self._line:
            sys.stderr.write("\r\x1b[K")


def _tell(text: str) -> None:
    try:
        sys.stderr.write("\n".join(map(plain, text.split("\n"))) + "\n")
        sys.stderr.flush()
    except OSError:
        # As for standard output: nobody listens. What was found is told all the same.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())
