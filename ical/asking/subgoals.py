"""The task manager: what must be held one after the other on the way to an aim, and how far that has come.

Source: Echo §3.5 and Fig. 6 (task manager). The model names the steps; whether one is reached is seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import ValidationError

from csd.by_model.tolerant import Unreadable, read_json
from csd.chat import JsonSchema
from ical.asking import prompts
from ical.asking.calls import Asker
from ical.asking.drafts import Wanted
from ical.asking.scene import Scene
from ical.asking.situation import Situation
from ical.asking.words import NAME, record

MOST_SUBGOALS = 5
"""Subgoals of one aim, at most."""

PATIENCE = 3
"""Failures for one subgoal after which it is given up."""


@dataclass(slots=True)
class Subgoals:
    """Subgoals in order; the first that is neither reached nor given up is the current one."""

    wanted: tuple[tuple[str, int], ...] = ()
    """(item, how many)."""
    patience: int = PATIENCE
    _reached: dict[str, None] = field(default_factory=dict)
    _failures: dict[str, int] = field(default_factory=dict)

    def see(self, held: Mapping[str, int]) -> None:
        """Take in what is carried: a subgoal that was reached once stays so, though it be used up."""
        for item, amount in self.wanted:
            if held.get(item, 0) >= amount:
                self._reached[item] = None

    def failed(self) -> None:
        """Take in that something tried for the current subgoal failed."""
        item = self.current
        if item is not None:
            self._failures[item] = self._failures.get(item, 0) + 1

    @property
    def current(self) -> str | None:
        """The item to get next; None where there is none left."""
        for item, _ in self.wanted:
            if item not in self._reached and self._failures.get(item, 0) < self.patience:
                return item
        return None

    @property
    def reached(self) -> tuple[str, ...]:
        """Items that were held, in order."""
        return tuple(item for item, _ in self.wanted if item in self._reached)


def subgoals_schema() -> JsonSchema:
    """Return the bounded schema of subgoals; their names may be new, for things not made yet have none."""
    one = record(
        item={"type": "string", "pattern": f"^{NAME}$"},
        amount={"type": "integer", "minimum": 1, "maximum": 64},
    )
    return record(subgoals={"type": "array", "items": one, "minItems": 1, "maxItems": MOST_SUBGOALS})


def ask_subgoals(asker: Asker, scene: Scene, situation: Situation) -> Subgoals:
    """Ask for subgoals; none where the answer cannot be read, so that the aim stands alone.

    Raises:
        ModelError: if the model does not answer.
    """
    messages = prompts.subgoals(scene, situation, MOST_SUBGOALS)
    reply = asker.ask(messages, subgoals_schema())
    wanted, faults, mended = _read(reply.text)
    asker.judged("subgoals", messages, reply, usable=bool(wanted), findings=faults, mended=mended)
    return Subgoals(wanted=wanted)


def _read(text: str) -> tuple[tuple[tuple[str, int], ...], tuple[str, ...], tuple[str, ...]]:
    try:
        read = read_json(text, fits=lambda value: "subgoals" in value)
    except Unreadable as error:
        return (), (str(error),), ()
    listed = read.value.get("subgoals")
    if not isinstance(listed, list) or not listed:
        return (), ('expected {"subgoals": [...]} with at least one; got none',), read.mended
    wanted: dict[str, int] = {}
    faults = []
    for number, one in enumerate(listed[:MOST_SUBGOALS], start=1):
        try:
            said = Wanted.model_validate({"item": one} if isinstance(one, str) else one)
        except ValidationError as error:
            faults.append(f"subgoal {number}: {error.errors()[0]['msg']}; got {str(one)[:60]}")
            continue
        wanted.setdefault(said.item, said.amount)
    return tuple(wanted.items()), tuple(faults), read.mended
