"""Text of mine/ as bytes and back: UTF-8, to the letter."""

from __future__ import annotations

from echo.mfm.layout import MfmError
from echo.mfm.mine.tree import FILE_BYTES


def encoded(text: str, where: str) -> bytes:
    r"""Return `text` in UTF-8. Two halves of one character, side by side, become that character.

    Line ends and a byte order mark stay as they are.

    Raises:
        MfmError: on a half without its other half, a NUL, or more than `FILE_BYTES`.

    >>> encoded("\ud83c\udf78", "notes.md").decode() == "\N{COCKTAIL GLASS}"
    True
    """
    if not isinstance(text, str):
        raise MfmError(f"expected text for {where}, got {type(text).__name__}. Nothing was written.")
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = _joined(text, where).encode()
    place = data.find(b"\0")
    if place >= 0:
        line = data.count(b"\n", 0, place) + 1
        raise MfmError(
            f"expected text for {where}, got a NUL in line {line}. Leave it out; nothing was written."
        )
    if len(data) > FILE_BYTES:
        raise MfmError(
            f"expected at most {FILE_BYTES:,} bytes for {where}, got {len(data):,}. "
            f"Split it into several files; nothing was written."
        )
    return data


def decoded(data: bytes, where: str) -> str:
    """Return the text that `data` holds.

    Raises:
        MfmError: if it is not UTF-8.
    """
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise MfmError(
            f"expected UTF-8 in {where}, got the byte 0x{data[error.start]:02x} in line {line}. "
            f"Save the file as UTF-8, or replace it; its bytes are kept in the history when it is written."
        ) from None


def _joined(text: str, where: str) -> str:
    try:
        return text.encode("utf-16", "surrogatepass").decode("utf-16")
    except UnicodeDecodeError as error:
        # The first two bytes are the byte order mark.
        before = text.encode("utf-16", "surrogatepass")[: error.start].decode("utf-16", "replace")
        line = before.count("\n") + 1
        raise MfmError(
            f"expected whole characters for {where}, got half of one (a lone surrogate) in line {line}. "
            f"Leave it out or write the character; nothing was written."
        ) from None
