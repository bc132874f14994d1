"""Plain words to FTS5's query language: nothing that a user types is ever an operator by accident."""

from __future__ import annotations

import unicodedata

from csd.axes import AXES

MAX_CHARACTERS = 2_000
MAX_WORDS = 64
"""A cue is a line, not a document; FTS5 takes about a millisecond a word on large banks."""

_HISSING = ("s", "x", "z", "ch", "sh")
_VOWELS = "aeiou"


def expression(text: str, axes: tuple[str, ...] | None = None) -> str | None:
    """Return the FTS5 query for descriptors in which every word of `text` occurs, on any axis.

    White space separates words; capitals and accents make no difference. A word with a trailing '*' is the
    beginning of words. A word also finds its English plural or singular ('plank', 'planks'). What is joined
    by other signs must stand side by side: 'oak_planks' and 'oak-planks' find 'oak planks' and not
    'planks of oak'. Quotes, AND, OR, NOT, NEAR, colons and brackets mean nothing.

    Args:
        text: what to look for.
        axes: names of the axes on which every word must occur; None for all.

    Returns:
        None where `text` holds no letter, digit or symbol that could be found.

    Raises:
        ValueError: on a text that is too long, has too many words, is not whole Unicode or holds a NUL; on
            a name that is no axis, or no axis at all.

    >>> expression("oak* planks")
    '("oak"*) AND ("planks" OR "plank")'
    >>> expression("a NEAR b:", ("func",))
    '{func} : (("a") AND ("near" OR "nears") AND ("b:"))'
    >>> expression(' "*- ') is None
    True
    """
    _check(text)
    columns = _columns(axes)
    words = [word for word in text.replace('"', " ").lower().split() if any(map(_findable, word))]
    if len(words) > MAX_WORDS:
        raise ValueError(f"expected a cue of at most {MAX_WORDS} words; got {len(words)}. Use fewer.")
    if not words:
        return None
    every = " AND ".join(f"({_alternatives(word)})" for word in words)
    return every if columns is None else f"{{{columns}}} : ({every})"


def other_numbers(word: str) -> list[str]:
    """Return what could be the plural or singular of an English `word` in lower case.

    >>> other_numbers("torches")
    ['torche', 'torch']
    >>> other_numbers("leaf")
    ['leafs', 'leaves']
    """
    # The word after the last joint is what changes: oak_planks, oak_plank.
    if len(word) < 3 or not (word[-1].isascii() and word[-1].isalpha()):
        return []
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return [word[:-1], *_singulars(word)]
    if word.endswith(_HISSING):
        return [word + "es"]
    if word.endswith("y") and word[-2] not in _VOWELS:
        return [word[:-1] + "ies"]
    return [word + "s", *([word[:-1] + "ves"] if word.endswith("f") else [])]


def _singulars(word: str) -> list[str]:
    if word.endswith("ies"):
        return [word[:-3] + "y"]
    if word.endswith("ves"):
        return [word[:-3] + "f"]
    return [word[:-2]] if word[:-2].endswith(_HISSING) else []


def _alternatives(word: str) -> str:
    if word.endswith("*"):
        return f'"{word.rstrip("*")}"*'
    return " OR ".join(f'"{one}"' for one in (word, *other_numbers(word)))


def _findable(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return kind[0] in "LNM" or kind in ("Co", "So")


def _columns(axes: tuple[str, ...] | None) -> str | None:
    if axes is None:
        return None
    known = [axis.value for axis in AXES]
    unknown = [name for name in axes if name not in known]
    if unknown or not axes:
        raise ValueError(f"expected axes out of {', '.join(known)}; got {', '.join(unknown) or 'none'}.")
    return " ".join(name for name in known if name in axes)


def _check(text: str) -> None:
    if len(text) > MAX_CHARACTERS:
        raise ValueError(
            f"expected a cue of at most {MAX_CHARACTERS} characters; got {len(text)}. Use a few words."
        )
    if "\0" in text:
        raise ValueError(f"expected a cue without NUL characters; got one at {text.index(chr(0))}.")
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise ValueError(
            f"expected a cue of whole Unicode characters; got {text[error.start]!r} at {error.start}."
        ) from error
