from __future__ import annotations

import numpy as np
import pytest

from csd.axes import AXES, Axis
from csd.descriptor import Csd, Evidence, Meta, Statement
from echo.baselines.bow import BagLikeness

SEEN = (Evidence(episode="ep_000001", step=0, kind="outcome"),)


def saying(product: str | None = None, **said: tuple[tuple[str, str, str | bool], ...]) -> Csd:
    """Return a descriptor with (subject, predicate, value) on each named axis."""
    return Csd(
        meta=Meta(
            task="try",
            success=True,
            product=product,
            verb="craft",
            position=(0.0, 64.0, 0.0),
            step=0,
            tick=0,
            biome="page",
            objects=(),
            world="toy",
            builder="test/1",
            episodes=("ep_000001",),
        ),
        **{
            axis: tuple(
                Statement(subject=subject, predicate=predicate, value=value, evidence=SEEN)
                for subject, predicate, value in triples
            )
            for axis, triples in said.items()
        },
    )


def likeness(source: BagLikeness, *items: str) -> tuple[np.ndarray, np.ndarray]:
    found = source.likeness(items)
    assert found.channels == ("bow",)
    return found.similarity[0], found.evidence[0]


def test_it_is_the_cosine_of_raw_word_counts_over_five():
    source = BagLikeness()
    source.remember(saying(attr=(("log", "colour", "brown"),)))
    source.remember(saying(attr=(("dirt", "colour", "brown"),)))
    alike, evidence = likeness(source, "log", "dirt")
    # "log is brown" and "dirt is brown" share two words of three, on one axis of five.
    assert alike[0, 1] == pytest.approx((2 / 3) / 5)
    assert evidence.tolist() == [[1.0, 1.0], [1.0, 1.0]]


def test_words_count_as_often_as_they_occur():
    source = BagLikeness()
    source.remember(saying(attr=(("log", "colour", "brown"),)))
    source.remember(saying(attr=(("log", "colour", "dark"),)))
    source.remember(saying(attr=(("dirt", "colour", "dark"),)))
    alike, _ = likeness(source, "log", "dirt")
    # log: log 2, is 2, brown 1, dark 1; dirt: dirt 1, is 1, dark 1.
    assert alike[0, 1] == pytest.approx(3 / (10**0.5 * 3**0.5) / 5)


def test_axes_are_compared_apart_and_added_up():
    source = BagLikeness()
    source.remember(saying(attr=(("log", "colour", "brown"),), func=(("log", "plays", "fuel"),)))
    source.remember(saying(attr=(("dirt", "colour", "brown"),), func=(("dirt", "plays", "fuel"),)))
    alike, _ = likeness(source, "log", "dirt")
    assert alike[0, 1] == pytest.approx(2 * (2 / 3) / 5)


def test_things_of_one_descriptor_share_all_its_words():
    source = BagLikeness()
    source.remember(saying(attr=(("log", "colour", "brown"), ("dirt", "colour", "dark"))))
    alike, _ = likeness(source, "log", "dirt")
    assert alike[0, 1] == pytest.approx(1 / 5)


def test_the_product_is_spoken_of_though_it_is_no_subject():
    source = BagLikeness()
    source.remember(saying(product="plank", attr=(("log", "colour", "brown"),)))
    _, evidence = likeness(source, "log", "plank")
    assert evidence[0, 1] == 1.0


def test_of_an_item_without_text_nothing_is_known():
    source = BagLikeness()
    source.remember(saying(attr=(("log", "colour", "brown"),)))
    alike, evidence = likeness(source, "log", "gold")
    assert alike.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert evidence.tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_hundreds_of_items_and_words_find_their_place():
    source = BagLikeness()
    for n in range(300):
        source.remember(saying(attr=((f"item{n}", "colour", f"shade{n // 2}"),)))
    alike, _ = likeness(source, "item0", "item1", "item2", "item299")
    assert alike[0, 1] == pytest.approx((2 / 3) / 5)
    assert alike[0, 2] == pytest.approx((1 / 3) / 5)
    assert alike[2, 3] == pytest.approx((1 / 3) / 5)


def test_all_five_axes_are_read():
    for axis, predicate in zip(AXES, ("part", "colour", "made_by", "plays", "station"), strict=True):
        source = BagLikeness()
        source.remember(saying(**{axis.value: (("log", predicate, "a"), ("dirt", predicate, "a"))}))
        assert likeness(source, "log", "dirt")[0][0, 1] == pytest.approx(1 / 5)
    assert AXES[0] is Axis.STRUCT
