"""What a Markdown text claims: its bullets, its table rows, and the sentences of its paragraphs.

No claims are: headings, code (fenced or indented), front matter, comments, rules, link definitions,
questions, open task boxes, lines that only introduce what follows (they end in ':'), and lines of links
alone. A comment or a fence that is not closed hides nothing: what stands behind it is read, and `unclosed`
names it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from echo.mfm.mine.citations import Citation, citations

MARKDOWN = (".md", ".markdown")
"""Ends of the names of Markdown files, in lower case."""
SKILL = "skill.md"
"""Name of a file of instructions, in lower case."""

_FENCE = re.compile(r" {0,3}(?:>\s*)*(`{3,}|~{3,})")
_BULLET = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+(?P<text>.*)")
_TASK = re.compile(r"\[[ xX]\]\s")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")
_RULE = re.compile(r"\s*(?:[-*_=]\s*){2,}$|\s*=+\s*$")
_TABLE_RULE = re.compile(r"\s*\|?\s*:?-+:?\s*(?:\|\s*:?-*:?\s*)*$")
_DEFINITION = re.compile(r" {0,3}\[[^\]]+\]:\s")
_COMMENT = re.compile(r"(?<!`)<!--(?:(?!<!--).)*?-->", re.DOTALL)
_OPENS_COMMENT = re.compile(r"(?<!`)<!--")
_INDENTED = re.compile(r" {4}|\t")
_FRONT = re.compile(r"[\w .-]+:(?:\s|$)")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)|<?https?://\S+>?")
_BRACKETS = re.compile(r"\[[^\[\]]*\]")
_END = re.compile(
    r"(?<=[.!?])[\"')*_]*\s+(?=[\"'(*_`\[]*[A-Z0-9\[`\u3040-\u9fff])"
    r"|(?<=[\u3002\uff01\uff1f])[\"')*_\u300d\u300f\u201d\u2019\uff09]*\s*(?=\S)"
)
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
    return any(letter.isalnum() for letter in bare) and not bare.endswith((":", "?", "\uff1a", "\uff1f"))


def _blocks(text: str) -> Iterator[_Block]:
    """Yield bullets, table rows and paragraphs with the line they begin in."""
    lines = _blanked(text).split("\n")
    held: list[str] = []
    start, whole, listed = 0, False, False
    for number, line in enumerate([*lines, ""], start=1):
        line = line.lstrip(" ").removeprefix(">") if line.lstrip().startswith(">") else line
        bullet = _BULLET.fullmatch(line)
        row = line.lstrip().startswith("|")
        if not held and not listed and line.strip() and _INDENTED.match(line):
            continue
        listed = bool(bullet) or (listed and (bool(held) or not line.strip() or line[0] in " \t"))
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


def unclosed(text: str) -> list[tuple[int, str]]:
    r"""Return the comments and fences that are opened and not closed, each with its line, in order.

    >>> unclosed("a\n```\nb <!-- c\n")
    [(2, '```'), (3, '<!--')]
    """
    lines = _without_front_matter(text)
    open_fences = [(place + 1, mark) for place, mark in _fences(lines) if mark]
    bare = _without_comments("\n".join(lines)).split("\n")
    comments = [
        (number, "<!--") for number, line in enumerate(bare, start=1) for _ in _OPENS_COMMENT.finditer(line)
    ]
    return sorted([*open_fences, *comments])


def _blanked(text: str) -> str:
    """Return `text` without front matter, comments and fenced code, with the same number of lines."""
    lines = _without_front_matter(text)
    _fences(lines)
    return _OPENS_COMMENT.sub("", _without_comments("\n".join(lines)))


def _without_comments(text: str) -> str:
    return _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)


def _without_front_matter(text: str) -> list[str]:
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").split("\n")
    ends = [place for place, line in enumerate(lines[1:], start=1) if line.rstrip() == "---"]
    # A rule at the top is no front matter.
    if lines[0].rstrip() == "---" and ends and (ends[0] == 1 or _FRONT.match(lines[1])):
        lines[: ends[0] + 1] = [""] * (ends[0] + 1)
    return lines


def _fences(lines: list[str]) -> list[tuple[int, str]]:
    """Blank the fenced code in `lines`; return place and mark of what opens a fence and is not closed.

    A fence is not closed either where another one of its kind is opened within it.
    """
    found: list[tuple[int, str]] = []
    start, fence = 0, ""
    for place, line in enumerate(lines):
        mark = _FENCE.match(line)
        if mark is None:
            continue
        bare = not line[mark.end() :].strip()
        if fence and mark[1].startswith(fence) and bare:
            lines[start : place + 1] = [""] * (place + 1 - start)
            fence = ""
        elif not fence or mark[1] == fence:
            if fence:
                found.append((start, fence))
                lines[start] = ""
            start, fence = place, mark[1]
    if fence:
        found.append((start, fence))
        lines[start] = ""
    return found


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
