"""The scene that a model is shown: experiences under short labels, within a budget, each with its origin.

Source: Echo §3.4, step 3. On top of `ical.context`: labels in the place of digests, the actions of each
experience in the form in which the model is to answer, and a count of tokens that fits names and JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from csd.axes import AXES, Axis
from csd.descriptor import Csd
from csd.episode import Action, Attack, Collect, Craft, Place, Smelt
from csd.pattern import lay, letters
from csd.render import render_axis
from ical.asking.words import action_json
from ical.cases import case_of
from ical.context import TOKENS_A_WORD, Context, build_context
from ical.map import StructureMapping
from ical.procedure import procedure_of
from ical.query import Query, statements_of
from ical.retrieve import Exemplar
from ical.slots import SMELT_ROWS

CHARACTERS_A_TOKEN = 2.7
"""Characters of a token with SmolLM2's vocabulary of 49,152: 2.7 in JSON alone, 3.3 in a whole scene. The
less is taken, so that a budget is kept."""

MOST_ACTIONS = 4
"""Actions told of one experience: the last ones, which decide."""

_SHRINK = 0.9
"""How much a budget in words falls at each try to fit a scene."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where something told in a scene comes from."""

    label: str
    """What the scene calls it, such as 'E1'."""
    id: str
    """Descriptor id."""
    told: tuple[Axis, ...]
    """Axes of which something is told, in canonical order."""
    shares: Mapping[Axis, float]
    """Axis -> its share in what speaks for the experience; adds up to 1 over axes that are told."""
    score: float | None
    """Of the recall, in [-1, 1]; None for what the scene is about, which was chosen and not recalled."""
    csd: Csd
    mapping: StructureMapping | None
    """From its things to those of what the scene is about; None where none was made."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Scene:
    """What a model is shown of memory."""

    text: str
    """Blocks parted by blank lines; '' where nothing is remembered."""
    sources: tuple[Source, ...]
    """In the order of the text."""
    tokens: int
    """Estimated length, never above the budget."""

    @property
    def labels(self) -> tuple[str, ...]:
        """What the experiences are called."""
        return tuple(source.label for source in self.sources)

    def source(self, label: str | None) -> Source | None:
        """Return the experience called `label`, None where there is none."""
        return next((one for one in self.sources if one.label == label), None)


def spelled_tokens(text: str) -> int:
    """Return about how many tokens names, grids and JSON take, rounded up: one for 2.7 characters.

    >>> spelled_tokens("oak_planks x3")
    5
    """
    return math.ceil(len(text) / CHARACTERS_A_TOKEN)


class BudgetTooSmall(ValueError):
    """A budget does not hold the heading of a scene."""


EMPTY = Scene(text="", sources=(), tokens=0)
"""The scene of whoever remembers nothing."""


def set_scene(
    subject: Csd | Query,
    exemplars: Sequence[Exemplar],
    *,
    axes: Iterable[Axis] = AXES,
    budget_tokens: int = 800,
) -> Scene:
    """Return the scene of `subject` with the `exemplars` recalled for it.

    Args:
        subject: the selected task, told first and labelled too; or what is known of an item.
        exemplars: best first; the subject itself among them is left out.
        axes: those that may be told; a masked one leaves no text, no action and no share.
        budget_tokens: how long the text may be, in tokens as `spelled_tokens` counts them.

    Raises:
        BudgetTooSmall: if the budget does not hold the heading.
    """
    asked = tuple(axes)
    kept = tuple(axis for axis in AXES if axis in asked)
    query = subject if isinstance(subject, Query) else _query(subject, kept)
    others = [one for one in exemplars if not (isinstance(subject, Csd) and one.id == subject.id)]
    room = budget_tokens
    while room >= TOKENS_A_WORD:
        try:
            context = build_context(others, query, axes=kept, budget_tokens=room)
        except ValueError:
            break
        scene = _labelled(context, query, subject, others, kept)
        if scene.tokens <= budget_tokens:
            return scene
        room = min(math.floor(room * _SHRINK), room - 1)
    raise BudgetTooSmall(
        f"expected a budget that holds what is told of {query.item}; got {budget_tokens} tokens. Give more."
    )


def actions_of(csd: Csd, axes: Iterable[Axis] = AXES) -> tuple[Action, ...]:
    """Return what was done in an experience that worked, as far as `axes` tell; at most `MOST_ACTIONS`.

    The procedure is told by proc; where it tells none, struct tells what was laid. Empty where neither may
    speak.
    """
    asked = tuple(axes)
    if not csd.meta.success:
        return ()
    steps = [step.action for step in procedure_of(csd)] if Axis.PROC in asked else []
    done = tuple(one for one in steps if isinstance(one, Craft | Smelt | Place | Collect | Attack))
    if not done and Axis.STRUCT in asked:
        return _laid(csd)
    return done[-MOST_ACTIONS:]


def _laid(csd: Csd) -> tuple[Action, ...]:
    case = case_of(csd, csd.id)
    if case.rows is None:
        return ()
    if case.rows == SMELT_ROWS:
        fuels = [s.subject for s in csd.struct if s.predicate == "slot" and s.value == "fuel"]
        return (Smelt(input=case.fillers[0], fuel=fuels[0]),) if fuels else ()
    return (Craft(grid=lay(case.rows, dict(zip(letters(case.rows), case.fillers, strict=True)))),)


def _query(csd: Csd, axes: Sequence[Axis]) -> Query:
    texts = {axis: text for axis in axes if (text := render_axis(csd, axis))}
    return Query(item=csd.meta.product or csd.meta.verb, statements=statements_of(csd, axes), texts=texts)


def _labelled(
    context: Context, query: Query, subject: Csd | Query, others: Sequence[Exemplar], axes: tuple[Axis, ...]
) -> Scene:
    """Return a context under labels, with the actions of each experience and where it comes from."""
    used = [one for one in others if one.id in context.used_ids]
    blocks = _blocks(context.text, [one.id for one in used])
    texts, sources = [], []
    known: list[tuple[Csd, Exemplar | None]] = [(one.csd, one) for one in used]
    if isinstance(subject, Csd):
        known.insert(0, (subject, None))
    else:
        texts.append(blocks.pop(0))
    for number, (csd, exemplar) in enumerate(known, start=1):
        label, block = f"E{number}", blocks[number - 1]
        lines = block.split("\n")
        told = tuple(axis for axis in axes if any(line.startswith(f"{axis.value}: ") for line in lines[1:]))
        lines[0] = f"{label}: {_outcome(csd)}"
        done = [action_json(action) for action in actions_of(csd, axes)]
        if done:
            lines.insert(1, f"done: {json.dumps(done, separators=(',', ':'))}")
        texts.append("\n".join(lines))
        sources.append(_source(label, csd, exemplar, told))
    text = "\n\n".join(texts)
    return Scene(text=text, sources=tuple(sources), tokens=spelled_tokens(text))


def _blocks(text: str, ids: Sequence[str]) -> list[str]:
    """Return the blocks of a context: the query's, then one an exemplar; names may hold any characters."""
    starts = [0, *(text.index(f"\n\nExperience {id}: ") + 2 for id in ids), len(text) + 2]
    return [text[begin : end - 2] for begin, end in pairwise(starts)]


def _outcome(csd: Csd) -> str:
    worked = "worked" if csd.meta.success else "did not work"
    return f"{csd.meta.verb} {csd.meta.product or 'nothing'}, {worked}"


def _source(label: str, csd: Csd, exemplar: Exemplar | None, told: tuple[Axis, ...]) -> Source:
    shares = {} if exemplar is None else exemplar.axis_shares()
    spoken = {axis: shares[axis] for axis in told if shares.get(axis)} or dict.fromkeys(told, 1.0)
    total = sum(spoken.values())
    return Source(
        label=label,
        id=csd.id,
        told=told,
        shares={axis: share / total for axis, share in spoken.items()},
        score=None if exemplar is None else exemplar.score,
        csd=csd,
        mapping=None if exemplar is None else exemplar.mapping,
    )
