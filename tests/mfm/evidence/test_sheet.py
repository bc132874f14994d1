from __future__ import annotations

import numpy as np
import pytest

from echo.mfm.evidence.pictures import open_picture
from echo.mfm.evidence.sheet import MOST_TILES, TILE, Tile, tiles, write_sheet
from echo.mfm.evidence.then_now import NO_QUESTION, SIDE, NoFrame, write_then_now
from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import MfmError
from echo.mfm.options import MemoryOptions, save_options
from tests.mfm.evidence.small_memories import foreign_life, foreign_row, plain_picture, png, record

RED, GREEN, BLUE = (200, 0, 0), (0, 200, 0), (0, 0, 200)
GAP, STRIP = 8, 49
"""Of a sheet: between squares, and below them for three lines of text."""


def pixels(path) -> np.ndarray:
    return np.asarray(open_picture(path.read_bytes(), "it"))


def middle(sheet: np.ndarray, across: int, down: int, side: int = TILE) -> tuple[int, ...]:
    x, y = GAP + across * (side + GAP) + side // 4, GAP + down * (side + STRIP + GAP) + side // 4
    return tuple(sheet[y, x].tolist())


def test_a_sheet_shows_frames_row_by_row_in_their_order_with_text_below(tmp_path):
    colours = [RED, GREEN, BLUE, *[(number, number, number) for number in range(100, 107)]]
    record(tmp_path / "memory", [plain_picture(*colour) for colour in colours])
    told = tiles(tmp_path / "memory", MemoryFolder(tmp_path / "memory").rows())
    assert told[2].title == "ep_000002"
    assert told[2].lines == ("steps 3-3", "(2.0, 0.0)")
    write_sheet(tmp_path / "sheet.png", told)
    sheet = pixels(tmp_path / "sheet.png")
    assert sheet.shape == (2 * (TILE + STRIP + GAP) + GAP, 8 * (TILE + GAP) + GAP, 3)
    shown = [middle(sheet, number % 8, number // 8) for number in range(10)]
    assert shown == colours
    for number in range(10):
        y = GAP + number // 8 * (TILE + STRIP + GAP) + TILE
        assert sheet[y : y + STRIP, GAP + number % 8 * (TILE + GAP) :][:, :60].max() > 200


def test_episodes_without_a_readable_frame_keep_their_place(tmp_path):
    root = tmp_path / "memory"
    record(root, [plain_picture(*RED), None, plain_picture(*GREEN), plain_picture(*BLUE)])
    torn = root / "episodes/ep_000002/observation/image.png"
    torn.unlink()
    torn.write_bytes(b"\x89PNG torn")
    (root / "episodes/ep_000003/observation/image.png").unlink()
    told = tiles(root, MemoryFolder(root).rows())
    assert [(tile.picture is None, tile.missing) for tile in told] == [
        (False, "no frame"),
        (True, "no frame"),
        (False, "no frame"),
        (True, "frame unreadable"),
    ]
    write_sheet(tmp_path / "sheet.png", told)
    sheet = pixels(tmp_path / "sheet.png")
    assert middle(sheet, 0, 0) == RED
    assert middle(sheet, 1, 0) == middle(sheet, 2, 0) == middle(sheet, 3, 0)


def test_a_memory_without_frames_makes_a_sheet_that_says_so(tmp_path):
    record(tmp_path, [plain_picture(*RED)])
    save_options(tmp_path, MemoryOptions(frames=False))
    assert [tile.missing for tile in tiles(tmp_path, MemoryFolder(tmp_path).rows())] == ["frames off"]


def test_a_long_list_is_bounded_and_its_ends_are_shown(tmp_path):
    frames = [png(plain_picture(number % 256, 0, 0, size=2)) for number in range(300)]
    write_sheet(
        tmp_path / "sheet.png",
        [Tile(title=str(n), lines=("steps ?",), picture=f) for n, f in enumerate(frames)],
    )
    sheet = pixels(tmp_path / "sheet.png")
    side, strip = 128, 34
    assert sheet.shape == (10 * (side + strip + GAP) + GAP, 12 * (side + GAP) + GAP, 3)

    def shown(place):
        y = GAP + place // 12 * (side + strip + GAP) + side // 2
        return sheet[y, GAP + place % 12 * (side + GAP) + 20].tolist()

    assert shown(0) == [0, 0, 0]
    assert shown(59) == [59, 0, 0]
    assert shown(60) == [58, 58, 62]
    assert shown(MOST_TILES - 1) == [299 % 256, 0, 0]


def test_frames_that_a_sheet_leaves_out_are_not_read(tmp_path):
    record(tmp_path, [plain_picture(*RED)])
    told = tiles(tmp_path, list(MemoryFolder(tmp_path).rows()) * 200)
    read = [place for place, tile in enumerate(told) if tile.picture is not None]
    assert read == [*range(60), *range(200 - 59, 200)]


def test_pictures_of_odd_shapes_and_titles_in_any_script_fit(tmp_path):
    wide = np.zeros((1, 3000, 3), dtype=np.uint8)
    tall = np.zeros((3000, 1, 3), dtype=np.uint8)
    odd = [
        Tile(title=title, lines=(), picture=png(frame))
        for title, frame in (("\u6797\ud800\n\x1b", wide), ("x" * 500, tall))
    ]
    write_sheet(tmp_path / "sheet.png", odd)
    assert pixels(tmp_path / "sheet.png").shape == (TILE + 19 + 2 * GAP, 2 * (TILE + GAP) + GAP, 3)


def test_a_sheet_of_nothing_and_a_folder_in_its_place_are_errors(tmp_path):
    with pytest.raises(MfmError, match="expected at least one episode for a sheet, got none"):
        write_sheet(tmp_path / "sheet.png", [])
    with pytest.raises(MfmError, match="got the folder"):
        write_sheet(tmp_path, [Tile(title="x", lines=(), picture=None)])


def test_then_and_now_stand_side_by_side_and_the_line_says_so(tmp_path):
    root, out, now = tmp_path / "memory", tmp_path / "then_now.png", tmp_path / "now.png"
    record(root, [plain_picture(*RED), plain_picture(*GREEN)], places=[(0.0, 64.0, 0.0), (2.5, 64.0, -7.5)])
    now.write_bytes(png(plain_picture(*BLUE)))
    line = write_then_now(root, "ep_000001", now, out, question="is it there?")
    assert line == (
        f"wrote {out}: THEN ep_000001 step 2 at (2,-8) | NOW. Q: is it there?. View it with view_image."
    )
    drawn = pixels(out)
    assert drawn[200, 12 + SIDE // 2].tolist() == list(GREEN)
    assert drawn[200, 24 + SIDE + SIDE // 2].tolist() == list(BLUE)


def test_then_may_be_a_file_and_now_is_the_newest_frame_where_none_is_named(tmp_path):
    root, out, then = tmp_path / "memory", tmp_path / "out.png", tmp_path / "old.png"
    record(root, [plain_picture(*RED), plain_picture(*GREEN), None])
    then.write_bytes(png(plain_picture(*BLUE)))
    line = write_then_now(root, str(then), None, out)
    assert line == f"wrote {out}: THEN {then} | NOW. Q: {NO_QUESTION}. View it with view_image."
    assert pixels(out)[200, 24 + SIDE + SIDE // 2].tolist() == list(GREEN)


def test_then_is_looked_for_in_this_life_first_and_then_in_the_latest_earlier_one(tmp_path):
    root, out = tmp_path / "memory", tmp_path / "out.png"
    record(root, [plain_picture(*RED)])
    for life, colour in ((1, GREEN), (2, BLUE)):
        files = {
            name: {"observation/image.png": png(plain_picture(*colour))}
            for name in ("ep_000000", "ep_000009")
        }
        foreign_life(root / f"previous/life_{life}", [foreign_row(name) for name in files], files)

    def then(name):
        write_then_now(root, name, None, out)
        return pixels(out)[200, 12 + SIDE // 2].tolist()

    assert then("ep_000000") == list(RED)
    assert then("ep_000009") == list(BLUE)
    assert then("life_1/ep_000009") == list(GREEN)
    assert write_then_now(root, "ep_000009", None, out).startswith(
        f"wrote {out}: THEN ep_000009 step ? | NOW."
    )


def test_an_id_that_is_neither_episode_nor_file_has_no_frame(tmp_path):
    record(tmp_path, [plain_picture(*RED), None])
    for name in ("ep_000077", "ep_000001", "x.png"):
        with pytest.raises(NoFrame) as raised:
            write_then_now(tmp_path, name, None, tmp_path / "out.png")
        assert str(raised.value) == f"no frame for {name!r}: not an episode id in the index and not a file"
