"""``echo-memory places`` and ``echo-memory map``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from PIL import Image

from csd.episode import GoTo
from echo.cli.map_command import LayerName
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.spatial.map_content import LAYERS
from tests.cli.bank_samples import call
from tests.mfm.spatial.memories import at, did, dug, fought, placed, published, record, seen


@pytest.fixture
def memory(tmp_path: Path) -> Path:
    here = (0.5, 64.0, 0.5)
    oak = {"oak_log": (5, (2, 64, 0))}
    first = seen(0, here, blocks=oak)
    second = seen(1, here, blocks={"oak_log": (4, (-12, 64, 0))})
    return record(
        tmp_path / "memory",
        (dug(first, "oak_log", (2, 64, 0)), second),
        (placed(second, "chest", (1, 64, 0)), seen(2, here)),
        (fought(seen(2, here), "spider", "damage:2"), seen(3, here)),
    )


def test_the_nearest_is_told_with_its_episode_and_what_is_gone(memory: Path):
    done = call("places", "--root", memory, "--nearest", "log", "--at", "-3", "0.5")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "nearest",
        "  oak_log       (-12, 64, 0)  8 off  seen  4  step 1 [ep_000002]",
        "gone",
        "  oak_log       (2, 64, 0)  6 off  dug  step 1 [ep_000001]",
    ]


def test_without_at_the_distance_is_from_where_the_body_was_last(memory: Path):
    told = json.loads(call("places", "--root", memory, "--nearest", "chest", "--json").stdout)
    assert (told["found"][0]["distance"], told["found"][0]["last"]["episode"]) == (1.0, "ep_000002")


def test_changes_near_a_place(memory: Path):
    done = call("places", "--root", memory, "--changed-since", "1", "--near", "1.5", "0.5", "--radius", "0.5")
    assert done.stdout.splitlines() == [
        "changed since step 1",
        "  placed chest  (1, 64, 0)    step 2 [ep_000002]",
    ]


def test_hazards_containers_and_points(memory: Path):
    assert "damage: during attack spider  (0, 64, 0)  1x  -2  step 3 [ep_000003]" in (
        call("places", "--root", memory, "--hazards").stdout
    )
    assert "chest" in call("places", "--root", memory, "--containers").stdout
    heads = [line for line in call("places", "--root", memory).stdout.splitlines() if line[0] != " "]
    assert heads == ["container", "got, while standing at", "damage, while standing at"]


@pytest.mark.parametrize(
    "words",
    [
        ("--near", "0", "0"),
        ("--nearest", "log"),
        ("--changed-since", "0"),
        ("--hazards",),
        ("--containers",),
        ("--cells",),
        ("--remember", "chest_log"),
        (),
    ],
)
def test_every_answer_fits_eighty_columns_and_is_also_json(tmp_path: Path, words: tuple[str, ...]):
    long = "a_very_long_name_of_a_chest_" * 5 + "\x1b[31m_chest_log"
    here = seen(10**6, (-29_999_999.5, 64.0, 29_999_999.5), blocks={long: (10**6, (1, 64, 0))})
    root = record(
        tmp_path,
        (dug(here, long, (0, 64, 0)), seen(10**6 + 1, (0.5, 64.0, 0.5))),
        (fought(here, "spider", f"damage:2:{long}"), here),
    )
    done = call("places", "--root", root, *words)
    assert done.exit_code == 0
    assert max(map(len, done.stdout.splitlines())) <= 80
    assert "\x1b" not in done.stdout
    assert "unread" in json.loads(call("places", "--root", root, *words, "--json").stdout)


def test_what_was_unread_is_said_on_standard_error(tmp_path: Path):
    root = published(tmp_path, {"state": b"{"}, {"state": at(0.5, 0.5)})
    done = call("places", "--root", root, "--near", "0", "0")
    assert done.exit_code == 0
    assert done.stderr.startswith(
        "unread: 2 parts of episodes; --json names all\n  episodes/ep_000000/state/"
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--near", "0", "0", "--hazards"), "expected one question, got several"),
        (("--nearest", "a", "--containers"), "expected one question, got several"),
        (("--at", "0", "0"), "expected --nearest NAME or --remember WORDS beside --at"),
        (("--near", "nan", "0"), "expected finite coordinates"),
        (("--near", "0", "0", "--radius", "-1"), "expected finite coordinates"),
        (("--nearest", " "), "expected a name"),
    ],
)
def test_wrong_use_ends_with_2(memory: Path, words: tuple[str, ...], said: str):
    done = call("places", "--root", memory, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in done.stderr


def test_a_folder_without_a_memory_ends_with_1(tmp_path: Path):
    for words in (("places",), ("map", "--out", tmp_path / "map.png")):
        done = call(words[0], "--root", tmp_path, *words[1:])
        assert done.exit_code == 1
        assert "expected the index of a memory" in done.stderr


def test_the_map_is_written_and_told_of(memory: Path, tmp_path: Path):
    out = tmp_path / "map.png"
    done = call("map", "--root", memory, "--out", out, "--layer", "path", "--layer", "hazards")
    assert done.exit_code == 0
    assert ["hazards", "1"] in [line.split() for line in done.stdout.splitlines()]
    assert ["containers", "0"] in [line.split() for line in done.stdout.splitlines()]
    with Image.open(out) as picture:
        assert picture.format == "PNG"


def test_the_map_in_json_holds_what_was_drawn(memory: Path, tmp_path: Path):
    told = json.loads(call("map", "--root", memory, "--out", tmp_path / "map.png", "--json").stdout)
    assert told["layers"] == list(LAYERS)
    assert [one["name"] for one in told["containers"]] == ["chest"]
    assert list(told["resources"]) == ["oak_log"]


def test_the_command_offers_the_layers_there_are():
    assert [layer.value for layer in LayerName] == list(LAYERS)


def test_an_episode_that_was_walked_only_is_drawn(tmp_path: Path):
    here = seen(0, (0.5, 64.0, 0.5))
    root = record(tmp_path / "memory", (did(here, GoTo(target=(1, 64, 0))), here))
    assert call("map", "--root", root, "--out", tmp_path / "map.png").exit_code == 0


def test_episodes_of_another_world_are_counted_on_standard_error(tmp_path: Path):
    here = seen(0, (0.5, 64.0, 0.5))
    with Recorder.open(tmp_path, source="test") as recorder:
        recorder.initial(here)
        recorder.write(goal="g", steps=(did(here, GoTo(target=(1, 64, 0))),), after=here, source="demo\x1b")
    for words in (("places",), ("map", "--out", tmp_path / "map.png")):
        done = call(*words, "--root", tmp_path)
        assert (done.exit_code, done.stderr.splitlines()) == (0, ["elsewhere: 1 episode of demo\\x1b"])
    told = json.loads(call("places", "--hazards", "--root", tmp_path, "--json").stdout)
    assert told["elsewhere"] == [{"source": "demo\x1b", "episodes": 1}]


def test_numbers_of_any_size_are_taken_or_refused(memory: Path):
    done = call("places", "--root", memory, "--changed-since", str(10**20))
    assert done.stdout == "nothing is known to have changed since step 100,000,000,000,000,000,000\n"
    done = call("places", "--root", memory, "--near", "1e308", "0")
    assert (done.exit_code, done.stderr.startswith("error: expected finite coordinates")) == (2, True)


def test_place_cells_are_told_with_their_events_and_all_of_them_as_json(memory: Path):
    done = call("places", "--root", memory, "--cells")
    assert (done.exit_code, done.stderr) == (0, "")
    head, *events = done.stdout.splitlines()
    assert head == "(0, 64, 0), view 0 degrees: 3 records"
    assert sorted(line.split("  ")[1] for line in events) == [
        "damage something, felled spider",
        "dug oak_log, got oak_log",
        "placed chest",
    ]
    told = json.loads(call("places", "--root", memory, "--cells", "--json").stdout)
    (cell,) = told["cells"]
    assert {tuple(one["happened"]): one["episodes"] for one in cell["clusters"]}[
        ("dug oak_log", "got oak_log")
    ] == ["ep_000001"]
    assert told["unread"] == []


def test_views_are_remembered_by_words_the_nearest_first(memory: Path):
    asked = ("places", "--root", memory, "--remember", "chest unheard_of", "--at", "10.5", "0.5")
    assert call(*asked).stdout.splitlines() == [
        "remembered, the nearest first",
        "  placed chest  (0, 64, 0)  10 off  50%  step 1 [ep_000002]",
    ]
    (held,) = json.loads(call(*asked, "--json").stdout)["remembered"]
    assert (held["score"], held["when"]["episode"]) == (0.5, "ep_000002")
    none = call("places", "--root", memory, "--remember", "wug").stdout
    assert none == "no view is remembered that holds half of these words\n"


def test_harm_is_told_apart_from_what_was_being_done(tmp_path: Path):
    here = seen(0, (0.5, 64.0, 0.5))
    root = record(tmp_path / "memory", (fought(here, "spider", "damage:3:thorns"), seen(1, (0.5, 64.0, 0.5))))
    told = "  damage: thorns, during attack spider  (0, 64, 0)  1x  -3  step 1 [ep_000001]"
    assert told in call("places", "--root", root, "--hazards").stdout.splitlines()
    assert (
        "  damage thorns, during attack spider" in call("places", "--root", root, "--near", "0", "0").stdout
    )


def test_a_map_over_a_memory_is_refused_before_anything_is_read(memory: Path):
    before = (memory / "index.jsonl").read_bytes()
    done = call("map", "--root", memory, "--out", memory / "index.jsonl")
    assert (done.exit_code, "outside the memory's own files" in done.stderr) == (1, True)
    assert (memory / "index.jsonl").read_bytes() == before
    assert not (memory / "cache" / "places.db").exists()


def test_the_nearest_view_is_remembered_however_many_older_ones_hold_the_word(tmp_path: Path):
    blocks = {"oak_log": (1, (0, 64, 0))}
    steps = []
    for number in range(12):
        here = (number * 20 + 0.5, 64.0, 0.5)
        steps.append(
            (did(seen(number, here, blocks=blocks), GoTo(target=(0, 64, 0))), seen(number + 1, here))
        )
    root = record(tmp_path / "memory", *steps)
    found = json.loads(
        call("places", "--root", root, "--remember", "oak_log", "--at", "220.5", "0.5", "--json").stdout
    )
    assert [one["x"] for one in found["remembered"]] == [220.5, 200.5, 180.5, 160.5, 140.5]
