"""The files of an episode as text, for searching them and for its note."""

from __future__ import annotations

from echo.mfm.regular import NotAFile, read_regular

TYPE_CHECKING = False
if TYPE_CHECKING:
    from echo.mfm.layout import Row

EPISODES = "episodes"
OUTCOME = "outcome.json"
SEARCHED = ("action.json", OUTCOME, "state/state.json")
"""The same names as in `echo.mfm.layout`, which takes too long to load."""


class Unread:
    """Files of episodes that are there and cannot be read."""

    def __init__(self) -> None:
        """Start with none."""
        self.paths: list[str] = []

    def add(self, path: str) -> None:
        """Take one in, once."""
        if path not in self.paths:
            self.paths.append(path)


def episode_path(row: Row) -> str | None:
    """Return the folder of an episode, relative to the memory, or None where the row names none.

    A row without a path has the usual one. A path that would lead out of the memory is none.

    >>> episode_path({"id": "ep_000003", "path": None})
    'episodes/ep_000003'
    >>> episode_path({"id": "ep_000003", "path": "../other"}) is None
    True
    """
    path = row.get("path")
    if path is None and row["id"].startswith("ep_") and row["id"][3:].isalnum():
        return f"{EPISODES}/{row['id']}"
    if not isinstance(path, str) or not path or path.startswith("/") or "\0" in path:
        return None
    return None if ".." in path.split("/") else path


def read(path: str) -> bytes | None:
    """Return the bytes of a regular file, or None where there is none.

    Raises:
        OSError: if it is there and cannot be read.
    """
    try:
        return read_regular(path)
    except (FileNotFoundError, NotADirectoryError, NotAFile):
        return None


def searched_texts(base: str, row: Row, unread: Unread) -> list[str | None]:
    """Return action.json, outcome.json and state.json of an episode as text; None where there is no file.

    Bytes that are no UTF-8 become U+FFFD.

    Args:
        base: The folder that the paths of rows start from.
        row: The row of the episode.
        unread: Takes files that are there and cannot be read; they count as missing.
    """
    path = episode_path(row)
    return [None if path is None else _text(f"{base}/{path}/{name}", unread) for name in SEARCHED]


def _text(path: str, unread: Unread) -> str | None:
    try:
        data = read(path)
    except OSError:
        unread.add(path)
        return None
    return None if data is None else data.decode("utf-8", "replace")
