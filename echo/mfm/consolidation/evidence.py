"""All attempts of a memory, kept in a derived database, so that only new episodes are read each time."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from echo.mfm.consolidation.attempts import Attempt, episode_attempts, from_json, to_json
from echo.mfm.derived.follow import follow
from echo.mfm.derived.intake import NewRow, Schema
from echo.mfm.episodic.reader import read_index
from echo.mfm.layout import (
    EPISODES,
    INDEX,
    PREVIOUS,
    MfmError,
    Row,
    earlier_lives,
    episode_number,
    life_name,
)

CACHE_NAME = "consolidation"
_VERSION = 5
_SCRIPT = """
CREATE TABLE episode (number INTEGER PRIMARY KEY, held TEXT)
"""

Told = Callable[[int, int], None]
"""Progress: bytes of the index that are taken in, bytes there are."""


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """What the episodes of a memory show."""

    attempts: tuple[Attempt, ...]
    """Of earlier lives first, in order of time."""
    episodes: tuple[str, ...]
    """Citations of all that could be read, initial states left out, in order of time."""
    earlier: frozenset[str] = frozenset()
    """Citations of the episodes of earlier lives."""
    unreadable: tuple[tuple[str, str], ...] = ()
    """Episodes that could not be read: citation and reason."""

    @property
    def of_this_life(self) -> tuple[Attempt, ...]:
        """The attempts of this life, in order of time."""
        return tuple(attempt for attempt in self.attempts if attempt.episode not in self.earlier)

    def since(self, episode: str) -> frozenset[str]:
        """Return the citations of `episode` and all later ones of this life.

        Raises:
            MfmError: if it is no episode of this memory.
        """
        if episode not in self.episodes:
            raise MfmError(
                f"expected an episode of this memory, got {episode!r}. Take an id from its {INDEX}."
            )
        return frozenset(self.episodes[self.episodes.index(episode) :])


def read_evidence(root: Path | str, told: Told | None = None) -> Evidence:
    """Return what the memory at `root` shows; only episodes that are new since the last time are opened.

    Args:
        root: The memory folder.
        told: Is called now and then while episodes are read.

    Raises:
        MfmError: if there is no index.
    """
    root = Path(root)
    held = [*_earlier(root, told), *_followed(root, root, told)]
    lives = Counter(name for name, _ in dict.fromkeys((each.id, each.life) for each in held))
    attempts: list[Attempt] = []
    episodes: list[str] = []
    earlier: dict[str, None] = {}
    unreadable: list[tuple[str, str]] = []
    for each in held:
        alone = lives[each.id] == 1 or each.life is None
        citation = each.id if alone else f"{life_name(each.life or 0)}/{each.id}"
        if each.kind != "initial" and each.fault is None:
            episodes.append(citation)
        if each.life is not None:
            earlier[citation] = None
        if each.fault is not None:
            unreadable.append((citation, each.fault))
        attempts.extend(replace(attempt, episode=citation) for attempt in each.attempts)
    return Evidence(
        attempts=tuple(attempts),
        episodes=tuple(episodes),
        earlier=frozenset(earlier),
        unreadable=tuple(unreadable),
    )


@dataclass(frozen=True, kw_only=True)
class _Held:
    id: str
    life: int | None
    kind: str
    attempts: tuple[Attempt, ...]
    fault: str | None


def _earlier(root: Path, told: Told | None) -> Iterator[_Held]:
    if (root / PREVIOUS / INDEX).is_file():
        yield from _followed(root / PREVIOUS, root, told)
        return
    for number in earlier_lives(root):
        home = root / PREVIOUS / life_name(number)
        if (home / INDEX).is_file():
            yield from (_read(root, {**row, "life": number}) for row in read_index(home))


def _followed(index_home: Path, root: Path, told: Told | None) -> Iterator[_Held]:
    def take(run: sqlite3.Connection, rows: Sequence[NewRow]) -> None:
        for row in rows:
            held = _read(root, row.row)
            attempts = [to_json(attempt) for attempt in held.attempts]
            # As one JSON text in ASCII: names may hold lone surrogates, which SQLite refuses.
            # What could not be read is tried again each time, from its row: it may have been restored.
            again = row.row if held.fault is not None else None
            body = json.dumps([held.life, held.id, held.kind, attempts, again])
            run.execute("INSERT INTO episode (held) VALUES (?)", (body,))

    schema = Schema(_VERSION, _SCRIPT, take)
    with follow(index_home, CACHE_NAME, schema, told) as run:
        rows = run.execute("SELECT held FROM episode ORDER BY number").fetchall()
    for (body,) in rows:
        life, name, kind, attempts, again = json.loads(body)
        if again is not None:
            yield _read(root, again)
            continue
        yield _Held(id=name, life=life, kind=kind, attempts=tuple(map(from_json, attempts)), fault=None)


def _read(root: Path, row: Row) -> _Held:
    name, life = str(row["id"]), row.get("life")
    life = life if isinstance(life, int) and not isinstance(life, bool) and life > 0 else None
    kind = "initial" if row.get("kind") == "initial" else "episode"
    home = root if life is None else root / PREVIOUS / life_name(life)
    try:
        if episode_number(name) is None:
            raise MfmError(f"expected an episode id such as 'ep_000012', got {name[:80]!r}. Mend its row.")
        attempts = episode_attempts(home / EPISODES / name, row, name)
    except (MfmError, OSError) as error:
        return _Held(id=name, life=life, kind=kind, attempts=(), fault=str(error))
    return _Held(id=name, life=life, kind=kind, attempts=attempts, fault=None)
