"""From the files of one episode to what it says about places.

Our own episodes hold every step in steps.json; those of other tools hold state, action and outcome only,
and say what those say. A part that is not what it should be is passed over and named, the rest is used.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from echo.mfm.layout import (
    ACTION,
    EPISODES,
    FORMAT,
    OUTCOME,
    STATE,
    STEPS,
    MfmError,
    Row,
    episode_number,
    read_json,
)
from echo.mfm.spatial.checked import Odd, mapping, mark_or_none, number, whole_or_none
from echo.mfm.spatial.facts import EpisodeFacts, Happening, Moment, Stand, Unread
from echo.mfm.spatial.harm import HARM_TAGS
from echo.mfm.spatial.recorded import moments_of_steps
from echo.mfm.spatial.told import Documents, moment_of_documents

Held = TypeVar("Held")

MOST_BYTES = 1 << 26
"""A file of an episode that is longer is not read."""


class Troubles:
    """What could not be used of one episode."""

    def __init__(self, episode: str) -> None:
        """Start with none."""
        self._episode = episode
        self.found: list[Unread] = []

    def add(self, file: str, why: str) -> None:
        """Remember that something in `file`, a path within the memory folder, could not be used."""
        self.found.append(Unread(episode=self._episode, file=file, why=why))

    def attempt(self, file: str, read: Callable[[], Held]) -> Held | None:
        """Return what `read` returns, or None, with a note, where a value is not what it should be."""
        try:
            return read()
        except Odd as odd:
            self.add(file, str(odd))
            return None


def episode_facts(root: Path, row: Row) -> EpisodeFacts:
    """Return what the episode of an index row says; never raises for what lies in its files."""
    episode: str = row["id"]
    troubles = Troubles(episode)
    index = "index.jsonl"
    first = troubles.attempt(index, lambda: whole_or_none(row.get("first_step"), "first_step"))
    last = troubles.attempt(index, lambda: whole_or_none(row.get("last_step"), "last_step"))
    moments: tuple[Moment, ...] = ()
    source = None
    if episode_number(episode) is None:
        troubles.add(index, f"expected an id such as 'ep_000012', got {ascii(episode)[:60]}")
        moments = _from_documents(row, Documents(), index, troubles)
    else:
        folder = f"{EPISODES}/{episode}"
        steps = _steps(root, folder, troubles)
        if steps is None:
            moments = _moments_of_documents(root, row, folder, troubles)
        else:
            source = mark_or_none(steps.get("source"))
            moments = moments_of_steps(steps, f"{folder}/{STEPS}", troubles)
    frame = row.get("observation_hash") if isinstance(row.get("image"), str) else None
    return EpisodeFacts(
        episode=episode,
        source=source,
        first_step=first,
        last_step=last,
        moments=_with_tags(moments, row),
        frame=mark_or_none(frame),
        unread=tuple(troubles.found),
    )


def _steps(root: Path, folder: str, troubles: Troubles) -> dict[str, Any] | None:
    """Return steps.json of our own recorder; None where an episode has none of it that can be read."""
    file = f"{folder}/{STEPS}"
    steps = _document(root, file, troubles, needed=False)
    if steps is None or steps.get("format") == FORMAT:
        return steps
    troubles.add(file, f"expected format {FORMAT!r}, got {ascii(steps.get('format'))[:60]}")
    return None


def _moments_of_documents(root: Path, row: Row, folder: str, troubles: Troubles) -> tuple[Moment, ...]:
    needed = row.get("kind") != "initial"
    documents = Documents(
        state=_document(root, f"{folder}/{STATE}", troubles),
        action=_document(root, f"{folder}/{ACTION}", troubles, needed=needed),
        outcome=_document(root, f"{folder}/{OUTCOME}", troubles, needed=needed),
    )
    return _from_documents(row, documents, folder, troubles)


def _from_documents(row: Row, documents: Documents, folder: str, troubles: Troubles) -> tuple[Moment, ...]:
    stand = _stand(row, documents, folder, troubles)
    if stand is None:
        return ()
    return (moment_of_documents(row, documents, stand, folder, troubles),)


def _stand(row: Row, documents: Documents, folder: str, troubles: Troubles) -> Stand | None:
    """Return where the body was: by state.json, else by the index row."""
    state = f"{folder}/{STATE}"
    held = None if documents.state is None else documents.state.get("pos")
    if held is not None:
        found = troubles.attempt(state, lambda: _stand_in(mapping(held, "pos")))
        if found is not None:
            return found
    if row.get("x") is None or row.get("z") is None:
        troubles.add("index.jsonl", "expected a position in state.json or in the row, got none")
        return None
    return troubles.attempt("index.jsonl", lambda: _stand_in(row))


def _stand_in(held: dict[str, Any]) -> Stand:
    y, yaw = held.get("y"), held.get("yaw")
    return Stand(
        x=number(held.get("x"), "x"),
        y=None if y is None else number(y, "y"),
        z=number(held.get("z"), "z"),
        yaw=None if yaw is None else number(yaw, "yaw"),
    )


def _with_tags(moments: tuple[Moment, ...], row: Row) -> tuple[Moment, ...]:
    """Add the harm that only a tag tells of to the last moment."""
    tags = row.get("tags")
    if not moments or not isinstance(tags, list):
        return moments
    told = {happening.kind for moment in moments for happening in moment.happenings}
    kinds = dict.fromkeys(HARM_TAGS[tag] for tag in tags if isinstance(tag, str) and tag in HARM_TAGS)
    last = moments[-1]
    kind_word = row.get("action_kind")
    added = tuple(
        Happening(
            kind=kind,
            name=None,
            amount=None,
            cell=None,
            stand=last.view.stand,
            during=kind_word if isinstance(kind_word, str) else None,
            step=last.view.step,
        )
        for kind in kinds
        if kind not in told
    )
    if not added:
        return moments
    return (*moments[:-1], Moment(view=last.view, happenings=(*last.happenings, *added)))


def _document(root: Path, file: str, troubles: Troubles, *, needed: bool = True) -> dict[str, Any] | None:
    """Return a JSON object out of the memory folder, or None, with a note where it should be there."""
    path = root / file
    try:
        found = os.stat(path)  # noqa: PTH116 (a pipe must not be opened, so its kind is looked at first)
        if not stat.S_ISREG(found.st_mode):
            raise MfmError("expected a file, got something else")
        if found.st_size > MOST_BYTES:
            raise MfmError(f"expected at most {MOST_BYTES} bytes, got {found.st_size}")
        held = read_json(path)
        if not isinstance(held, dict):
            raise MfmError(f"expected a JSON object, got {type(held).__name__}")
    except (FileNotFoundError, NotADirectoryError):
        if needed:
            troubles.add(file, "expected a file, got none")
        return None
    except (MfmError, OSError) as error:
        troubles.add(file, str(error).replace(str(path), file))
        return None
    return held
