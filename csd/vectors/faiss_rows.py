"""What the searchable vectors need of FAISS: rows of float16 numbers or bytes, and their files.

A row is the five axis vectors side by side, (5 d,) float16; the inner product with a query that is
weighted axis by axis is the weighted sum of the five cosines.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float32]
Slots = NDArray[np.int64]


@contextmanager
def one_thread() -> Iterator[None]:
    """Run FAISS on the calling thread alone.

    One query has no work for a second thread, but waiting for one on a busy machine was measured to
    turn 0.1 ms into 4 ms.
    """
    import faiss

    threads = faiss.omp_get_max_threads()
    faiss.omp_set_num_threads(1)
    try:
        yield
    finally:
        faiss.omp_set_num_threads(threads)


def row_bytes(dimension: int) -> int:
    """Return the size of one row of five float16 vectors of length `dimension`."""
    return 2 * len(AXES) * dimension


def new_flat(dimension: int) -> Any:
    """Return an empty index of float16 rows that is scanned by inner product."""
    import faiss

    return faiss.IndexScalarQuantizer(
        len(AXES) * dimension, faiss.ScalarQuantizer.QT_fp16, faiss.METRIC_INNER_PRODUCT
    )


def new_bytes(dimension: int) -> Any:
    """Return an empty index of rows of one byte a number that is scanned by inner product."""
    import faiss

    return faiss.IndexScalarQuantizer(
        len(AXES) * dimension, faiss.ScalarQuantizer.QT_8bit_direct_signed, faiss.METRIC_INNER_PRODUCT
    )


def flat_header(dimension: int, rows: int) -> bytes:
    """Return what stands before `rows` float16 rows in their file; see `rows_header`."""
    return rows_header(new_flat(dimension), rows)


def rows_header(index: Any, rows: int) -> bytes:
    """Return what stands before the rows in FAISS's file of a flat index, so that rows can be streamed.

    Args:
        index: an empty index of that kind, used up here.
        rows: how many follow.

    Raises:
        RuntimeError: where this release of FAISS writes another format.
    """
    import faiss

    empty, width = faiss.serialize_index(index).tobytes(), int(index.code_size)
    row = np.arange(width, dtype=np.uint8).reshape(1, -1)
    index.add_sa_codes(row)
    if faiss.serialize_index(index).tobytes() != _header(empty, width, 1) + row.tobytes():
        raise RuntimeError(
            f"expected the file format of rows that FAISS 1.15 writes; got another one from "
            f"FAISS {faiss.__version__}. Install a release that this version was tested with."
        )
    return _header(empty, width, rows)


def _header(empty: bytes, width: int, rows: int) -> bytes:
    # The number of rows stands behind the four-letter name and the width, the number of bytes at the end.
    count = rows.to_bytes(8, "little")
    return empty[:8] + count + empty[16:-8] + (rows * width).to_bytes(8, "little")


def open_flat(path: Path) -> Any:
    """Map the flat index in `path` into memory, read only; nothing is copied.

    Raises:
        RuntimeError: if FAISS cannot read the file.
    """
    import faiss

    return faiss.read_index(str(path), faiss.IO_FLAG_MMAP_IFC)


def raw_rows(flat: Any, dimension: int) -> Bytes:
    """Return a view of the rows of `flat`, (n, 10 d) bytes, good until rows are added to it."""
    import faiss

    width, rows = row_bytes(dimension), int(flat.ntotal)
    if not rows:
        return np.zeros((0, width), dtype=np.uint8)
    view: Bytes = faiss.rev_swig_ptr(flat.codes.data(), rows * width).reshape(rows, width)
    return view


def pack(mask: NDArray[np.bool_]) -> Bytes:
    """Return `mask` as the bitmap that FAISS takes."""
    return np.packbits(mask, bitorder="little")


def scan(flat: Any, query: Floats, k: int, bitmap: Bytes | None) -> tuple[Floats, Slots]:
    """Return the `k` best rows: scores (m,) descending and slots (m,), m <= k.

    Args:
        flat: a flat index.
        query: (1, 5 d) float32.
        k: how many, at most as many as there are rows.
        bitmap: who takes part; None for all.
    """
    chosen = None if bitmap is None else _selected(bitmap, flat.ntotal)
    with one_thread():
        scores, slots = flat.search(query, k, params=chosen)
    found = int(np.count_nonzero(slots[0] >= 0))
    return scores[0, :found], slots[0, :found]


def scan_in_two(flat: Any, query: Floats, k: int, mask: NDArray[np.bool_]) -> tuple[Floats, Slots]:
    """Do what `scan` does with two threads, each over half of the slots: good for scans of milliseconds.

    A thread of its own each time, not a pool: a pool does not survive a fork.
    """
    halves = [mask.copy(), mask.copy()]
    halves[0][mask.size // 2 :] = halves[1][: mask.size // 2] = False
    found: list[tuple[Floats, Slots]] = []

    def scan_second() -> None:
        found.append(scan(flat, query, k, pack(halves[1])))

    second = threading.Thread(target=scan_second)
    second.start()
    scores, slots = scan(flat, query, k, pack(halves[0]))
    second.join()
    scores, slots = np.concatenate([scores, found[0][0]]), np.concatenate([slots, found[0][1]])
    best = np.argsort(-scores, kind="stable")[:k]
    return scores[best], slots[best]


def scan_above(flat: Any, query: Floats, bound: float, bitmap: Bytes | None) -> tuple[Floats, Slots]:
    """Return all rows that score above `bound`: scores (m,) and slots (m,), in no order."""
    chosen = None if bitmap is None else _selected(bitmap, flat.ntotal)
    with one_thread():
        _, scores, slots = flat.range_search(query, bound, params=chosen)
    return scores, slots


def _selected(bitmap: Bytes, rows: int) -> Any:
    import faiss

    library: Any = faiss
    return library.SearchParameters(sel=library.IDSelectorBitmap(rows, library.swig_ptr(bitmap)))
