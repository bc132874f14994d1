"""Descriptors of every kind that may be remembered, for hypothesis to choose from."""

from __future__ import annotations

from hypothesis import strategies as st

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Statement, Value
from csd.vocabulary import PREDICATES
from tests.csd.descriptors import EVIDENCE, meta

names = st.one_of(
    st.sampled_from(("oak_planks", "stick", "A", "B", "1", "oak_planks x3", "x x00012", "a x", "1e5", " ")),
    # Any Unicode plane, control characters too; halves of surrogate pairs are no text.
    st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=8),
)
values: st.SearchStrategy[Value] = st.one_of(
    names, st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.just("")
)


def statements(axis: Axis) -> st.SearchStrategy[tuple[Statement, ...]]:
    return st.lists(
        st.builds(
            Statement,
            subject=names,
            predicate=st.sampled_from(tuple(PREDICATES[axis])),
            value=values,
            evidence=st.just(EVIDENCE),
        ),
        max_size=4,
    ).map(tuple)


descriptors: st.SearchStrategy[Csd] = (
    st.fixed_dictionaries({axis.value: statements(axis) for axis in AXES})
    .filter(lambda axes: any(axes.values()))
    .map(lambda axes: Csd(meta=meta(), **axes))
)
