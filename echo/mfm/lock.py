"""One writer a memory folder."""

from __future__ import annotations

import fcntl
import os
import stat
from pathlib import Path

from echo.mfm.disk import write_all
from echo.mfm.layout import LOCK, MfmError


def take_lock(root: Path) -> int:
    """Lock `root` for this writer and return the descriptor that holds the lock; closing it lets go.

    The system lets go too when the process dies, however it dies. The file keeps the number of its last
    holder, for the message only.

    Raises:
        MfmError: if another writer, in this process or another, holds it, or it is no file.
        OSError: if it cannot be opened.
    """
    lock = os.open(root / LOCK, os.O_RDWR | os.O_CREAT | os.O_NONBLOCK | os.O_CLOEXEC, 0o644)
    if not stat.S_ISREG(os.fstat(lock).st_mode):
        os.close(lock)
        raise MfmError(f"expected a file at {root / LOCK}, got something else. Move it away.")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        holder = os.pread(lock, 64, 0).decode("ascii", "replace").strip() or "unknown"
        os.close(lock)
        raise MfmError(
            f"expected to be the only writer of {root}, but process {holder} has it open. "
            f"Close that one first, or write to another folder; reading needs no lock."
        ) from None
    os.ftruncate(lock, 0)
    write_all(lock, str(os.getpid()).encode("ascii"))
    return lock
