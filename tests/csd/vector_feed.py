"""A bank in memory as its caches see it, and what a search over it must find, computed plainly."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES, Axis
from csd.score import Match, Vector, cosines, fuse, order, shares
from csd.store.feed import Block, Change, Mark, Text
from csd.vectors.sizes import Sizes, Way


@dataclass
class Held:
    key: int
    halves: NDArray[np.float16]
    present: int
    retired: bool = False


@dataclass
class FakeFeed:
    dimension: int
    epoch: str = "first"
    held: dict[int, Held] = field(default_factory=dict)
    history: list[Change] = field(default_factory=list)
    chains: list[str] = field(default_factory=lambda: [""])
    next_row: int = 1
    reads: int = 0
    """How many rows were read in blocks."""

    def add(self, key: int, vectors: Mapping[Axis, Vector]) -> int:
        halves = np.zeros((len(AXES), self.dimension), dtype=np.float16)
        present = 0
        for place, axis in enumerate(AXES):
            if axis in vectors:
                halves[place], present = vectors[axis], present | 1 << place
        return self.put(key, halves, present)

    def put(self, key: int, halves: NDArray[np.float16], present: int = 31) -> int:
        row, self.next_row = self.next_row, self.next_row + 1
        self.held[row] = Held(key=key, halves=halves, present=present)
        self._change("add", row)
        return row

    def retire(self, row: int) -> None:
        self.held[row].retired = True
        self._change("retire", row)

    def remove(self, row: int) -> None:
        self._change("remove", row)
        del self.held[row]

    def copy(self) -> FakeFeed:
        """Return the bank of this moment, which then goes its own way."""
        held = {row: Held(**vars(one)) for row, one in self.held.items()}
        return FakeFeed(
            self.dimension, self.epoch, held, list(self.history), list(self.chains), self.next_row
        )

    def mark(self) -> Mark:
        return Mark(epoch=self.epoch, sequence=len(self.history), chain=self.chains[-1])

    def passed(self, mark: Mark) -> bool:
        return (
            mark.epoch == self.epoch
            and mark.sequence < len(self.chains)
            and self.chains[mark.sequence] == mark.chain
        )

    def changes(self, after: int) -> list[Change]:
        return self.history[after:]

    def blocks(self, after_row: int = 0, size: int = 4096) -> Iterator[Block]:
        rows = [row for row in sorted(self.held) if row > after_row]
        for start in range(0, len(rows), size):
            part = rows[start : start + size]
            held = [self.held[row] for row in part]
            self.reads += len(part)
            yield Block(
                rows=np.array(part, dtype=np.int64),
                keys=np.array([one.key for one in held], dtype=np.uint64),
                present=np.array([one.present for one in held], dtype=np.uint8),
                retired=np.array([one.retired for one in held], dtype=np.bool_),
                halves=np.stack([one.halves for one in held]),
            )

    def texts(self, after_row: int = 0) -> Iterator[Text]:
        raise NotImplementedError

    def best(
        self,
        queries: Mapping[Axis, Vector],
        *,
        k: int,
        weights: Mapping[Axis, float] | None = None,
        rows: list[int] | None = None,
    ) -> list[Match]:
        """Return what must be found, by going through all that is held."""
        share = shares(weights, queries)
        matches = []
        for row, one in self.held.items():
            if (rows is None and one.retired) or (rows is not None and row not in rows):
                continue
            each = {
                axis: float(cosines(one.halves[place : place + 1].astype(np.float32), queries[axis])[0])
                if axis in share and one.present >> place & 1
                else None
                for place, axis in enumerate(AXES)
            }
            if any(cosine is not None for cosine in each.values()):
                matches.append(Match(id=f"csd_{one.key:016x}", cosines=each, score=fuse(each, share)))
        return sorted(matches, key=order)[:k]

    def _change(self, kind: str, row: int) -> None:
        self.history.append(Change(sequence=len(self.history) + 1, kind=kind, row=row))
        self.chains.append(
            hashlib.sha256(f"{self.chains[-1]}{kind}{row}{self.held[row].key}".encode()).hexdigest()
        )


@dataclass(frozen=True, kw_only=True)
class Always(Sizes):
    """One coarse way wherever it is open, whatever it costs; finer ones only where it does not do."""

    taken: Way
    code_rows: int = 1
    scan_us: float = 1e9
    scattered_us: float = 1e9

    def way(self, k: int, *, rows: int, taking_part: int, coarse: Sequence[Way]) -> Way:
        return self.taken if self.taken in coarse else Way.SCAN


ALL_CODES = Always(taken=Way.CODES, byte_us=1e9, picked_byte_us=1e9, scattered_byte_us=1e9)
ALL_BYTES = Always(taken=Way.BYTES)


def unit(rng: np.random.Generator, *shape: int) -> NDArray[np.float32]:
    rows = rng.standard_normal(shape).astype(np.float32)
    return rows / np.linalg.norm(rows, axis=-1, keepdims=True)
