"""Texts that can be written to any file: no halves of UTF-16 pairs."""

from __future__ import annotations


def whole_text(text: str) -> str:
    r"""Return `text` with the halves of a pair joined, and U+FFFD for a half alone.

    Halves come out of JSON that was cut or decoded in pieces; UTF-8 cannot hold them.

    >>> whole_text("\ud83c\udf78") == chr(0x1F378), whole_text("a\ud83c")
    (True, 'a\ufffd')
    """
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
