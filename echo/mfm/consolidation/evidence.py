"""All attempts of a memory, kept in a derived database, so that only new episodes are read each time."""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from echo.mfm.consolidation.attempts import (
    Attempt,
    aimed_cell,
    episode_attempts,
    from_json,
    initial_source,
    to_json,
)
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
_VERSION = 7
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
    elsewhere: Mapping[str, str] = field(default_factory=dict)
    """Episodes of this life from another world than the one it lives in: citation -> that world."""
    unreadable: tuple[tuple[str, str], ...] = ()
    """Episodes that could not be read: citation and reason."""

    @property
    def away(self) -> frozenset[str]:
        """Citations of the episodes that say nothing of the places of this life."""
        return self.earlier | self.elsewhere.keys()

    @property
    def at_home(self) -> tuple[Attempt, ...]:
        """The attempts of this life in the world it lives in, in order of time."""
        away = self.away
        return tuple(attempt for attempt in self.attempts if attempt.episode not in away)

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
    elsewhere = _elsewhere([each for each in held if each.life is None])
    return Evidence(
        attempts=tuple(_named_by_cell(attempts, {**earlier, **dict.fromkeys(elsewhere)})),
        episodes=tuple(episodes),
        earlier=frozenset(earlier),
        elsewhere=elsewhere,
        unreadable=tuple(unreadable),
    )


def _elsewhere(held: Sequence[_Held]) -> dict[str, str]:
    """Return the episodes of a life that come from another world than its initial state.

    Where none tells its world, the first episode that does counts; those that tell none are never elsewhere.
    """
    begun = [each.source for each in held if each.kind == "initial" and each.source is not None]
    named = [each.source for each in held if each.source is not None]
    home = next(iter((*begun, *named)), None)
    return {each.id: each.source for each in held if each.source is not None and each.source != home}


def _named_by_cell(attempts: Sequence[Attempt], earlier: Container[str]) -> Iterator[Attempt]:
    """Yield attempts; one at a cell of this life that does not say what is there takes it from another.

    The one before it that says so counts, else the first behind it.
    """
    held: dict[tuple[int, ...], str] = {}
    for attempt in reversed(attempts):
        cell = aimed_cell(attempt)
        if cell is not None and attempt.episode not in earlier:
            held[cell] = attempt.block or attempt.target_block or held.get(cell, "")
    for attempt in attempts:
        cell = aimed_cell(attempt)
        if cell is None or attempt.episode in earlier:
            yield attempt
            continue
        known = attempt.block or attempt.target_block or held[cell]
        held[cell] = known
        yield attempt if attempt.target_block == known else replace(attempt, target_block=known or None)


@dataclass(frozen=True, kw_only=True)
class _Held:
    id: str
    life: int | None
    kind: str
    attempts: tuple[Attempt, ...]
    fault: str | None
    source: str | None = None


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
            body = json.dumps([held.life, held.id, held.kind, held.source, attempts, again])
            run.execute("INSERT INTO episode (held) VALUES (?)", (body,))

    schema = Schema(_VERSION, _SCRIPT, take)
    with follow(index_home, CACHE_NAME, schema, told) as run:
        rows = run.execute("SELECT held FROM episode ORDER BY number").fetchall()
    for (body,) in rows:
        life, name, kind, source, attempts, again = json.loads(body)
        if again is not None:
            yield _read(root, again)
            continue
        known = tuple(map(from_json, attempts))
        yield _Held(id=name, life=life, kind=kind, attempts=known, fault=None, source=source)


def _read(root: Path, row: Row) -> _Held:
    name, life = str(row["id"]), row.get("life")
    life = life if isinstance(life, int) and not isinstance(life, bool) and life > 0 else None
    kind = "initial" if row.get("kind") == "initial" else "episode"
    home = root if life is None else root / PREVIOUS / life_name(life)
    try:
        if episode_number(name) is None:
            raise MfmError(f"expected an episode id such as 'ep_000012', got {name[:80]!r}. Mend its row.")
        folder = home / EPISODES / name
        attempts = episode_attempts(folder, row, name)
    except (MfmError, OSError) as error:
        return _Held(id=name, life=life, kind=kind, attempts=(), fault=str(error))
    source = attempts[0].source if attempts else initial_source(folder) if kind == "initial" else None
    return _Held(id=name, life=life, kind=kind, attempts=attempts, fault=None, source=source)
