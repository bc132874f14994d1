"""How a bank says no: one exception, and what SQLite's own mean to a user."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


class BankError(Exception):
    """A bank that cannot be used as asked: expected, got, where, what to do."""


@contextmanager
def usable(where: str) -> Iterator[None]:
    """Refuse the use of a file that is closed, or by another thread than the one that opened it.

    Raises:
        BankError: in place of `sqlite3.ProgrammingError`; other errors pass.
    """
    try:
        yield
    except sqlite3.ProgrammingError as error:
        raise BankError(
            f"expected an open bank, used by the thread that opened it, at {where}; got {_said(error)}. "
            f"Open a bank in each thread, and use none after closing it."
        ) from error


@contextmanager
def explained(where: str) -> Iterator[None]:
    """Turn what SQLite says about a file into a `BankError` that says what to do.

    Raises:
        BankError: in place of any `sqlite3.Error`, and for a value that SQLite cannot hold.
    """
    try:
        with usable(where):
            yield
    except sqlite3.OperationalError as error:
        raise BankError(
            f"expected a bank that can be read and written at {where}; got {_said(error)}. Check the "
            f"folder's permissions and free space, and that no other process holds a long write; "
            f"nothing was changed."
        ) from error
    except sqlite3.Error as error:
        raise BankError(
            f"expected an undamaged bank at {where}; got {_said(error)}. Restore the file from a copy, or "
            f"move it away and build the bank again from the episodes."
        ) from error
    except (UnicodeEncodeError, OverflowError) as error:
        raise BankError(
            f"expected whole Unicode text and 64-bit integers for the bank at {where}; got {_said(error)}. "
            f"Nothing was changed: correct the value."
        ) from error


def _said(error: Exception) -> str:
    """Return what an error says, without a full stop."""
    return str(error).rstrip(".")
