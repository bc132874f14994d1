"""Product codes of the searchable vectors: four bits for four numbers, sixteen times smaller than float16."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from csd.axes import AXES
from csd.vectors.faiss_rows import Bytes, Floats, Slots, one_thread, pack


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
