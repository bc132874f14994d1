"""The derived tables follow the episodes: caught up, made anew, shared by processes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from csd.episode import Action, Collect, GoTo, Place, Step
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import MfmError
from echo.mfm.options import MemoryOptions, save_options
from echo.mfm.spatial.places import Places
from tests.mfm.spatial.memories import at, published


def answers(root: Path) -> list[object]:
    places = Places(root)
    return [
        places.near(5.0, 5.0, 20.0),
        places.nearest("log", 5.0, 5.0),
        places.changed_since(2),
        places.visited(),
        places.points(),
        places.hazards(),
        places.containers(),
        places.cells(),
        places.resources(),
    ]


def life(root: Path, count: int = 24) -> Path:
    """Record a short life in the Minecraft world."""
    from echo.worlds.minecraft.options import WorldOptions
    from echo.worlds.minecraft.world import MinecraftWorld

    options = WorldOptions(
        seed=5, stations=("crafting_table",), mobs=("spider", "cow"), inventory={"chest": 2, "torch": 9}
    )
    world = MinecraftWorld(options)
    with Recorder.open(root, source="minecraft", durability="batch") as recorder:
        recorder.initial(world.observe())
        for number in range(count):
            before = world.observe()
            x, y, z = map(int, before.position)
            todo: tuple[Action, ...] = (
                Collect(block="oak_log"),
                GoTo(target=(max(1, x - 5), y, z + 4)),
                Place(item="chest"),
                Collect(block="dirt"),
            )
            action = todo[number % len(todo)]
            step = Step(before=before, action=action, outcome=world.act(action))
            recorder.write(goal="live", steps=(step,), after=world.observe())
    return root


def test_a_recorded_life_is_known_and_nothing_of_it_is_unread(tmp_path: Path):
    root = life(tmp_path)
    places = Places(root)
    assert places.unread() == ()
    assert [one.name for one in places.containers().containers] == ["chest", "chest"]
    assert {one.name for one in places.nearest("oak_log", 5.0, 5.0).gone} == {"oak_log"}
    assert places.points().points[0].name == "crafting_table"
    assert places.episode_count() == 25


def test_episodes_that_come_in_one_by_one_give_the_same_answers_as_all_at_once(tmp_path: Path):
    root = life(tmp_path / "whole")
    copy = tmp_path / "copy"
    shutil.copytree(root, copy)
    index = (root / "index.jsonl").read_bytes().splitlines(keepends=True)
    (copy / "index.jsonl").write_bytes(b"")
    for line in index:
        with (copy / "index.jsonl").open("ab") as file:
            file.write(line)
        Places(copy).unread()
    assert answers(copy) == answers(root)


def test_catching_up_reads_only_what_is_new(tmp_path: Path):
    root = published(tmp_path, *({"state": at(0.5, 0.5)} for _ in range(3)))
    told: list[tuple[int, int]] = []
    places = Places(root, told=lambda done, total: told.append((done, total)))
    places.unread()
    published(root, {"state": at(9.5, 0.5)})
    places.unread()
    places.unread()
    assert told == [(3, 3), (1, 1)]


def test_deleting_or_damaging_the_cache_costs_time_only(tmp_path: Path):
    root = life(tmp_path)
    before = answers(root)
    database = root / "cache" / "places.db"
    database.unlink()
    assert answers(root) == before
    database.write_bytes(database.read_bytes()[:5000] + b"\0" * 9000)
    assert answers(root) == before


def test_a_folder_that_cannot_be_written_is_answered_from_memory(tmp_path: Path):
    root = published(tmp_path, {"state": at(3.5, 4.5)})
    (root / "cache").write_bytes(b"in the way")
    assert Places(root).near(3.5, 4.5).moments == 1


def test_two_processes_that_begin_at_once_answer_alike(tmp_path: Path):
    root = life(tmp_path)
    script = (
        "import sys\n"
        "from echo.mfm.spatial.places import Places\n"
        "places = Places(sys.argv[1])\n"
        "print(places.near(5.0, 5.0, 20.0), places.cells(), places.visited())\n"
    )
    started = [
        subprocess.Popen(
            [sys.executable, "-c", script, str(root)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        for seed in ("1", "2")
    ]
    told = [process.communicate(timeout=60)[0] for process in started]
    assert [process.returncode for process in started] == [0, 0]
    assert told[0] == told[1]
    assert told[0]


def test_each_life_has_a_map_of_its_own(tmp_path: Path):
    published(tmp_path, {"state": at(0.5, 0.5)})
    published(tmp_path / "previous" / "life_1", {"state": at(99.5, 0.5)})
    assert [one.x for one in Places(tmp_path).visited().path] == [0]
    assert [one.x for one in Places(tmp_path / "previous" / "life_1").visited().path] == [99]


def test_answers_are_plain_values(tmp_path: Path):
    assert asdict(Places(published(tmp_path, {"state": at(0.5, 0.5)})).near(0.0, 0.0))["moments"] == 1


def test_a_flat_memory_has_no_map(tmp_path: Path):
    root = published(tmp_path, {"state": at(0.5, 0.5)})
    save_options(root, MemoryOptions(index=False))
    with pytest.raises(MfmError, match="in which index is switched off"):
        Places(root).near(0.0, 0.0)
