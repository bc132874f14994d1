"""Real embeddings of real descriptors: those of recorded Minecraft runs, one file a run, kept between uses.

Every run has item names invented anew, so that no two runs share a name: their descriptors are different
experiences, not copies. What cannot be had in the time given is missing; nothing is filled up.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES
from csd.descriptor import Csd
from csd.encode import CachedEncoder, Encoder, load_encoder
from csd.render import render_axis
from echo.bench.decision import descriptors_of
from echo.bench.retrieval.question import Batch, Facets, Floats, make_batch

ENCODER = "minilm-int8"
STEPS = 1_500
"""Counted actions of each run; about 200 descriptors come of it, remembered failures among them."""
HELD_OUT_EVERY = 50
"""One descriptor in so many is kept out of the data and asked about."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """The descriptors of one run."""

    records: list[str]
    digests: NDArray[np.uint8]
    """(n, 16), of the five texts."""
    vectors: Floats
    """(n, 5, d); zeros where an axis has no text."""


class RealData:
    """The first `size` distinct descriptors of the runs in `folder`; fewer where there are not so many."""

    def __init__(self, folder: Path, size: int | None = None) -> None:
        """Find out which descriptors of which run are used; vectors are read when they are asked for."""
        self._places: list[tuple[Path, NDArray[np.int64]]] = []
        self._kept_out: list[tuple[Path, int]] = []
        found = 0
        seen: dict[bytes, None] = {}
        for path in sorted(folder.glob("run-*.npz")):
            if size is not None and found >= size:
                break
            rows = []
            for row, digest in enumerate(_read(path).digests):
                if digest.tobytes() in seen:
                    continue
                seen[digest.tobytes()] = None
                if len(seen) % HELD_OUT_EVERY == 0:
                    self._kept_out.append((path, row))
                elif size is None or found < size:
                    rows.append(row)
                    found += 1
            self._places.append((path, np.array(rows, dtype=np.int64)))
        self.size = found
        self._starts = np.cumsum([0, *(len(rows) for _, rows in self._places)])

    @property
    def dimension(self) -> int:
        """Length of one axis' vector."""
        return int(_read(self._places[0][0]).vectors.shape[2])

    def vectors(self, start: int, stop: int) -> Floats:
        """Return (stop - start, 5, d) vectors."""
        return np.concatenate([run.vectors[rows] for run, rows in self._parts(start, stop)])

    def records(self, start: int, stop: int) -> list[str]:
        """Return canonical JSON."""
        return [run.records[row] for run, rows in self._parts(start, stop) for row in rows]

    def facets(self, start: int, stop: int) -> Facets:
        """Return circumstances."""
        return _facets_of(self.records(start, stop))

    def held_out(self, count: int) -> Batch:
        """Return up to `count` held-out descriptors, evenly spread over the runs."""
        picked = self._kept_out
        if len(picked) > count:
            picked = [picked[n * len(picked) // count] for n in range(count)]
        records = [_read(path).records[row] for path, row in picked]
        vectors = np.stack([_read(path).vectors[row] for path, row in picked])
        return make_batch(records, vectors, _facets_of(records))

    def _parts(self, start: int, stop: int) -> Iterator[tuple[Run, NDArray[np.int64]]]:
        first = int(np.searchsorted(self._starts, start, side="right")) - 1
        for (path, rows), begin in zip(self._places[first:], self._starts[first:].tolist(), strict=False):
            if begin >= stop:
                break
            chosen = rows[max(start - begin, 0) : stop - begin]
            if chosen.size:
                yield _read(path), chosen


def harvest(
    folder: Path,
    wanted: int,
    minutes: float,
    progress: Callable[[str], None],
    *,
    encoder: Encoder | None = None,
    steps: int = STEPS,
) -> None:
    """Play runs and embed what they remember until `wanted` descriptors are in `folder`, or time is over.

    Each finished run is a file of its own, so that an interrupted harvest goes on where it was. A folder
    holds runs of one encoder and one length.

    Args:
        folder: made where there is none.
        wanted: how many descriptors, besides those that are held out.
        minutes: after these no further run is begun.
        progress: told once a run.
        encoder: `ENCODER` when None.
        steps: counted actions of each run.

    Raises:
        EncodeError: if the encoder cannot be loaded.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ended = time.monotonic() + 60 * minutes
    held, seed = 0, 0
    while held < wanted * HELD_OUT_EVERY / (HELD_OUT_EVERY - 1):
        path = folder / f"run-{seed:06d}.npz"
        if not path.exists():
            if time.monotonic() > ended:
                break
            encoder = encoder or CachedEncoder(load_encoder(ENCODER))
            _write(path, embed(descriptors_of(seed, steps), encoder))
        held += len(_read(path).records)
        seed += 1
        progress(f"harvest {held:,}/{wanted:,} descriptors of {seed} runs")


def embed(csds: list[Csd], encoder: Encoder) -> Run:
    """Return descriptors with the vectors of their texts."""
    texts = [tuple(render_axis(csd, axis) for axis in AXES) for csd in csds]
    distinct = list(dict.fromkeys(text for each in texts for text in each if text))
    rows = dict(zip(distinct, encoder.encode(distinct), strict=True))
    vectors = np.zeros((len(csds), len(AXES), encoder.dimension), dtype=np.float32)
    for place, each in enumerate(texts):
        for axis, text in enumerate(each):
            if text:
                vectors[place, axis] = rows[text]
    digests = [hashlib.blake2b("\0".join(each).encode(), digest_size=16).digest() for each in texts]
    return Run(
        records=[csd.canonical() for csd in csds],
        digests=np.frombuffer(b"".join(digests), dtype=np.uint8).reshape(-1, 16),
        vectors=vectors,
    )


def _facets_of(records: list[str]) -> Facets:
    metas = [json.loads(record)["meta"] for record in records]
    return Facets(
        success=np.array([meta["success"] for meta in metas], dtype=np.bool_),
        step=np.array([meta["step"] for meta in metas], dtype=np.int64),
        verb=[meta["verb"] for meta in metas],
        world=[meta["world"] for meta in metas],
        biome=[meta["biome"] for meta in metas],
    )


def _write(path: Path, run: Run) -> None:
    torn = path.with_suffix(".part")
    text = np.frombuffer("\n".join(run.records).encode(), dtype=np.uint8)
    with torn.open("wb") as file:
        np.savez(file, text=text, digests=run.digests, vectors=run.vectors)
    torn.replace(path)


@lru_cache(maxsize=2)
def _read(path: Path) -> Run:
    with np.load(path) as held:
        return Run(
            records=held["text"].tobytes().decode().split("\n"),
            digests=held["digests"],
            vectors=held["vectors"],
        )
