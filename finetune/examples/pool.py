"""Episodes described and dealt to the sides of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from pydantic import ValidationError

from csd.build import describe
from csd.build_proc import told_runs
from csd.by_model.compact import compact
from csd.descriptor import Csd
from finetune.examples.families import About, Groups, about, groups_of, with_words
from finetune.examples.recorded import ExamplesError, LeftOut, Recorded
from finetune.examples.splits import SPLITS, HeldOut, Sides, Split, divide
from finetune.examples.teaching import findings

CROSSING = "its recipes belong to different splits"


@dataclass(frozen=True, kw_only=True, slots=True)
class Described:
    """An episode with its right descriptor."""

    recorded: Recorded
    csd: Csd
    told: About


@dataclass(frozen=True, kw_only=True, slots=True)
class Pool:
    """Described episodes by split, and what was left out."""

    of_split: dict[Split, tuple[Described, ...]]
    sides: Sides
    silent: tuple[Recorded, ...]
    """Episodes of which nothing can be said."""
    left: tuple[LeftOut, ...]

    @property
    def groups(self) -> Groups:
        """The groups of item families."""
        return self.sides.groups


def pool_of(recorded: Sequence[Recorded], held: HeldOut, generator: np.random.Generator) -> Pool:
    """Describe episodes by the rules and deal them to the splits.

    Args:
        recorded: the episodes, in any order; the order counts for the choice of groups no more than names do.
        held: what is held out.
        generator: as in `finetune.examples.splits.divide`.

    Raises:
        ExamplesError: if none can be described, two have one name, or the splits cannot be made.
    """
    _check_names(recorded)
    described: list[Described] = []
    silent: list[Recorded] = []
    left: list[LeftOut] = []
    for each in recorded:
        made = _describe(each)
        if isinstance(made, Described):
            described.append(made)
        elif isinstance(made, LeftOut):
            left.append(made)
        else:
            silent.append(each)
    if not described:
        raise ExamplesError(
            f"expected episodes that something can be said of; got {len(recorded)}, of which "
            f"{len(silent)} show nothing and {len(left)} could not be described"
            f"{f' ({left[0].name}: {left[0].detail})' if left else ''}. Record episodes with --record all."
        )
    told = [each.told for each in described]
    groups = with_words(
        groups_of([each.recorded.episode for each in described]), [each.item_family for each in told]
    )
    sides = divide(told, groups, held, generator)
    dealt: dict[Split, list[Described]] = {split: [] for split in SPLITS}
    for one in described:
        side = sides.of(one.told)
        if side is None:
            touched = ", ".join(groups.of(one.told))
            left.append(LeftOut(name=one.recorded.name, reason=CROSSING, detail=touched))
        else:
            dealt[side].append(one)
    return Pool(
        of_split={split: tuple(dealt[split]) for split in SPLITS},
        sides=sides,
        silent=tuple(silent),
        left=tuple(left),
    )


def _describe(recorded: Recorded) -> Described | LeftOut | None:
    """Describe one episode; None where a model is not to say anything of it, as nothing was done."""
    try:
        made = describe(recorded.episode)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        found = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
        return LeftOut(name=recorded.name, reason="it makes no valid descriptor", detail=found)
    if not isinstance(made, Csd):
        malformed = "grids" in made.reason
        return LeftOut(name=recorded.name, reason="malformed", detail=made.reason) if malformed else None
    if not told_runs(recorded.episode):
        return None
    # What is taught has to pass the checks itself: other tools' records contradict themselves, and a message
    # can be longer than the compact form takes.
    wrong = findings(compact(made), recorded.episode, ())
    if wrong:
        return LeftOut(name=recorded.name, reason="its descriptor does not pass the checks", detail=wrong[0])
    return Described(recorded=recorded, csd=made, told=about(recorded.episode, made))


def _check_names(recorded: Sequence[Recorded]) -> None:
    names: dict[str, None] = {}
    for each in recorded:
        if each.name in names:
            raise ExamplesError(
                f"expected each episode once; got {each.name} twice. Name each memory once, under a name of "
                f"its own."
            )
        names[each.name] = None
