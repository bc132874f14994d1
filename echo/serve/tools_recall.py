"""The tool that recalls experience described on five axes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import Field

from echo.serve.banks import Banks
from echo.serve.encoders import Encoders
from echo.serve.reply import Arguments, MemoryTool, Refused, Reply

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from csd.axes import Axis
    from csd.bank import Bank
    from csd.descriptor import Csd
    from csd.score import Match, Vector
    from csd.store.where import Where

MOST = 50
"""Most that one call recalls; a model reads no more."""


class Recalling(Arguments):
    """Texts on any axes, or a descriptor, and conditions that what is recalled must meet."""

    struct: str | None = None
    """Structure to resemble: shapes, layouts, parts."""
    attr: str | None = None
    """Attributes to resemble: what things are like."""
    proc: str | None = None
    """Procedure to resemble: what is done to what."""
    func: str | None = None
    """Function to resemble: what things are for."""
    inter: str | None = None
    """Interaction to resemble: what was tried and what came of it."""
    like: str | None = None
    """Id of a descriptor to resemble instead of texts; it is left out of the answer."""
    weights: dict[str, float] | None = None
    """Axis -> weight from 0, such as {"struct": 2, "func": 1}; axes left out weigh 0."""
    k: int = Field(default=5, ge=1, le=MOST)
    """How many at most."""
    success: bool | None = None
    """Only where the goal was reached, or only where it was not."""
    tasks: list[str] | None = None
    """Only of one of these goals, letter by letter."""
    verbs: list[str] | None = None
    """Only of one of these, such as craft."""
    products: list[str] | None = None
    """Only where one of these items was gained."""
    biomes: list[str] | None = None
    """Only in one of these."""
    tags: list[str] | None = None
    """Only what is filed under all of these."""
    agent: str | None = None
    """Only what this agent filed."""
    life: str | None = None
    """Only what was filed in this life."""
    world: str | None = None
    """Only from this environment."""
    from_step: int | None = None
    """Only from this world step on."""
    before_step: int | None = None
    """Only before this world step."""
    near: list[float] | None = Field(default=None, min_length=3, max_length=3)
    """[x, z, radius]: only within radius blocks of x, z."""
    exact: bool = False
    """Miss nothing, also in a large bank; slower."""

    def said(self) -> dict[Axis, str]:
        """Return the texts by axis, blank ones left out."""
        from csd.axes import AXES

        texts = (self.struct, self.attr, self.proc, self.func, self.inter)
        return {
            axis: text.strip()
            for axis, text in zip(AXES, texts, strict=True)
            if text is not None and text.strip()
        }

    def where(self) -> Where:
        """Return the conditions.

        Raises:
            Refused: if they cannot mean anything.
        """
        from csd.store.where import Where

        near = None
        if self.near is not None:
            x, z, radius = self.near
            near = (x, z, radius)
        try:
            return Where(
                success=self.success,
                tasks=_some(self.tasks),
                verbs=_some(self.verbs),
                products=_some(self.products),
                biomes=_some(self.biomes),
                tags=_some(self.tags),
                agent=self.agent,
                life=self.life,
                world=self.world,
                from_step=self.from_step,
                before_step=self.before_step,
                near=near,
            )
        except ValueError as error:
            raise Refused(str(error)) from error


class Recall:
    """The tool `recall` of one memory folder."""

    def __init__(self, root: Path, encoders: Encoders, *, read_only: bool = False) -> None:
        """Look at the memory at `root`; its bank is opened by each call."""
        self._banks = Banks(root, encoders, read_only=read_only)

    def tools(self) -> list[MemoryTool]:
        """Return it."""
        return [
            MemoryTool(
                name="recall",
                title="Recall on axes",
                about=_ABOUT_RECALL,
                arguments=Recalling,
                call=self.recall,
                output=_RECALLED,
            ),
        ]

    def recall(self, asked: Recalling) -> Reply:
        """Return what the bank remembers that resembles texts or a descriptor.

        Raises:
            Refused: if nothing or two things are asked, or the folder has no bank.
            BankError: if the bank is damaged.
        """
        from csd.axes import AXES

        said, like = asked.said(), asked.like
        if bool(said) == (like is not None):
            raise Refused(
                f"expected texts on axes ({', '.join(AXES)}) or `like`; got {'both' if said else 'neither'}. "
                f"Ask one way at a time, such as func='handle of a tool'."
            )
        shares = _shares(asked.weights, list(said) or list(AXES))
        where = asked.where()
        with self._banks.open(embeds=like is None) as bank:
            query = said if like is None else _vectors(bank, like)
            k = asked.k + (like is not None)
            found = bank.recall(query, k=k, weights=shares, where=where, exact=asked.exact)
            found = [match for match in found if match.id != like][: asked.k]
            held = [(match, bank.get(match.id)) for match in found]
        return _recalled(held)


def _some(values: list[str] | None) -> tuple[str, ...] | None:
    return tuple(values or ()) or None


def _shares(weights: Mapping[str, float] | None, asked: Sequence[Axis]) -> dict[Axis, float] | None:
    """Return the weight of each axis that was named.

    Raises:
        Refused: on an unknown axis, a weight that is no finite number >= 0, or nothing left to ask.
    """
    import math

    from csd.axes import AXES, Axis

    if weights is None:
        return None
    wrong = [name for name, value in weights.items() if name not in list(Axis) or not 0 <= value < math.inf]
    shares = {
        axis: float(weights[axis.value]) for axis in AXES if axis.value in weights and axis.value not in wrong
    }
    if wrong or not any(shares.get(axis) for axis in asked):
        raise Refused(
            f"expected weights >= 0 by axis out of {', '.join(AXES)}, one above 0 on an axis that is asked "
            f"({', '.join(asked)}); got {dict(weights)}. Leave weights out to weigh all alike."
        )
    return shares


def _vectors(bank: Bank, id: str) -> Mapping[Axis, Vector]:
    """Return the vectors of a descriptor as a query takes them: stored ones were rounded.

    Raises:
        BankError: if there is no such descriptor.
    """
    import numpy as np

    return {axis: vector / np.linalg.norm(vector) for axis, vector in bank.vectors(id).items()}


def _recalled(held: Sequence[tuple[Match, Csd]]) -> Reply:
    from csd.axes import AXES
    from csd.render import render_axis

    results = [
        {
            "id": match.id,
            "score": match.score,
            "cosines": {axis.value: match.cosines[axis] for axis in AXES},
            "task": csd.meta.task,
            "success": csd.meta.success,
            "step": csd.meta.step,
            "episodes": list(csd.meta.episodes),
            "texts": {axis.value: text for axis in AXES if (text := render_axis(csd, axis))},
        }
        for match, csd in held
    ]
    lines = ["nothing recalled: nothing in the bank fits the query and its conditions"] if not results else []
    for place, (match, csd) in enumerate(held, start=1):
        cosines = " ".join(
            f"{axis}={value:.2f}" for axis in AXES if (value := match.cosines[axis]) is not None
        )
        end = "reached" if csd.meta.success else "failed"
        cited = " ".join(f"[{name}]" for name in csd.meta.episodes)
        told = f"{place}. {match.id}  score {match.score:.3f}  {cosines}  {csd.meta.task}: {end}  {cited}"
        lines.append(told.rstrip())
        lines += [f"   {axis}: {text}" for axis in AXES if (text := render_axis(csd, axis))]
    return Reply(text="\n".join(lines), data={"results": results})


_ABOUT_RECALL = (
    "Find described experience that resembles what you say on up to five axes: struct (shape and layout), "
    "attr (what things are like), proc (what is done), func (what things are for), inter (what was tried and "
    "what came). Returns score, cosine on each axis, what each descriptor says, and the episodes behind it. "
    "Use it for analogies; use `query` to find episodes by place, step, tag or word."
)

_RECALLED: dict[str, Any] = {
    "type": "object",
    "properties": {
        "results": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "id": {"type": "string"},
                    "score": {"type": "number"},
                    "cosines": {"type": "object", "additionalProperties": {"type": ["number", "null"]}},
                    "task": {"type": "string"},
                    "success": {"type": "boolean"},
                    "step": {"type": "integer"},
                    "episodes": {"type": "array", "items": {"type": "string"}},
                    "texts": {"type": "object", "additionalProperties": {"type": "string"}},
                },
                "required": ["id", "score", "cosines", "task", "success", "step", "episodes", "texts"],
            },
        }
    },
    "required": ["results"],
}
