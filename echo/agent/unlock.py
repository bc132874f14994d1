"""The door to an unlocking run: an agent's name, a world and a budget in, what it unlocked out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from csd.axes import Axis
from csd.encode import load_encoder
from csd.episode import Episode
from echo.agent.agent import Agent
from echo.agent.archive import Archive, FolderArchive, NoArchive
from echo.agent.body import World
from echo.agent.knowledge import Knowledge
from echo.agent.life import Life, Progress
from echo.agent.model_policy import ModelPolicy
from echo.agent.model_use import ModelUse
from echo.agent.options import AgentOptions, options_for
from echo.agent.policy import MemoryPolicy, NoMemory
from echo.agent.transfer import TransferPolicy
from echo.agent.writeback import Chronicle, Record, Unlock
from ical.profile import AxisProfiles


@dataclass(frozen=True, kw_only=True)
class AgentReport:
    """What one life came to. Two reports are equal when the same happened."""

    unlocks: tuple[Unlock, ...]
    """In the order they happened."""
    actions: int
    """Counted actions taken."""
    ticks: int
    """World time that the agent's actions took."""
    attempts: Mapping[str, Mapping[str, int]]
    """Source -> attempts 'tried', that 'made' something, items that came 'new' from it, and ideas that the
    verifier 'rejected' before they were tried."""
    decision_ms: tuple[float, float] = field(compare=False)
    """Median and 95th percentile of one decision, in milliseconds; zeros where none was made."""
    use: ModelUse | None = field(default=None, compare=False)
    """What a model decided and answered; None where the rule decided."""


def play(  # noqa: PLR0913 - one keyword for each circumstance of a run
    *,
    world: World,
    agent: str,
    axes: tuple[Axis, ...],
    steps: int,
    seed: int,
    demonstrations: Sequence[Episode],
    memory: Path | None,
    encoder: str,
    progress: Progress | None,
    record: Record = "unlocks",
    policy: MemoryPolicy | None = None,
    options: AgentOptions | None = None,
    reasons: Callable[[MemoryPolicy], ModelPolicy] | None = None,
) -> AgentReport:
    """Let an agent live in a world, and report what it unlocked.

    What it does depends on nothing but world, agent, axes, budget, seed, demonstrations and options: not on
    whether, where or with which encoder its memory is kept.

    Args:
        world: fresh, at its first observation.
        agent: 'none' (the explorer alone), 'edits' (with local edits of what worked), 'echo' (with transfer
            along `axes`), or any name at all where `policy` is given.
        axes: axes that echo may use.
        steps: budget in counted actions.
        seed: of the agent's own choices.
        demonstrations: episodes put into memory before the start.
        memory: folder for MFM episodes and the bank, empty or not there yet; None keeps nothing.
        encoder: name of the encoder of the bank, see `csd.encode.load_encoder`.
        progress: told counted actions and unlocks, once a turn.
        record: which episodes are kept: of what is new, of failed attempts too ('all'), or none.
        policy: the memory of a baseline, in the place of echo's.
        options: settings of the agent; `options_for` its kind when None.
        reasons: puts a model before the memory, to choose in its place; None for the rule.

    Raises:
        ValueError: on an agent without a memory policy of its own, or a memory folder that is not empty.
        MfmError, BankError: if the memory folder cannot be used.
        ModelError: if the model that decides does not answer.
    """
    own = policy or _own_policy(agent, axes)
    model = None if reasons is None else reasons(own)
    agent_made = Agent(
        policy=model or own,
        edits=agent != "none",
        options=options or options_for(remembers=policy is not None or agent == "echo"),
        rng=np.random.default_rng(seed),
    )
    with _archive(memory if record != "none" else None, world, encoder) as archive:
        knowledge = Knowledge()
        chronicle = Chronicle(
            knowledge=knowledge,
            policy=agent_made.policy,
            archive=archive,
            picture=world.render,
            source=world.source,
            record=record,
        )
        archive.begin(world.observe(frame=archive.keeps_frames))
        for shown in demonstrations:
            chronicle.demonstrate(shown)
        life = Life(world, agent_made, budget=steps, knowledge=knowledge, chronicle=chronicle)
        life.live(progress)
    return _report(life, None if model is None else model.use)


def _own_policy(agent: str, axes: tuple[Axis, ...]) -> MemoryPolicy:
    match agent:
        case "none" | "edits":
            return NoMemory()
        case "echo":
            return TransferPolicy(AxisProfiles(axes))
        case _:
            raise ValueError(
                f"expected the agent none, edits or echo, or a memory policy; got {agent!r} and none. "
                f"Pass policy=, such as one of echo.baselines.policies."
            )


def _archive(memory: Path | None, world: World, encoder: str) -> AbstractContextManager[Archive]:
    if memory is None:
        return nullcontext(NoArchive())
    return FolderArchive(memory, source=world.source, encoder=load_encoder(encoder))


def _report(life: Life, use: ModelUse | None) -> AgentReport:
    return AgentReport(
        unlocks=tuple(life.chronicle.unlocks),
        actions=life.body.actions,
        ticks=life.body.ticks,
        attempts=life.chronicle.attempts,
        decision_ms=_median_and_tail(life.doings.decision_seconds),
        use=use,
    )


def _median_and_tail(seconds: Sequence[float]) -> tuple[float, float]:
    if not seconds:
        return 0.0, 0.0
    median, tail = np.percentile(np.array(seconds) * 1e3, (50, 95))
    return float(median), float(tail)
