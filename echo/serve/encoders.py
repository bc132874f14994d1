"""Text encoders that calls share: loaded once each, and used by one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from csd.encode import Encoder


class Encoders:
    """Encoders by name."""

    def __init__(self) -> None:
        """Load none yet."""
        self._turn = threading.Lock()
        self._loaded: dict[str, Encoder] = {}

    def named(self, name: str) -> Encoder:
        """Return the encoder `name`; it is loaded by the first call.

        Raises:
            EncodeError: if it is unknown, or a package for it is missing.
        """
        from csd.encode import load_encoder

        with self._turn:
            if name not in self._loaded:
                self._loaded[name] = _InTurn(load_encoder(name))
            return self._loaded[name]


class _InTurn:
    """An encoder that several threads may share."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder
        self._turn = threading.Lock()

    @property
    def name(self) -> str:
        return self._encoder.name

    @property
    def dimension(self) -> int:
        return self._encoder.dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        with self._turn:
            return self._encoder.encode(texts)
