"""Kill a bank at its work, over and over, and count what that cost it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from functools import partial
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from csd.encode import HashingEncoder
from echo.bench.recovery.apart import Failed, Stuck, apart
from echo.bench.recovery.check import Verdict, look_at
from echo.bench.recovery.death import OPENING, PATIENCE_SECONDS, Death, Life, Pace, live
from echo.bench.recovery.holding import Holding
from echo.bench.recovery.work import KINDS, SPAN, Work, drawn, make_archive, told

Progress = Callable[[str], None]

DEATHS_A_BANK = 22
"""A bank is killed so often before a new one is made: what one death leaves behind meets the next."""

FIRST_BATCHES = 8
"""A new bank is given so many batches, so that its first deaths meet segments and codes too."""

HOPELESS = 10
"""After so much damage nothing more is to be learnt."""


@dataclass(kw_only=True)
class Tally:
    """What deaths in the middle of one kind of work cost; all but the first should be 0."""

    kills: int = 0
    acknowledged_lost: int = 0
    half_visible: int = 0
    wrong_neighbours: int = 0
    unrecoverable: int = 0

    def take_in(self, verdict: Verdict) -> None:
        """Count one more death, of the kinds of damage each once."""
        self.kills += 1
        self.acknowledged_lost += bool(verdict.lost)
        self.half_visible += bool(verdict.half)
        self.wrong_neighbours += bool(verdict.wrong)
        self.unrecoverable += bool(verdict.broken)


@dataclass(kw_only=True)
class Report:
    """What was done to banks, and what it cost them."""

    seed: int
    by_work: dict[str, Tally] = field(default_factory=dict)
    by_time: int = 0
    """Deaths at some microsecond."""
    by_call: int = 0
    """Deaths before some file operation or SQL statement."""
    done: int = 0
    """How often the work under way turned out to be there."""

    def total(self) -> Tally:
        """Return the sums over all kinds of work."""
        sums = {name: sum(getattr(one, name) for one in self.by_work.values()) for name in asdict(Tally())}
        return Tally(**sums)

    def as_json(self) -> dict[str, object]:
        """Return the sums, and what they are made of, as one JSON object."""
        return {
            **asdict(self.total()),
            "seed": self.seed,
            "by_time": self.by_time,
            "by_call": self.by_call,
            "done": self.done,
            "by_work": {kind: asdict(tally) for kind, tally in sorted(self.by_work.items())},
        }


@dataclass(kw_only=True)
class Subject:
    """One bank through its deaths."""

    path: Path
    holding: Holding
    fresh: int = 0
    """The descriptors from this number on were never used."""

    def plan(self, kind: str, rng: np.random.Generator) -> tuple[list[Work], list[Holding]]:
        """Draw some work with one of `kind` before the last, and what must be held before and after each."""
        first = [] if self.holding.beliefs else ["add_many"] * FIRST_BATCHES
        kinds = [*first, *rng.choice(KINDS, size=rng.integers(3)).tolist(), kind, str(rng.choice(KINDS))]
        # One archive lies beside a bank, so a second import has to wait for another life.
        chosen = [one for place, one in enumerate(kinds) if one != "import" or "import" not in kinds[:place]]
        works, states = [], [self.holding]
        for one in chosen:
            works.append(drawn(one, states[-1], self.fresh, rng))
            states.append(told(works[-1], states[-1]))
            self.fresh += SPAN
        return works, states


def recover(kills: int, seed: int, progress: Progress, folder: Path | None = None) -> Report:
    """Kill banks until `kills` deaths have been looked at.

    Args:
        kills: how many deaths.
        seed: of all that is drawn; what a death by time meets depends on the machine as well.
        progress: is told of each damage, and how far the work has come.
        folder: where the banks are; those that were damaged stay there. None for one that is removed.

    Returns:
        What was counted.
    """
    if folder is None:
        with TemporaryDirectory(prefix="recovery-") as made:
            return recover(kills, seed, progress, Path(made))
    # Each of the processes would import it anew: half of what a life takes.
    import_module("faiss")

    rng, report, pace = np.random.default_rng(seed), Report(seed=seed), Pace()
    subject = _new(folder, 0)
    aims, banks, damaged = [*KINDS, OPENING], 1, 0
    while (count := report.total().kills) < kills and damaged < HOPELESS:
        aim = aims[count % len(aims)]
        works, states = subject.plan("add" if aim == OPENING else aim, rng)
        at = -1 if aim == OPENING else len(works) - 2
        death = pace.draw(OPENING if aim == OPENING else works[at].kind, at, rng)
        life, verdict = _die_and_look(subject, works, states, death, pace, int(rng.integers(2**31)))
        if life.killed:
            _count(report, works, life, death, verdict)
        sound = verdict.sound and life.failure is None
        if not sound:
            damaged += 1
            _tell_damage(report, verdict, life, works, death, subject, progress)
        subject.holding = states[life.acknowledged + (verdict.done and life.acknowledged < len(works))]
        now = report.total().kills
        if not sound or (life.killed and now % DEATHS_A_BANK == 0):
            subject, banks = _new(folder, banks), banks + 1
        if life.killed and now % 20 == 0:
            progress(f"seed {seed}: {now}/{kills} kills")
    return report


def _new(folder: Path, number: int) -> Subject:
    return Subject(path=folder / f"bank-{number:04d}.sqlite", holding=Holding(encoder=HashingEncoder.name))


def _die_and_look(
    subject: Subject, works: list[Work], states: list[Holding], death: Death, pace: Pace, seed: int
) -> tuple[Life, Verdict]:
    try:
        for place, work in enumerate(works):
            if work.kind == "import":
                apart(partial(make_archive, work, subject.path, states[place].encoder), PATIENCE_SECONDS)
        life = live(subject.path, states[0].encoder, works, death, pace)
        before = states[life.acknowledged]
        after = states[min(life.acknowledged + 1, len(works))]
        # Encoded here once, and not in every process that looks.
        before.facts(), after.facts()
        if not subject.path.exists() and not life.opened:
            return life, Verdict()
        return life, apart(partial(look_at, subject.path, before, after, seed), PATIENCE_SECONDS)
    except (Stuck, Failed) as error:
        return Life(acknowledged=0, opened=True, killed=True, failure=None), Verdict(broken=[str(error)])


def _count(report: Report, works: list[Work], life: Life, death: Death, verdict: Verdict) -> None:
    under_way = works[life.acknowledged].kind if life.acknowledged < len(works) else "close"
    kind = under_way if life.opened else OPENING
    report.by_work.setdefault(kind, Tally()).take_in(verdict)
    report.by_time += death.after_us is not None
    report.by_call += death.after_us is None
    report.done += verdict.done and life.acknowledged < len(works)


def _tell_damage(
    report: Report,
    verdict: Verdict,
    life: Life,
    works: list[Work],
    death: Death,
    subject: Subject,
    progress: Progress,
) -> None:
    if life.failure is not None:
        # A bank that cannot be worked on after a death has not been recovered.
        report.by_work.setdefault(OPENING, Tally()).unrecoverable += 1
    kinds = " ".join(work.kind for work in works)
    progress(
        f"damage in {subject.path.name} after {report.total().kills} kills: {kinds}; {life.acknowledged} "
        f"acknowledged; {death}: {[*verdict.lost, *verdict.half, *verdict.wrong, *verdict.broken]} "
        f"{life.failure or ''}"
    )
