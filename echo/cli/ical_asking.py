"""One round of ICAL on a memory, outside any world: select, recall, set the scene, induce, verify."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from csd.axes import Axis
from csd.bank import Bank
from csd.descriptor import Csd
from ical.asking.considering import Considered
from ical.asking.round import Bounds, induce
from ical.asking.scene import EMPTY, Scene, Source, set_scene
from ical.asking.selection import Learned, laid_from_words
from ical.asking.situation import Situation
from ical.query import Mentions, Query, query_for
from ical.retrieve import Exemplar, Stages, retrieve
from ical.verify import verify

if TYPE_CHECKING:
    from collections.abc import Callable

    from csd.chat import Model
    from echo.agent.policy import Idea
    from ical.asking.calls import Call

Selecting = Literal["recent", "successful"]


@dataclass(frozen=True, kw_only=True)
class Asking:
    """What a round is asked for."""

    axes: tuple[Axis, ...]
    select: Selecting = "recent"
    task: str | None = None
    """What the new tasks should lead to."""
    item: str | None = None
    """What they should use."""
    k: int = 3
    """Exemplars."""
    tasks: int = 3
    """New tasks, at most."""
    budget_tokens: int = 900
    """Of the scene, as `ical.asking.scene` counts them."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What came of a round."""

    descriptors: int
    """In the memory."""
    subject: Csd | Query | None
    """What was selected; None where there is nothing to carry over from."""
    exemplars: tuple[Exemplar, ...]
    scene: Scene
    situation: Situation
    considered: tuple[Considered, ...]
    calls: tuple[Call, ...]
    reason: str | None
    """Why there is no usable task; None where there is one."""


def play_round(
    bank: Bank,
    asking: Asking,
    model: Model | None,
    held: Mapping[str, int],
    tell: Callable[[int, int], None] | None = None,
) -> Asked:
    """Play one round on a bank; nothing in it is changed.

    Args:
        bank: the memory.
        asking: what for.
        model: induces; None for the rule.
        held: item -> how many are carried.
        tell: told how many descriptors are read, of how many.

    Raises:
        ModelError: if the model does not answer.
        BudgetTooSmall: if the budget holds no heading.
    """
    ids = bank.ids()
    csds = []
    for done, id in enumerate(ids, start=1):
        csds.append(bank.get(id))
        if tell is not None:
            tell(done, len(ids))
    learned = Learned.of(csds)
    vain = [laid for one in bank.failures() if (laid := laid_from_words(one.key)) is not None]
    situation = learned.situation(asking.axes, held=held, vain=vain, aim=_aim(asking))
    subject = _subject(bank, learned, asking)
    empty = Asked(
        descriptors=len(learned.csds),
        subject=subject,
        exemplars=(),
        scene=EMPTY,
        situation=situation,
        considered=(),
        calls=(),
        reason="nothing that worked is remembered that could be carried over"
        if asking.item is None
        else f"nothing is known of {asking.item} on the axes asked",
    )
    if subject is None:
        return empty
    exemplars = _exemplars(bank, learned, subject, asking)
    scene = set_scene(subject, exemplars, axes=asking.axes, budget_tokens=asking.budget_tokens)
    told = replace(empty, exemplars=exemplars, scene=scene)
    if model is None:
        return _by_rule(told, learned, asking)
    return _by_model(told, asking, model)


def _aim(asking: Asking) -> str | None:
    if asking.item is not None:
        return f"put {asking.item} to use in something never made before"
    return asking.task


def _subject(bank: Bank, learned: Learned, asking: Asking) -> Csd | Query | None:
    if asking.item is not None:
        query = query_for(asking.item, Mentions(learned.csds), axes=asking.axes)
        return None if query.empty else query
    credit = None
    if asking.select == "successful":
        credit = {csd.id: sum(one.successes for one in bank.credits(csd.id).values()) for csd in learned.csds}
    found = learned.select(about=asking.task, credit=credit)
    if found is not None or asking.task is None:
        return found
    # Nothing has it in its name: what says the most like it is carried over from.
    near = bank.recall(dict.fromkeys(asking.axes, asking.task), k=len(learned.csds))
    fits = Learned.of(csd for csd in learned.csds if csd.meta.success)
    success = {csd.id: csd for csd in fits.csds}
    return next((success[one.id] for one in near if one.id in success), None)


def _exemplars(bank: Bank, learned: Learned, subject: Csd | Query, asking: Asking) -> tuple[Exemplar, ...]:
    known = Mentions(learned.csds) if isinstance(subject, Query) else None
    found = retrieve(subject, bank, axes=asking.axes, k=asking.k + 1, stages=Stages(known=known))
    return tuple(one for one in found if isinstance(subject, Query) or one.id != subject.id)[: asking.k]


def _by_model(told: Asked, asking: Asking, model: Model) -> Asked:
    from ical.asking.calls import Asker

    asker = Asker(model)
    found = induce(asker, told.scene, told.situation, Bounds(tasks=asking.tasks))
    return replace(told, considered=found.considered, calls=tuple(asker.calls), reason=found.reason)


def _by_rule(told: Asked, learned: Learned, asking: Asking) -> Asked:
    """Induce by calculation over slots: what was suggested is what the agent of a run would try."""
    from echo.agent.arrangement import Arrangement
    from echo.agent.policy import Prospects
    from echo.agent.transfer import TransferPolicy
    from ical.profile import AxisProfiles

    policy = TransferPolicy(AxisProfiles(asking.axes))
    for csd in learned.csds:
        policy.remember(csd)
    for laid in told.situation.vain:
        policy.failed(Arrangement(*laid))
    if isinstance(told.subject, Csd):
        shown = (told.subject, *(one.csd for one in told.exemplars))
        policy.focus([csd.meta.product for csd in shown if csd.meta.product is not None])
    names = told.situation.names if asking.item is None else (asking.item,)
    prospects = Prospects(
        items=names,
        held=told.situation.held,
        prices=dict.fromkeys(told.situation.names, 1.0),
        offers=told.situation.offers,
        ways=0,
    )
    by_id = {csd.id: csd for csd in learned.csds}
    considered: list[Considered] = []
    while len(considered) < asking.tasks and (idea := policy.suggest(prospects)) is not None:
        task = _task_of(policy.carried_over, idea)
        policy.set_aside(idea, None)
        if task is not None:
            considered.append(_considered(task, by_id, told.situation))
    usable = any(one.usable for one in considered)
    reason = None if usable else "no thing that was never tried fits a place where something worked"
    return replace(told, considered=tuple(considered), reason=reason)


def _task_of(carried_over: Callable[[Idea, str | None], Idea], idea: Idea) -> Idea | None:
    """Return an idea with its task; None where it smelts and no fuel is known."""
    try:
        carried = carried_over(idea, None)
    except ValueError:
        return None
    return carried if carried.task is not None else None


def _considered(idea: Idea, by_id: Mapping[str, Csd], situation: Situation) -> Considered:
    task = idea.task
    assert task is not None
    csd = by_id[idea.exemplars[0]]
    shares = {axis: idea.axes[axis.value] for axis in Axis if axis.value in idea.axes}
    verdict = verify(
        task,
        held=situation.held,
        known_items=situation.names,
        offers=situation.offers,
        failed=lambda rows, fillers: (rows, fillers) in situation.vain,
    )
    source = Source(
        label=csd.id,
        id=csd.id,
        told=tuple(shares),
        shares=shares,
        score=None,
        csd=csd,
        mapping=idea.mapping,
    )
    return Considered(task=task, source=source, verdict=verdict)


def carried(memory: Path) -> dict[str, int]:
    """Return what was carried at the end of the last episode of a memory folder; {} where there is none."""
    from echo.mfm.episodic.reader import read_episode
    from echo.mfm.folder import MemoryFolder
    from echo.mfm.layout import INDEX

    if not (memory / INDEX).exists():
        return {}
    last = None
    for row in MemoryFolder(memory).rows():
        last = str(row["id"])
    if last is None:
        return {}
    after = read_episode(memory, last).after
    return {item: stack.count for item, stack in after.inventory.items()}
