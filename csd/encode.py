"""Sentence encoders: text to unit vectors, the same vector for the same text in every batch.

All of them keep one contract (`Encoder`). The vectors of two encoders never mix: a bank remembers the
name and dimension of the one that filled it.
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from csd.score import unit_rows


class EncodeError(ValueError):
    """A text or an encoder that gives no vector."""


class Encoder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def name(self) -> str:
        """What the vectors are: equal names mean interchangeable vectors."""
        ...

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        ...

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector for each text.

        A text's vector does not depend on the texts beside it or on their order.

        Returns:
            (n, d) float32, rows unit length, in the order of `texts`; (0, d) for no texts.

        Raises:
            EncodeError: on a text without any visible character, or one that is not Unicode.
        """
        ...


def load_encoder(name: str) -> Encoder:
    """Return the encoder called `name`.

    Args:
        name: ``"minilm-int8"`` (the default of the project, no torch), ``"minilm-fp32"`` (the same
            weights through sentence-transformers, extra ``models``) or ``"hashing-256"`` (no model).

    Raises:
        EncodeError: on an unknown name, or where a package it needs is missing.
    """
    match name:
        case "minilm-int8":
            from csd.encode_minilm import MiniLmEncoder

            return MiniLmEncoder()
        case "minilm-fp32":
            from csd.encode_minilm import SentenceTransformerEncoder

            return SentenceTransformerEncoder()
        case "hashing-256":
            return HashingEncoder()
        case _:
            raise EncodeError(
                f"expected an encoder out of minilm-int8, minilm-fp32, hashing-256; got {name!r}."
            )


class HashingEncoder:
    """Words and character trigrams hashed into 256 signed cells; knows spelling, not meaning.

    For tests and for speed: no model, about 20,000 short texts a second.

    >>> encoder = HashingEncoder()
    >>> a, b, c = encoder.encode(["oak planks", "birch planks", "furnace"])
    >>> bool(a @ b > a @ c)
    True
    """

    name = "hashing-256"
    dimension = 256

    def __init__(self) -> None:
        """Start with no feature hashed yet."""
        self._cells: dict[str, tuple[int, float]] = {}

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, 256) float32 unit rows; see `Encoder.encode`."""
        check_texts(texts)
        rows = np.zeros((len(texts), self.dimension), dtype=np.float64)
        for row, text in zip(rows, texts, strict=True):
            words = text.lower().split()
            # The whole text gets a weight that no sum of the others can cancel: never a zero vector.
            self._add(row, "text:" + " ".join(words), 0.5)
            for word in words:
                self._add(row, "word:" + word, 2.0)
                padded = f"^{word}$"
                for start in range(len(padded) - 2):
                    self._add(row, padded[start : start + 3], 1.0)
            row /= np.linalg.norm(row)
        return unit_rows(rows, self.dimension, self.name)

    def _add(self, row: NDArray[np.float64], feature: str, weight: float) -> None:
        cell, sign = self._cell(feature)
        row[cell] += sign * weight

    def _cell(self, feature: str) -> tuple[int, float]:
        known = self._cells.get(feature)
        if known is not None:
            return known
        digest = hashlib.blake2b(feature.encode(), digest_size=4).digest()
        placed = (int.from_bytes(digest[:2]) % self.dimension, 1.0 if digest[2] % 2 else -1.0)
        if not feature.startswith("text:"):
            self._cells[feature] = placed
        return placed


class CachedEncoder:
    """Another encoder with a bounded memory of the vectors of texts it has met, least recent out first."""

    def __init__(self, encoder: Encoder, capacity: int = 20_000) -> None:
        """Wrap `encoder`; 20,000 vectors of 384 take 31 MB.

        Raises:
            ValueError: on a capacity below 1.
        """
        if capacity < 1:
            raise ValueError(f"expected a capacity of at least 1 text; got {capacity}.")
        self._encoder = encoder
        self._capacity = capacity
        self._vectors: OrderedDict[bytes, NDArray[np.float32]] = OrderedDict()

    @property
    def name(self) -> str:
        """The wrapped encoder's name: the vectors are the same."""
        return self._encoder.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._encoder.dimension

    def __len__(self) -> int:
        """Return how many texts are remembered."""
        return len(self._vectors)

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, d) float32 unit rows; each text not met before is encoded once."""
        check_texts(texts)
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._vectors}
        fresh = dict(zip(missing, self._encoder.encode(list(missing.values())), strict=True))
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, key in zip(rows, keys, strict=True):
            row[:] = fresh[key] if key in fresh else self._vectors[key]
        self._remember(keys, fresh)
        return rows

    def _remember(self, keys: list[bytes], fresh: dict[bytes, NDArray[np.float32]]) -> None:
        for key in keys:
            if key in fresh:
                self._vectors[key] = fresh[key]
            self._vectors.move_to_end(key)
        while len(self._vectors) > self._capacity:
            self._vectors.popitem(last=False)


def check_texts(texts: Sequence[str]) -> None:
    """Check that every text can be embedded.

    Raises:
        EncodeError: on the first one without a visible character (it would get an arbitrary vector
            that matches everything) or with half a surrogate pair (it is no text).
    """
    for index, text in enumerate(texts):
        if not text.strip():
            raise EncodeError(
                f"expected a text with visible characters; got {text!r} at index {index}. "
                f"An axis with nothing to say gets no vector: leave it out."
            )
        try:
            text.encode()
        except UnicodeEncodeError as error:
            raise EncodeError(
                f"expected a text of whole Unicode characters; got {text[error.start : error.end]!r} at "
                f"character {error.start} of index {index}. Decode the source text before it is cut."
            ) from error
