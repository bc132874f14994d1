"""Texts ranked by how near their embeddings are to that of a question."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from csd.encode import Encoder
from csd.episode import Craft, Smelt, Step

EXEMPLARS = 8
"""Exemplars in context, as many as Echo's full eight shots."""

_WORD = re.compile(r"\w+")

_DECIMALS = 6
"""Cosines are compared to so many digits, so that the order does not hang on how a machine adds up."""


class TextIndex:
    """Texts by key; each distinct text is embedded once, in words, when it is first compared."""

    def __init__(self, encoder: Encoder) -> None:
        """Start empty."""
        self._encoder = encoder
        self._vectors: dict[str, NDArray[np.float32]] = {}
        self._texts: dict[str, str] = {}
        self._rows: NDArray[np.float32] | None = None

    def __len__(self) -> int:
        """Return how many keys there are."""
        return len(self._texts)

    def __contains__(self, key: object) -> bool:
        """Return whether there is a text for `key`."""
        return key in self._texts

    def set(self, key: str, text: str) -> None:
        """Keep `text` for `key`, in the place of another one it may have had."""
        if self._texts.get(key) != text:
            self._texts[key] = text
            self._rows = None

    def nearest(self, question: str, count: int | None = None) -> tuple[tuple[str, float], ...]:
        """Return the `count` nearest keys, or all, each with its cosine in [-1, 1].

        In descending order; ties by the order in which the keys came. Empty where there are no texts.

        Raises:
            EncodeError: if the question, or a text kept, has no visible character.
        """
        if not self._texts:
            return ()
        asked = self._embedded([question])[0]
        if self._rows is None:
            self._rows = self._embedded(list(self._texts.values()))
        cosines = np.round((self._rows @ asked).astype(np.float64), _DECIMALS)
        order = np.argsort(-cosines, kind="stable")[:count]
        keys = list(self._texts)
        return tuple((keys[n], float(cosines[n])) for n in order)

    def _embedded(self, texts: list[str]) -> NDArray[np.float32]:
        """Return (n, d) float32 unit rows."""
        fresh = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        if fresh:
            encoded = self._encoder.encode([in_words(text) for text in fresh])
            self._vectors.update(zip(fresh, encoded, strict=True))
        return np.stack([self._vectors[text] for text in texts])


def in_words(name: str) -> str:
    """Return the name of an item or block as a text has it.

    >>> in_words("oak_log")
    'oak log'
    """
    return name.replace("_", " ")


def bearing(question: str, steps: Sequence[Step], count: int = EXEMPLARS) -> tuple[Step, ...]:
    """Return the steps that made something whose name shares words with a question, as a search would.

    Args:
        question: a text or a name.
        steps: oldest first.
        count: at most so many, at least 1.

    Returns:
        Those with most words shared first, ties to the latest; none that shares no word.
    """
    asked = dict.fromkeys(_WORD.findall(in_words(question)))
    scored = []
    for number, step in enumerate(steps):
        if isinstance(step.action, Craft | Smelt) and step.outcome.ok:
            gains = [item for item, change in step.outcome.inventory_delta.items() if change > 0]
            names = dict.fromkeys(word for item in gains for word in _WORD.findall(in_words(item)))
            shared = sum(word in asked for word in names)
            if shared:
                scored.append((-shared, -number))
    return tuple(steps[-number] for _, number in sorted(scored)[:count])
