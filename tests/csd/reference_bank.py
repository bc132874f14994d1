"""A memory bank in a dictionary, by brute force: what every other bank is compared with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from types import TracebackType
from typing import TYPE_CHECKING, Self

import numpy as np

from csd.axes import AXES, Axis, known_order
from csd.descriptor import Csd
from csd.encode import Encoder
from csd.protocol import Filing, Query, Vectors, Version, content_digest
from csd.render import render_axis
from csd.score import Match, Vector, cosines, fuse, order, shares, unit_rows
from csd.store.errors import BankError

if TYPE_CHECKING:
    from csd.store.where import Where


@dataclass(kw_only=True)
class Held:
    """One record with all that hangs on it."""

    csd: Csd
    vectors: dict[Axis, Vector]
    recorded: datetime
    valid_from: int
    filings: dict[tuple[str, str], Filing] = field(default_factory=dict)
    superseded_step: int | None = None
    superseded_by: str | None = None
    superseded_at: datetime | None = None


class ReferenceBank:
    """Implements `csd.protocol.DescriptorBank`; slow, and simple enough to be believed."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self.held: dict[str, Held] = {}

    @property
    def encoder(self) -> Encoder:
        return self._encoder

    def close(self) -> None:
        """Nothing is open."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return len(self.held)

    def __contains__(self, id: str) -> bool:
        return id in self.held

    def ids(self) -> list[str]:
        return sorted(self.held)

    def get(self, id: str) -> Csd:
        return self._one(id).csd

    def vectors(self, id: str) -> dict[Axis, Vector]:
        return dict(self._one(id).vectors)

    def add(
        self,
        csd: Csd,
        *,
        vectors: Mapping[Axis, Vector] | None = None,
        filing: Filing | None = None,
        derived_from: Sequence[str] = (),
    ) -> str:
        for source in derived_from:
            self._one(source)
        return self.add_many([csd], vectors=None if vectors is None else [vectors], filing=filing)[0]

    def add_many(
        self,
        csds: Sequence[Csd],
        *,
        vectors: Vectors | None = None,
        filing: Filing | None = None,
    ) -> list[str]:
        if isinstance(vectors, np.ndarray):
            vectors = [
                {axis: row for axis, row in zip(AXES, rows, strict=True) if row.any()} for rows in vectors
            ]
        given = [None] * len(csds) if vectors is None else list(vectors)
        if len(given) != len(csds):
            raise ValueError(f"expected {len(csds)} mappings of vectors; got {len(given)}.")
        checked = [self._stored(csd, some) for csd, some in zip(csds, given, strict=True)]
        moment = (filing or Filing()).moment()
        for csd, stored in zip(csds, checked, strict=True):
            self._file(csd, stored, filing, moment, valid_from=csd.meta.step)
        return [csd.id for csd in csds]

    def supersede(
        self,
        old_id: str,
        csd: Csd,
        *,
        at_step: int | None = None,
        vectors: Mapping[Axis, Vector] | None = None,
        filing: Filing | None = None,
    ) -> str:
        old = self._one(old_id)
        step = max(old.valid_from, csd.meta.step) if at_step is None else at_step
        if old.superseded_at is not None:
            raise BankError(f"expected a current descriptor; got {old_id}, which is superseded already.")
        if csd.id == old_id or (csd.id in self.held and self.held[csd.id].superseded_at is not None):
            raise BankError(f"expected a correction that is new or current; got {csd.id}.")
        if step < old.valid_from:
            raise ValueError(f"expected at_step >= {old.valid_from}; got {step}.")
        moment = (filing or Filing()).moment()
        self._file(csd, self._stored(csd, vectors), filing, moment, valid_from=step)
        old.superseded_step, old.superseded_by, old.superseded_at = step, csd.id, moment
        return csd.id

    def versions(self, id: str) -> list[Version]:
        newest, depth = id, {}
        while (later := self._one(newest).superseded_by) is not None:
            newest = later
        wave, steps = [newest], 0
        while wave:
            depth.update(dict.fromkeys(wave, steps))
            wave = [name for name, held in self.held.items() if held.superseded_by in wave]
            steps += 1
        return [self._version(name) for name in sorted(depth, key=lambda name: (-depth[name], name))]

    def remove(self, id: str) -> bool:
        for held in self.held.values():
            if held.superseded_by == id:
                held.superseded_by = None
        return self.held.pop(id, None) is not None

    def recall(
        self,
        query: Query,
        *,
        k: int,
        weights: Mapping[Axis, float] | None = None,
        where: Where | None = None,
        exact: bool = False,
    ) -> list[Match]:
        if k < 0:
            raise ValueError(f"expected k >= 0; got {k}.")
        _check_axes(weights or {})
        asked = self._asked(query)
        share = shares(weights, asked)
        found = []
        for id, held in self.held.items():
            if not _passes(held, where) or not any(axis in held.vectors for axis in share):
                continue
            each = {
                axis: float(cosines(held.vectors[axis][None], asked[axis])[0])
                if axis in share and axis in held.vectors
                else None
                for axis in AXES
            }
            found.append(Match(id=id, cosines=each, score=fuse(each, share)))
        return sorted(found, key=order)[:k]

    def digest(self) -> str:
        return content_digest(
            (id, self.held[id].csd.canonical(), self.held[id].vectors) for id in sorted(self.held)
        )

    def _one(self, id: str) -> Held:
        if id not in self.held:
            raise BankError(f"expected the id of a descriptor in the bank at a dictionary; got {id!r}.")
        return self.held[id]

    def _version(self, id: str) -> Version:
        held = self.held[id]
        return Version(
            id=id,
            valid_from=held.valid_from,
            superseded_step=held.superseded_step,
            superseded_by=held.superseded_by,
            recorded=held.recorded,
            superseded_at=held.superseded_at,
        )

    def _file(
        self,
        csd: Csd,
        stored: dict[Axis, Vector],
        filing: Filing | None,
        moment: datetime,
        *,
        valid_from: int,
    ) -> None:
        known = self.held.get(csd.id)
        if known is None:
            known = Held(csd=csd, vectors=stored, recorded=moment, valid_from=valid_from)
            self.held[csd.id] = known
        elif filing is None:
            return
        said = replace(filing or Filing(), recorded=moment)
        before = known.filings.get((said.agent, said.life), said)
        tags = tuple(sorted({*before.tags, *said.tags}))
        known.filings[said.agent, said.life] = replace(before, tags=tags)

    def _stored(self, csd: Csd, given: Mapping[Axis, Vector] | None) -> dict[Axis, Vector]:
        texts = {axis: render_axis(csd, axis) for axis in AXES if render_axis(csd, axis)}
        if given is None:
            rows = self._encoder.encode(list(texts.values()))
            given = dict(zip(texts, rows, strict=True))
        if set(given) != set(texts):
            raise ValueError(
                f"expected vectors on exactly {', '.join(texts)}; got {', '.join(map(str, given))}."
            )
        return {axis: self._unit(given[axis]).astype(np.float16).astype(np.float32) for axis in texts}

    def _asked(self, query: Query) -> dict[Axis, Vector]:
        if isinstance(query, Csd):
            query = {axis: render_axis(query, axis) for axis in AXES}
        _check_axes(query)
        asked = {axis: query[axis] for axis in AXES if axis in query}
        return {
            axis: self._unit(self._encoder.encode([value])[0] if isinstance(value, str) else value)
            for axis, value in asked.items()
            if not isinstance(value, str) or value.strip()
        }

    def _unit(self, vector: Vector) -> Vector:
        checked: Vector = unit_rows(np.atleast_2d(vector), self._encoder.dimension, "the caller")[0]
        return checked


def _check_axes(names: Iterable[str]) -> None:
    unknown = [str(name) for name in names if name not in AXES]
    if unknown:
        raise ValueError(f"expected axes out of {', '.join(known_order())}; got {', '.join(unknown)}.")


def _passes(held: Held, where: Where | None) -> bool:
    if where is None:
        return _holds(held, None)
    meta = held.csd.meta
    return (
        _holds(held, where.as_of)
        and where.success in (None, meta.success)
        and (where.tasks is None or meta.task in where.tasks)
        and (where.verbs is None or meta.verb in where.verbs)
        and (where.products is None or meta.product in where.products)
        and (where.biomes is None or meta.biome in where.biomes)
        and where.world in (None, meta.world)
        and (where.from_step is None or meta.step >= where.from_step)
        and (where.before_step is None or meta.step < where.before_step)
        and (where.recorded_from is None or held.recorded >= where.recorded_from)
        and (where.recorded_before is None or held.recorded < where.recorded_before)
        and (where.near is None or _near(meta.position, where.near))
        and _filed(held, where)
    )


def _holds(held: Held, as_of: int | None) -> bool:
    if as_of is None:
        return held.superseded_at is None
    return held.valid_from <= as_of and (held.superseded_step is None or as_of < held.superseded_step)


def _near(position: tuple[float, float, float], near: tuple[float, float, float]) -> bool:
    x, z, radius = near
    return (position[0] - x) ** 2 + (position[2] - z) ** 2 <= radius**2


def _filed(held: Held, where: Where) -> bool:
    """Each asked tag must be on a filing of the asked agent in the asked life; one must exist."""
    theirs = [
        filing
        for filing in held.filings.values()
        if where.agent in (None, filing.agent) and where.life in (None, filing.life)
    ]
    tags = {tag for filing in theirs for tag in filing.tags}
    return bool(theirs) and all(tag in tags for tag in where.tags or ())
