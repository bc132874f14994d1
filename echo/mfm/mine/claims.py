"""What a Markdown text claims: its bullets, its table rows, and the sentences of its paragraphs.

No claims are: headings, code, front matter, comments, rules, link definitions, questions, open task
boxes, lines that only introduce what follows (they end in ':'), and lines of links alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from echo.mfm.mine.citations import Citation, citations

_FENCE = re.compile(r" {0,3}(?:>\s*)*(`{3,}|~{3,})")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<text>.*)")
_TASK = re.compile(r"\[[ xX]\]\s")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){2,}$|\s*=+\s*$")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-*:?\s*)*$")
_DEFINITION = re.compile(r" {0,3}\[[^\]]+\]:\s")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)|<?https?://\S+>?")
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_END = re.compile(r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`\[]*[A-Z0-9\[`])")
_SHORT = ("e.g.", "i.e.", "approx.", "cf.", "vs.", "no.", "etc.")


@dataclass(frozen=True, kw_only=True)
class Claim:
    """One statement of a text."""

    line: int
    """Where it begins, from 1."""
    text: str
    """White space folded."""

    @property
    def citations(self) -> list[Citation]:
        """The episodes it cites; places are those in `text`."""
        return citations(self.text)


@dataclass(frozen=True, kw_only=True)
class _Block:
    line: int
    text: str
    whole: bool
    """Whether it is one claim (a bullet, a table row), not a paragraph of sentences."""


def claims(text: str) -> list[Claim]:
    r"""Return the claims of a Markdown text in order.

    >>> [(one.line, one.text) for one in claims("# Ores\n\nIron is deep [ep_000004]. Is coal?\n- a\n")]
    [(3, 'Iron is deep [ep_000004].'), (4, 'a')]
    """
    found: list[Claim] = []
    for block in _blocks(text):
        pieces = [block.text] if block.whole else _sentences(block.text)
        found += [Claim(line=block.line, text=piece) for piece in pieces if _claims(piece)]
    return found


def _claims(piece: str) -> bool:
    """Return whether a piece of text states something."""
    bare = _BRACKETS.sub("", _LINK.sub("", piece)).strip().rstrip("*_`\"')")
    return any(letter.isalnum() for letter in bare) and not bare.endswith((":", "?"))


def _blocks(text: str) -> Iterator[_Block]:
    """Yield bullets, table rows and paragraphs with the line they begin in."""
    lines = _blanked(text).split("\n")
    held: list[str] = []
    start, whole = 0, False
    for number, line in enumerate([*lines, ""], start=1):
        line = line.lstrip(" ").removeprefix(">") if line.lstrip().startswith(">") else line
        bullet = _BULLET.fullmatch(line)
        row = line.lstrip().startswith("|")
        apart = not line.strip() or _HEADING.match(line) or _RULE.fullmatch(line) or _DEFINITION.match(line)
        if held and (apart or bullet or row):
            if not (_is_underline(line) and not whole):
                yield _Block(line=start, text=" ".join(" ".join(held).split()), whole=whole)
            held = []
        if apart:
            continue
        if row:
            following = lines[number] if number < len(lines) else ""
            if not _TABLE_RULE.fullmatch(line) and not (
                "|" in following and _TABLE_RULE.fullmatch(following)
            ):
                cells = " ".join(line.strip().strip("|").replace("|", " ").split())
                yield _Block(line=number, text=cells, whole=True)
        elif bullet and _TASK.match(bullet["text"]) and bullet["text"][1] == " ":
            continue
        elif bullet:
            held, start, whole = [bullet["text"]], number, True
        else:
            if not held:
                start, whole = number, False
            held.append(line)


def _is_underline(line: str) -> bool:
    return bool(line.strip()) and set(line.strip()) in ({"="}, {"-"})


def _blanked(text: str) -> str:
    """Return `text` without front matter, comments and fenced code, with the same number of lines."""
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    if lines[0].rstrip() == "---" and "---" in (line.rstrip() for line in lines[1:]):
        end = next(place for place, line in enumerate(lines[1:], start=1) if line.rstrip() == "---")
        lines[: end + 1] = [""] * (end + 1)
    fence = ""
    for place, line in enumerate(lines):
        mark = _FENCE.match(line)
        if fence:
            lines[place] = ""
            if mark and mark[1].startswith(fence) and not line[mark.end() :].strip():
                fence = ""
        elif mark:
            fence, lines[place] = mark[1], ""
    return _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), "\n".join(lines))


def _sentences(text: str) -> list[str]:
    """Return the sentences of a paragraph; citations behind a full stop belong to what it ends."""
    pieces: list[str] = []
    start = 0
    for match in _END.finditer(text):
        if text[start : match.start()].lower().endswith(_SHORT):
            continue
        pieces.append(text[start : match.start()] + text[match.start() : match.end()].rstrip())
        start = match.end()
    pieces.append(text[start:])
    joined: list[str] = []
    for piece in pieces:
        rest = piece
        while joined and (cited := _BRACKETS.match(rest)) and citations(cited[0]):
            joined[-1] += f" {cited[0]}"
            rest = rest[cited.end() :].lstrip(" .,;")
        if rest:
            joined.append(rest)
    return joined
