"""Banks that are killed at their work lose nothing, and the benchmark would say so if they did."""

from __future__ import annotations

import json
import re
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from echo.bench.recovery.apart import Failed, Stuck, apart
from echo.bench.recovery.check import look_at, wrong_answers, wrong_words
from echo.bench.recovery.death import Pace
from echo.bench.recovery.holding import Holding, descriptor, facts_in, id_called
from echo.bench.recovery.report import DAMAGE, written
from echo.bench.recovery.work import KINDS, SPAN, Work, Workplace, drawn, make_archive, told

ROOT = Path(__file__).parents[2]


def test_kills_at_every_kind_of_work_and_many_processes_at_once_lose_nothing() -> None:
    command = [sys.executable, "-m", "echo.bench.recovery", "--kills", "22", "--soak", "3", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    result = json.loads(done.stdout)
    assert result["kills"] == 22
    assert {name: result[name] for name in DAMAGE} == dict.fromkeys(DAMAGE, 0)
    assert result["by_time"] + result["by_call"] == 22
    assert result["soak"]["changes"] > 10
    assert result["soak"]["recalls"] > 10
    wrong = ("lost_writes", "wrong_neighbours", "deadlocks", "errors")
    assert {name: result["soak"][name] for name in wrong} == dict.fromkeys(wrong, 0)
    assert max(len(line) for line in written(result).splitlines()) <= 80


@pytest.fixture
def place(tmp_path: Path) -> Workplace:
    return Workplace.open(tmp_path / "bank.sqlite", "hashing-256")


def test_the_model_knows_what_a_bank_holds_after_every_kind_of_work(place: Workplace) -> None:
    rng, holding, fresh = np.random.default_rng(3), Holding(encoder="hashing-256"), 0
    for kind in ("add_many", *KINDS, *reversed(KINDS)):
        work = drawn(kind, holding, fresh, rng)
        if work.kind == "import":
            make_archive(work, place.path, place.encoder)
        place.do(work)
        holding, fresh = told(work, holding), fresh + SPAN
        assert facts_in(place.path) == holding.facts(), kind
    place.bank.close()
    assert look_at(place.path, holding, holding, seed=1).sound


@pytest.mark.parametrize(
    ("damage", "what", "complaint"),
    [
        ("DELETE FROM csd WHERE id = '{0}'", "lost", "records: 1 rows are gone"),
        ("DELETE FROM vector WHERE row = 2", "lost", "vectors: 1 rows are gone"),
        ("DELETE FROM episode WHERE row = 2", "lost", "episodes: 1 rows are gone"),
        (
            "UPDATE vector SET halves = zeroblob(length(halves)) WHERE row = 2",
            "lost",
            "vectors: 1 rows are gone",
        ),
        ("UPDATE csd SET superseded_step = 9, superseded_at = 9 WHERE row = 2", "lost", "records: 1 rows"),
        ("DELETE FROM tag WHERE row = 14", "half", "work is half done in .*tags"),
        ("DELETE FROM csd WHERE row = 14", "half", "work is half done in .*records"),
        ("UPDATE csd SET record = '{{}}' WHERE row = 2", "broken", "doctor: .*record"),
        ("DROP TABLE tag", "broken", "no such table"),
    ],
)
def test_damage_is_seen(place: Workplace, damage: str, what: str, complaint: str) -> None:
    before = Holding(encoder="hashing-256")
    works = [
        Work(kind="add_many", numbers=tuple(range(100, 136, 3))),
        Work(kind="add_many", numbers=(200, 203)),
    ]
    place.do(works[0])
    before = told(works[0], before)
    after = told(works[1], before)
    place.do(works[1])
    place.bank.close()
    with closing(sqlite3.connect(place.path, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute(damage.format(id_called(100)))
    verdict = look_at(place.path, before, after, seed=1)
    assert not verdict.sound
    assert any(re.search(complaint, one) for one in getattr(verdict, what)), verdict


def test_answers_that_are_not_those_of_the_records_are_seen(place: Workplace) -> None:
    work = Work(kind="add_many", numbers=tuple(range(100, 136, 3)))
    place.do(work)
    place.do(Work(kind="compact"))
    holding = told(work, Holding(encoder="hashing-256"))
    rng = np.random.default_rng(1)
    assert wrong_answers(place.bank, holding, rng) == []
    assert wrong_words(place.bank, Holding(encoder="hashing-256"), holding, holding) == []
    # The bank was never embedded anew, and has lost one that it should hold.
    other = told(Work(kind="add", numbers=(500,)), replace(holding, encoder="mirrored-256"))
    assert any("exact search for" in one for one in wrong_answers(place.bank, other, rng))
    [wrong] = wrong_words(place.bank, holding, other, other)[:1]
    assert wrong.startswith("block_500 leads to []")
    place.bank.close()


def test_a_death_is_drawn_within_the_work_it_is_to_interrupt() -> None:
    pace, rng = Pace(), np.random.default_rng(0)
    pace.note("compact", 0.2, 40)
    deaths = [pace.draw("compact", 2, rng) for _ in range(200)]
    assert {death.at for death in deaths} == {2}
    times = [death.after_us for death in deaths if death.after_us is not None]
    calls = [death.before_call for death in deaths if death.before_call is not None]
    assert len(times) + len(calls) == 200
    assert 60 < len(times) < 140
    assert 0.0 <= min(times) <= max(times) <= 1.2 * 200_000
    assert 0 <= min(calls) <= max(calls) <= 41


def test_descriptors_of_the_benchmark_are_all_different() -> None:
    assert len({id_called(number) for number in range(500)}) == 500
    assert descriptor(7) == descriptor(7)


def test_what_happens_in_another_process_is_told() -> None:
    assert apart(lambda: 41 + 1, 20.0) == 42
    with pytest.raises(Failed, match="ZeroDivisionError"):
        apart(lambda: 1 // 0, 20.0)
    with pytest.raises(Stuck, match="did not come to an end"):
        apart(lambda: time.sleep(30.0), 0.1)
