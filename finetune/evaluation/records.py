"""The result of an evaluation, as a file."""

from __future__ import annotations

from typing import Any, Literal

from csd.descriptor import Record
from finetune.evaluation.figures import Figures

EVALUATION = "evaluation.json"
TABLE = "evaluation.md"
PICTURE = "f1.png"


class Made(Record):
    """With what an evaluation was made."""

    model: str
    """As it was asked for."""
    before: str | None
    told: dict[str, dict[str, Any]]
    """``model`` and ``before`` -> all that decides its answers, such as digests and seed."""
    data: str | None
    """SHA-256 of test rows and episodes; null without them."""
    card: str | None
    """Digest that the data card of these rows tells; null without a card."""
    texts: str | None
    """SHA-256 of the user's texts."""
    rows: int | None
    """At most so many questions of each group; null for all."""
    before_rows: int | None
    """The same for the columns of the model before; null as the others."""
    settings: dict[str, int | float | str]
    """How it was asked: limit of tokens, batch, temperature, seed, number type, device."""
    prompt: str
    """Name and version of the prompts."""
    commit: str | None
    """Of the code, with '+changes' where files differed from it; null outside a checkout."""
    versions: dict[str, str]
    machine: dict[str, str | int]


class Difference(Record):
    """A difference of means, paired by question, with a 95 % percentile bootstrap interval."""

    value: float
    low: float | None
    """Null where nothing is known of how questions differ."""
    high: float | None


class Found(Record):
    """How well descriptors are found by their likes on one axis: mean nDCG, 0..1."""

    questions: int
    rules: float
    """Of the descriptors that the rules write."""
    model: float
    """Of those that the model wrote."""
    difference: Difference
    """Of the model's from the rules'."""
    chance: float
    """Expected of an order drawn by lot."""


class Helps(Record):
    """Whether the descriptors written help to find what is alike by the rules of the game."""

    column: str
    """Whose answers they are."""
    encoder: str
    """Of the bank."""
    episodes: int
    """Asked for, and searched among."""
    written: int
    """Of those, the ones of which the model gave a descriptor."""
    left_out: int
    """Further episodes, whose names the rules of the game do not explain."""
    depth: int
    """How many of a ranking count."""
    axes: dict[str, Found | None]
    """Axis -> figures; null where no two episodes are alike."""


class Sample(Record):
    """A question with what was answered, to be looked at."""

    name: str
    """Where the question stands."""
    family: str
    style: str
    asked: str
    """The last message."""
    right: str | None
    answers: dict[str, str]
    """Column -> what was written."""


class Evaluation(Record):
    """Figures column by column; a column that was not asked for, or has no questions, is null."""

    format: Literal[1] = 1
    before: Figures | None = None
    before_constrained: Figures | None = None
    before_explained: Figures | None = None
    after: Figures | None = None
    repaired: Figures | None = None
    constrained: Figures | None = None
    out_of_template: Figures | None = None
    out_of_template_constrained: Figures | None = None
    repair: Figures | None = None
    refuse: Figures | None = None
    texts: Figures | None = None
    texts_constrained: Figures | None = None
    styles: dict[str, dict[str, Figures]]
    """Column -> style of the traces -> its figures."""
    families: dict[str, dict[str, Figures]]
    """Column -> task family -> its figures."""
    helps: dict[str, Helps]
    """Column -> how well the descriptors written are found by their likes, beside those of the rules."""
    samples: tuple[Sample, ...]
    """The first question of each task family."""
    made: Made

    def columns(self) -> dict[str, Figures]:
        """Return the columns that there are, in their order."""
        named = {name: getattr(self, name) for name in type(self).model_fields}
        return {name: value for name, value in named.items() if isinstance(value, Figures)}
