import contextlib
import hashlib
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from echo.mfm.episodic.attachments import attachment_files
from echo.mfm.episodic.reader import read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.episodic.wholeness import EpisodeFolder
from tests.mfm.episodic.sample_steps import craft_planks, seen


def test_attachments_lie_in_their_folder_with_digests_and_the_row_names_the_first(tmp_path):
    with Recorder.open(tmp_path, source="s") as recorder:
        name = recorder.write(
            goal="g",
            steps=[craft_planks(0)],
            after=seen(1),
            attachments={"Weg nach Süden.txt": b"north", "b.bin": bytes(3)},
        )
        recorder.write(goal="g", steps=[craft_planks(1)], after=seen(2))
    folder = tmp_path / "episodes" / name
    assert (folder / "attachment" / "Weg nach Süden.txt").read_bytes() == b"north"
    digests = json.loads((folder / "steps.json").read_bytes())["files"]
    assert digests["attachment/b.bin"] == hashlib.sha256(bytes(3)).hexdigest()
    assert [row["attachment"] for row in read_index(tmp_path)] == [
        "episodes/ep_000001/attachment/Weg nach Süden.txt",
        None,
    ]
    (folder / "attachment" / "b.bin").write_bytes(b"altered")
    assert "b.bin as it was recorded; got other content" in EpisodeFolder(tmp_path)(name)


@pytest.mark.parametrize(
    "name",
    [
        "",
        ".",
        "..",
        ".hidden",
        "a/b",
        "/etc/passwd",
        "..\\up",
        "a\nb",
        "a\0b",
        " a",
        "a ",
        "é" * 101,
        "\ud800",
    ],
)
def test_a_name_that_is_no_plain_file_name_is_refused_and_nothing_is_written(tmp_path, name):
    with Recorder.open(tmp_path, source="s") as recorder:
        with pytest.raises(ValueError, match=r"expected a plain file name of at most 200 bytes"):
            recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1), attachments={name: b""})
        assert list((tmp_path / "episodes").iterdir()) == []


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_categories=()), max_size=12) | st.text("./\\\\ a\0\n", max_size=6))
def test_whatever_name_is_taken_is_one_file_directly_in_the_folder(tmp_path_factory, name):
    files: dict[str, bytes] = {}
    with contextlib.suppress(ValueError):
        files = attachment_files({name: b"x"})
    folder = tmp_path_factory.getbasetemp() / "attached" / "attachment"
    folder.mkdir(parents=True, exist_ok=True)
    for path in (folder.parent / place for place in files):
        path.write_bytes(b"x")
        assert path.resolve().parent == folder.resolve()
        assert [each.name for each in folder.iterdir()] == [name]
        path.unlink()


def test_names_that_differ_in_case_only_are_refused(tmp_path):
    with (
        Recorder.open(tmp_path, source="s") as recorder,
        pytest.raises(ValueError, match=r"differ in more than case, got 'A.txt' and 'a.txt'"),
    ):
        recorder.write(
            goal="g", steps=[craft_planks(0)], after=seen(1), attachments={"A.txt": b"", "a.txt": b""}
        )


def test_content_that_is_not_bytes_is_refused(tmp_path):
    with (
        Recorder.open(tmp_path, source="s") as recorder,
        pytest.raises(TypeError, match=r"expected bytes in the attachment 'a.txt', got str"),
    ):
        recorder.write(goal="g", steps=[craft_planks(0)], after=seen(1), attachments={"a.txt": "text"})
