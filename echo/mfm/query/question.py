"""What can be asked of the episodes of a memory. No dataclass: loading that takes 10 ms of a query's 40."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

DEFAULT_RADIUS = 6.0
"""Blocks."""


class Question:
    """The conditions that an episode must meet, all of them. Without any, every episode does."""

    steps: tuple[int, int] | None = None
    """Two steps in any order: episodes that reach into the stretch between them, both included."""
    near: tuple[float, float] | None = None
    """x and z of a place: episodes that began at most `radius` from it, height left aside."""
    radius: float = DEFAULT_RADIUS
    """Blocks, for `near`."""
    tag: str | None = None
    """One of an episode's tags, exactly."""
    action: str | None = None
    """The episode's kind of action, exactly."""
    grep: str | None = None
    """Looked for in the index line and in action.json, outcome.json and state.json as they are on disk, each
    by itself, capitals and small letters alike."""
    text: str | None = None
    """Words that all must occur among the texts and names of the episode, see `echo.mfm.query.words`; no
    episode has them where there is no letter or digit in it."""
    last: int | None = None
    """How many to keep, from the end; none where it is not positive."""
    limit: int | None = None
    """How many of those to keep, from the start; none where it is not positive."""
    previous: bool = False
    """Ask the earlier lives instead of this one."""

    def __init__(self, **conditions: Any) -> None:
        """Ask with the conditions that are named as above; the others do not hold.

        Raises:
            TypeError: on another name.

        >>> Question(tag="damage", last=3).tag
        'damage'
        """
        for name, value in conditions.items():
            if name not in type(self).__annotations__:
                raise TypeError(
                    f"expected conditions among {', '.join(type(self).__annotations__)}, got {name!r}"
                )
            setattr(self, name, value)

    @property
    def by_row(self) -> bool:
        """Whether there is a condition on what the index row itself holds."""
        return not (self.steps is None and self.near is None and self.tag is None and self.action is None)

    @property
    def by_files(self) -> bool:
        """Whether there is a condition on what the files of the episode hold."""
        return self.grep is not None or self.text is not None
