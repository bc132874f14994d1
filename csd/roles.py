"""Names of parts and roles, with their definitions: the one table that struct and func statements draw on.

A part says where a kind of item lies in a grid (struct); a role says what it was for (func). Roles name no
shape and parts name no purpose, so that the two axes can be told apart. Both follow from the geometry of
what was laid and from what was used; neither from item names.
"""

from __future__ import annotations

from functools import lru_cache

from csd.pattern import letters, part, places

PARTS: dict[str, str] = {
    "single cell": "the only cell of the grid",
    "all": "every cell of a full rectangle",
    "lower stem": "unbroken piece of one column that reaches only the bottom; one cell if alone in its row",
    "upper stem": "unbroken piece of one column that reaches only the top; one cell if alone in its row",
    "inner stem": "unbroken piece of one column that reaches neither end; one cell if alone in its row",
    "top row": "the whole top row",
    "bottom row": "the whole bottom row",
    "middle row": "one whole row between others",
    "rows": "several whole rows",
    "middle column": "whole columns, none of them at a side",
    "side columns": "whole columns at the sides only",
    "columns": "whole columns, at a side and inside",
    "ring": "the whole border around an inside, and nothing else",
    "centre": "one cell off the border",
    "corners": "the four corners, and nothing else",
    "in one row": "part of one row",
    "around": "anything else: spread over several rows and columns",
}
"""Part -> where its cells lie."""

ROLES: dict[str, str] = {
    "whole": "the only item laid, in a single cell",
    "body": "the only kind laid, filling its rectangle",
    "shell": "laid around something else or around an empty middle",
    "core": "enclosed by a shell",
    "head": "lies above or along a handle",
    "handle": "the lower stem below or along a head",
    "cover": "whole rows above a base",
    "base": "whole rows below a cover",
    "frame": "the only kind laid, leaving cells of its rectangle empty",
    "post": "whole columns at the sides of a filling",
    "filling": "whole columns between posts",
    "part": "one of several kinds in an arrangement with no other name",
    "charge": "put into a station to be changed by heat",
    "fuel": "burnt in a station",
    "tool": "held while a block yielded something",
    "weapon": "held while a creature fell",
    "station": "stood within reach while something was made at it",
    "source": "block or creature that something was won from",
    "building block": "put down into the world as a block",
    "food": "eaten",
}
"""Role -> what an item did to play it."""


def grid_roles(rows: str) -> dict[str, str]:
    """Return the role that each letter of a pattern plays, by geometry alone.

    Args:
        rows: canonical pattern, such as 'AAA/.B./.B.'.

    Returns:
        Letter -> key of `ROLES`, in the order of the letters.

    >>> grid_roles("AAA/.B./.B."), grid_roles("AAA/A.A/AAA"), grid_roles("AAA/ABA/AAA")
    ({'A': 'head', 'B': 'handle'}, {'A': 'shell'}, {'A': 'shell', 'B': 'core'})
    """
    return dict(_grid_roles(rows))


@lru_cache(maxsize=1 << 14)
def _grid_roles(rows: str) -> tuple[tuple[str, str], ...]:
    kinds = letters(rows)
    if len(kinds) == 1:
        names = {"single cell": "whole", "all": "body", "ring": "shell"}
        return ((kinds[0], names.get(part(rows, kinds[0]), "frame")),)
    if len(kinds) == 2:
        first, second = kinds
        for one, other in ((first, second), (second, first)):
            pair = _pair_roles(rows, one, other)
            if pair is not None:
                named = dict(zip((one, other), pair, strict=True))
                return ((first, named[first]), (second, named[second]))
    return tuple((kind, "part") for kind in kinds)


def _pair_roles(rows: str, one: str, other: str) -> tuple[str, str] | None:
    part_one, part_other = part(rows, one), part(rows, other)
    top, column = places(rows, other)[0]
    if part_other == "lower stem" and (top - 1, column) in places(rows, one):
        return "head", "handle"
    if (part_one, part_other) == ("side columns", "middle column"):
        return "post", "filling"
    if _encloses(rows, one, other):
        return "shell", "core"
    whole_rows = ("top row", "middle row", "bottom row", "rows")
    if part_one in whole_rows and part_other in whole_rows and places(rows, one)[-1] < places(rows, other)[0]:
        return "cover", "base"
    return None


def _encloses(rows: str, one: str, other: str) -> bool:
    """Whether each cell of `other` has `one` or its own kind on at least three of its four sides."""
    filled = {*places(rows, one), *places(rows, other)}
    return all(
        sum((row + down, column + right) in filled for down, right in ((-1, 0), (1, 0), (0, -1), (0, 1))) >= 3
        for row, column in places(rows, other)
    )
