"""Is an episode on disk still what was written? Each one carries the digests of its own files."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from csd.episode import Episode
from echo.mfm.episodic.documents import Cause, Entry, action_document, outcome_document, state_document
from echo.mfm.episodic.reader import find_episode, is_foreign, read_episode
from echo.mfm.layout import (
    ACTION,
    EPISODES,
    OUTCOME,
    STATE,
    STEPS,
    MfmError,
    episode_number,
    is_file_name,
    read_json,
    to_line,
)
from echo.mfm.regular import open_regular, read_regular

NOT_OURS = "not ours, cannot be checked"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """What was found of one episode."""

    state: Literal["whole", "foreign", "broken"]
    """'foreign': another tool made it, so that it carries no digests."""
    told: str = ""
    """What is wrong, or that it is not ours; empty for a whole one."""
    lacks: tuple[str, ...] = ()
    """Files that are missing from another tool's episode."""


WHOLE = Verdict(state="whole")


class EpisodeFolder:
    """A memory folder, asked about one episode at a time; implements `csd.upkeep.findings.EpisodeCheck`."""

    def __init__(self, root: Path) -> None:
        """Look in the memory folder `root`.

        Raises:
            MfmError: if there is no such folder, or none with episodes.
        """
        if not (root / EPISODES).is_dir():
            raise MfmError(
                f"expected a memory folder with {EPISODES}/ in it at {root}; got none. Check the path."
            )
        self._root = root
        self._first: dict[Path, int | None] = {}

    def __call__(self, episode: str, /) -> str | None:
        """Return what is wrong with `episode`: missing, unreadable, or a file altered; None if it is whole.

        It is looked for in this life, then in earlier ones. Names that no recorder gives (released entries go
        by their task) are not looked for, and of episodes of other tools nothing is said.
        """
        if episode_number(episode) is None:
            return None
        verdict = self.verdict(find_episode(self._root, episode))
        return verdict.told if verdict.state == "broken" else None

    def verdict(self, folder: Path) -> Verdict:
        """Return what there is to say of the episode in `folder`.

        One without steps.json is another tool's only if no episode before it has one: ours are appended
        behind those of others, so that a gap between ours is a loss.
        """
        try:
            return self._verdict(folder)
        except OSError as error:
            told = f"expected an episode that can be looked into at {folder}; got {error.strerror or error}"
            return Verdict(state="broken", told=told)

    def _verdict(self, folder: Path) -> Verdict:
        if is_foreign(folder) and not self._is_ours(folder):
            lacks = [name for name in (STATE, ACTION, OUTCOME) if not (folder / name).is_file()]
            return Verdict(state="foreign", told=NOT_OURS, lacks=tuple(lacks))
        told = _fault(folder)
        return WHOLE if told is None else Verdict(state="broken", told=told)

    def _is_ours(self, folder: Path) -> bool:
        if folder.parent not in self._first:
            names = [path.name for path in folder.parent.iterdir() if (path / STEPS).is_file()]
            numbers = [number for number in map(episode_number, names) if number is not None]
            self._first[folder.parent] = min(numbers, default=None)
        first, number = self._first[folder.parent], episode_number(folder.name)
        return first is not None and number is not None and number > first


def _fault(folder: Path) -> str | None:
    root, episode = folder.parent.parent, folder.name
    try:
        read = read_episode(root, episode)
        digests = read_json(folder / STEPS).get("files")
    except (MfmError, OSError) as error:
        return str(error)
    if read.id != episode:
        return f"expected episode {episode} in {folder / STEPS}; got {read.id}"
    if not isinstance(digests, dict):
        return f"expected the digests of its files in {folder / STEPS}; got {digests!r}"
    return next(
        (told for name, digest in digests.items() if (told := _altered(folder, name, digest))),
        _retold(folder, read),
    )


def _altered(folder: Path, name: str, digest: object) -> str | None:
    if not is_file_name(name):
        return f"expected names of files of the episode in {folder / STEPS}; got {name[:80]!r}"
    file = folder / name
    try:
        with open_regular(file) as opened:
            found = hashlib.file_digest(opened, "sha256").hexdigest()
    except OSError as error:
        return f"expected a file at {file}; got {error.strerror or error}"
    if found != digest:
        return f"expected {file} as it was recorded; got other content"
    return None


def _cause(told: Any) -> Cause | None:
    return None if told is None else Cause(**told)


def _retold(folder: Path, read: Episode) -> str | None:
    """Return where steps.json, which holds no digest of itself, says something else than its companions.

    What only it holds - what was seen between the first step and the last - cannot be compared.
    """
    try:
        outcome = read_json(folder / OUTCOME)
        entry = Entry(
            goal=read.goal,
            steps=read.steps,
            after=read.after,
            notes=tuple(outcome["notes"]),
            tags=tuple(outcome["tags"]),
            cause=_cause(read_json(folder / STEPS).get("cause")),
        )
        said = {
            STATE: to_line(state_document(entry)),
            ACTION: to_line(action_document(entry)),
            OUTCOME: to_line(outcome_document(entry)),
        }
        held = {name: read_regular(folder / name) for name in said}
        if held[ACTION] == to_line(action_document(entry, results=False)):
            # Recorded before actions told how they ended.
            said[ACTION] = held[ACTION]
        other = next((name for name, data in said.items() if held[name] != data), None)
    except (MfmError, OSError, KeyError, TypeError, ValueError) as error:
        return f"expected {OUTCOME} and its companions in {folder} as they were recorded; got {error!r}"
    return (
        None if other is None else f"expected {folder / STEPS} to say what {other} says; got something else"
    )
