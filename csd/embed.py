"""From descriptors and queries to vectors, an axis at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from csd.axes import AXES, Axis, known_order
from csd.descriptor import Csd
from csd.encode import Encoder
from csd.protocol import Query
from csd.render import FORMAT, render_axis
from csd.score import Vector
from csd.store.file import Identity


def embed_descriptors(csds: Sequence[Csd], encoder: Encoder) -> list[dict[Axis, Vector]]:
    """Return the vectors of each descriptor, in canonical axis order, without the empty axes.

    Texts that occur several times are encoded once, all in one call.
    """
    texts = [{axis: text for axis in AXES if (text := render_axis(csd, axis))} for csd in csds]
    distinct = list(dict.fromkeys(text for said in texts for text in said.values()))
    encoded = dict(zip(distinct, encoder.encode(distinct), strict=True))
    return [{axis: encoded[text] for axis, text in said.items()} for said in texts]


def embed_query(query: Query, encoder: Encoder) -> dict[Axis, Vector]:
    """Return the vectors of what is asked: given ones as they are, texts encoded, blank texts left out.

    Raises:
        ValueError: on a name that is no axis, or what is neither a text nor a vector.
    """
    if isinstance(query, Csd):
        query = {axis: render_axis(query, axis) for axis in AXES}
    check_axes(query)
    texts = {axis: said for axis, said in query.items() if isinstance(said, str) and said.strip()}
    given = {axis: said for axis, said in query.items() if not isinstance(said, str)}
    for axis, said in given.items():
        if np.ndim(said) == 0:
            raise ValueError(
                f"expected a text or a vector on axis {axis}; got {said!r}. "
                f"Leave out an axis that is not asked."
            )
    return {**given, **dict(zip(texts, encoder.encode(list(texts.values())), strict=True))}


def check_axes(names: Iterable[str]) -> None:
    """Refuse names that are no axes.

    Raises:
        ValueError: naming them.
    """
    unknown = [str(name) for name in names if name not in AXES]
    if unknown:
        raise ValueError(f"expected axes out of {', '.join(known_order())}; got {', '.join(unknown)}.")


def identity_for(encoder: Encoder) -> Identity:
    """Return what the vectors of a bank that `encoder` fills are made with."""
    return Identity(encoder=encoder.name, dimension=encoder.dimension, rendering=FORMAT)
