"""Grounding: does the evidence of each statement of a descriptor really show it?

Every statement is looked up in the episodes it points to. Names that no record mentions, amounts that differ
from the inventory changes, and evidence that does not exist or shows something else are named problems.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Evidence, Statement
from csd.episode import Craft, Episode, Observation, OutcomeCode
from csd.shown_change import FUNC_SHOWN, INTER_SHOWN, PROC_SHOWN
from csd.shown_world import ATTR_SHOWN, STRUCT_SHOWN
from csd.witness import Shown, Witness
from csd.wording import HAND, NONE, change_words, read_amount, read_changes, single_step_words

SHOWN: dict[Axis, dict[str, Shown]] = {
    Axis.STRUCT: STRUCT_SHOWN,
    Axis.ATTR: ATTR_SHOWN,
    Axis.PROC: PROC_SHOWN,
    Axis.FUNC: FUNC_SHOWN,
    Axis.INTER: INTER_SHOWN,
}
"""Axis -> predicate -> values that a record bears out; one entry for each of `csd.vocabulary.PREDICATES`."""

UNNAMED_SUBJECTS = frozenset({"above", "beside", "step", "tried", "feedback", "failed"})
"""Predicates whose subject is a letter, a number or words, not a name."""

NAMED_VALUES = frozenset(
    {"near", "yielded_to", "refused", "drops", "consumes", "after", "supports", "serves", "opens", "station"}
)
"""Predicates whose value is a name, or an amount of one."""

SEEN_ONLY = frozenset({"lies", "near", "colour", "stack_size", "wears", "affords"})
"""Predicates that an observation alone can show; all others need a step."""

CODE_SUBJECTS = frozenset({"grid", "symmetry", "station"})
"""Predicates whose subject may be the outcome code of an attempt that gained nothing."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Problem:
    """One thing in a descriptor that its evidence does not bear out."""

    where: str
    """Field, such as 'proc[2]' or 'meta.product'."""
    reason: str
    """Expected, got, and what to do."""
    excerpt: str
    """The part of the descriptor that the reason speaks of."""


def ground(csd: Csd, episodes: Mapping[str, Episode]) -> tuple[Problem, ...]:
    """Check a descriptor against the episodes it describes.

    Args:
        csd: any descriptor, whoever wrote it.
        episodes: episode id -> episode; at least those that the descriptor names.

    Returns:
        The problems, in the order of the descriptor's fields and one a statement at most; empty when every
        piece of evidence bears out its statement.
    """
    missing = [name for name in csd.meta.episodes if name not in episodes]
    if missing:
        reason = f"expected the episodes described; got none named {', '.join(missing)}. Pass them too."
        return (Problem(where="meta.episodes", reason=reason, excerpt=", ".join(csd.meta.episodes)),)
    told = {name: episodes[name] for name in csd.meta.episodes}
    seen = {name for episode in told.values() for name in names_seen(episode)}
    problems = list(_meta_problems(csd, told.values()))
    for axis in AXES:
        for index, statement in enumerate(csd.axis(axis)):
            refusal = _unseen_name(statement, seen, told.values()) or _unshown(axis, statement, told)
            if refusal is not None:
                excerpt = f"({statement.subject}, {statement.predicate}, {statement.value})"
                problems.append(Problem(where=f"{axis.value}[{index}]", reason=refusal, excerpt=excerpt))
    return tuple(problems)


def names_seen(episode: Episode) -> tuple[str, ...]:
    """Return the item, block and creature names in the records of `episode`, in order of first appearance.

    Names that the agent used in an action count as well: an attempt may name what was never found.
    """
    names: dict[str, None] = {}
    for step in episode.steps:
        names.update(dict.fromkeys(_observed(step.before)))
        names.update(dict.fromkeys(step.outcome.inventory_delta))
        action = step.action
        acted = [getattr(action, field, None) for field in ("block", "item", "input", "fuel", "mob")]
        if isinstance(action, Craft):
            acted += [cell for row in action.grid for cell in row]
        names.update(dict.fromkeys(name for name in (*acted, step.outcome.block) if name is not None))
    names.update(dict.fromkeys(_observed(episode.after)))
    return tuple(names)


def _observed(seen: Observation) -> Iterator[str]:
    yield from seen.inventory
    yield from seen.blocks
    yield from seen.mobs
    yield from (station.block for station in seen.stations)
    yield from () if seen.mainhand is None else (seen.mainhand,)


def _meta_problems(csd: Csd, told: Iterable[Episode]) -> Iterator[Problem]:
    product = csd.meta.product
    gains = {
        item for episode in told for step in episode.steps for item in _gains(step.outcome.inventory_delta)
    }
    if product is not None and product not in gains:
        words = ", ".join(sorted(gains)) or "none was"
        reason = f"expected an item that was gained ({words}); got {product!r}. Correct it."
        yield Problem(where="meta.product", reason=reason, excerpt=product)
    in_sight = {name for episode in told for seen in _moments(episode) for name in seen.blocks}
    unseen = [name for name in csd.meta.objects if name not in in_sight]
    if unseen:
        reason = (
            f"expected block kinds in sight; got {', '.join(unseen)}, in sight at no step. Leave them out."
        )
        yield Problem(where="meta.objects", reason=reason, excerpt=", ".join(csd.meta.objects))


def _gains(delta: Mapping[str, int]) -> list[str]:
    return [item for item, change in delta.items() if change > 0]


def _moments(episode: Episode) -> Iterator[Observation]:
    yield from (step.before for step in episode.steps)
    yield episode.after


def _unseen_name(statement: Statement, seen: set[str], told: Iterable[Episode]) -> str | None:
    names: list[str] = []
    codes: set[OutcomeCode] = {step.outcome.code for episode in told for step in episode.steps}
    if statement.predicate not in UNNAMED_SUBJECTS and not (
        statement.predicate in CODE_SUBJECTS and statement.subject in codes
    ):
        names.append(statement.subject)
    if statement.predicate in NAMED_VALUES and isinstance(statement.value, str):
        amount = read_amount(statement.value) if statement.predicate == "consumes" else None
        names.append(amount[0] if amount else statement.value)
    unseen = [name for name in names if name not in seen and name not in (HAND, NONE)]
    if not unseen:
        return None
    return f"expected names that occur in the episode; got {', '.join(unseen)}, never seen. Remove this."


def _unshown(axis: Axis, statement: Statement, told: Mapping[str, Episode]) -> str | None:
    for evidence in statement.evidence:
        reason = _unsound(evidence, statement.predicate, told)
        if reason is None:
            witness = Witness(episode=told[evidence.episode], index=evidence.step)
            shown = list(SHOWN[axis][statement.predicate](witness, statement.subject))
            reason = _differs(statement, evidence, shown)
        if reason is not None:
            return reason
    return _half_shown(statement, told)


def _unsound(evidence: Evidence, predicate: str, told: Mapping[str, Episode]) -> str | None:
    """Why `evidence` cannot be looked at, or None when it can."""
    episode = told.get(evidence.episode)
    if episode is None:
        return (
            f"expected evidence from the episodes described ({', '.join(told)}); got {evidence.episode}. "
            f"Name it in meta.episodes or remove the evidence."
        )
    seen_only = evidence.kind in ("observation", "frame") and predicate in SEEN_ONLY
    steps = len(episode.steps) + seen_only
    if evidence.step >= steps:
        return (
            f"expected evidence in steps 0 to {steps - 1} of {evidence.episode}; got step {evidence.step}. "
            f"Point to the step that shows it."
        )
    if evidence.kind == "frame" and Witness(episode=episode, index=evidence.step).seen.frame is None:
        return f"expected a frame at step {evidence.step} of {evidence.episode}; got none. Point elsewhere."
    return _wrong_change(evidence, episode) if evidence.kind == "inventory" and evidence.detail else None


def _wrong_change(evidence: Evidence, episode: Episode) -> str | None:
    delta = episode.steps[evidence.step].outcome.inventory_delta
    if any(evidence.detail == change_words(item, change) for item, change in delta.items()):
        return None
    changes = read_changes(evidence.detail)
    if changes is not None and all(delta.get(item, 0) == change for item, change in changes.items()):
        return None
    return (
        f"expected inventory changes of step {evidence.step} ({dict(delta)}); got detail "
        f"{evidence.detail!r}. Quote the change that was seen."
    )


def _differs(statement: Statement, evidence: Evidence, shown: Sequence[object]) -> str | None:
    told = statement.value
    if statement.predicate == "step" and isinstance(told, str):
        # A run of equal steps is told as one, with each step as evidence.
        told = single_step_words(told, len(statement.evidence))
    # Equal type as well as equal value: True is not 1, and 1.0 is not 1.
    if any(type(value) is type(told) and value == told for value in shown):
        return None
    words = ", ".join(map(repr, shown[:4])) or "nothing of the kind"
    return (
        f"expected what step {evidence.step} of {evidence.episode} shows for {statement.predicate!r} of "
        f"{statement.subject!r} ({words}); got {statement.value!r}. Correct or remove the statement."
    )


def _half_shown(statement: Statement, told: Mapping[str, Episode]) -> str | None:
    """Why evidence that is right piece by piece is not enough together, or None when it is."""
    if statement.predicate == "opens":
        steps = [told[evidence.episode].steps[evidence.step] for evidence in statement.evidence]
        if {step.outcome.ok for step in steps} != {True, False}:
            return (
                f"expected one step in which {statement.value!r} refused another item and one in which it "
                f"yielded to {statement.subject!r}; got only one of the two. Point to both."
            )
    return None
