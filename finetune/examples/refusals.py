"""Episodes of which nothing can be said, so that a model learns to say nothing rather than to invent."""

from __future__ import annotations

from dataclasses import replace

from csd.build_proc import is_told
from csd.episode import Episode


def silenced(episode: Episode) -> Episode | None:
    """Return the beginning of `episode` up to its first step that did something: nothing, or moves alone.

    Returns:
        An episode that `csd.by_model.author` would not ask about, or None where the whole one is such.
    """
    for index, step in enumerate(episode.steps):
        if is_told(step):
            return replace(episode, steps=episode.steps[:index], after=step.before)
    return None
