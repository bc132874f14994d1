import contextlib
import io
import zlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from echo.mfm.episodic.frames import CODECS, EXACT, encode_frame, picture_names, read_picture
from echo.mfm.episodic.reader import read_frame
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import MfmError
from tests.mfm.episodic.sample_steps import craft_planks, picture, seen


def slope() -> np.ndarray:
    """A picture without sharp edges, which lossy codecs keep nearly."""
    rows, columns = np.mgrid[0:16, 0:24].astype(np.uint8)
    return np.stack([rows * 8, columns * 8, rows * 4 + columns * 4], axis=-1)


def saved(path: Path, image: Image.Image, **options: object) -> Path:
    image.save(path, **options)
    return path


@pytest.mark.parametrize("codec", sorted(EXACT))
def test_exact_codecs_bring_every_pixel_back(tmp_path, codec):
    (tmp_path / "image").write_bytes(encode_frame(picture(5), codec))
    assert (read_picture(tmp_path / "image") == picture(5)).all()


@pytest.mark.parametrize("codec", ["webp-lossy", "jpeg"])
def test_lossy_codecs_bring_pixels_back_nearly(tmp_path, codec):
    (tmp_path / "image").write_bytes(encode_frame(slope(), codec))
    back = read_picture(tmp_path / "image")
    assert back.shape == (16, 24, 3)
    assert np.abs(back.astype(int) - slope()).mean() < 6
    assert (back != slope()).any()


@pytest.mark.parametrize(
    ("codec", "file"),
    [("png", "image.png"), ("webp", "image.webp"), ("webp-lossy", "image.webp"), ("jpeg", "image.jpg")],
)
def test_the_row_names_the_file_and_the_frame_is_read_whatever_the_codec(tmp_path, codec, file):
    with Recorder.open(tmp_path, source="s", codec=codec, frames="all") as recorder:
        name = recorder.write(
            goal="g", steps=[craft_planks(0, frame=slope())], after=seen(1, frame=slope()[::-1])
        )
    row = (tmp_path / "index.jsonl").read_text()
    assert f'"image": "episodes/{name}/observation/{file}"' in row
    assert np.abs(read_frame(tmp_path, name, 0).astype(int) - slope()).mean() < 6
    assert np.abs(read_frame(tmp_path, name, 1).astype(int) - slope()[::-1]).mean() < 6
    with Recorder.open(tmp_path, source="s") as recorder:
        assert recorder.mend.clean


def test_an_unknown_codec_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"expected a codec of png, webp, webp-lossy, jpeg, got 'gif'"):
        Recorder.open(tmp_path, source="s", codec="gif")


def test_a_frame_longer_than_the_format_can_say_is_refused_when_it_is_handed_over(tmp_path):
    long = np.zeros((1, 16_384, 3), np.uint8)
    with (
        Recorder.open(tmp_path, source="s", codec="webp", background=True) as recorder,
        pytest.raises(ValueError, match=r"16383 a side for webp, got 1 x 16384"),
    ):
        recorder.write(goal="g", steps=[craft_planks(0, frame=long)], after=seen(1))
    assert list((tmp_path / "episodes").iterdir()) == []


def test_every_name_of_a_picture_is_looked_for():
    assert picture_names(3) == (
        "observation/image_0003.png",
        "observation/image_0003.webp",
        "observation/image_0003.jpg",
    )


@pytest.mark.parametrize("mode", ["L", "P", "1"])
def test_grey_and_palette_pictures_become_rgb(tmp_path, mode):
    path = saved(tmp_path / "image.png", Image.fromarray(slope()).convert(mode))
    assert (read_picture(path) == np.asarray(Image.open(path).convert("RGB"))).all()


def test_a_picture_whose_alpha_hides_nothing_is_read(tmp_path):
    path = saved(tmp_path / "image.png", Image.fromarray(slope()).convert("RGBA"))
    assert (read_picture(path) == slope()).all()


def half_clear() -> Image.Image:
    image = Image.fromarray(slope()).convert("RGBA")
    image.putpixel((0, 0), (1, 2, 3, 128))
    return image


def sixteen_bits() -> bytes:
    """A PNG of one RGB pixel with sixteen bits a colour, put together by hand."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return len(data).to_bytes(4) + kind + data + zlib.crc32(kind + data).to_bytes(4)

    head = (1).to_bytes(4) + (1).to_bytes(4) + bytes([16, 2, 0, 0, 0])
    rows = zlib.compress(b"\0" + bytes(6))
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")


def bomb() -> bytes:
    """A PNG that says it has 60,000 x 60,000 pixels, and holds hardly any."""
    whole = bytearray(encode_frame(picture(1)))
    whole[16:24] = (60_000).to_bytes(4) * 2
    whole[29:33] = zlib.crc32(bytes(whole[12:29])).to_bytes(4)
    return bytes(whole)


def as_bytes(image: Image.Image, kind: str, **options: object) -> bytes:
    written = io.BytesIO()
    image.save(written, kind, **options)
    return written.getvalue()


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b"", "something unreadable"),
        (b"not a picture", "something unreadable"),
        (encode_frame(picture(1))[:-40], "something unreadable"),
        (encode_frame(picture(1), "webp")[:-40], "something unreadable"),
        (encode_frame(picture(1), "jpeg")[:-60], "something unreadable"),
        (bomb(), "pixels"),
        (sixteen_bits(), "sixteen bits a colour"),
        (as_bytes(Image.new("I;16", (4, 4)), "PNG"), "sixteen bits a colour"),
        (as_bytes(Image.new("CMYK", (4, 4)), "JPEG"), "a picture of mode CMYK"),
        (as_bytes(half_clear(), "PNG"), "partly transparent"),
        (as_bytes(Image.new("RGB", (4, 4)), "GIF"), "something unreadable"),
        (
            as_bytes(
                Image.new("RGB", (4, 4)),
                "WEBP",
                save_all=True,
                append_images=[Image.new("RGB", (4, 4), "red")],
            ),
            "an animation",
        ),
        (
            as_bytes(
                Image.new("RGB", (4, 4)),
                "PNG",
                save_all=True,
                append_images=[Image.new("RGB", (4, 4), "red")],
            ),
            "an animation",
        ),
    ],
    ids=[
        "empty",
        "text",
        "cut-png",
        "cut-webp",
        "cut-jpeg",
        "bomb",
        "rgb48",
        "grey16",
        "cmyk",
        "clear",
        "gif",
        "moving-webp",
        "moving-png",
    ],
)
def test_a_picture_that_cannot_be_taken_is_an_error_that_says_why(tmp_path, data, told):
    path = tmp_path / "image.png"
    path.write_bytes(data)
    with pytest.raises(MfmError, match=f"expected a PNG picture in .*image.png, got .*{told}.*state.json"):
        read_picture(path)


def test_a_folder_or_a_file_that_is_too_large_is_no_picture(tmp_path):
    with pytest.raises(MfmError, match="got no file of bytes"):
        read_picture(tmp_path)
    huge = tmp_path / "image.jpg"
    with huge.open("wb") as file:
        file.truncate(2**28 + 1)
    with pytest.raises(MfmError, match=r"expected a JPEG picture in .*image.jpg, got 268435457 bytes"):
        read_picture(huge)


@settings(max_examples=150, deadline=None)
@given(
    codec=st.sampled_from(CODECS),
    places=st.lists(st.tuples(st.floats(0, 0.999), st.integers(0, 255)), max_size=4),
    cut=st.floats(0, 1),
)
def test_damaged_bytes_give_a_picture_or_an_mfm_error_and_nothing_else(tmp_path_factory, codec, places, cut):
    data = bytearray(encode_frame(slope(), codec))
    for place, value in places:
        data[int(place * len(data))] = value
    path = tmp_path_factory.getbasetemp() / f"damaged-{codec}"
    path.write_bytes(data[: int(cut * len(data))])
    with contextlib.suppress(MfmError):
        assert read_picture(path).ndim == 3
