"""Pictures are written where somebody named, and nowhere that a memory or another file would be harmed."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest
from PIL import Image

from csd.store.schema import BANK_FILE
from echo.agent.threads import THREADS_FILE
from echo.cli.query_command import main as query
from echo.mfm import layout
from echo.mfm.layout import MfmError
from echo.mfm.picture_file import OWN, write_picture
from tests.cli.bank_samples import call
from tests.mfm.spatial.memories import at, published


def picture(kind: str) -> bytes:
    held = io.BytesIO()
    Image.new("RGB", (2, 2)).save(held, kind)
    return held.getvalue()


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file() and "cache" not in path.parts)
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "JPEG", "GIF", "BMP", "TIFF"])
def test_a_picture_of_any_kind_is_replaced_whole_and_no_part_is_left(tmp_path: Path, kind: str):
    out = tmp_path / "out.png"
    out.write_bytes(picture(kind))
    write_picture(out, b"new")
    assert files(tmp_path) == {"out.png": b"new"}
    assert out.stat().st_mode & 0o777 == 0o644


def test_an_empty_file_is_replaced_and_a_file_that_is_no_picture_is_not(tmp_path: Path):
    (tmp_path / "made").touch()
    write_picture(tmp_path / "made", b"new")
    (tmp_path / "thesis.tex").write_bytes(b"years of work")
    for odd in (tmp_path / "thesis.tex", Path(os.devnull)):
        with pytest.raises(
            MfmError, match=r"expected the name of a picture, got .*, which is something else"
        ):
            write_picture(odd, b"new")
    assert files(tmp_path) == {"made": b"new", "thesis.tex": b"years of work"}


@pytest.mark.parametrize("marker", ["index.jsonl", "options.json"])
@pytest.mark.parametrize("name", OWN)
def test_no_name_of_a_memory_is_taken_whether_it_is_there_or_not(tmp_path: Path, name: str, marker: str):
    (tmp_path / marker).write_bytes(picture("PNG"))
    with pytest.raises(MfmError, match=f"outside the memory's own files, got .*, which belongs to {name}"):
        write_picture(tmp_path / name, b"new")
    assert files(tmp_path) == {marker: picture("PNG")}


@pytest.mark.parametrize("name", ["mine/x.png", "episodes/ep_000001/x.png", "previous/life_1/episodes/x.png"])
def test_nothing_is_written_among_the_files_of_a_memory(tmp_path: Path, name: str):
    (tmp_path / "index.jsonl").touch()
    (tmp_path / name).parent.mkdir(parents=True)
    with pytest.raises(MfmError, match="expected a place outside the memory's own files"):
        write_picture(tmp_path / name, b"new")
    (tmp_path / "way").symlink_to((tmp_path / name).parent)
    with pytest.raises(MfmError, match="expected a place outside the memory's own files"):
        write_picture(tmp_path / "way" / "x.png", b"new")
    assert files(tmp_path) == {"index.jsonl": b""}


def test_a_link_is_refused_where_it_lies_in_a_memory_or_leads_into_one(tmp_path: Path):
    root = tmp_path / "memory"
    root.mkdir()
    (tmp_path / "elsewhere.png").write_bytes(picture("PNG"))
    (root / "index.jsonl").symlink_to(tmp_path / "elsewhere.png")
    (tmp_path / "out.png").symlink_to(root / "turns.jsonl")
    for out in (root / "index.jsonl", tmp_path / "out.png"):
        with pytest.raises(MfmError, match="expected a place outside the memory's own files"):
            write_picture(out, b"new")


def test_a_memory_folder_itself_takes_pictures_and_so_does_a_folder_that_is_none(tmp_path: Path):
    (tmp_path / "episodes").mkdir()
    write_picture(tmp_path / "episodes" / "x.png", b"a folder of that name is no memory yet")
    (tmp_path / "index.jsonl").touch()
    write_picture(tmp_path / "map.png", b"new")
    assert (tmp_path / "map.png").read_bytes() == b"new"


def test_a_folder_that_is_missing_or_cannot_be_written_is_told_without_the_name_of_a_part(tmp_path: Path):
    with pytest.raises(MfmError, match=r"expected a folder at .*none for x\.png, got none\. Make it first"):
        write_picture(tmp_path / "none" / "x.png", b"")
    with pytest.raises(MfmError, match="got the folder"):
        write_picture(tmp_path, b"")
    with pytest.raises(MfmError, match="File name too long"):
        write_picture(tmp_path / ("x" * 300), b"")
    with pytest.raises(MfmError, match=r"expected to write a picture to /proc/x\.png, got: ") as told:
        write_picture(Path("/proc/x.png"), b"")
    assert ".part" not in str(told.value)


@pytest.mark.parametrize("name", [BANK_FILE, f"{BANK_FILE}-wal", f"{BANK_FILE}.cache", THREADS_FILE])
def test_what_lies_beside_a_memory_is_guarded_too(tmp_path: Path, name: str):
    (tmp_path / "index.jsonl").touch()
    with pytest.raises(MfmError, match="expected a place outside the memory's own files"):
        write_picture(tmp_path / name, b"new")


def test_every_name_that_the_layout_gives_in_a_root_is_guarded():
    given = "INDEX EPISODES MINE PREVIOUS HISTORY CACHE MENDED RUNS TURNS OPTIONS LOCK"
    assert sorted(OWN) == sorted(getattr(layout, name) for name in given.split())


@pytest.mark.parametrize(
    "target", ["index.jsonl", "mine", "options.json", "episodes/x.png", ".lock", "thesis"]
)
@pytest.mark.parametrize(
    "words",
    [
        ("map", "--out"),
        ("query", "--sheet"),
        ("query", "--then-now", "ep_000000", "--now", "now.png", "--out"),
        ("inspect", "ep_000000", "--out"),
    ],
)
def test_no_command_writes_a_picture_over_a_memory_or_a_file_that_is_none(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    words: tuple[str, ...],
    target: str,
):
    monkeypatch.chdir(tmp_path)
    root = published(tmp_path / "memory", {"state": at(0.5, 0.5)})
    frame = root / "episodes" / "ep_000000" / "observation" / "image.png"
    frame.parent.mkdir(parents=True)
    frame.write_bytes(picture("PNG"))
    row = json.loads((root / "index.jsonl").read_text())
    (root / "index.jsonl").write_text(json.dumps({**row, "image": frame.relative_to(root).as_posix()}) + "\n")
    (tmp_path / "now.png").write_bytes(picture("PNG"))
    (root / "thesis").write_bytes(b"years of work")
    before = files(tmp_path)
    told = [*words, str(root / target), "--root", str(root)]
    if words[0] == "query":
        assert query(told[1:]) == 1
        error = capfd.readouterr().err
    else:
        done = call(*told)
        assert done.exit_code == 1
        error = done.stderr
    assert error.startswith("error: expected ")
    assert files(tmp_path) == before
