from __future__ import annotations

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from echo.agent.memory import Memory
from echo.experiments.spec import UsageError
from echo.experiments.tasks.loading import tasks_digest
from echo.experiments.tasks.playing import play_spec
from echo.experiments.tasks.records import RunSpec
from echo.experiments.tasks.skills import earlier_run, installed_memory
from echo.mfm.episodic.reader import read_index
from echo.mfm.procedural.library import Library
from tests.baselines.hand_made import have
from tests.baselines.toy_task import play
from tests.experiments.tasks.fake_runs import make_spec

ROD = have("carry rods", rod=4)
BOTH = have("carry rods and a table", rod=4, table=1)


@pytest.fixture(autouse=True)
def _nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    yield
    gc.collect()
    assert list(tmp_path.glob("echo-mfm-*")) == []


class Toy:
    """Plays runs in the toy world, whatever their task."""

    def __init__(self) -> None:
        self.played: list[RunSpec] = []

    def __call__(self, spec: RunSpec, command: str, progress: object, memory: Memory) -> None:
        self.played.append(spec)
        for dice in range(spec.episodes):
            play(memory, ROD, dice=dice, budget=60)


def test_the_earlier_run_differs_in_its_task_alone() -> None:
    spec = make_spec("mfm", task="shield", kind="mfm", installed="iron-pickaxe", run=3)
    earlier = earlier_run(spec)
    assert (earlier.task, earlier.installed) == ("iron-pickaxe", None)
    assert earlier.task_digest == tasks_digest(("iron-pickaxe",))
    kept = {"kind", "competitor", "run", "seed", "episodes", "invented_names", "reasoner"}
    assert earlier.model_dump(include=kept) == spec.model_dump(include=kept)


def test_a_run_with_nothing_to_install_is_refused() -> None:
    with pytest.raises(UsageError, match="expected a run with a task to install skills from"):
        earlier_run(make_spec("mfm"))


@pytest.mark.parametrize("agent", ["direct", "mfm/-procedures"])
def test_an_agent_without_procedures_is_refused(agent: str) -> None:
    with pytest.raises(UsageError, match=f"got {agent}"):
        earlier_run(make_spec(agent, installed="bed"))


def test_procedures_alone_are_in_the_new_memory() -> None:
    toy = Toy()
    spec = make_spec("mfm", kind="mfm", installed="bed")
    memory = installed_memory(spec, toy)
    assert [played.task for played in toy.played] == ["bed"]
    names = Library(memory.root).names()
    assert "reach_carry_rods_v1" in names
    assert all(Library(memory.root).load(name).procedure.evidence == () for name in names)
    assert list(read_index(memory.root)) == []
    assert not (memory.root / "mine" / "notes.md").exists()
    memory.finish()


def test_installed_procedures_make_a_new_task_shorter() -> None:
    """The new task takes rods, which the earlier one made, and a table, which has to be found out."""
    steps = {}
    for name, learn in (("with", Toy()), ("without", _nothing)):
        steps[name] = 0
        for dice in range(5):
            memory = installed_memory(make_spec("mfm", kind="mfm", installed="bed"), learn)
            steps[name] += play(memory, BOTH, dice=dice, budget=100).steps
            memory.finish()
    assert steps["with"] < steps["without"]


def _nothing(spec: RunSpec, command: str, progress: object, memory: Memory) -> None:
    """Learn nothing."""


def test_a_run_that_fails_leaves_nothing_behind() -> None:
    def fail(spec: RunSpec, command: str, progress: object, memory: Memory) -> None:
        play(memory, ROD, budget=20)
        raise RuntimeError("the power went")

    with pytest.raises(RuntimeError, match="the power went"):
        installed_memory(make_spec("mfm", kind="mfm", installed="bed"), fail)


def test_a_run_with_skills_is_told_of_alone_and_comes_out_the_same_again() -> None:
    spec = make_spec(
        "mfm",
        task="craft-grid",
        kind="mfm",
        installed="craft-table",
        episodes=2,
        task_digest=tasks_digest(("craft-grid", "craft-table")),
    )
    told: list[tuple[int, int]] = []
    runs = [play_spec(spec, "", lambda done, of: told.append((done, of))) for _ in range(2)]
    assert told == [(1, 2), (2, 2)] * 2
    assert runs[0].spec == spec
    assert runs[0].result_digest == runs[1].result_digest
    bare = play_spec(spec.model_copy(update={"installed": None}), "", lambda done, of: None)
    assert bare.spec.name == "mfm.craft-grid.r00"
