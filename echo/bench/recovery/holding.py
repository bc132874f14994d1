"""What a bank must hold after each piece of work, by a plain model, and what its file does hold.

Both are told as facts, sets of rows by table, so that they can be compared without asking the bank.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Evidence, Meta, Statement
from csd.encode import Encoder, HashingEncoder
from csd.render import render_axis
from csd.score import Vector
from csd.store.file import connect

Facts = dict[str, frozenset[tuple[object, ...]]]
"""Table -> its rows."""

LIFE = "recovery"
"""Under which life everything is filed."""

_TABLES = {
    "records": "SELECT id, valid_from, superseded_step, superseded_by FROM csd",
    "vectors": "SELECT id, present, halves FROM csd LEFT JOIN vector USING (row)",
    "episodes": "SELECT id, episode FROM csd LEFT JOIN episode USING (row)",
    "filings": "SELECT id, agent, life FROM csd LEFT JOIN filing USING (row)",
    "tags": "SELECT id, agent, life, tag FROM csd JOIN tag USING (row)",
    "links": "SELECT a.id, kind, b.id FROM link JOIN csd a ON a.row = source JOIN csd b ON b.row = target",
    "credit": "SELECT id, axis, successes, failures FROM csd JOIN credit USING (row)",
    "encoder": "SELECT value FROM meta WHERE key = 'encoder'",
}


class MirroredEncoder:
    """Hashing vectors read backwards: a second encoder, to embed a bank anew with."""

    name = "mirrored-256"
    dimension = 256

    def __init__(self) -> None:
        """Wrap a hashing encoder."""
        self._hashing = HashingEncoder()

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 256) float32 unit rows."""
        return np.ascontiguousarray(self._hashing.encode(texts)[:, ::-1])


_ENCODERS: dict[str, Encoder] = {one.name: one for one in (HashingEncoder(), MirroredEncoder())}


def encoder_called(name: str) -> Encoder:
    """Return one of the two encoders of this benchmark."""
    return _ENCODERS[name]


def other_encoder(name: str) -> str:
    """Return the name of the one that is not `name`."""
    return next(other for other in _ENCODERS if other != name)


@lru_cache(maxsize=100_000)
def descriptor(number: int) -> Csd:
    """Return the descriptor called by `number`: one to three axes, its own words and shared ones."""
    seen = (Evidence(episode=f"ep_{number:06d}", step=0, kind="outcome", detail="seen"),)
    name, kin = f"block_{number}", f"block_{number % 7}"
    said = {
        Axis.ATTR: Statement(subject=name, predicate="drops", value=kin, evidence=seen),
        Axis.FUNC: Statement(subject=name, predicate="plays", value=f"role_{number % 5}", evidence=seen),
        Axis.INTER: Statement(subject=f"dig {name}", predicate="tried", value="ok", evidence=seen),
    }
    mixed = number * 2_654_435_761 % 2**32 >> 16
    axes = [axis for place, axis in enumerate(said) if place == mixed % 3 or mixed >> place & 4]
    return Csd(
        meta=Meta(
            task=f"dig {name}", success=mixed % 5 > 0, product=name, verb="collect",
            position=(number % 100, 64.0, number // 100), step=number % 10_000, tick=20 * (number % 10_000),
            biome="forest", objects=(name,), world="bench", builder="recovery/1",
            episodes=(f"ep_{number:06d}",),
        ),
        **{axis.value: (said[axis],) for axis in axes},
    )  # fmt: skip


@lru_cache(maxsize=100_000)
def id_called(number: int) -> str:
    """Return the id of `descriptor(number)`."""
    return descriptor(number).id


@lru_cache(maxsize=100_000)
def halves_of(number: int, encoder: str) -> dict[Axis, NDArray[np.float16]]:
    """Return what must be stored of the vectors of `descriptor(number)`: axis -> (d,) float16."""
    texts = {axis: text for axis in AXES if (text := render_axis(descriptor(number), axis))}
    rows = encoder_called(encoder).encode(list(texts.values())).astype(np.float16)
    return dict(zip(texts, rows, strict=True))


def asked_by(number: int, encoder: str) -> dict[Axis, Vector]:
    """Return the vectors of `descriptor(number)` as a query."""
    texts = {axis: text for axis in AXES if (text := render_axis(descriptor(number), axis))}
    return dict(zip(texts, encoder_called(encoder).encode(list(texts.values())), strict=True))


@dataclass(frozen=True, kw_only=True, slots=True)
class Belief:
    """What must be known of one descriptor."""

    number: int
    valid_from: int
    agent: str
    superseded_step: int | None = None
    superseded_by: str | None = None
    uses: int = 0
    """How often it was credited with a success on every axis."""


@dataclass(kw_only=True)
class Holding:
    """What a bank must hold."""

    encoder: str
    beliefs: dict[str, Belief] = field(default_factory=dict)
    links: set[tuple[str, str, str]] = field(default_factory=set)

    def copy(self) -> Holding:
        """Return one that can be changed by itself."""
        return Holding(encoder=self.encoder, beliefs=dict(self.beliefs), links=set(self.links))

    def current(self) -> list[int]:
        """Return the numbers of the descriptors that are found without a condition, ascending."""
        return sorted(belief.number for belief in self.beliefs.values() if belief.superseded_step is None)

    def add(self, numbers: Sequence[int], agent: str) -> None:
        """Take in descriptors that are not held."""
        for number in numbers:
            step = descriptor(number).meta.step
            self.beliefs[id_called(number)] = Belief(number=number, valid_from=step, agent=agent)

    def remove(self, number: int) -> None:
        """Forget a descriptor and its links."""
        gone = id_called(number)
        del self.beliefs[gone]
        self.links = {link for link in self.links if gone not in (link[0], link[2])}
        for id, belief in self.beliefs.items():
            if belief.superseded_by == gone:
                self.beliefs[id] = replace(belief, superseded_by=None)

    def supersede(self, old: int, new: int, agent: str) -> None:
        """Put `new`, which is not held, in the place of `old`."""
        before = self.beliefs[id_called(old)]
        step = max(before.valid_from, descriptor(new).meta.step)
        self.beliefs[id_called(old)] = replace(before, superseded_step=step, superseded_by=id_called(new))
        self.beliefs[id_called(new)] = Belief(number=new, valid_from=step, agent=agent)
        self.links.add((id_called(new), "supersedes", id_called(old)))

    def credit(self, number: int) -> None:
        """Note one more successful use."""
        belief = self.beliefs[id_called(number)]
        self.beliefs[id_called(number)] = replace(belief, uses=belief.uses + 1)

    def facts(self) -> Facts:
        """Return the rows that the file must hold."""
        tables: dict[str, list[tuple[object, ...]]] = {name: [] for name in _TABLES}
        for id, belief in self.beliefs.items():
            halves = halves_of(belief.number, self.encoder)
            blob = b"".join(half.tobytes() for half in halves.values())
            present = sum(1 << place for place, axis in enumerate(AXES) if axis in halves)
            state = (id, belief.valid_from, belief.superseded_step, belief.superseded_by)
            tables["records"].append(state)
            tables["vectors"].append((id, present, _digest(blob)))
            tables["episodes"].append((id, f"ep_{belief.number:06d}"))
            tables["filings"].append((id, belief.agent, LIFE))
            tables["tags"].append((id, belief.agent, LIFE, tag_of(belief.number)))
            if belief.uses:
                tables["credit"].extend((id, axis.value, float(belief.uses), 0.0) for axis in AXES)
        tables["links"] = list(self.links)
        tables["encoder"] = [(self.encoder,)]
        return {name: frozenset(rows) for name, rows in tables.items()}


def tag_of(number: int) -> str:
    """Return the tag under which `descriptor(number)` is filed."""
    return f"tag-{number % 3}"


def facts_in(path: Path) -> Facts:
    """Return the rows that the bank file at `path` holds.

    Raises:
        BankError: if the file is no bank, or is damaged.
    """
    found: Facts = {}
    with closing(connect(path, None)) as connection:
        connection.execute("BEGIN")
        for name, query in _TABLES.items():
            rows = connection.execute(query).fetchall()
            if name == "vectors":
                rows = [(id, present, blob and _digest(blob)) for id, present, blob in rows]
            found[name] = frozenset(rows)
    return found


def _digest(blob: bytes) -> str:
    return hashlib.blake2b(blob, digest_size=8).hexdigest()
