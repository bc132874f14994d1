"""Episodes that resemble a text or a picture, by vectors that are worked out once and kept."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from echo.mfm.evidence.episode_text import TEXTS
from echo.mfm.evidence.kept import Kept, Told, Work, homes, kept, rows_of
from echo.mfm.evidence.picture_vector import DIMENSION, picture_vector
from echo.mfm.evidence.pictures import read_bytes, row_picture
from echo.mfm.evidence.references import cited
from echo.mfm.layout import CACHE, Row
from echo.mfm.options import require

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from csd.encode import Encoder

EMBEDDINGS = "embeddings.db"
"""In the cache folder: vectors of texts, by encoder and text."""

BATCH = 256
"""Texts between two words of progress; each batch is kept before the next."""

_DECIMALS = 6
"""Cosines closer than that are equal, so that the order does not hang on how a product was summed."""


@dataclass(frozen=True, kw_only=True)
class Similar:
    """An episode and how much it resembles what was asked for."""

    row: Row
    cosine: float
    """-1..1, rounded to six decimals."""


def similar_texts(
    root: Path | str,
    text: str,
    *,
    limit: int = 10,
    encoder: str | Encoder = "minilm-int8",
    previous: bool = False,
    told: Told | None = None,
) -> list[Similar]:
    """Return the episodes whose words are nearest in meaning to `text`, the nearest first, ties by id.

    An episode's words are its summary, notes, action, events and what was gained or lost.

    Args:
        root: The memory folder.
        text: Plain words.
        limit: How many at most, from 0.
        encoder: Name of an encoder for `csd.encode.load_encoder`, or one that is loaded.
        previous: Look in the earlier lives instead of this one.
        told: Is told how many texts are embedded, and how many there are.

    Raises:
        MfmError: if `root` holds no memory.
        EncodeError: if `text` is blank, or the encoder is missing.
        ValueError: if `limit` is negative.
    """
    from csd.encode import check_texts, load_encoder
    from csd.encode_store import EmbeddingStore

    _check_limit(limit)
    check_texts([text])
    found = [one for home in homes(root, previous=previous) for one in kept(home, TEXTS)]
    if not found or limit == 0:
        return []
    loaded = load_encoder(encoder) if isinstance(encoder, str) else encoder
    with closing(EmbeddingStore(loaded, Path(root) / CACHE / EMBEDDINGS)) as store:
        asked = loaded.encode([text])[0]
        vectors = _embedded(store, [one.value.decode() for one in found], told)
    return _best(found, vectors @ asked, limit)


def similar_pictures(
    root: Path | str,
    picture: Path | bytes,
    *,
    limit: int = 10,
    previous: bool = False,
    told: Told | None = None,
) -> list[Similar]:
    """Return the episodes whose first frame looks most like `picture`, the most alike first, ties by id.

    Colours and edges are compared part by part, see `picture_vector`; nothing is recognised.

    Args:
        root: The memory folder.
        picture: A picture file, or its bytes.
        limit: How many at most, from 0.
        previous: Look in the earlier lives instead of this one.
        told: Is told how far new frames are taken in, in bytes of the index.

    Raises:
        MfmError: if `root` holds no memory, frames are switched off, or `picture` cannot be read.
        ValueError: if `limit` is negative.
    """
    import numpy as np

    _check_limit(limit)
    require(Path(root), "frames")
    data = picture if isinstance(picture, bytes) else read_bytes(picture)
    asked = picture_vector(data, "the given picture" if isinstance(picture, bytes) else str(picture))
    found = [one for home in homes(root, previous=previous) for one in kept(home, LOOKS, told)]
    if not found:
        return []
    vectors = np.frombuffer(b"".join(one.value for one in found), dtype="<f2").reshape(-1, DIMENSION)
    whole = vectors.astype(np.float32)
    # Kept in half the digits, they are a little off unit length; what is asked was not.
    rounded = asked.astype("<f2").astype(np.float32)
    lengths = np.linalg.norm(whole, axis=1) * np.linalg.norm(rounded)
    return _best(found, whole @ rounded / lengths, limit)


def _check_limit(limit: int) -> None:
    if limit < 0:
        raise ValueError(f"expected a limit of at least 0; got {limit}.")


def _embedded(store: Encoder, texts: Sequence[str], told: Told | None) -> NDArray[np.float32]:
    import numpy as np

    parts = []
    for start in range(0, len(texts), BATCH):
        parts.append(store.encode(texts[start : start + BATCH]))
        if told is not None:
            told(min(start + BATCH, len(texts)), len(texts))
    return np.concatenate(parts)


def _best(found: Sequence[Kept], cosines: NDArray[np.float32], limit: int) -> list[Similar]:
    """Return the `limit` best; those as good as the last one are ordered before any is cut off."""
    import numpy as np

    rounded = np.round(np.clip(cosines.astype(np.float64), -1.0, 1.0), _DECIMALS)
    if limit == 0:
        return []
    least = np.sort(rounded)[-min(limit, len(rounded))]
    places = np.flatnonzero(rounded >= least).tolist()
    rows = rows_of([found[place] for place in places])
    likely = [Similar(row=row, cosine=float(rounded[place])) for row, place in zip(rows, places, strict=True)]
    return sorted(likely, key=_order)[:limit]


def _order(one: Similar) -> tuple[float, int, str]:
    life = one.row.get("life")
    return -one.cosine, life if type(life) is int else 0, cited(one.row)


def _look(base: Path, row: Row) -> bytes | None:
    data = row_picture(base, row)
    if data is None:
        return None
    return picture_vector(data, f"the frame of {row['id']}").astype("<f2").tobytes()


LOOKS = Work(name="looks", version=1, value=_look)
