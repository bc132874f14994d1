"""What the searchable vectors need of FAISS: float16 rows, product codes, and their files.

A row is the five axis vectors side by side, (5 d,) float16; the inner product with a query that is
weighted axis by axis is the weighted sum of the five cosines.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
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


def new_codes(dimension: int) -> Any:
    """Return an empty fast-scan index of product codes: 4 bits for four numbers side by side.

    The 16 values are the same for all vectors: those that suit numbers with a normal distribution, which
    the parts of unit vectors have nearly. Nothing is trained, so codes never age, and the estimates of
    all segments compare. On 5,716 real descriptors codes that were trained on them needed more
    candidates, not fewer, and up to 3 s.
    """
    import faiss

    width, size = len(AXES) * dimension, 4 if dimension % 4 == 0 else 5
    codes = faiss.IndexPQFastScan(width, width // size, 4, faiss.METRIC_INNER_PRODUCT)
    values = np.tile(_normal_values(size) / np.float32(np.sqrt(dimension)), (width // size, 1, 1))
    faiss.copy_array_to_vector(values.ravel(), codes.pq.centroids)
    codes.is_trained = True
    return codes


@cache
def _normal_values(size: int) -> Floats:
    """Return 16 points, (16, size) float32, near which normally distributed ones are: Lloyd's algorithm."""
    drawn = np.random.default_rng(0).standard_normal((16_384, size)).astype(np.float32)
    points = drawn[:16]
    for _ in range(30):
        nearest = np.argmax(drawn @ points.T - 0.5 * np.square(points).sum(axis=1), axis=1)
        points = np.stack([drawn[nearest == place].mean(axis=0) for place in range(16)])
    return points


def for_chosen(codes: Any) -> Any:
    """Return a copy of `codes` that `scan_chosen` searches.

    FAISS searches product codes for chosen rows only where they are a list of an inverted index. The bytes
    are the same, so they are copied: 10 ms for 100,000 rows. Who asks without a filter does without: the
    copy takes 240 bytes a row at five axes of 384, and is searched a little slower.

    Raises:
        RuntimeError: if `codes` are not as many bytes as their rows ask for.
    """
    import faiss

    library: Any = faiss
    due = -(-codes.ntotal // codes.bbs) * codes.bbs * codes.M2 // 2
    if codes.codes.size() != due:
        raise RuntimeError(
            f"expected {due} bytes of codes for {codes.ntotal} rows; got {codes.codes.size()}."
        )
    nowhere = library.IndexFlatIP(codes.d)
    nowhere.add(np.zeros((1, codes.d), dtype=np.float32))
    index = library.IndexIVFPQFastScan(nowhere, codes.d, 1, codes.pq.M, 4, library.METRIC_INNER_PRODUCT)
    index.by_residual = False
    library.copy_array_to_vector(library.vector_to_array(codes.pq.centroids), index.pq.centroids)
    index.is_trained, index.ntotal = True, codes.ntotal
    lists, slots = index.invlists, np.arange(codes.ntotal)
    lists.resize(0, codes.ntotal)
    library.memcpy(lists.get_ids(0), library.swig_ptr(slots), slots.nbytes)
    library.memcpy(lists.get_codes(0), codes.codes.data(), codes.codes.size())
    return index


def scan_codes(codes: Any, query: Floats, k: int) -> tuple[Floats, Slots]:
    """Return the `k` best rows by their codes: estimated scores (m,) and slots (m,), best first."""
    with one_thread():
        scores, slots = codes.search(query, k)
    return _found(scores[0], slots[0])


def scan_chosen(copy: Any, query: Floats, k: int, bitmap: Bytes) -> tuple[Floats, Slots]:
    """Do what `scan_codes` does among the rows of `bitmap`, with a copy that `for_chosen` made."""
    import faiss

    library: Any = faiss
    chosen = library.IDSelectorBitmap(copy.ntotal, library.swig_ptr(bitmap))
    with one_thread():
        params = library.IVFSearchParameters(sel=chosen, nprobe=1)
        scores, slots = copy.search(query, k, params=params)
    return _found(scores[0], slots[0])


def _found(scores: Floats, slots: Slots) -> tuple[Floats, Slots]:
    count = int(np.count_nonzero(slots >= 0))
    return scores[:count], slots[:count]


def add_codes(codes: Any, others: Any, held: NDArray[np.bool_]) -> None:
    """Add to `codes` the rows of `others` that are `held`: twenty times as fast as encoding them anew."""
    import faiss

    copy = faiss.clone_index(others)
    if not held.all():
        dead = pack(~held)
        copy.remove_ids(faiss.IDSelectorBitmap(held.size, faiss.swig_ptr(dead)))
    codes.merge_from(copy)


def codes_to_bytes(codes: Any) -> Bytes:
    """Return the file of product codes."""
    import faiss

    written: Bytes = faiss.serialize_index(codes)
    return written


def open_codes(path: Path) -> Any:
    """Read the product codes in `path` into memory.

    Raises:
        RuntimeError: if FAISS cannot read the file.
    """
    import faiss

    return faiss.read_index(str(path))
