from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from echo.experiments.means import Means
from echo.experiments.pool import Executor, run_jobs
from echo.experiments.results import read_results
from echo.experiments.spec import UsageError
from echo.experiments.unlocking import run_grid
from tests.experiments.fakes import play_badly
from tests.experiments.pool_jobs import Ear, Writer
from tests.experiments.test_unlocking import Ear as GridEar
from tests.experiments.test_unlocking import grid

ROOT = Path(__file__).parents[2]

needs_ray = pytest.mark.skipif(
    importlib.util.find_spec("ray") is None, reason="needs Ray: pip install '.[cluster]'"
)

SECONDS = 300.0
"""Ray starts a dozen processes, which takes a minute where others compute on all processors."""

# In processes of their own: Ray takes the signals of the one it is in, and what it listens on is settled as
# it is imported. Two nodes of a real cluster are two machines; here they differ in the disk they are shown.
CLUSTER = """
import sys
from ray.cluster_utils import Cluster

here = {"num_cpus": 1, "node_ip_address": "127.0.0.1"}
cluster = Cluster(initialize_head=True, head_node_args={**here, "include_dashboard": False})
cluster.add_node(**here, env_vars={"POOL_DISK": sys.argv[1]})
print(cluster.address, flush=True)
sys.stdin.read()
cluster.shutdown()
"""

DRIVER = """
import json, os, sys, time
from pathlib import Path
from echo.experiments.pool import Executor, run_jobs
from tests.experiments.pool_jobs import Dier, DiskWriter, LeavingEar, Patient, Raiser, Unsendable

folder = Path("driver")
ear = LeavingEar(folder)
jobs = [
    *(DiskWriter(name=name, folder=folder, weight=2.0) for name in "abcd"),
    Dier(name="once", folder=folder, lives=1),
    Dier(name="always", folder=folder),
    Raiser(name="raiser", folder=folder),
    Patient(name="patient", folder=folder),
    Unsendable(name="unsendable", folder=folder),
]
failed = run_jobs(jobs, executor="ray", processes=0, listener=ear, address=sys.argv[1])
print(json.dumps({"failed": failed, "heard": ear.heard}))
"""

GRID = """
from pathlib import Path
from tests.experiments.test_pool_ray import play_recorded

print(play_recorded(Path("ray"), "ray"))
"""


def play_recorded(folder: Path, executor: Executor) -> dict[str, str]:
    """Play some runs that leave a memory, one of which fails, and return why."""
    means = Means(executor=executor, processes=2)
    specs = [spec.model_copy(update={"record": "all"}) for spec in grid(0, 1)]
    means = Means(executor=executor, processes=2)
    return run_grid(specs, folder, player=play_badly, command="", listener=GridEar(), means=means).failed


def environment(**more: str) -> dict[str, str]:
    loopback = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_USAGE_STATS_ENABLED": "0"}
    return {**os.environ, **loopback, "PYTHONPATH": str(ROOT), **more}


@pytest.fixture
def cluster(tmp_path) -> Iterator[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", CLUSTER, str(tmp_path / "far")],
        env=environment(POOL_DISK=str(tmp_path / "near")),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        yield process.stdout.readline().strip()
        process.communicate(timeout=SECONDS)
    finally:
        process.kill()
        process.wait()


@needs_ray
@pytest.mark.slow
def test_on_two_nodes_without_a_shared_disk_all_that_jobs_leave_arrives(cluster, tmp_path):
    assert cluster.startswith("127.0.0.1:")
    near, far = tmp_path / "near", tmp_path / "far"
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, cluster],
        cwd=tmp_path,
        env=environment(POOL_DISK=str(near)),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    # Ray's own words about dead processes are on standard error.
    told = json.loads(done.stdout)
    made_there = {path.name for path in (far / "runs").iterdir()}
    assert set() < made_there < {"a.json", "b.json", "c.json", "d.json"}
    files = {
        path.relative_to(near).as_posix(): path.read_bytes() for path in near.rglob("*") if path.is_file()
    }
    assert files == {
        name: content
        for job in "abcd"
        for name, content in (
            (f"memories/{job}/deep/frames.bin", bytes(range(256))),
            (f"memories/{job}/index.txt", job.encode()),
            (f"runs/{job}.json", job.encode()),
        )
    }
    assert list(told["failed"]) == ["always", "raiser", "unsendable"]
    assert told["failed"]["raiser"] == "RuntimeError: no land to stand on"
    assert "a worker process died twice in it (WorkerCrashedError" in told["failed"]["always"]
    assert "it cannot be sent to another process" in told["failed"]["unsendable"]
    starts = {
        path.name: len(path.read_text().split()) for path in (tmp_path / "driver" / "started").iterdir()
    }
    assert starts == {"a": 1, "b": 1, "c": 1, "d": 1, "once": 2, "always": 2, "raiser": 1, "patient": 1}
    ended = [line.split()[0] for line in told["heard"] if "finished" in line or "failed" in line]
    assert sorted(ended) == ["a", "always", "b", "c", "d", "once", "patient", "raiser", "unsendable"]
    assert sorted(ended[-2:]) == ["always", "once"]
    # It ends only once it was heard of: the others may be done before the actor that hears has begun.
    assert "patient 1/2" in told["heard"]


@needs_ray
@pytest.mark.slow
def test_local_ray_leaves_the_same_results_as_processes_file_for_file(tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", GRID],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    failed = play_recorded(tmp_path / "local", "local")
    assert failed == dict.fromkeys(["edits-s01", "echo-s01"], "RuntimeError: no land to stand on")
    assert done.stdout == f"{failed}\n"
    local, ray = read_results(tmp_path / "local"), read_results(tmp_path / "ray")
    assert [run.result_digest for run in ray] == [run.result_digest for run in local]
    assert [run.spec.name for run in ray] == ["echo-s00", "edits-s00"]
    assert names(tmp_path / "ray") == names(tmp_path / "local")


def names(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*"))


@pytest.mark.parametrize("address", ["", "10.0.0.1", "ray://10.0.0.1:10001", "host:", ":6379", "host:70000"])
def test_what_is_no_address_is_refused_with_what_tells_it(tmp_path, monkeypatch, address):
    monkeypatch.setenv("RAY_ADDRESS", address or "x")
    with pytest.raises(UsageError, match=r"as HOST:PORT, or auto; got .*ray start --head"):
        run_jobs([Writer(name="a", folder=tmp_path)], executor="ray", processes=1, listener=Ear())


def test_a_cluster_that_is_not_there_is_told_at_once(tmp_path):
    with pytest.raises(UsageError, match=r"expected a Ray cluster at 127\.0\.0\.1:1; got Connection refused"):
        run_jobs(
            [Writer(name="a", folder=tmp_path)],
            executor="ray",
            processes=1,
            listener=Ear(),
            address="127.0.0.1:1",
        )


def test_without_ray_the_way_to_get_it_is_told(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    with pytest.raises(UsageError, match=r"got no such package.*pip install '\.\[cluster\]'"):
        run_jobs([Writer(name="a", folder=tmp_path)], executor="ray", processes=1, listener=Ear())
