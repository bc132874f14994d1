from __future__ import annotations

import numpy as np
import pytest

from csd.encode import EncodeError, HashingEncoder
from echo.mfm.evidence.episode_text import LONGEST, episode_text
from echo.mfm.evidence.picture_vector import DIMENSION, picture_vector
from echo.mfm.evidence.similar import similar_pictures, similar_texts
from tests.mfm.evidence.small_memories import (
    foreign_life,
    foreign_row,
    half_picture,
    plain_picture,
    png,
    record,
)

GRASS, SKY, ROCK = (90, 160, 60), (110, 160, 230), (110, 110, 112)


class CountingEncoder(HashingEncoder):
    """Remembers which texts it was asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def encode(self, texts):
        self.asked += texts
        return super().encode(texts)


def names(found):
    return [one.row["id"] for one in found]


def test_a_picture_vector_has_unit_length_also_where_there_is_no_edge():
    for frame in (plain_picture(*GRASS), plain_picture(0, 0, 0), half_picture(GRASS, SKY)):
        vector = picture_vector(png(frame))
        assert (vector.shape, vector.dtype) == ((DIMENSION,), np.float32)
        assert float(vector @ vector) == pytest.approx(1.0, abs=1e-6)


def test_pictures_with_like_colours_in_like_places_are_nearest(tmp_path):
    record(
        tmp_path,
        [
            half_picture(GRASS, SKY),
            half_picture(SKY, GRASS),
            half_picture(GRASS, (100, 150, 220)),
            plain_picture(*ROCK),
        ],
    )
    found = similar_pictures(tmp_path, png(half_picture(GRASS, SKY)))
    assert names(found)[:2] == ["ep_000000", "ep_000002"]
    assert found[0].cosine == 1.0
    assert names(found)[-1] == "ep_000003"
    assert found[1].cosine > found[2].cosine


def test_equal_pictures_come_in_the_order_of_their_ids(tmp_path):
    record(tmp_path, [half_picture(GRASS, SKY) for _ in range(6)])
    assert names(similar_pictures(tmp_path, png(half_picture(GRASS, SKY)), limit=3)) == [
        "ep_000000",
        "ep_000001",
        "ep_000002",
    ]
    assert similar_pictures(tmp_path, png(plain_picture(*SKY)), limit=0) == []


def test_episodes_without_frame_take_no_part(tmp_path):
    record(tmp_path, [None, plain_picture(*SKY), None])
    assert names(similar_pictures(tmp_path, png(plain_picture(*SKY)))) == ["ep_000001"]


def test_an_episode_in_words_tells_summary_notes_deeds_and_gains_once():
    text = episode_text(
        {"summary": "wood: collect ok", "note": None},
        {
            "plan": "wood",
            "entry": {
                "procedure": None,
                "items": [
                    {"kind": "collect", "block": "oak_log", "code": "ok", "message": "1 oak_log"},
                    {"kind": "craft", "grid": [["oak_log", None]], "code": "no_result", "message": "a  knot"},
                ],
            },
        },
        {
            "notes": ["a  cave\nhere", "a cave here"],
            "inventory_delta": {"oak_log": 2, "stick": -1},
            "events": ["damage:1"],
        },
    )
    assert text == (
        "wood: collect ok. a cave here. collect oak log. craft oak log no result: a knot. "
        "+2 oak log. -1 stick. damage:1"
    )


@pytest.mark.parametrize(
    "odd", [None, 7, [1, {"a": 2}], {"items": 3}, "text", {"items": [None, {"kind": 4}]}]
)
def test_odd_documents_of_other_tools_are_told_as_far_as_they_are_words(odd):
    text = episode_text({"summary": odd}, {"plan": odd, "entry": odd}, {"notes": odd, "inventory_delta": odd})
    assert isinstance(text, str)


def test_words_of_an_episode_are_bounded_and_whole_unicode():
    text = episode_text({"summary": "\ud83c" + "x" * 5000}, {}, {})
    assert text == "?" + "x" * (LONGEST - 1)


def test_texts_nearest_to_the_question_come_first_and_are_embedded_once(tmp_path):
    record(tmp_path, [None, None, None])
    foreign = [
        foreign_row("ep_000009", summary="fell into lava and died"),
        foreign_row("ep_000010", summary="lava"),
    ]
    foreign_life(tmp_path / "previous/life_1", foreign, {})
    encoder = CountingEncoder()
    told = []
    found = similar_texts(
        tmp_path, "wood note 2", encoder=encoder, told=lambda done, total: told.append((done, total))
    )
    assert names(found)[0] == "ep_000002"
    assert told == [(3, 3)]
    assert len(encoder.asked) == 4, encoder.asked
    similar_texts(tmp_path, "wood note 2", encoder=encoder)
    assert len(encoder.asked) == 5
    earlier = similar_texts(tmp_path, "lava", encoder=encoder, previous=True)
    assert [(one.row["life"], one.row["id"]) for one in earlier] == [(1, "ep_000010"), (1, "ep_000009")]


def test_blank_questions_and_negative_limits_are_refused(tmp_path):
    record(tmp_path, [None])
    with pytest.raises(EncodeError, match="expected a text with visible characters"):
        similar_texts(tmp_path, "  ", encoder=HashingEncoder())
    with pytest.raises(ValueError, match="expected a limit of at least 0; got -1"):
        similar_texts(tmp_path, "x", encoder=HashingEncoder(), limit=-1)
    with pytest.raises(ValueError, match="expected a limit of at least 0; got -1"):
        similar_pictures(tmp_path, png(plain_picture(*SKY)), limit=-1)


def test_a_memory_without_episodes_has_nothing_similar(tmp_path):
    foreign_life(tmp_path / "memory", [], {})
    assert similar_texts(tmp_path / "memory", "wood", encoder=HashingEncoder()) == []
    assert similar_pictures(tmp_path / "memory", png(plain_picture(*SKY))) == []


def test_a_blank_summary_and_no_documents_leave_an_episode_out(tmp_path):
    foreign_life(
        tmp_path / "memory",
        [foreign_row("ep_000001", summary=" "), foreign_row("ep_000002", summary="a")],
        {},
    )
    assert names(similar_texts(tmp_path / "memory", "a", encoder=HashingEncoder())) == ["ep_000002"]


def test_the_model_of_the_project_finds_by_meaning_not_by_letters(tmp_path):
    summaries = ["dug stone and iron ore", "struck a cow and ate beef", "slept through the night"]
    rows = [foreign_row(f"ep_00000{number}", summary=text) for number, text in enumerate(summaries)]
    foreign_life(tmp_path / "memory", rows, {})
    for question, first in (("getting food", "ep_000001"), ("mining", "ep_000000"), ("rest", "ep_000002")):
        assert names(similar_texts(tmp_path / "memory", question, limit=1)) == [first]
