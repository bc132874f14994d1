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


class Banks:
    """Opens the bank of one memory folder."""

    def __init__(self, root: Path, encoders: Encoders) -> None:
        """Look at the memory at `root`; texts are embedded by the one of `encoders` that filled its bank."""
        self._root = root
        self._encoders = encoders

    def open(self, *, embeds: bool) -> Bank:
        """Open the folder's bank; one instance belongs to one thread, so each call has its own.

        Raises:
            Refused: if there is none, or its encoder is not known here.
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
        identity = stored_identity(file)
        encoder = (
            self._encoders.named(identity.encoder)
            if embeds
            else _Silent(identity.encoder, identity.dimension)
        )
        return Bank.open(file, encoder, create=False)


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
