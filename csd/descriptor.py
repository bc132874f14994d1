"""The Contextual State Descriptor (CSD): one experience, described on five transfer axes.

Source: Echo §3.2 and Fig. 4; differs in that every symbolic statement is a triple with evidence, and in
that a descriptor's id is the digest of its content, so the same experience described twice is one record.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cached_property
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from csd.axes import AXES, Axis
from csd.vocabulary import PREDICATES

FORMAT = 1
"""Version of the descriptor's file format."""

Value = str | int | float | bool

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode

_quoted = json.encoder.encode_basestring_ascii
"""A text as ASCII JSON."""


class Record(BaseModel):
    """A strict, immutable record in a file."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


class Evidence(Record):
    """Where a statement was seen."""

    episode: str
    """MFM episode id, such as 'ep_000012'."""
    step: Annotated[int, Field(ge=0)]
    """Index of the step within the episode; the number of steps stands for the final observation."""
    kind: Literal["inventory", "action", "outcome", "observation", "frame"]
    """Which record of the step shows it."""
    detail: str = ""
    """The part that shows it, such as 'oak_planks -3'."""


class Statement(Record):
    """One perceived fact: a triple and the evidence for it."""

    subject: Annotated[str, Field(min_length=1)]
    predicate: Annotated[str, Field(min_length=1)]
    value: Value
    evidence: Annotated[tuple[Evidence, ...], Field(min_length=1)]


class Meta(Record):
    """Circumstances of the experience; not a transfer axis."""

    task: str
    """The goal in words."""
    success: bool
    """Whether the goal was reached."""
    product: str | None = None
    """The item gained, when there was one."""
    verb: Literal["craft", "smelt", "collect", "mine", "attack", "place", "other"]
    """The action that decided the episode."""
    position: tuple[float, float, float]
    step: int
    """Actions taken in the world before the episode began."""
    tick: int
    biome: str
    objects: tuple[str, ...]
    """Block kinds in sight, sorted."""
    world: str
    """Source environment, such as 'minecraft-1.17.1'."""
    builder: str
    """Who wrote the descriptor, with its version, such as 'rules/1'."""
    episodes: Annotated[tuple[str, ...], Field(min_length=1)]
    """MFM episode ids described here."""


class Csd(Record):
    """A Contextual State Descriptor: circumstances and five axes of statements with evidence."""

    format: Literal[1] = 1
    meta: Meta
    struct: tuple[Statement, ...] = ()
    attr: tuple[Statement, ...] = ()
    proc: tuple[Statement, ...] = ()
    func: tuple[Statement, ...] = ()
    inter: tuple[Statement, ...] = ()

    @model_validator(mode="after")
    def _only_known_predicates(self) -> Self:
        for axis in AXES:
            for index, statement in enumerate(self.axis(axis)):
                if statement.predicate not in PREDICATES[axis]:
                    raise ValueError(
                        f"{axis.value}[{index}]: expected a predicate out of "
                        f"{', '.join(PREDICATES[axis])}; got {statement.predicate!r}. "
                        f"Choose one of these or move the statement to its axis."
                    )
        if not any(self.axis(axis) for axis in AXES):
            raise ValueError(
                "expected statements on at least one axis; got an empty descriptor. "
                "An experience of which nothing can be said is not remembered."
            )
        return self

    def axis(self, axis: Axis) -> tuple[Statement, ...]:
        """Return the statements on `axis`, in the order they were written."""
        statements: tuple[Statement, ...] = getattr(self, axis.value)
        return statements

    @property
    def id(self) -> str:
        """Content digest, 'csd_' and 16 hexadecimal digits; equal content gives an equal id."""
        return id_of(self.canonical())

    def canonical(self) -> str:
        """Return the one JSON text of this content: sorted keys, no white space, ASCII."""
        return self.text

    @cached_property
    def text(self) -> str:
        """What `canonical` returns, made once.

        The same text as `canonical_json` of the dumped model, put together twice as fast: filling a bank
        spends most of its time here.
        """
        return (
            f'{{"attr":[{_statements_json(self.attr)}],"format":{self.format},'
            f'"func":[{_statements_json(self.func)}],"inter":[{_statements_json(self.inter)}],'
            f'"meta":{_encode(vars(self.meta))},"proc":[{_statements_json(self.proc)}],'
            f'"struct":[{_statements_json(self.struct)}]}}'
        )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy, with other content where `update` says so; see `pydantic.BaseModel`."""
        copied = super().model_copy(update=update, deep=deep)
        # The text of the original would be taken over too.
        vars(copied).pop("text", None)
        return copied

    @classmethod
    def from_json(cls, text: str) -> Csd:
        """Read a descriptor from JSON.

        Raises:
            pydantic.ValidationError: naming each field that is missing, unknown or out of range.
        """
        return cls.model_validate_json(text)


def id_of(record: str) -> str:
    """Return the id of the descriptor whose canonical JSON is `record`."""
    return "csd_" + hashlib.sha256(record.encode()).hexdigest()[:16]


def canonical_json(value: Any) -> str:
    """Return the canonical JSON text of a JSON value: sorted keys, compact, ASCII, no NaN."""
    return _encode(value)


def _statements_json(statements: tuple[Statement, ...]) -> str:
    return ",".join([_statement_json(statement) for statement in statements])


def _statement_json(statement: Statement) -> str:
    evidence = [
        f'{{"detail":{_quoted(one.detail)},"episode":{_quoted(one.episode)},"kind":"{one.kind}",'
        f'"step":{one.step}}}'
        for one in statement.evidence
    ]
    return (
        f'{{"evidence":[{",".join(evidence)}],"predicate":"{statement.predicate}",'
        f'"subject":{_quoted(statement.subject)},"value":{_value_json(statement.value)}}}'
    )


def _value_json(value: Value) -> str:
    # The encoder takes 2 us to be called, and a quarter of all values are yes, no or a number.
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else _encode(value)


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of a descriptor."""
    schema = Csd.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}
