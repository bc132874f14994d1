"""Rows of one byte a number: half the size of float16 rows and scanned in a third of the time, nearly right.

A byte is 128 more than the number times a scale that all rows of a segment share, rounded. An estimate of
a score is off by 0.0003 then where one from product codes is by 0.04: measured on 10,000 synthetic ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from csd.vectors.faiss_codes import Bytes, Floats, new_bytes, open_flat, rows_header

_MOST = 127
"""Bytes go so far to either side of 128."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ByteRows:
    """The rows of one segment as bytes, slot by slot."""

    index: Any
    """FAISS index that is scanned by inner product."""
    scale: float

    def asked(self, query: Floats) -> tuple[Floats, np.float32]:
        """Return `query` in whole numbers, and what scores of it stand for in units of the real ones."""
        # FAISS makes whole numbers of the query where it is a multiple of 32 long: cut off, unless they are.
        scale = np.float32(_MOST / np.abs(query).max())
        return np.rint(query * scale), np.float32(1.0) / (scale * np.float32(self.scale))


def header(dimension: int, rows: int) -> bytes:
    """Return what stands before `rows` rows in their file; see `rows_header`."""
    return rows_header(new_bytes(dimension), rows)


def scale_of(parts: Iterable[Bytes], longest: float) -> float:
    """Return the scale at which the largest number just fits into a byte.

    Args:
        parts: (m, 10 d) bytes of float16 rows each.
        longest: no number is larger than that; what is not a number is passed over so.
    """
    # Without their sign, float16 numbers are in the order of their bits.
    bits = max((int((part.view(np.uint16) & 0x7FFF).max()) for part in parts), default=0)
    most = float(np.array([bits], dtype=np.uint16).view(np.float16)[0])
    return _MOST / min(most or 1.0, longest) if np.isfinite(most) else _MOST / longest


def encoded(parts: Iterable[Bytes], scale: float) -> Iterator[Bytes]:
    """Yield (m, 5 d) bytes for each of the `parts`, (m, 10 d) bytes of float16 rows."""
    table = _table(scale)
    for part in parts:
        yield np.take(table, part.view(np.uint16))


@lru_cache(maxsize=2)
def _table(scale: float) -> Bytes:
    """Return the byte of each of the 65,536 float16 numbers by its bits; what is no number becomes 0."""
    numbers = np.arange(1 << 16, dtype=np.uint16).view(np.float16).astype(np.float32)
    fitting = np.clip(np.nan_to_num(numbers), -_MOST / scale, _MOST / scale)
    scaled = np.rint(fitting * np.float32(scale))
    table: Bytes = (scaled + 128).astype(np.uint8)
    return table


def in_memory(dimension: int, parts: Iterable[Bytes], scale: float) -> ByteRows:
    """Return `parts`, (m, 10 d) bytes of float16 rows each, as rows of bytes."""
    index = new_bytes(dimension)
    for part in encoded(parts, scale):
        index.add_sa_codes(part)
    return ByteRows(index=index, scale=scale)


def opened(path: Path, scale: float) -> ByteRows:
    """Map the rows in `path`, made with `scale`, into memory.

    Raises:
        RuntimeError: if FAISS cannot read the file.
    """
    return ByteRows(index=open_flat(path), scale=scale)
