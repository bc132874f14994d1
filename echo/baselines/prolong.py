"""PRO-LONG: one log of everything, searched by regular expressions that the agent writes.

Kept of the original: one append-only text, a line a step, never shortened or summed up; nothing of it is
put before the agent unasked; the agent searches the text itself, by expressions; what it reads is left out
of the log. Failures are in it like everything else.

What cannot be kept: the language model that thinks up expressions and programs as it goes. The reasoner's
are written here: at the start every line that says that something worked or gave nothing, so that it knows
all it ever did; for an item or a block the lines that name it, and where a block was last in sight. Lines
that say the same as one before are read once. Steps are parsed back from the text; frames and messages are
not in it. Source: PRO-LONG, arXiv 2607.20064, and its released code.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from csd.episode import Cell, Episode, Observation, Step
from echo.agent.memory import Ended, Question, Recalled
from echo.agent.texts import bearing
from echo.baselines.direct import Direct
from echo.baselines.made import distinct
from echo.baselines.prolong_log import other_line, read_step, step_line

TELLING = (
    r'^[^\t]*\t[^\t]*"kind":"(?:collect|mine|craft|smelt|place|attack|eat)"[^\t]*'
    r"\t(?:ok|no_result|no_drop|not_fuel|not_placeable|not_edible|not_breakable)\t"
)
"""Finds lines of what worked or gave nothing; what could not be tried, and a walk, tell nothing."""

PLAYED = "episode "
"""How lines of episodes begin; those of demonstrations, which show another land, do not."""


@dataclass(slots=True)
class _Search:
    """How far one expression was followed, and the numbers of the lines that it found."""

    upto: int = 0
    found: list[int] = field(default_factory=list)


class ProLong(Direct):
    """Implements `echo.agent.memory.Memory`."""

    def __init__(self) -> None:
        """Start with an empty log."""
        super().__init__()
        self._lines: list[str] = []
        self._episodes = 0
        self._shown = 0
        # What follows is read off the lines, and kept so that no line is searched or parsed twice.
        self._searches: dict[str, _Search] = {}
        self._steps: dict[int, Step] = {}
        self._told: tuple[Step, ...] = ()
        self._told_upto = 0
        self._places: dict[str, Cell] = {}

    @property
    def text(self) -> str:
        """The whole log: a line a step, an ending, or a demonstration's title; oldest first."""
        return "".join(f"{line}\n" for line in self._lines)

    def show(self, episode: Episode) -> None:
        """Log a demonstration."""
        when = f"shown {self._shown}"
        self._lines += [step_line(step, when) for step in episode.steps]
        self._lines.append(other_line(when, "shown", episode.goal))
        self._shown += 1

    def recall(self, question: Question) -> Recalled:
        """Search the log: for all that worked or gave nothing, or for what names an item or a block.

        Steps come in the order of the log. A place is where the latest of the lines found saw the block; at
        the start, of all kinds of blocks.
        """
        if question.block is not None:
            return Recalled(steps=self._naming(question.block), places=self._place(question.block))
        if question.item is not None:
            return Recalled(steps=self._naming(question.item), exemplars=bearing(question.item, self._told))
        self._catch_up()
        return Recalled(
            steps=self._told,
            exemplars=bearing(question.goal.text, self._told),
            places=dict(sorted(self._places.items())),
        )

    def grep(self, expression: str, *, having: str = "") -> Sequence[int]:
        """Return the numbers of the lines that a regular expression finds, from 0, in order.

        Args:
            expression: searched in each line.
            having: a text that each line found holds, which makes the search quick; '' for none.
        """
        search = self._searches.setdefault(expression, _Search())
        compiled = re.compile(expression)
        for number in range(search.upto, len(self._lines)):
            line = self._lines[number]
            if having in line and compiled.search(line):
                search.found.append(number)
        search.upto = len(self._lines)
        return tuple(search.found)

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Log a step, whatever came of it."""
        self._lines.append(step_line(step, f"{PLAYED}{self._episodes}"))

    def close(self, ended: Ended) -> None:
        """Log how an episode ended."""
        self._lines.append(other_line(f"{PLAYED}{self._episodes}", ended.ending, ended.goal.text))
        self._episodes += 1

    def _catch_up(self) -> None:
        """Read the telling lines that came since the last time."""
        found = self.grep(TELLING)
        new = {number: read_step(self._lines[number]) for number in found[self._told_upto :]}
        self._told_upto = len(found)
        self._told = distinct([*self._told, *new.values()])
        for number, step in new.items():
            if self._lines[number].startswith(PLAYED):
                self._places.update({kind: block.nearest for kind, block in step.before.blocks.items()})

    def _naming(self, name: str) -> tuple[Step, ...]:
        """Return the telling steps that used, brought, dug or put down what is called `name`."""
        quoted = json.dumps(name)
        there = re.escape(quoted)
        acted, changed = rf"[^\t]*{there}", rf"(?:[^\t]*\t){{2}}[^\t]*{there}:"
        dug = rf'(?:[^\t]*\t){{3}}\{{"block":{there}'
        found = self.grep(rf"^[^\t]*\t(?:{acted}|{changed}|{dug})", having=quoted)
        telling = re.compile(TELLING)
        return distinct(self._step(number) for number in found if telling.search(self._lines[number]))

    def _place(self, block: str) -> dict[str, Cell]:
        quoted = json.dumps(block)
        found = self.grep(rf'^{PLAYED}.*"sight":\{{[^}}]*{re.escape(quoted)}:', having=quoted)
        return {block: self._step(found[-1]).before.blocks[block].nearest} if found else {}

    def _step(self, number: int) -> Step:
        step = self._steps.get(number)
        if step is None:
            step = self._steps[number] = read_step(self._lines[number])
        return step
