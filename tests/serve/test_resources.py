from __future__ import annotations

import base64
import json
import shutil
from pathlib import Path

import pytest

from echo.mfm.mine.writable import Mine
from tests.serve.memory_samples import error_of, make_memory, with_client


@pytest.fixture(scope="module")
def memory(tmp_path_factory) -> Path:
    """Return a memory with a note and one earlier life, which has an episode of its own number."""
    root = make_memory(tmp_path_factory.mktemp("serve") / "memory")
    life = root / "previous" / "life_1"
    shutil.copytree(root / "episodes", life / "episodes")
    (life / "episodes" / "ep_000002").rename(life / "episodes" / "ep_000007")
    shutil.copy(root / "index.jsonl", life / "index.jsonl")
    Mine(root).write("places/home.md", "- Home [ep_000001].\n", by="person", why="test")
    Mine(root).write("ü b.md", "two\n", by="person", why="test")
    return root


def read(memory, uri):
    async def work(client):
        return await client.read_resource(uri)

    (content,) = with_client(memory, work).contents
    return content


def test_what_can_be_read_is_listed_notes_as_they_are_now(memory):
    async def work(client):
        return (await client.list_resources()).resources

    listed = {one.uri: one.mime_type for one in with_client(memory, work)}
    assert listed == {
        "memory://index": "application/json",
        "memory://notes/places/home.md": "text/markdown",
        "memory://notes/%C3%BC%20b.md": "text/markdown",
    }
    assert read(memory, "memory://notes/%C3%BC%20b.md").text == "two\n"


def test_the_overview_tells_what_the_memory_holds(memory):
    told = json.loads(read(memory, "memory://index").text)
    assert (told["episodes"], told["first"], told["last"]) == (3, "ep_000000", "ep_000002")
    assert told["earlier_lives"] == ["life_1"]
    assert told["notes"] == ["places/home.md", "ü b.md"]
    assert [row["id"] for row in told["newest_rows"]] == ["ep_000000", "ep_000001", "ep_000002"]


def test_the_overview_of_a_torn_or_unsearched_index_tells_so(memory, tmp_path):
    root = Path(shutil.copytree(memory, tmp_path / "memory"))
    with (root / "index.jsonl").open("ab") as index:
        index.write(b'{"id": "ep_0000\xff\n{"id": "ep_000003"}\n')
    told = json.loads(read(root, "memory://index").text)
    assert (told["episodes"], told["last"], told["places_without_row"]) == (4, "ep_000003", 1)
    (root / "options.json").write_text('{"index": false}')
    told = json.loads(read(root, "memory://index").text)
    assert (told["switched_off"], told["newest_rows"]) == (["index"], [])


def test_an_episode_is_read_with_its_documents(memory):
    told = json.loads(read(memory, "memory://episodes/ep_000001").text)
    assert told["path"] == "episodes/ep_000001"
    assert told["outcome"]["inventory_delta"] == {"oak_log": -1, "oak_planks": 4}
    assert told["state"]["step"] == 1


def test_an_episode_of_an_earlier_life_is_found_by_its_number_and_by_its_life(memory):
    told = json.loads(read(memory, "memory://episodes/ep_000007").text)
    assert (told["id"], told["path"]) == ("life_1/ep_000007", "previous/life_1/episodes/ep_000007")
    assert json.loads(read(memory, "memory://previous/life_1/episodes/ep_000001").text)["path"] == (
        "previous/life_1/episodes/ep_000001"
    )


def test_a_frame_is_read_as_the_file_that_was_recorded(memory):
    file = memory / "episodes" / "ep_000001" / "observation" / "image.png"
    frame = read(memory, "memory://episodes/ep_000001/frame")
    assert frame.mime_type == "image/png"
    assert base64.b64decode(frame.blob) == file.read_bytes()
    assert read(memory, "memory://previous/life_1/episodes/ep_000001/frame").blob == frame.blob


@pytest.mark.parametrize(
    "uri",
    [
        "memory://episodes/ep_000099",
        "memory://episodes/ep_1",
        "memory://episodes/..%2F..%2Fetc",
        "memory://episodes/ep_000099/frame",
        "memory://previous/life_2/episodes/ep_000001",
        "memory://previous/../episodes/ep_000001",
        "memory://notes/nothing.md",
        "memory://notes/../index.jsonl",
        "memory://notes/..%2Findex.jsonl",
        "memory://notes/%2Fetc%2Fpasswd",
        "memory://notes/.hidden",
        "memory://elsewhere",
    ],
)
def test_what_is_not_there_or_lies_elsewhere_is_an_error_of_the_request(memory, uri):
    error = error_of(memory, lambda client: client.read_resource(uri))
    assert error.code == -32602
    assert error.message.startswith(("expected ", "Unknown resource: "))


def test_a_damaged_state_is_told_and_the_rest_stays_readable(memory, tmp_path):
    root = Path(shutil.copytree(memory, tmp_path / "memory"))
    (root / "episodes" / "ep_000001" / "state" / "state.json").write_text("{")
    error = error_of(root, lambda client: client.read_resource("memory://episodes/ep_000001"))
    assert "expected JSON in" in error.message
    assert json.loads(read(root, "memory://episodes/ep_000002").text)["id"] == "ep_000002"
