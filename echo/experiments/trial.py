"""One unlocking run: set the scene from its spec, let the agent play, make the result."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from echo.experiments.provenance import code_commit, machine_facts, package_versions
from echo.experiments.reasoner import Reasoning
from echo.experiments.reasoner_names import RULE
from echo.experiments.results import (
    RunResult,
    Timing,
    UnlockRecord,
    find_milestones,
    memory_folder,
    write_result,
)
from echo.experiments.spec import MILESTONES, UnlockSpec

if TYPE_CHECKING:
    from echo.agent.model_use import ModelUse

ENCODER_NAMES: dict[str, str] = {"minilm": "minilm-int8", "hashing": "hashing-256"}
"""Encoder of a spec -> name under which `csd.encode.load_encoder` knows it."""

Progress = Callable[[int, int], None]
"""Called with the counted actions taken and the items unlocked so far."""


class PlayedUnlock(Protocol):
    """One first gain as a player hands it back; the fields are those of `UnlockRecord`."""

    @property
    def item(self) -> str:
        """Name as the agent saw it."""

    @property
    def action(self) -> int:
        """Counted actions up to and with the one that brought it."""

    @property
    def tick(self) -> int:
        """World time."""

    @property
    def verb(self) -> str:
        """What was done."""

    @property
    def source(self) -> str:
        """One of `echo.experiments.results.SOURCES`."""

    @property
    def axes(self) -> Mapping[str, float]:
        """Share of credit of each axis."""

    @property
    def exemplars(self) -> tuple[str, ...]:
        """Ids of the CSDs it was induced from."""

    @property
    def csd(self) -> str | None:
        """Id of its own CSD."""

    @property
    def episode(self) -> str | None:
        """Id of its episode."""

    @property
    def detail(self) -> str:
        """What was done, in words."""


class Played(Protocol):
    """What a player hands back; `echo.agent.unlock.AgentReport` is one."""

    @property
    def unlocks(self) -> Sequence[PlayedUnlock]:
        """Unlocks in order."""

    @property
    def actions(self) -> int:
        """Counted actions taken."""

    @property
    def ticks(self) -> int:
        """World time that passed."""

    @property
    def attempts(self) -> Mapping[str, Mapping[str, int]]:
        """Source -> tried, made, new."""

    @property
    def decision_ms(self) -> tuple[float, float]:
        """Median and 95th percentile of one decision, in milliseconds."""


@runtime_checkable
class Reasoned(Protocol):
    """What a player hands back of a run in which a model decided; `echo.agent.unlock.AgentReport` is one."""

    @property
    def use(self) -> ModelUse | None:
        """What the model decided and answered; None where the rule decided."""


class Player(Protocol):
    """Plays one spec. Must be importable by name, since it is sent to other processes."""

    def __call__(
        self, spec: UnlockSpec, memory: Path | None, progress: Progress
    ) -> tuple[Played, Mapping[str, str]]:
        """Return the report and the real name of each shown name (empty where names are real)."""


def run_trial(spec: UnlockSpec, folder: Path, player: Player, command: str, progress: Progress) -> RunResult:
    """Play one spec from the start and write its result; a half-made memory of it is thrown away first.

    Args:
        spec: What to play.
        folder: Results folder.
        player: Who plays.
        command: The command line behind the run, kept in the result.
        progress: Told how far the run is.
    """
    memory = memory_folder(folder, spec.name)
    if memory.exists():
        shutil.rmtree(memory)
    recorded = memory if spec.record != "none" else None
    if recorded is not None:
        recorded.mkdir(parents=True)
    started, clock = datetime.now(UTC), time.perf_counter()
    played, real_names = player(spec, recorded, progress)
    timing = Timing(
        wall_seconds=time.perf_counter() - clock,
        decision_ms=played.decision_ms,
        started=started.isoformat(timespec="seconds"),
    )
    result = make_result(spec, played, real_names, command, timing)
    write_result(folder, result)
    return result


def make_result(
    spec: UnlockSpec, played: Played, real_names: Mapping[str, str], command: str, timing: Timing
) -> RunResult:
    """Return the result of a played spec, with items under their real names."""
    unlocks = tuple(_record(unlock, real_names) for unlock in played.unlocks)
    use = played.use if isinstance(played, Reasoned) else None
    return RunResult(
        spec=spec,
        spec_digest=spec.digest,
        versions=package_versions(),
        commit=code_commit(),
        machine=machine_facts(),
        command=command,
        unlocks=unlocks,
        actions=played.actions,
        ticks=played.ticks,
        attempts={source: dict(counts) for source, counts in sorted(played.attempts.items())},
        milestones=find_milestones(unlocks, MILESTONES),
        timing=timing,
        reasoning=None if use is None else Reasoning.of(use),
    )


def _record(unlock: PlayedUnlock, real_names: Mapping[str, str]) -> UnlockRecord:
    """Return an agent's unlock as a file record.

    Raises:
        pydantic.ValidationError: if a field is out of range, such as an unknown source.
    """
    return UnlockRecord.model_validate(
        {
            "item": real_names.get(unlock.item, unlock.item),
            "shown": unlock.item,
            "action": unlock.action,
            "tick": unlock.tick,
            "verb": unlock.verb,
            "source": unlock.source,
            "axes": {str(axis): float(share) for axis, share in unlock.axes.items()},
            "exemplars": unlock.exemplars,
            "csd": unlock.csd,
            "episode": unlock.episode,
            "detail": unlock.detail,
        }
    )


def play_minecraft(
    spec: UnlockSpec, memory: Path | None, progress: Progress, reasoner: str = RULE
) -> tuple[Played, Mapping[str, str]]:
    """Play `spec` in the Minecraft world, with the memory that its agent stands for.

    Args:
        spec: What to play.
        memory: Where what is remembered is kept, with the answers of a model; None keeps nothing.
        progress: Told how far the run is.
        reasoner: How the reasoner of `spec` is reached on this machine.

    Raises:
        UsageError: if `reasoner` is another one than that of `spec`.
        ModelError: if the model that decides does not answer; the run is then without a result.
    """
    from echo.agent.unlock import play
    from echo.baselines.policies import RECALLING, baseline_policy, remembering
    from echo.experiments.demonstrate import record_demonstrations
    from echo.experiments.thinking import before_life, reasoner_model
    from echo.worlds.minecraft.options import WorldOptions
    from echo.worlds.minecraft.world import MinecraftWorld

    options = WorldOptions(
        seed=spec.seed,
        max_steps=spec.steps,
        invented_names=spec.invented_names,
        withheld=spec.world.withheld,
        mobs=spec.world.mobs,
    )
    world, encoder = MinecraftWorld(options), ENCODER_NAMES[spec.encoder]
    demonstrations = record_demonstrations(spec.shots, spec.seed, spec.invented_names)
    lived_in, policy = (
        remembering(spec.agent, world, demonstrations, encoder)
        if spec.agent in RECALLING
        else (world, baseline_policy(spec.agent, encoder))
    )
    model = reasoner_model(spec.reasoner, reasoner)
    played = play(
        world=lived_in,
        agent=spec.agent,
        axes=spec.axes,
        steps=spec.steps,
        seed=spec.seed,
        demonstrations=demonstrations,
        memory=memory,
        encoder=encoder,
        progress=progress,
        record=spec.record,
        policy=policy,
        reasons=None if model is None else before_life(spec, lived_in, encoder, model, memory),
    )
    return played, world.names.real_by_shown
