"""Conditions as Milvus expressions, so that they are applied before the best are chosen.

Texts are stored and asked as tokens: plain ASCII that needs no quoting in an expression, because Milvus
and its local edition read escapes differently.
"""

from __future__ import annotations

import hashlib
import math
from urllib.parse import quote

from csd.store.where import Where, microseconds

FOREVER = 2**63 - 1
"""`superseded_step` of what holds now."""

NOTHING = "%"
"""Stands where there is no text; no token looks like it."""

TOKEN_CHARACTERS = 240
"""A longer text is told apart by its digest alone."""

ANYONE = "*"
"""Stands for every agent or life among the marks of a filing."""

_PLAIN = " !#$&()+,/:;<=>?@[]^`{}"

_NEVER = 'id == ""'


def token(text: str | None) -> str:
    r"""Return `text` as ASCII without quotes, backslashes, '*' and '|'; equal only for equal texts.

    Raises:
        UnicodeEncodeError: on half a surrogate pair, which is no text.

    >>> token("5 oak_planks"), token('say "木"'), token(None)
    ('5 oak_planks', 'say %22%E6%9C%A8%22', '%')
    """
    if text is None:
        return NOTHING
    said = quote(text, safe=_PLAIN)
    if len(said) <= TOKEN_CHARACTERS:
        return said
    return "%%" + hashlib.sha256(text.encode()).hexdigest()


def mark(agent: str | None, life: str | None, tag: str | None = None) -> str:
    """Return the mark by which a filing is found; None leaves the agent, the life or the tag open."""
    who = [ANYONE if one is None else token(one) for one in (agent, life)]
    return "|".join(who if tag is None else [*who, token(tag)])


def expression(where: Where | None) -> str:
    """Return the Milvus expression for `where`; a circle is asked as the square around it.

    Raises:
        UnicodeEncodeError: on a text with half a surrogate pair.
    """
    if where is None:
        return f"superseded_step == {FOREVER}"
    tests = [*_facets(where), *_times(where), *_place(where)]
    if where.tags or where.agent is not None or where.life is not None:
        marks = [mark(where.agent, where.life, tag) for tag in where.tags or (None,)]
        tests.append(f"array_contains_all(filed, [{_listed(marks)}])")
    return " and ".join(tests)


def inside(where: Where | None, x: float, z: float) -> bool:
    """Return whether a place lies in the circle that `where` asks for."""
    if where is None or where.near is None:
        return True
    east, south, radius = where.near
    return (x - east) * (x - east) + (z - south) * (z - south) <= radius * radius


def _facets(where: Where) -> list[str]:
    tests = []
    if where.success is not None:
        tests.append(f"success == {str(where.success).lower()}")
    if where.world is not None:
        tests.append(f'world == "{token(where.world)}"')
    several = (
        ("task", where.tasks),
        ("verb", where.verbs),
        ("product", where.products),
        ("biome", where.biomes),
    )
    for name, chosen in several:
        if chosen is not None:
            tests.append(f"{name} in [{_listed([token(one) for one in chosen])}]" if chosen else _NEVER)
    return tests


def _times(where: Where) -> list[str]:
    tests = [
        f"{test} {value}"
        for test, value in (("step >=", where.from_step), ("step <", where.before_step))
        if value is not None
    ]
    tests.extend(
        f"{test} {microseconds(value)}"
        for test, value in (("recorded >=", where.recorded_from), ("recorded <", where.recorded_before))
        if value is not None
    )
    if where.as_of is None:
        return [*tests, f"superseded_step == {FOREVER}"]
    return [*tests, f"valid_from <= {where.as_of}", f"superseded_step > {where.as_of}"]


def _place(where: Where) -> list[str]:
    if where.near is None:
        return []
    x, z, radius = where.near
    # One step outwards each, or rounding could cut off a place that `inside` lets in.
    return [
        f"{name} {test} {math.nextafter(edge, outwards)!r}"
        for name, middle in (("x", x), ("z", z))
        for test, edge, outwards in (
            (">=", middle - radius, -math.inf),
            ("<=", middle + radius, math.inf),
        )
    ]


def _listed(tokens: list[str]) -> str:
    return ", ".join(f'"{one}"' for one in tokens)
