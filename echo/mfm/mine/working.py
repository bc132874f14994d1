"""Working memory: the plan, the next subgoal and the open questions, in mine/working.md.

```
# Plan

Get iron, then shears.

# Subgoal

Find a cave near (120, -40).

# Open questions

- [ ] Does the river lead to the village?
- [x] Is there coal on the hill? Yes, at y 72 [ep_000031].
```

A person may edit the file: whatever else stands in it stays where it is, to the letter.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from echo.mfm.layout import MINE, WORKING, MfmError
from echo.mfm.mine.change import Author
from echo.mfm.mine.writable import Mine

BUDGET = 4_000
"""Characters of the whole file: it is read in every turn."""

PLAN, SUBGOAL, QUESTIONS = "Plan", "Subgoal", "Open questions"
SECTIONS = (PLAN, SUBGOAL, QUESTIONS)

_HEADING = re.compile(r"#{1,6}[ \t]+(.*?)[ \t]*#*[ \t]*\r?\n?")
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})")
_QUESTION = re.compile(
    r"(?P<start>[ \t]*[-*+][ \t]+)(?:\[(?P<mark>[ xX])\][ \t]+)?(?P<text>.*?)[ \t]*(?P<end>\r?\n?)"
)


@dataclass(frozen=True, kw_only=True)
class Question:
    """One line of the open questions."""

    text: str
    answered: bool
    """Whether its box is ticked; the answer stands behind the question."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """A heading and what stands below it, as they stand in the file."""

    title: str | None
    """One of `SECTIONS`; None for anything else, and for a second one of the same name."""
    head: str
    """The line of the heading; empty for what stands before the first one."""
    body: str


@dataclass(frozen=True, kw_only=True)
class Working:
    """The working memory. Every method returns a new one; `render` gives the file back."""

    sections: tuple[Section, ...] = ()

    @classmethod
    def parse(cls, text: str) -> Working:
        r"""Return the working memory that `text` holds; `render` returns `text` again.

        >>> Working.parse("# Plan\nDig.\n").plan
        'Dig.'
        """
        sections: list[Section] = [Section(title=None, head="", body="")]
        fence = ""
        for line in _lines(text):
            sections, fence = _taken(sections, line, fence)
        return cls(sections=tuple(sections if sections[0].body else sections[1:]))

    def render(self) -> str:
        """Return the text of the file."""
        return "".join(section.head + section.body for section in self.sections)

    @property
    def plan(self) -> str:
        """The plan, without the white space around it; empty where there is none."""
        return self._body(PLAN).strip()

    @property
    def subgoal(self) -> str:
        """What to reach next; empty where nothing is set."""
        return self._body(SUBGOAL).strip()

    @property
    def questions(self) -> tuple[Question, ...]:
        """The questions in order, answered ones included."""
        return tuple(
            Question(text=match["text"], answered=match["mark"] in ("x", "X"))
            for match in map(_QUESTION.fullmatch, _lines(self._body(QUESTIONS)))
            if match is not None and match["text"]
        )

    def with_plan(self, text: str) -> Working:
        """Return it with another plan.

        Raises:
            MfmError: if a line of `text` is the heading of a section.
        """
        return self._with(PLAN, _paragraph(text))

    def with_subgoal(self, text: str) -> Working:
        """Return it with another subgoal. Raises as `with_plan`."""
        return self._with(SUBGOAL, _paragraph(text))

    def ask(self, question: str) -> Working:
        """Return it with one more open question, unless it is there already.

        Raises:
            MfmError: if `question` is empty.
        """
        told = _one_line(question)
        if any(each.text == told for each in self.questions):
            return self
        body = self._body(QUESTIONS).rstrip("\n")
        return self._with(QUESTIONS, f"{body or chr(10)}{chr(10) if body else ''}- [ ] {told}\n")

    def answer(self, question: str, answer: str) -> Working:
        """Return it with a question ticked and its answer behind it.

        Args:
            question: Its text.
            answer: What was found; it should cite the episode that shows it.

        Raises:
            MfmError: if there is no such open question.
        """
        told, lines = _one_line(answer), _lines(self._body(QUESTIONS))
        for place, line in enumerate(lines):
            match = _QUESTION.fullmatch(line)
            if match is not None and match["text"] == question and match["mark"] not in ("x", "X"):
                lines[place] = f"{match['start']}[x] {question} {told}{match['end']}"
                return self._with(QUESTIONS, "".join(lines))
        known = "; ".join(each.text for each in self.questions if not each.answered) or "none"
        raise MfmError(f"expected one of the open questions ({known}), got {question!r}. Ask it first.")

    def without_oldest_answered(self) -> Working | None:
        """Return it without the first answered question, or None where none is answered."""
        lines = _lines(self._body(QUESTIONS))
        for place, line in enumerate(lines):
            match = _QUESTION.fullmatch(line)
            if match is not None and match["mark"] in ("x", "X"):
                return self._with(QUESTIONS, "".join(lines[:place] + lines[place + 1 :]))
        return None

    def _body(self, title: str) -> str:
        return next((section.body for section in self.sections if section.title == title), "")

    def _with(self, title: str, body: str) -> Working:
        new = [replace(each, body=body) if each.title == title else each for each in self.sections]
        if all(each.title != title for each in new):
            if new and not new[-1].body.endswith("\n\n"):
                gap = "\n" if new[-1].body.endswith("\n") or not new[-1].body else "\n\n"
                new[-1] = replace(new[-1], body=new[-1].body + gap)
            new.append(Section(title=title, head=f"# {title}\n", body=body))
        changed = Working(sections=tuple(new))
        if Working.parse(changed.render()) != changed:
            raise MfmError(
                f"expected text without the headings {', '.join(SECTIONS)} and with code blocks closed, "
                f"got {body[:80]!r}. Leave them out; nothing was written."
            )
        return changed


def read_working(root: Path | str) -> Working:
    """Return the working memory of the memory at `root`; empty where nothing was written.

    Raises:
        MfmError: if the file cannot be read.
    """
    mine = Mine(root, read_only=True)
    return Working.parse(mine.read(WORKING)) if mine.exists(WORKING) else Working()


def update_working(
    root: Path | str,
    edit: Callable[[Working], Working],
    *,
    by: Author = "agent",
    why: str = "working memory",
    budget: int = BUDGET,
) -> Working:
    """Change the working memory at `root` and return what it is then; other writers wait meanwhile.

    Where it is over budget, answered questions go first, the oldest one first; the history keeps them.

    Args:
        root: The memory folder.
        edit: Returns the new one for the one that is there.
        by: Who changes it.
        why: In a few words.
        budget: Most characters.

    Raises:
        MfmError: if it is over budget without answered questions too; the text says what to cut.
    """
    mine = Mine(root)
    with mine.batch(by=by, why=why):
        held = Working.parse(mine.read(WORKING)) if mine.exists(WORKING) else Working()
        wanted = edit(held)
        shorter: Working | None = wanted
        while shorter is not None and len(shorter.render()) > budget:
            wanted, shorter = shorter, shorter.without_oldest_answered()
        if shorter is None:
            raise _over(wanted, budget)
        mine.write(WORKING, shorter.render())
    return shorter


def _over(working: Working, budget: int) -> MfmError:
    sizes = ", ".join(
        f"{each.title or 'other text'} {len(each.head + each.body):,}" for each in working.sections
    )
    return MfmError(
        f"expected at most {budget:,} characters in {MINE}/{WORKING}, "
        f"got {len(working.render()):,} ({sizes}). "
        f"Shorten the longest, or move what is settled to the notes; nothing was written."
    )


def _taken(sections: list[Section], line: str, fence: str) -> tuple[list[Section], str]:
    """Return the sections with one more line, and the mark of the code block that is open behind it."""
    mark = _FENCE.match(line)
    heading = None if fence else _HEADING.fullmatch(line)
    if mark is not None:
        if not fence:
            fence = mark[1]
        elif mark[1].startswith(fence) and not line[mark.end() :].strip():
            fence = ""
    title = None if heading is None else _title(heading[1], sections)
    if title is None:
        return [*sections[:-1], replace(sections[-1], body=sections[-1].body + line)], fence
    return [*sections, Section(title=title, head=line, body="")], fence


def _title(text: str, sections: list[Section]) -> str | None:
    """Return the section that a heading begins; a second one of the same name begins none."""
    known = {title.casefold(): title for title in SECTIONS}
    title = known.get(text.strip().casefold())
    return None if title in [each.title for each in sections] else title


def _lines(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", text)


def _paragraph(text: str) -> str:
    return f"\n{text.strip()}\n\n" if text.strip() else "\n"


def _one_line(text: str) -> str:
    told = " ".join(text.split())
    if not told:
        raise MfmError("expected a question or an answer in words, got none. Nothing was written.")
    return told
