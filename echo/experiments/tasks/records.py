"""What a run of tasks leaves behind: its spec, and one record an episode."""

from __future__ import annotations

import hashlib
from typing import Annotated, Any, Literal, Self

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from csd.descriptor import canonical_json
from echo.experiments.reasoner import Reasoning
from echo.experiments.reasoner_names import RULE, slug
from echo.experiments.spec import FileRecord
from echo.experiments.tasks.competitors import Competitor

FORMAT = 1
"""Version of the result files' format."""

MIXED = "mixed"
"""The task of a run in which every episode draws another."""

Kind = Literal["tasks", "continual", "ablate", "mfm"]
"""Which experiment a run belongs to."""

Count = Annotated[int, Field(ge=0)]


class RunSpec(FileRecord):
    """One run: one memory, many episodes. Equal specs give equal results."""

    kind: Kind
    competitor: Competitor
    task: str
    """Name of the task that every episode plays, or 'mixed'."""
    run: Count
    """Number of the run in its cell; chooses the land and the order of starts."""
    seed: Count
    """Of the whole experiment; runs of one number share land, starts and dice between competitors."""
    episodes: Annotated[int, Field(ge=1)] = 30
    invented_names: Count | None = None
    """Seed of a renaming of all items, or None for the real names."""
    installed: str | None = None
    """Task whose procedures, learned in a run of its own, are given to the memory first; None for none."""
    reasoner: str = RULE
    """Who decides, as `echo.experiments.reasoner.resolved` names it."""
    task_digest: str
    """Sha256 over the task files played, so that results of two versions do not mix."""

    @property
    def name(self) -> str:
        """Name of the run's files, such as ``echo--without-struct.bed.r03`` or ``echo.bed.by-MODEL.r03``."""
        skills = f".with-{self.installed}" if self.installed else ""
        by = f".{slug(self.reasoner)}" if self.reasoner != RULE else ""
        return f"{self.competitor.slug}.{self.task}{skills}{by}.r{self.run:02d}"

    @property
    def digest(self) -> str:
        """Sha256 of the canonical JSON, 64 hexadecimal digits."""
        return hashlib.sha256(canonical_json(self.model_dump(mode="json")).encode()).hexdigest()

    @property
    def circumstances(self) -> dict[str, object]:
        """Everything but competitor, task and run: what runs in one folder must have in common."""
        kept = {"kind", "seed", "episodes", "invented_names", "reasoner", "task_digest"}
        return self.model_dump(mode="json", include=kept)


class Tally(FileRecord):
    """What came of the attempts of one source."""

    tried: Count = 0
    made: Count = 0
    """Of these, that made something."""
    new: Count = 0
    """Items never held before that they brought."""
    rejected: Count = 0
    """Suggestions that the verifier turned down, so that they were not tried."""
    steps: Count = 0
    """Steps spent on them, preparation included."""
    lost: Count = 0
    """Of these steps, those of attempts that made nothing: for role and plan, came no nearer to the goal."""


class EpisodeRecord(FileRecord):
    """One episode."""

    task: str
    start: Count
    """Which of the task's starts."""
    ending: Literal["reached", "budget", "stuck"]
    steps: Count
    """Steps that count against the budget, taken."""
    budget: Annotated[int, Field(ge=1)]
    ticks: Count
    """World time in ticks, 20 a second."""
    decisions: Count
    recalled: Count
    """Experiences that memory gave back at its start."""
    attempts: dict[str, Tally]
    """Source -> what came of it: collect, exploration, edit, adaptation, transfer, pattern, role
    (casting a part), plan (doing what is known) and scout (walking about between attempts: steps alone).
    Their steps add up to all that were taken, also where the budget broke an attempt off."""
    axes: dict[str, float]
    """Axis -> mean share in the suggestions tried; empty where none was."""
    axes_made: dict[str, float]
    """Axis -> mean share in the suggestions that made something; empty where none did."""
    retries: Count
    """Grids, inputs, fuels and role players tried that had been tried in vain in an earlier episode."""
    precheck: Count
    """Attempts given up because what they take could not be got."""
    surprises: Count
    """Steps that did not bring what was expected of them."""
    goal: tuple[Count, Count]
    """Parts of the goal reached at best, of how many."""
    milestones: dict[str, int] = Field(default_factory=dict)
    """Item of a ladder -> step at which it was first held."""
    tokens: Count = 0
    """Of a language model; 0 without one."""

    @property
    def success(self) -> bool:
        """Whether the goal was reached."""
        return self.ending == "reached"


class RunTiming(FileRecord):
    """How long a run took; differs from machine to machine and counts in no comparison."""

    wall_seconds: Annotated[float, Field(ge=0)]
    started: str
    """UTC, ISO 8601."""


class TaskRun(FileRecord):
    """One finished run. Where the same happened in the same circumstances, `result_digest` is the same."""

    format: Literal[1] = 1
    spec: RunSpec
    spec_digest: str
    versions: dict[str, str]
    commit: str | None
    """Of the code, with ``+changes`` where files differed from it; None outside a checkout."""
    machine: dict[str, str | int]
    command: str
    episodes: tuple[EpisodeRecord, ...]
    timing: RunTiming
    reasoning: tuple[Reasoning, ...] = ()
    """Episode by episode, what a model decided and answered; empty where the rule decided."""

    @model_serializer(mode="wrap")
    def _without_nothing(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the reasoning where there is none: results of before there was one stay the same."""
        told: dict[str, Any] = dump(self)
        if not told.get("reasoning", True):
            del told["reasoning"]
        return told

    @model_validator(mode="after")
    def _whole(self) -> Self:
        if len(self.episodes) != self.spec.episodes:
            raise ValueError(f"expected {self.spec.episodes} episodes; got {len(self.episodes)}.")
        if self.spec_digest != self.spec.digest:
            raise ValueError("expected the digest of its spec; got another: the spec was altered.")
        return self

    @property
    def result_digest(self) -> str:
        """Sha256 over spec, episodes and the answers of a model, which say what happened."""
        told = self.model_dump(mode="json", include={"spec", "episodes"})
        if self.reasoning:
            told["reasoning"] = [one.happened for one in self.reasoning]
        return hashlib.sha256(canonical_json(told).encode()).hexdigest()

    def success_within(self, episodes: int) -> float:
        """Return the share of the first `episodes` episodes that reached their goal, in [0, 1].

        Raises:
            ValueError: if the run has fewer episodes.
        """
        if not 1 <= episodes <= len(self.episodes):
            raise ValueError(f"expected 1 to {len(self.episodes)} episodes; got {episodes}.")
        return sum(one.success for one in self.episodes[:episodes]) / episodes
