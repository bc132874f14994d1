from __future__ import annotations

import io
import zlib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from echo.mfm.episodic.frames import decode_picture
from echo.mfm.evidence.pictures import frame_bytes, frame_files, open_picture, row_picture
from echo.mfm.layout import MfmError
from echo.mfm.options import MemoryOptions, save_options
from tests.mfm.evidence.small_memories import foreign_life, foreign_row, plain_picture, png, record

RED, BLUE = (200, 10, 20), (10, 20, 200)


def file_of(picture: Image.Image, kind: str = "PNG", **more: object) -> bytes:
    written = io.BytesIO()
    picture.save(written, kind, **more)
    return written.getvalue()


def pixel(data: bytes) -> tuple[int, int, int]:
    return open_picture(data, "it").getpixel((0, 0))


def test_a_frame_comes_back_as_it_is_stored(tmp_path):
    record(tmp_path, [plain_picture(*RED), None, plain_picture(*BLUE)])
    stored = (tmp_path / "episodes/ep_000002/observation/image.png").read_bytes()
    assert frame_bytes(tmp_path, "ep_000002") == stored
    assert pixel(stored) == BLUE
    assert frame_bytes(tmp_path, "ep_000001") is None
    assert frame_bytes(tmp_path, "ep_000002", 1) is None


def test_a_frame_of_an_earlier_life_is_found_with_and_without_the_life(tmp_path):
    record(tmp_path, [plain_picture(*RED)])
    for life, colour in ((1, RED), (2, BLUE)):
        files = {"observation/image.png": png(plain_picture(*colour))}
        foreign_life(tmp_path / f"previous/life_{life}", [foreign_row("ep_000007")], {"ep_000007": files})
    assert pixel(frame_bytes(tmp_path, "life_1/ep_000007")) == RED
    assert pixel(frame_bytes(tmp_path, "ep_000007")) == BLUE
    with pytest.raises(MfmError, match=r"got 'life_3/ep_000007', which has no folder there"):
        frame_bytes(tmp_path, "life_3/ep_000007")


@pytest.mark.parametrize(
    "name", ["../ep_000000", "ep_0", "life_1/../ep_000000", "/ep_000000", "", "ep_000000/"]
)
def test_what_is_no_episode_id_is_refused(tmp_path, name):
    record(tmp_path, [None])
    with pytest.raises(MfmError, match="expected an episode id such as 'ep_000012'"):
        frame_bytes(tmp_path, name)


def test_a_memory_without_frames_says_so(tmp_path):
    record(tmp_path, [plain_picture(*RED)])
    save_options(tmp_path, MemoryOptions(frames=False))
    with pytest.raises(MfmError, match="in which frames are switched off"):
        frame_bytes(tmp_path, "ep_000000")


def test_a_row_may_not_name_a_picture_outside_its_memory(tmp_path):
    for image in ("../secret.png", "/etc/passwd", "episodes/../../x.png", 7, ""):
        with pytest.raises(MfmError, match="expected a picture within the memory for 'ep_000001'"):
            row_picture(tmp_path, {"id": "ep_000001", "image": image})
    assert row_picture(tmp_path, {"id": "ep_000001", "image": None}) is None


def test_pictures_of_an_episode_are_ordered_by_step_whatever_their_format(tmp_path):
    folder = tmp_path / "observation"
    folder.mkdir()
    for name in ("image_0010.png", "image_0002.webp", "image.jpg", "image_0002.png", "image_2.png", "x.png"):
        (folder / name).touch()
    assert {place: path.name for place, path in frame_files(tmp_path).items()} == {
        0: "image.jpg",
        2: "image_0002.png",
        10: "image_0010.png",
    }


def test_pictures_of_every_kind_become_rgb():
    grey16 = Image.fromarray(np.full((4, 4), 0x8040, dtype=np.uint16))
    clear = Image.new("RGBA", (4, 4), (200, 10, 20, 0))
    palette = Image.new("RGB", (4, 4), RED).quantize(4)
    frames = [Image.new("RGB", (4, 4), colour) for colour in (RED, BLUE)]
    assert pixel(file_of(grey16)) == (0x80, 0x80, 0x80)
    assert pixel(file_of(clear)) == (255, 255, 255)
    assert pixel(file_of(palette)) == RED
    assert pixel(file_of(frames[0], "GIF", save_all=True, append_images=frames[1:])) == RED
    assert pixel(file_of(Image.new("1", (4, 4), 1))) == (255, 255, 255)
    assert pixel(file_of(Image.new("LA", (4, 4), (80, 255)))) == (80, 80, 80)
    assert pixel(file_of(Image.new("RGB", (4, 4), RED), "WEBP", lossless=True)) == RED


@pytest.mark.parametrize("cut", [0, 4, 20, 60])
def test_a_cut_off_picture_is_an_error_that_names_it(cut):
    data = file_of(Image.fromarray(np.random.default_rng(0).integers(0, 256, (9, 9, 3), dtype=np.uint8)))
    with pytest.raises(MfmError, match="expected a picture in the frame of ep_000003, got something unread"):
        open_picture(data[:cut], "the frame of ep_000003")


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("side", [9000, 10_000])
def test_a_picture_that_unpacks_to_too_much_is_refused_before_it_is_and_pillow_says_nothing(side):
    header = b"\0\0\0\rIHDR" + side.to_bytes(4) * 2 + b"\x08\x02\0\0\0"
    huge = (
        b"\x89PNG\r\n\x1a\n" + header + zlib.crc32(header[4:]).to_bytes(4) + b"\0\0\0\0IDAT\x35\xaf\x06\x1e"
    )
    with pytest.raises(
        MfmError, match=f"expected a picture of at most 67,108,864 pixels, got {side}x{side} in it"
    ):
        open_picture(huge, "it")
    with pytest.raises(MfmError, match=f"got {side} x {side} pixels, more than 67108864"):
        decode_picture(huge, Path("image.png"))
