from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from csd.encode import HashingEncoder, load_encoder
from echo.baselines.names import NameLikeness, shrunk_to_covariance


class Angles:
    """Encodes a name as a direction in the plane: its length in letters times 60 degrees."""

    name = "angles"
    dimension = 2

    def __init__(self) -> None:
        self.asked: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.asked += texts
        turns = np.radians([60.0 * len(text) for text in texts])
        return np.stack([np.cos(turns), np.sin(turns)], axis=1).astype(np.float32).reshape(len(texts), 2)


def test_likeness_is_the_cosine_of_the_names_written_as_words():
    encoder = Angles()
    found = NameLikeness(encoder).likeness(("oak_a", "oak_bb"))
    assert encoder.asked == ["oak a", "oak bb"]
    assert found.channels == ("name",)
    assert np.allclose(found.similarity[0], [[1.0, 0.5], [0.5, 1.0]])
    assert np.array_equal(found.evidence[0], np.ones((2, 2)))


def test_a_name_is_encoded_once():
    encoder = Angles()
    source = NameLikeness(encoder)
    source.likeness(("a", "bb"))
    source.likeness(("a", "bb", "ccc"))
    source.likeness(("a", "bb", "ccc"))
    assert encoder.asked == ["a", "bb", "ccc"]


def test_opposite_names_are_not_less_than_unlike():
    found = NameLikeness(Angles()).likeness(("a", "bbbb"))
    assert np.allclose(found.similarity[0], np.eye(2))


def test_spelling_alike_is_being_alike():
    found = NameLikeness(HashingEncoder()).likeness(("oak_planks", "birch_planks", "furnace"))
    assert found.similarity[0, 0, 1] > found.similarity[0, 0, 2]


def test_the_default_encoder_finds_wood_nearer_to_wood_than_to_a_fish():
    source = NameLikeness(load_encoder("minilm-int8"))
    found = source.likeness(("oak_planks", "spruce_log", "cooked_salmon"))
    assert found.similarity[0, 0, 1] > found.similarity[0, 0, 2] + 0.1


def test_names_that_say_nothing_have_no_kind():
    assert NameLikeness(Angles()).kind("oak_planks") is None


def test_a_chain_of_likeness_shrinks_until_it_can_hold():
    # One is like two and two like three, but one and three share nothing: impossible above 1/sqrt(2).
    chain = np.array([[1.0, 0.9, 0.0], [0.9, 1.0, 0.9], [0.0, 0.9, 1.0]])
    lacking = 0.9 * 2**0.5 - 1
    assert np.linalg.eigvalsh(chain).min() == pytest.approx(-lacking)
    shrunk = shrunk_to_covariance(chain)
    assert shrunk[0].tolist() == pytest.approx([1.0, 0.9 / (1 + lacking), 0.0])
    assert np.linalg.eigvalsh(shrunk).min() > -1e-12


@given(
    st.integers(2, 7).flatmap(
        lambda n: st.lists(st.floats(0.0, 1.0), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2)
    )
)
def test_whatever_goes_in_comes_out_as_a_likeness(values):
    n = next(n for n in range(2, 8) if n * (n - 1) // 2 == len(values))
    matrix = np.eye(n)
    matrix[np.triu_indices(n, 1)] = values
    found = shrunk_to_covariance(matrix + np.triu(matrix, 1).T)
    assert np.allclose(found, found.T)
    assert np.allclose(np.diag(found), 1.0)
    assert found.min() >= 0.0
    assert found.max() <= 1.0 + 1e-12
    assert np.linalg.eigvalsh(found).min() > -1e-9
