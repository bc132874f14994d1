"""A parser for JSON as language models write it: what is meant without doubt is taken, and each mend named.

Taken: single or curly quotes, comments, trailing commas, Python's True, False and None, names without quotes
before a colon, a leading plus, line breaks within texts, needless escapes. Not taken, because it would have
to be guessed: missing brackets, commas or values, NaN, half a surrogate pair, one key with two values.
"""

from __future__ import annotations

import re
from typing import Any

DEEPEST = 64
"""Levels of lists and objects within one another; beyond it a model only repeats a bracket."""

QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
"""Opening quote -> closing one."""

ESCAPES = {'"': '"', "\\": "\\", "/": "/", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}

LITERALS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}

_SPACE = re.compile(r"\s*")
_COMMENT = re.compile(r"//[^\n]*|#[^\n]*|/\*.*?\*/", re.DOTALL)
_NUMBER = re.compile(r"[-+]?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?(?![\w.])")
_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_HEX = re.compile(r"[0-9a-fA-F]{4}")


class Fault(ValueError):
    """Where text stops being JSON, however loosely read."""

    def __init__(self, reason: str, place: int, *, cut: bool = False) -> None:
        """Say what was expected and got at character `place`; `cut` if the text ended there."""
        super().__init__(reason)
        self.reason, self.place, self.cut = reason, place, cut


class LooseParser:
    """Reads one value at a place in a text and remembers what had to be mended."""

    def __init__(self, text: str, place: int = 0) -> None:
        """Read `text` from character `place`."""
        self.text, self.place = text, place
        self.keys = 0
        """How many keys were read: an opened brace without any may be prose."""
        self._mends: dict[str, None] = {}
        self._depth = 0

    @property
    def mends(self) -> tuple[str, ...]:
        """What was mended, each kind once, in the order of the text."""
        return tuple(self._mends)

    def value(self) -> Any:
        """Read the value that begins here.

        Raises:
            Fault: where it cannot be read; `place` then tells where.
        """
        self._blank()
        first = self._peek("a value")
        if first == "{":
            return self._nested(self._object)
        if first == "[":
            return self._nested(self._list)
        if first in QUOTES:
            return self._string()
        return self._number() if first in "-+.0123456789" else self._literal()

    def _nested(self, read: Any) -> Any:
        self._depth += 1
        if self._depth > DEEPEST:
            raise Fault(f"expected at most {DEEPEST} levels of brackets; got more", self.place)
        self.place += 1
        value = read()
        self._depth -= 1
        return value

    def _object(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while not self._closes("}", bool(found)):
            key = self._key()
            start = self.place
            self._take(":")
            self.keys += 1
            value = self.value()
            if key in found and found[key] != value:
                raise Fault(f"expected each key once; got {key!r} with two values", start)
            if key in found:
                self._mend("a key said twice")
            found[key] = value
        return found

    def _list(self) -> list[Any]:
        found: list[Any] = []
        while not self._closes("]", bool(found)):
            found.append(self.value())
        return found

    def _closes(self, bracket: str, after_value: bool) -> bool:
        """Take the closing bracket, or the comma before a next value; returns whether it closed."""
        self._blank()
        if after_value and self._peek(f"',' or {bracket!r}") == ",":
            self.place += 1
            self._blank()
            if self._peek("a value") != bracket:
                return False
            self._mend("trailing comma")
        elif after_value or self._peek(f"a value or {bracket!r}") == bracket:
            self._take(bracket)
            return True
        else:
            return False
        self._take(bracket)
        return True

    def _key(self) -> str:
        self._blank()
        if self._peek("a key in quotes") in QUOTES:
            return self._string()
        word = _WORD.match(self.text, self.place)
        if word is None:
            raise Fault(f"expected a key in quotes; got {self.text[self.place]!r}", self.place)
        after = _SPACE.match(self.text, word.end())
        if after is None or self.text[after.end() : after.end() + 1] != ":":
            raise Fault(f"expected a key in quotes; got {word.group()!r}", self.place)
        self._mend("key without quotes")
        self.place = word.end()
        return word.group()

    def _string(self) -> str:
        start, opening = self.place, self.text[self.place]
        closing = QUOTES[opening]
        if opening != '"':
            self._mend("single quotes" if opening == "'" else "curly quotes")
        self.place += 1
        pieces: list[str] = []
        while True:
            char = self._peek("the end of a text in quotes")
            if char == closing and (opening == '"' or self._ends_text()):
                self.place += 1
                return self._whole("".join(pieces), start)
            if char == "\\":
                pieces.append(self._escape())
                continue
            if char < " ":
                self._mend("line break or control character within a text")
            pieces.append(char)
            self.place += 1

    def _ends_text(self) -> bool:
        """Whether the quote here ends a text, rather than standing for an apostrophe in it."""
        after = _SPACE.match(self.text, self.place + 1)
        follows = self.text[after.end() : after.end() + 1] if after else ""
        return follows in (",", ":", "}", "]", "")

    def _whole(self, text: str, start: int) -> str:
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise Fault(
                f"expected whole Unicode text; got half a surrogate pair, {text[error.start]!r}", start
            ) from error
        return text

    def _escape(self) -> str:
        self.place += 1
        char = self._peek("an escape")
        self.place += 1
        if char in ESCAPES:
            return ESCAPES[char]
        if char != "u":
            self._mend("needless escape")
            return char
        first = self._unit()
        if 0xD800 <= first < 0xDC00 and self.text.startswith("\\u", self.place):
            self.place += 2
            second = self._unit()
            if 0xDC00 <= second < 0xE000:
                return chr(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00))
            return chr(first) + chr(second)
        return chr(first)

    def _unit(self) -> int:
        digits = _HEX.match(self.text, self.place)
        if digits is None:
            short = self.place + 4 > len(self.text)
            raise Fault("expected four hexadecimal digits after \\u; got others", self.place, cut=short)
        self.place = digits.end()
        return int(digits.group(), 16)

    def _number(self) -> int | float:
        found = _NUMBER.match(self.text, self.place)
        if found is None:
            raise Fault(f"expected a number; got {self.text[self.place : self.place + 12]!r}", self.place)
        if found.group().startswith("+"):
            self._mend("plus before a number")
        if found.group(1) is None and found.group(2) is None:
            if len(found.group()) > 18:
                raise Fault("expected a number of at most 18 digits; got more", self.place)
            self.place = found.end()
            return int(found.group())
        value = float(found.group())
        if value in (float("inf"), float("-inf")):
            raise Fault(f"expected a finite number; got {found.group()!r}", self.place)
        self.place = found.end()
        return value

    def _literal(self) -> Any:
        word = _WORD.match(self.text, self.place)
        if word is None or word.group() not in LITERALS:
            got = word.group() if word else self.text[self.place]
            cut = word is not None and word.end() == len(self.text)
            raise Fault(f"expected a value; got {got!r}", self.place, cut=cut)
        if word.group()[0].isupper():
            self._mend("Python literal")
        self.place = word.end()
        return LITERALS[word.group()]

    def _blank(self) -> None:
        while True:
            space = _SPACE.match(self.text, self.place)
            self.place = space.end() if space else self.place
            comment = _COMMENT.match(self.text, self.place)
            if comment is None:
                return
            self._mend("comment")
            self.place = comment.end()

    def _take(self, char: str) -> None:
        self._blank()
        if self._peek(repr(char)) != char:
            raise Fault(f"expected {char!r}; got {self.text[self.place]!r}", self.place)
        self.place += 1

    def _peek(self, expected: str) -> str:
        if self.place >= len(self.text):
            raise Fault(f"expected {expected}; got the end of the text", self.place, cut=True)
        return self.text[self.place]

    def _mend(self, what: str) -> None:
        self._mends[what] = None
