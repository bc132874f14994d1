"""MFM: five memories in one folder, asked by cue, by place and through notes, its evidence opened and read.

Kept of the original, with the folder memory itself (`echo.mfm`) and not a likeness of it: every step is
recorded in episodes that never change, failures as well as successes; the index is asked by cue (what was
got, dug, new, or tried in vain) and the evidence behind its rows is opened; the spatial memory says where
things stand; episodes are consolidated into notes that cite them; a success becomes a procedure that can be
repeated, or installed in another memory; the working plan is kept. What cannot be kept: a language model that
words queries and notes of its own, looks at frames and writes scripts. Rules ask instead, at the start for
what notes say and for the goal, later for one item or one block; a note is read by opening what it cites, a
script by reading what it expects of each action.

One life is lived in one folder, from the first episode of a run to the last: the land of a run stays the
same, and a new life would begin without a map (`LandMap` puts right what begins anew).

With notes, all that they cite is known at the start, and so is what has been recorded since they were
written. Writing them takes as long as there are episodes, so that it is done whenever those have doubled.

What the switches cost a reasoner of rules:

- frames: nothing, by construction. Nobody looks at one, and the worlds of tasks draw none unless asked.
- index: cues and places. The memory is flat: the latest `RECENT` episodes are read back, as many as a
  model-driven agent is told of; notes are read all the same, since episodes are opened by id.
- procedures: no plan to repeat, nothing to install, and consolidation writes none.
- consolidation: the notes. At the start `READS` episodes are found by cue and opened, and no more.

Source: MFM, its five memories and the ablations of its components (docs/mfm.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from csd.episode import Episode, Observation, Step
from echo.agent.goal import Have, Role
from echo.agent.memory import Ended, Habits, Question, Recalled
from echo.agent.policy import NoMemory
from echo.agent.texts import bearing
from echo.baselines.mfm_folder import MILESTONE, STUCK, LivedFolder, dug, got
from echo.baselines.mfm_library import TaskLibrary
from echo.baselines.mfm_map import LandMap
from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.layout import DIGEST, NOTES
from echo.mfm.mine.citations import citations
from echo.mfm.mine.working import update_working
from echo.mfm.mine.writable import Mine
from echo.mfm.options import MemoryOptions
from echo.mfm.query.ask import ask
from echo.mfm.query.question import Question as Cue

RECENT = 8
"""Episodes that a flat memory reads back, as many as the harness tells a model of in [RECENT]."""

READS = 24
"""Episodes found by cue that are opened at the start of a task, at most."""

MORE_READS = 4
"""Episodes found by cue that are opened for one item or one block, at most."""

GROWTH = 2
"""How many times as many episodes as the last time there are when notes are written again."""

QUESTIONS = 4
"""Open questions kept in the working memory, at most."""


class MfmMemory:
    """Implements `echo.agent.memory.Memory` on a memory folder."""

    def __init__(
        self, *, folder: Path | None = None, options: MemoryOptions | None = None, source: str = "task"
    ) -> None:
        """Begin with an empty memory, or go on with that of a folder.

        Args:
            folder: the memory folder; None for a temporary one, removed by `finish` or with this object.
            options: which parts are used; None for all.
            source: the world, as episodes name it.

        Raises:
            MfmError: if a writer has the folder open, or it holds episodes recorded with other options.
        """
        self._options = MemoryOptions() if options is None else options
        self._lived = LivedFolder(folder, self._options, source=source)
        self._library = TaskLibrary(self.root)
        self._map = LandMap(self.root)
        self._begun = len(self._lived.written)
        self._consolidated = 0
        self._noted: tuple[str, ...] | None = None
        self._told: tuple[Step, ...] = ()
        """What was given back at the start of the episode."""
        self._goal = ""
        self._asked: dict[str, None] = {}

    @property
    def root(self) -> Path:
        """The memory folder."""
        return self._lived.root

    @property
    def policy(self) -> NoMemory:
        """Suggests nothing: what the folder tells, the reasoner learns from steps."""
        return NoMemory()

    @property
    def habits(self) -> Habits:
        """Everybody's."""
        return Habits()

    def install(self, source: Path, where: str) -> tuple[str, ...]:
        """Take over procedures and skills of another folder; see `TaskLibrary.install`."""
        return self._library.install(source, where)

    def show(self, episode: Episode) -> None:
        """Record a demonstration, as of the world it comes from."""
        if episode.steps:
            self._lived.show(episode)

    def recall(self, question: Question) -> Recalled:
        """Return what notes, cues, map and procedures tell, up to the end of the last episode of a task."""
        self._lived.begin(question.seen)
        if question.block is not None:
            return self._about_block(question.block, question.seen)
        if question.item is not None:
            self._asked[question.item] = None
            return Recalled(
                steps=self._lived.read(self._found([got(question.item)], MORE_READS)),
                exemplars=bearing(question.item, self._told),
            )
        return self._at_the_start(question)

    def fits(self, role: Role, items: Sequence[str]) -> Mapping[str, float]:
        """Return nothing: what was tried is recalled as steps, and of the rest the folder has no opinion."""
        return {}

    def take_in(self, step: Step, fresh: Sequence[str], after: Observation) -> None:
        """Record a step."""
        self._lived.begin(step.before)
        self._lived.take_in(step, fresh, after, goal=self._goal or "task")
        self._map.take_in(step)

    def close(self, ended: Ended) -> None:
        """Bring the episode to disk, save what succeeded, write notes when it is time, note the plan."""
        self._lived.begin(ended.after)
        self._lived.cut(ended.after, goal=self._goal or ended.goal.text)
        self._lived.recorder.flush()
        if ended.success and ended.steps and self._options.procedures:
            self._library.save(ended, self._lived.written[self._begun :])
        if self._options.consolidation and len(self._lived.written) >= GROWTH * self._consolidated:
            consolidate(self.root)
            self._consolidated = len(self._lived.written)
            self._noted = None
            self._library.read_anew()
        self._keep_plan(ended)
        self._map.close()
        self._asked = {}
        self._begun = len(self._lived.written)

    def finish(self) -> None:
        """Close the folder, and remove it where it is a temporary one; a second time nothing happens."""
        self._lived.finish()

    def _at_the_start(self, question: Question) -> Recalled:
        self._goal = question.goal.text
        written = self._lived.written
        ids = dict.fromkeys(self._cited())
        if self._options.consolidation:
            ids.update(dict.fromkeys(written[self._consolidated :]))
        if self._options.index:
            wanted = question.goal.items if isinstance(question.goal, Have) else ()
            ids.update(dict.fromkeys(self._found([*map(got, wanted), MILESTONE, STUCK], READS)))
        else:
            ids.update(dict.fromkeys(written[-RECENT:]))
        procedures = self._options.procedures
        told = self._library.told(question.seen) if procedures else ()
        self._told = (*told, *self._lived.read(ids))
        return Recalled(
            steps=self._told,
            exemplars=bearing(question.goal.text, self._told),
            places=self._map.everything(question.seen) if self._options.index else {},
            plan=self._library.plan(question.goal, question.seen) if procedures else (),
        )

    def _about_block(self, block: str, seen: Observation) -> Recalled:
        if not self._options.index:
            return Recalled()
        written = self._lived.written
        first = written[self._begun] if self._begun < len(written) else None
        cell = self._map.nearest(block, seen, first)
        return Recalled(
            steps=self._lived.read(self._found([dug(block)], MORE_READS)),
            places={} if cell is None else {block: cell},
        )

    def _found(self, tags: Sequence[str], most: int) -> list[str]:
        """Return at most `most` episodes that have one of the tags, the latest of each in equal shares.

        What one tag leaves of its share goes to those behind it. Without an index nothing is found.
        """
        if not self._options.index:
            return []
        ids: dict[str, None] = {}
        for place, tag in enumerate(tags):
            share = -(-(most - len(ids)) // (len(tags) - place))
            ids.update(dict.fromkeys(str(row["id"]) for row in ask(self.root, Cue(tag=tag, last=share)).rows))
        return list(ids)

    def _cited(self) -> tuple[str, ...]:
        """Return the episodes of this life that notes cite, in the order in which they are named."""
        if self._noted is None:
            mine = Mine(self.root, read_only=True)
            texts = [mine.read(name) for name in (DIGEST, NOTES) if mine.exists(name)]
            known = dict.fromkeys(self._lived.written)
            named = [each.episode for text in texts for each in citations(text) if each.life is None]
            self._noted = tuple(dict.fromkeys(name for name in named if name in known))
        return self._noted

    def _keep_plan(self, ended: Ended) -> None:
        """Write the working memory: what the task was, how it ended, what was asked and not found out."""
        told = [f"{' '.join(ended.goal.text.split())}: {ended.ending} after {len(ended.steps)} actions."]
        if not ended.success:
            told += [f"How to get {item}?" for item in list(self._asked)[:QUESTIONS]]
        update_working(self.root, lambda held: held.with_plan("\n".join(told)))
