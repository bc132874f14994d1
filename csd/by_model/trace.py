"""A task instruction with its execution trace, as the text that a model describes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from csd.by_model import styles
from csd.by_model.perceive import Perceived, perceive
from csd.episode import Episode

_RENDERINGS: Mapping[str, Callable[[Perceived], str]] = {
    "plain": styles.plain,
    "log": styles.log,
    "story": styles.story,
    "table": styles.table,
    "record": styles.record,
    "caption": styles.caption,
}

STYLES: tuple[str, ...] = tuple(_RENDERINGS)
"""The names of the renderings."""


def trace(episode: Episode, *, style: str, product: str | None = None) -> str:
    """Return the task instruction and execution trace of `episode` as text.

    Args:
        episode: any run of steps; grids must be rectangular.
        style: one of `STYLES`; each tells the same facts.
        product: the item the episode was for, where the caller knows it.

    Raises:
        ValueError: on an unknown style, or if a crafting grid has rows of different lengths.
    """
    if style not in _RENDERINGS:
        raise ValueError(f"expected one of the styles {', '.join(STYLES)}; got {style!r}. Pick one.")
    return _RENDERINGS[style](perceive(episode, product))
