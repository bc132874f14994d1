"""A bank in memory as its words see it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from hashlib import sha256

import numpy as np

from csd.descriptor import Csd
from csd.store.feed import Block, Change, Mark, Text


@dataclass
class FakeBank:
    epoch: str = "first"
    records: dict[int, Text] = field(default_factory=dict)
    retired: set[int] = field(default_factory=set)
    history: list[Change] = field(default_factory=list)
    chains: list[str] = field(default_factory=lambda: [""])
    forgotten: int = 0
    """Changes up to this one are known no more."""
    read: int = 0
    """How many records were read."""

    dimension = 8

    def add(self, csd: Csd) -> int:
        return self.put(csd.id, csd.canonical())

    def put(self, id: str, record: str) -> int:
        row = 1 + sum(change.kind == "add" for change in self.history)
        self.records[row] = Text(row=row, id=id, retired=False, record=record)
        self._change("add", row)
        return row

    def retire(self, row: int) -> None:
        self.retired.add(row)
        self._change("retire", row)

    def remove(self, row: int) -> None:
        del self.records[row]
        self.retired.discard(row)
        self._change("remove", row)

    def copy(self) -> FakeBank:
        """Return the bank of this moment, which then goes its own way."""
        return FakeBank(
            epoch=self.epoch,
            records=dict(self.records),
            retired=set(self.retired),
            history=list(self.history),
            chains=list(self.chains),
            forgotten=self.forgotten,
        )

    def mark(self) -> Mark:
        return Mark(epoch=self.epoch, sequence=len(self.history), chain=self.chains[-1])

    def passed(self, mark: Mark) -> bool:
        known = self.forgotten <= mark.sequence < len(self.chains)
        return known and mark.epoch == self.epoch and self.chains[mark.sequence] == mark.chain

    def changes(self, after: int) -> list[Change]:
        return self.history[max(after, self.forgotten) :]

    def blocks(self, after_row: int = 0, size: int = 4096) -> Iterator[Block]:
        rows = [row for row in self.records if row > after_row]
        yield Block(
            rows=np.array(rows, dtype=np.int64),
            keys=np.zeros(len(rows), dtype=np.uint64),
            present=np.zeros(len(rows), dtype=np.uint8),
            retired=np.array([row in self.retired for row in rows], dtype=np.bool_),
            halves=np.zeros((len(rows), 5, self.dimension), dtype=np.float16),
        )

    def texts(self, after_row: int = 0) -> Iterator[Text]:
        for row, text in self.records.items():
            if row > after_row:
                self.read += 1
                yield replace(text, retired=row in self.retired)

    def _change(self, kind: str, row: int) -> None:
        self.history.append(Change(sequence=len(self.history) + 1, kind=kind, row=row))
        self.chains.append(sha256(f"{self.chains[-1]}{kind}{row}".encode()).hexdigest())
