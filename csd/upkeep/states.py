"""What supersedes what in a whole bank: the links that follow from it, and circles that must not be."""

from __future__ import annotations

import sqlite3

from csd.store.links import LinkKind

_WRONG = (
    f"kind = '{LinkKind.SUPERSEDES}' AND NOT EXISTS (SELECT 1 FROM csd old JOIN csd new "
    "ON new.id = old.superseded_by WHERE old.row = target AND new.row = source)"
)


def missing_supersedes(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return (new id, old id) of each superseded descriptor without its link, sorted by old id."""
    return connection.execute(
        "SELECT new.id, old.id FROM csd old JOIN csd new ON new.id = old.superseded_by "
        "WHERE old.superseded_by IS NOT NULL AND NOT EXISTS "
        "(SELECT 1 FROM link WHERE source = new.row AND kind = ? AND target = old.row) ORDER BY old.id",
        (LinkKind.SUPERSEDES,),
    ).fetchall()


def wrong_supersedes(connection: sqlite3.Connection) -> list[tuple[str, str]]:
    """Return (source id, target id) of each link that says 'supersedes' where the target does not, sorted."""
    return connection.execute(
        f"SELECT a.id, b.id FROM link JOIN csd a ON a.row = source JOIN csd b ON b.row = target "
        f"WHERE {_WRONG} ORDER BY a.id, b.id"
    ).fetchall()


def settle_supersedes(connection: sqlite3.Connection) -> None:
    """Make the links say what the descriptors say, within the caller's transaction."""
    connection.execute(f"DELETE FROM link WHERE {_WRONG}")
    connection.execute(
        "INSERT OR IGNORE INTO link SELECT new.row, ?, old.row FROM csd old JOIN csd new "
        "ON new.id = old.superseded_by WHERE old.superseded_by IS NOT NULL",
        (LinkKind.SUPERSEDES,),
    )


def circles(connection: sqlite3.Connection) -> list[list[str]]:
    """Return the ids of each ring of descriptors that supersede one another, from its smallest id on."""
    later: dict[str, str] = dict(
        connection.execute("SELECT id, superseded_by FROM csd WHERE superseded_by IS NOT NULL ORDER BY id")
    )
    done: dict[str, bool] = {}
    rings: list[list[str]] = []
    for start in later:
        path: dict[str, int] = {}
        here = start
        while here in later and here not in done and here not in path:
            path[here] = len(path)
            here = later[here]
        if here in path:
            ring = list(path)[path[here] :]
            first = ring.index(min(ring))
            rings.append([*ring[first:], *ring[:first]])
        done.update(dict.fromkeys(path, True))
    return rings
