"""The five transfer axes, their one order, and masks over them.

Source: Echo §3.2. Structure and attribute say what the world is like, procedure and function how it
changes, interaction how the agent engages with it.
"""

from __future__ import annotations

from enum import StrEnum


class Axis(StrEnum):
    """One dimension along which experience transfers."""

    STRUCT = "struct"
    ATTR = "attr"
    PROC = "proc"
    FUNC = "func"
    INTER = "inter"


AXES: tuple[Axis, ...] = (Axis.STRUCT, Axis.ATTR, Axis.PROC, Axis.FUNC, Axis.INTER)
"""Every axis in the order used by all arrays, tables and files."""


def parse_axes(text: str) -> tuple[Axis, ...]:
    """Read an axis mask as users write it.

    Args:
        text: ``"all"``, a comma-separated list to keep (``"func,struct"``), or one to remove, each
            name with a leading minus (``"-func"``). White space is ignored.

    Returns:
        The axes kept, in canonical order, without repetition.

    Raises:
        ValueError: on an unknown name, an empty text, or a mix of kept and removed axes.

    >>> [axis.value for axis in parse_axes("-func")]
    ['struct', 'attr', 'proc', 'inter']
    >>> [axis.value for axis in parse_axes("func, struct")]
    ['struct', 'func']
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if names == ["all"]:
        return AXES
    removed = [name[1:].strip() for name in names if name.startswith("-")]
    kept = [name for name in names if not name.startswith("-")]
    known = {axis.value for axis in AXES}
    unknown = [name for name in (*removed, *kept) if name not in known]
    if unknown or not names or (removed and kept):
        raise ValueError(
            f"expected 'all', axes to keep ('func,struct') or axes to remove ('-func'), "
            f"out of {', '.join(known_order())}; got {text!r}. Use one form at a time."
        )
    if removed:
        return tuple(axis for axis in AXES if axis.value not in removed)
    return tuple(axis for axis in AXES if axis.value in kept)


def known_order() -> tuple[str, ...]:
    """Return the axis names in canonical order."""
    return tuple(axis.value for axis in AXES)
