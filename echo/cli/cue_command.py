"""``echo-memory cue TEXT``: full-text search over a bank, as quick as a small script.

Nothing is loaded here that takes long: no typer, no numpy. Only where a bank's words are behind, what
brings them up to date is.
"""

from __future__ import annotations

import os
import sqlite3
import sys
import unicodedata
from collections.abc import Sequence

from csd.store.schema import BANK_FILE
from csd.words.glance import WORDS_PLACE, axis_names, circumstances, glance
from csd.words.search import Found

DONE, FAILED, WRONG_USE = 0, 1, 2

DEFAULT_LIMIT = 10
MAX_LIMIT = 2**31 - 1

EXAMPLE = "Example: echo-memory cue oak planks --bank runs/memory --axis func"

_COLUMNS = 80
_NAME_COLUMNS = 20

Circumstances = dict[int, tuple[int, bool, str, str | None]]


class Asked:
    """The arguments of the command."""

    def __init__(self) -> None:
        """Start with what holds where nothing is said."""
        self.text: list[str] = []
        self.bank: str | None = None
        self.limit: int = DEFAULT_LIMIT
        self.axis: list[str] = []
        self.json: bool = False


def main(words: Sequence[str]) -> int:
    """Run the command with its arguments (without 'cue') and return its exit code."""
    asked = parse_plainly(words) or parse(words)
    if asked.bank is None:
        raise AssertionError("a bank is required")
    return answer(" ".join(asked.text), asked.bank, limit=asked.limit, axes=asked.axis, as_json=asked.json)


def parse_plainly(words: Sequence[str]) -> Asked | None:
    """Read plain arguments, or return None where `parse` must, which takes 10 ms to load what it needs.

    >>> asked = parse_plainly(["oak", "planks", "--bank", "memory"])
    >>> asked.text, asked.bank
    (['oak', 'planks'], 'memory')
    >>> parse_plainly(["oak", "--help"]) is None
    True
    """
    asked, rest = Asked(), iter(words)
    for word in rest:
        name, _, value = word.partition("=")
        if not word.startswith("-"):
            asked.text.append(word)
        elif word == "--json":
            asked.json = True
        elif name not in ("--bank", "--limit", "--axis") or not (value := value or next(rest, "")):
            return None
        elif name == "--bank" and not value.startswith("-"):
            asked.bank = value
        elif name == "--limit" and value.isdecimal() and len(value) <= len(str(MAX_LIMIT)):
            asked.limit = int(value)
        elif name == "--axis" and value in axis_names():
            asked.axis.append(value)
        else:
            return None
    return asked if asked.text and asked.bank else None


def parse(words: Sequence[str]) -> Asked:
    """Read any arguments; print help or what is wrong with them.

    Raises:
        SystemExit: with code 0 after help, 2 on wrong use.
    """
    import argparse

    parser = argparse.ArgumentParser(
        prog="echo-memory cue",
        description="Print the descriptors in which all words of TEXT occur, best first.",
        epilog=f"'oak*' finds what begins so, 'oak_planks' what stands side by side. {EXAMPLE}",
    )
    parser.add_argument("text", metavar="TEXT", nargs="+", help="Plain words.")
    parser.add_argument("--bank", metavar="PATH", required=True, help="Bank file, or memory folder with one.")
    parser.add_argument(
        "--limit", metavar="N", type=int, default=DEFAULT_LIMIT, help="How many at most (%(default)s)."
    )
    parser.add_argument(
        "--axis", choices=axis_names(), action="append", default=[], help="Axis to look on; may be repeated."
    )
    parser.add_argument("--json", action="store_true", help="Print one JSON object.")
    asked = Asked()
    # Intermixed: TEXT may go on after an option.
    for name, value in vars(parser.parse_intermixed_args(words)).items():
        setattr(asked, name, value)
    return asked


def answer(text: str, bank: str, *, limit: int, axes: Sequence[str] | None, as_json: bool) -> int:
    """Print what answers to `text` in the bank at `bank` and return the exit code.

    Args:
        text: plain words.
        bank: a bank file, or a folder with one.
        limit: how many at most, in [0, `MAX_LIMIT`].
        axes: names of the axes to look on; None or none for all.
        as_json: whether to print one JSON object, with whole texts.
    """
    if not 0 <= limit <= MAX_LIMIT:
        bound = ">= 0" if limit < 0 else f"<= {MAX_LIMIT}"
        return _refuse(ValueError(f"expected a limit {bound}; got {limit}."), WRONG_USE)
    path = os.path.join(bank, BANK_FILE) if os.path.isdir(bank) else bank  # noqa: PTH112, PTH118 (10 ms)
    try:
        found, facts = _look(text, path, limit, tuple(axes) if axes else None)
    except ValueError as error:
        return _refuse(error, WRONG_USE)
    except (OSError, sqlite3.Error) as error:
        return _refuse(error, FAILED)
    # What another process removed a moment ago is not told.
    found = [one for one in found if one[0] in facts]
    try:
        if as_json:
            _print_json(text, found, facts)
        else:
            for line in _lines(found, facts):
                print(line)
            if not found:
                print(f"nothing found: {_why_nothing(limit)}", file=sys.stderr)
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever read on has enough; Python would complain once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return DONE


def _look(
    text: str, path: str, limit: int, axes: tuple[str, ...] | None
) -> tuple[list[Found], Circumstances]:
    seen = glance(path)
    if seen is not None:
        try:
            found = seen.find(text, limit=limit, axes=axes)
            return found, seen.circumstances([row for row, *_ in found])
        except (sqlite3.Error, LookupError):
            # Damage that only showed now: what follows mends it.
            pass
        finally:
            seen.close()
    return _catch_up(text, path, limit, axes)


def _catch_up(
    text: str, path: str, limit: int, axes: tuple[str, ...] | None
) -> tuple[list[Found], Circumstances]:
    """Bring the words up to date and look again; here heavy imports are due."""
    from contextlib import closing
    from pathlib import Path

    from csd.axes import Axis
    from csd.store.changes import BankFeed
    from csd.store.errors import BankError
    from csd.store.file import connect, identity_of, moment
    from csd.words.words import Words

    try:
        with closing(connect(Path(path), None)) as run, moment(run, path):
            words = Words(Path(path + WORDS_PLACE))
            with closing(words):
                words.refresh(BankFeed(run, identity_of(run).dimension, path))
                asked = None if axes is None else [Axis(axis) for axis in axes]
                hits = words.cue(text, limit=limit, axes=asked)
            found: list[Found] = [
                (
                    one.row,
                    one.id,
                    one.score,
                    one.axis.value,
                    one.told,
                    {a.value: t for a, t in one.texts.items()},
                )
                for one in hits
            ]
            return found, circumstances(run, [row for row, *_ in found])
    except BankError as error:
        raise OSError(str(error)) from error


def _lines(found: Sequence[Found], facts: Circumstances) -> list[str]:
    told = []
    for row, id, _, axis, text, _ in found:
        step, success, task, product = facts[row]
        told.append(
            (id, str(step), "ok" if success else "no", _plain(product or task), f"{axis}: {_plain(text)}")
        )
    steps = max((len(line[1]) for line in told), default=0)
    names = min(_NAME_COLUMNS, max((_columns(line[3]) for line in told), default=0))
    return [
        _cut(f"{id}  {step:>{steps}}  {success}  {_padded(_cut(name, names), names)}  {text}", _screen())
        for id, step, success, name, text in told
    ]


def _why_nothing(limit: int) -> str:
    return "no current descriptor in the bank has all these words" if limit else "--limit 0 asks for none"


def _print_json(text: str, found: Sequence[Found], facts: Circumstances) -> None:
    import json

    hits = []
    for row, id, score, axis, told, texts in found:
        step, success, task, product = facts[row]
        circumstances = {"id": id, "step": step, "success": success, "task": task, "product": product}
        hits.append({**circumstances, "score": score, "axis": axis, "told": told, "texts": texts})
    print(json.dumps({"cue": text, "hits": hits}, indent=2, allow_nan=False))


def _plain(text: str) -> str:
    if text.isprintable():
        return text
    from echo.mfm.plain_text import plain

    return plain(text)


def _columns(text: str) -> int:
    return len(text) + sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)


def _cut(text: str, columns: int) -> str:
    if _columns(text) <= columns:
        return text
    kept, used = [], 1
    for letter in text:
        used += _columns(letter)
        if used > columns:
            break
        kept.append(letter)
    return "".join(kept).rstrip() + "…"


def _padded(text: str, columns: int) -> str:
    return text + " " * (columns - _columns(text))


def _screen() -> int:
    given = os.environ.get("COLUMNS", "")
    return max(40, int(given)) if given.isdecimal() else _COLUMNS


def _refuse(error: Exception, code: int) -> int:
    print(f"error: {error}", file=sys.stderr)
    return code
