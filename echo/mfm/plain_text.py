"""Text from a file as a terminal may show it. Loads in no time."""

from __future__ import annotations


def plain(text: str) -> str:
    r"""Return `text` on one line, unprintable characters as escapes, so that none of it steers the terminal.

    >>> plain("a\x1b[31mb")
    'a\\x1b[31mb'
    """
    if text.isprintable():
        return text
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode() for letter in text
    )
