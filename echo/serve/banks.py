"""The bank of a memory folder, opened anew by each call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from echo.serve.encoders import Encoders
from echo.serve.reply import Refused

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from csd.bank import Bank


_SQLITE = b"SQLite format 3\0"
_HEAD_BYTES = 100
_WRITTEN_BY, _WRITE_AHEAD = 18, 2
_VERSION = slice(60, 64)
"""Where an SQLite file says how it is written, and which version its owner gave its tables."""


class Banks:
    """Opens the bank of one memory folder."""

    def __init__(self, root: Path, encoders: Encoders, *, read_only: bool = False) -> None:
        """Look at the memory at `root`; texts are embedded by the one of `encoders` that filled its bank.

        With `read_only` a bank that opening would rewrite is refused.
        """
        self._root = root
        self._encoders = encoders
        self._read_only = read_only

    def open(self, *, embeds: bool) -> Bank:
        """Open the folder's bank; one instance belongs to one thread, so each call has its own.

        Raises:
            Refused: if there is none, its encoder is not known here, or it would have to be rewritten.
            BankError: if it is damaged.
        """
        from csd.bank import Bank
        from csd.store.file import stored_identity
        from csd.store.schema import BANK_FILE

        file = self._root / BANK_FILE
        if not file.is_file():
            raise Refused(
                f"expected a bank of described experience at {file}; there is none, so nothing can be "
                f"recalled on axes. Search the episodes with the tool query instead; a bank comes with a "
                f"recorded run, or from: echo-memory csd add FILE --bank {file}."
            )
        if self._read_only:
            refuse_to_rewrite(file)
        identity = stored_identity(file)
        encoder = (
            self._encoders.named(identity.encoder)
            if embeds
            else _Silent(identity.encoder, identity.dimension)
        )
        return Bank.open(file, encoder, create=False)


def refuse_to_rewrite(file: Path) -> None:
    """Raise where opening the bank at `file` would rewrite it; looks at its first bytes and writes nothing.

    Raises:
        Refused: if it is of an older format, or not kept with a write-ahead log yet.
    """
    from csd.store.schema import FORMAT

    with file.open("rb") as opened:
        head = opened.read(_HEAD_BYTES)
    if len(head) < _HEAD_BYTES or not head.startswith(_SQLITE):
        # No bank at all: opening it says so, and leaves it as it is.
        return
    version = int.from_bytes(head[_VERSION], "big")
    if version < FORMAT or head[_WRITTEN_BY] != _WRITE_AHEAD:
        got = f"format {version}" if version < FORMAT else "one that was never opened for writing here"
        raise Refused(
            f"expected a bank of format {FORMAT} at {file}, for this server only reads; got {got}, which is "
            f"rewritten when it is opened. Bring it up to date once: echo-memory stats {file}."
        )


class _Silent:
    """Stands for the encoder of a bank where stored vectors are asked; no model is loaded."""

    def __init__(self, name: str, dimension: int) -> None:
        self.name, self.dimension = name, dimension

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        import numpy as np

        from csd.encode import EncodeError

        if texts:
            raise EncodeError(f"expected no text to embed here; got {len(texts)}. Ask with texts instead.")
        return np.zeros((0, self.dimension), dtype=np.float32)
