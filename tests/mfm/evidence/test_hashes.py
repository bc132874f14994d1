from __future__ import annotations

import json

import numpy as np
import pytest
from PIL import Image

from echo.mfm.evidence.hashes import BITS, SAME, bits_apart, same_screen, screen_hash
from echo.mfm.evidence.pictures import png_bytes
from echo.mfm.layout import IMAGE, MfmError
from echo.mfm.options import MemoryOptions, save_options
from tests.mfm.evidence.small_memories import (
    foreign_life,
    foreign_row,
    half_picture,
    plain_picture,
    png,
    record,
)

LIGHT, DARK = (250, 250, 250), (10, 10, 10)
HALVES = half_picture(DARK, LIGHT)
RISING = np.broadcast_to(np.arange(0, 256, 16, dtype=np.uint8)[None, :, None], (16, 16, 3)).copy()
FALLING = RISING[:, ::-1].copy()


def ids(rows):
    return [row["id"] for row in rows]


def test_the_bits_say_where_brightness_rises_how_blue_and_red_it_is_and_how_bright():
    bits = f"{int(screen_hash(png(HALVES)), 16):0{BITS}b}"
    # Nine columns out of 16 pixels: the fifth holds both halves, so brightness rises into it and out of it.
    assert bits[:64] == "00011000" * 8
    assert bits[64:128] == "0" * 64
    # Grey has Cb = Cr = 128: above the first two bounds of three, in each of 16 parts.
    assert bits[128:224] == ("1" * 32 + "0" * 16) * 2
    # Two of four columns of parts are light: above both bounds.
    assert bits[224:] == "0011" * 8


def test_even_screens_are_told_apart_by_their_colour_and_brightness():
    red, blue, black, white = (
        screen_hash(png(plain_picture(*colour)))
        for colour in ((200, 60, 60), (60, 60, 200), (0, 0, 0), (255, 255, 255))
    )
    assert bits_apart(black, white) == 32
    assert bits_apart(red, blue) > SAME


def test_size_and_format_of_the_file_do_not_matter():
    large = Image.fromarray(RISING).resize((160, 160), Image.Resampling.NEAREST)
    assert screen_hash(png_bytes(large)) == screen_hash(png(RISING))


def test_same_screen_finds_equal_and_nearly_equal_frames_in_order(tmp_path):
    nearly = RISING.copy()
    nearly[14:, 14:] = (200, 0, 0)
    record(tmp_path, [RISING, FALLING, nearly, None, RISING])
    stored = tmp_path / "episodes/ep_000000/observation/image.png"
    assert ids(same_screen(tmp_path, stored)) == ["ep_000000", "ep_000002", "ep_000004"]
    assert ids(same_screen(tmp_path, png(FALLING))) == ["ep_000001"]
    assert same_screen(tmp_path, png(plain_picture(0, 200, 0))) == []


def test_frames_recorded_later_are_caught_up_with(tmp_path):
    record(tmp_path, [RISING])
    assert ids(same_screen(tmp_path, png(RISING))) == ["ep_000000"]
    from echo.mfm.episodic.recorder import Recorder
    from tests.mfm.episodic.sample_steps import collect_log, seen

    with Recorder.open(tmp_path, source="test") as recorder:
        recorder.write(goal="wood", steps=[collect_log(1, frame=RISING)], after=seen(2))
    assert ids(same_screen(tmp_path, png(RISING))) == ["ep_000000", "ep_000001"]


def test_a_frame_is_known_by_its_hash_in_the_index_though_its_bits_differ(tmp_path):
    record(tmp_path, [RISING])
    stored = (tmp_path / "episodes/ep_000000/observation/image.png").read_bytes()
    (tmp_path / "episodes/ep_000000/observation/image.png").write_bytes(png(FALLING))
    assert ids(same_screen(tmp_path, stored)) == ["ep_000000"]


def test_an_unreadable_frame_is_left_out_with_a_warning_and_comes_back_when_restored(tmp_path, caplog):
    record(tmp_path, [RISING, RISING])
    torn = tmp_path / "episodes/ep_000001/observation/image.png"
    whole = torn.read_bytes()
    torn.unlink()
    torn.write_bytes(whole[:30])
    assert ids(same_screen(tmp_path, png(RISING))) == ["ep_000000"]
    assert "1 episodes of" in caplog.text
    assert "expected a picture in the frame of ep_000001" in caplog.text
    torn.write_bytes(whole)
    assert ids(same_screen(tmp_path, png(RISING))) == ["ep_000000", "ep_000001"]


@pytest.mark.parametrize("joined", [True, False], ids=["previous/index.jsonl", "life folders"])
def test_earlier_lives_are_looked_through_when_asked(tmp_path, joined):
    record(tmp_path, [RISING])
    for life in (1, 2):
        foreign_life(
            tmp_path / f"previous/life_{life}",
            [foreign_row("ep_000003")],
            {"ep_000003": {"observation/image.png": png(RISING)}},
        )
    if joined:
        told = [
            {"id": "ep_000003", "life": life, "image": f"previous/life_{life}/episodes/ep_000003/{IMAGE}"}
            for life in (1, 2)
        ]
        (tmp_path / "previous/index.jsonl").write_text("".join(json.dumps(row) + "\n" for row in told))
    found = same_screen(tmp_path, png(RISING), previous=True)
    assert [(row["life"], row["id"]) for row in found] == [(1, "ep_000003"), (2, "ep_000003")]
    assert found[0]["image"] == "previous/life_1/episodes/ep_000003/observation/image.png"


def test_nothing_to_compare_with_or_by_is_an_error(tmp_path):
    record(tmp_path, [None, None])
    with pytest.raises(MfmError, match=r"expected frames to compare with in .*, got none"):
        same_screen(tmp_path, png(RISING))
    with pytest.raises(MfmError, match=r"expected a picture at .*none\.png, got no file"):
        same_screen(tmp_path, tmp_path / "none.png")
    with pytest.raises(MfmError, match="got something unreadable"):
        same_screen(tmp_path, b"no picture")
    save_options(tmp_path, MemoryOptions(frames=False))
    with pytest.raises(MfmError, match="frames are switched off"):
        same_screen(tmp_path, png(RISING))


def test_a_deleted_or_damaged_cache_is_made_anew(tmp_path):
    record(tmp_path, [RISING])
    same_screen(tmp_path, png(RISING))
    (tmp_path / "cache/screens.db").write_bytes(b"damaged" * 100)
    assert ids(same_screen(tmp_path, png(RISING))) == ["ep_000000"]


def test_a_restored_frame_of_an_earlier_life_is_found_too(tmp_path):
    record(tmp_path, [None])
    foreign_life(tmp_path / "previous/life_1", [foreign_row("ep_000003")], {"ep_000003": {IMAGE: b"torn"}})
    with pytest.raises(MfmError, match="expected frames to compare with in the earlier lives of"):
        same_screen(tmp_path, png(RISING), previous=True)
    (tmp_path / "previous/life_1/episodes/ep_000003" / IMAGE).write_bytes(png(RISING))
    assert ids(same_screen(tmp_path, png(RISING), previous=True)) == ["ep_000003"]
