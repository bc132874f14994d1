"""Episodes as they come to the kit: each under a name that no other one has."""

from __future__ import annotations

from dataclasses import dataclass

from csd.episode import Episode


class ExamplesError(ValueError):
    """Episodes, settings or rows of which no data set can be made; the text says what to change."""


class SettingsError(ExamplesError):
    """Settings that cannot be meant, whatever the episodes."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Recorded:
    """An episode and the memory it was recorded in."""

    memory: str
    """Name of the memory; episode ids are unique within one only."""
    episode: Episode

    @property
    def name(self) -> str:
        """Name of the episode over all memories, such as 'echo-s50/ep_000012'."""
        return f"{self.memory}/{self.episode.id}"


@dataclass(frozen=True, kw_only=True, slots=True)
class LeftOut:
    """Something that did not become an example, and why."""

    name: str
    """Name of the episode, or of the episode and the kind of example."""
    reason: str
    """A few words, the same for all that were left out for the same reason."""
    detail: str = ""
    """What was found in this one."""
