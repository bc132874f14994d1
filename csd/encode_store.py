"""Embeddings kept on disk by encoder and text, so that no text is ever embedded twice.

A cache: what cannot be read is embedded again, and where nothing can be written nothing is kept. It is
never the reason for an error.
"""

from __future__ import annotations

import fcntl
import hashlib
import logging
import sqlite3
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from functools import partial
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from csd.encode import Encoder, check_texts
from csd.score import UNIT_TOLERANCE, unit_rows

BATCH = 256
"""Most texts that are embedded between two commits: what a kill can cost."""

APPLICATION_ID = 0x45434D45
"""'ECME' in the file header."""

SET_ASIDE = ".torn"
"""Ending of a file that was no cache, or a damaged one; `echo-memory doctor` removes it."""

_BUSY_SECONDS = 10.0
_SIDES = ("", "-wal", "-shm")
_SCHEMA = """CREATE TABLE embedding (
    encoder TEXT NOT NULL,
    digest BLOB NOT NULL,
    vector BLOB NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (encoder, digest)
) STRICT"""

_Found = TypeVar("_Found")
_log = logging.getLogger(__name__)


class EmbeddingStore:
    """Another encoder with a memory on disk, shared by all processes that name the same file.

    Implements `csd.encode.Encoder`. Keep it in one thread. `CachedEncoder` around it saves reading texts
    that come often.
    """

    def __init__(self, encoder: Encoder, path: Path) -> None:
        """Wrap `encoder`; the file at `path` and its folder are made when there is something to keep."""
        self._encoder = encoder
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._lost = False

    @property
    def name(self) -> str:
        """The wrapped encoder's name: the vectors are the same."""
        return self._encoder.name

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self._encoder.dimension

    def close(self) -> None:
        """Let go of the file; the next `encode` opens it again."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = None

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return (n, d) float32 unit rows, the same as those of the wrapped encoder.

        Texts not known yet are embedded `BATCH` at a time, and each batch is kept before the next.

        Raises:
            EncodeError: as the wrapped encoder does.
            ValueError: if it gives rows that are no finite unit vectors.
        """
        check_texts(texts)
        keys = [hashlib.blake2b(text.encode(), digest_size=16).digest() for text in texts]
        known = self._read(list(dict.fromkeys(keys)))
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        names = list(missing)
        for start in range(0, len(names), BATCH):
            batch = names[start : start + BATCH]
            encoded = self._encoder.encode([missing[key] for key in batch])
            fresh = dict(zip(batch, unit_rows(encoded, self.dimension, self.name), strict=True))
            self._keep(fresh)
            known.update(fresh)
        rows = np.empty((len(texts), self.dimension), dtype=np.float32)
        for row, key in zip(rows, keys, strict=True):
            row[:] = known[key]
        return rows

    def _read(self, keys: Sequence[bytes]) -> dict[bytes, NDArray[np.float32]]:
        known: dict[bytes, NDArray[np.float32]] = {}
        for start in range(0, len(keys), BATCH):
            batch = keys[start : start + BATCH]
            for key, blob, checksum in self._with_file(partial(self._found, batch)) or ():
                vector = _vector(blob, checksum, self.dimension)
                if vector is not None:
                    known[key] = vector
        return known

    def _found(self, keys: Sequence[bytes], file: sqlite3.Connection) -> list[tuple[bytes, bytes, int]]:
        return file.execute(
            "SELECT digest, vector, checksum FROM embedding "
            f"WHERE encoder = ? AND digest IN ({', '.join('?' * len(keys))})",
            (self.name, *keys),
        ).fetchall()

    def _keep(self, fresh: Mapping[bytes, NDArray[np.float32]]) -> None:
        blobs = {key: vector.astype("<f4").tobytes() for key, vector in fresh.items()}

        def keep(file: sqlite3.Connection) -> None:
            file.execute("BEGIN IMMEDIATE")
            file.executemany(
                "INSERT OR REPLACE INTO embedding VALUES (?, ?, ?, ?)",
                [(self.name, key, blob, zlib.crc32(blob)) for key, blob in blobs.items()],
            )
            file.execute("COMMIT")

        self._with_file(keep)

    def _with_file(self, work: Callable[[sqlite3.Connection], _Found]) -> _Found | None:
        """Return what `work` makes of the open file; None where there is none, or it goes wrong."""
        if self._lost:
            return None
        try:
            if self._connection is None:
                self._connection = self._opened()
            return work(self._connection)
        except sqlite3.ProgrammingError:
            # Of another thread, or closed meanwhile: nothing against the file. Whose bank it is says so.
            return None
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)
            return None

    def _opened(self) -> sqlite3.Connection:
        self._path.parent.mkdir(exist_ok=True)
        try:
            return _open(self._path)
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            _log.warning("set aside %s and made anew: %s", self._path, error)
            set_aside(self._path)
            return _open(self._path)

    def _give_up(self, error: Exception) -> None:
        """Do without the file; one that is damaged is put out of the way and made anew next time."""
        self.close()
        _log.warning("embeddings are not kept in %s: %s", self._path, error)
        damaged = isinstance(error, sqlite3.DatabaseError) and not isinstance(error, sqlite3.OperationalError)
        self._lost = not damaged
        if damaged:
            try:
                set_aside(self._path)
            except OSError:
                self._lost = True


def set_aside(path: Path) -> None:
    """Rename the database at `path` with what belongs to it, over what was set aside before.

    Raises:
        OSError: if the folder refuses.
    """
    with path.with_name(path.name + ".lock").open("ab") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for side in _SIDES:
            with suppress(FileNotFoundError):
                path.with_name(path.name + side).replace(path.with_name(path.name + SET_ASIDE + side))


def check_store(path: Path) -> list[str]:
    """Return everything that is wrong with the embeddings kept at `path`; nothing where no file is."""
    if not path.exists():
        return []
    wrong: list[str] = []
    try:
        with closing(_open(path)) as connection:
            wrong += [f"SQLite says {said}" for (said,) in connection.execute("PRAGMA quick_check")]
            wrong = [] if wrong == ["SQLite says ok"] else wrong
            for encoder, blob, checksum in connection.execute(
                "SELECT encoder, vector, checksum FROM embedding"
            ):
                if _vector(blob, checksum, len(blob) // 4) is None:
                    wrong.append(f"a damaged vector of {encoder}")
    except sqlite3.Error as error:
        wrong.append(f"no readable cache: {error}")
    return wrong


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_BUSY_SECONDS, isolation_level=None)
    try:
        connection.execute("BEGIN IMMEDIATE")
        if not connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]:
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(_SCHEMA)
        held = [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL")]
        application = connection.execute("PRAGMA application_id").fetchone()[0]
        connection.execute("COMMIT")
        if application != APPLICATION_ID or held != [_SCHEMA]:
            raise sqlite3.DatabaseError("a database of another program or release")
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        connection.close()
        raise
    return connection


def _vector(blob: bytes, checksum: int, dimension: int) -> NDArray[np.float32] | None:
    """Return a kept vector, or None where it is not what was kept: it is embedded again then."""
    if len(blob) != 4 * dimension or zlib.crc32(blob) != checksum:
        return None
    vector = np.frombuffer(blob, dtype="<f4").astype(np.float32)
    square = float(vector @ vector)
    return vector if abs(square - 1.0) < UNIT_TOLERANCE else None
