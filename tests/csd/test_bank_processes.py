"""Banks whose process is killed, whose disk is full, or that may not be written to."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from csd.axes import Axis
from csd.bank import Bank
from csd.encode import Encoder, HashingEncoder
from csd.render import render_axis
from csd.store.errors import BankError
from csd.upkeep.doctor import examine
from tests.csd.descriptors import axes_of, digging, playing, wooden_pickaxe
from tests.csd.other_encoder import ReversedEncoder

ROOT = Path(__file__).parents[2]

IN_A_NAMESPACE = ("unshare", "--user", "--map-root-user", "--mount")
WITHOUT_ROOT = ("setpriv", "--bounding-set=-dac_override,-dac_read_search")


def run(*arguments: str, through: Sequence[str] = ()) -> Any:
    """Return what `bank_processes` prints, run through another command where one is given."""
    command = [*through, sys.executable, "-m", "tests.csd.bank_processes", *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


def works(*command: str) -> bool:
    """Return whether a command can be run here."""
    if shutil.which(command[0]) is None:
        return False
    return subprocess.run(command, capture_output=True, timeout=20, check=False).returncode == 0


def whole(bank: Bank, encoder: Encoder) -> None:
    """Check that every descriptor in `bank` is complete and that search agrees with the records."""
    for id in bank.ids():
        csd = bank.get(id)
        assert csd.id == id
        assert bank.describing("ep_000001") == bank.ids()
        assert list(bank.vectors(id)) == axes_of(csd)
        for axis in axes_of(csd):
            [vector] = encoder.encode([render_axis(csd, axis)])
            assert np.array_equal(bank.vectors(id)[axis], vector.astype(np.float16).astype(np.float32))
            assert id in bank.mentioning(f"thing:{csd.axis(axis)[-1].subject}") or axis is Axis.INTER
            matches = bank.recall({axis: vector}, k=1)
            assert matches[0].score == pytest.approx(1.0, abs=1e-3)
    assert len(bank.recall({Axis.ATTR: "any"}, k=99)) == sum(bool(bank.get(id).attr) for id in bank.ids())


STATES: dict[str, list[set[str]]] = {
    "": [set()],
    "made": [set(), {"pickaxe"}],
    "pickaxe": [{"pickaxe"}, {"pickaxe", "sand", "coal"}],
    "two more": [{"pickaxe", "sand", "coal"}, {"sand", "coal"}],
    "removed": [{"sand", "coal"}, {"sand", "coal", "clay"}],
    "clay": [{"sand", "coal", "clay"}],
}
"""Last change acknowledged -> what the bank may hold: the change under way is there or it is not."""

NAMES = {
    wooden_pickaxe().id: "pickaxe",
    digging("sand").id: "sand",
    playing("coal", "fuel").id: "coal",
    digging("clay").id: "clay",
}


def test_a_kill_before_any_statement_leaves_acknowledged_changes_whole_and_others_absent(
    tmp_path: Path,
) -> None:
    count = run("deaths", str(tmp_path), "0", "7")
    killed = [done.with_suffix(".db") for done in sorted(tmp_path.glob("*.done"))[:-1]]
    assert len(killed) == count
    assert len(killed) >= 20
    for path in killed:
        done = path.with_suffix(".done").read_text().split("\n")[:-1]
        encoder: Encoder = HashingEncoder()
        try:
            bank = Bank.open(path, encoder)
        except BankError:
            # All the new vectors and the new name of the encoder, or none of them.
            assert done[-1:] == ["clay"]
            encoder = ReversedEncoder()
            bank = Bank.open(path, encoder)
        with bank:
            assert {NAMES[id] for id in bank.ids()} in STATES[done[-1] if done else ""]
            clay, sand = digging("clay").id, digging("sand").id
            if clay in bank:
                assert bank.links(clay) == [(clay, "derived_from", sand)]
            whole(bank, encoder)
            bank.add(digging("gravel"))
            whole(bank, encoder)


def check_full(told: dict[str, Any], folder: Path | None) -> None:
    """Check what a process told about a bank that had no room."""
    assert "permissions and free space" in told["error"]
    assert len(told["added"]) > 5
    assert told["readable"] == told["added"]
    assert sorted(told["found"]) == sorted(told["added"])
    assert told["findings"] == []
    if folder is not None:
        with Bank.open(folder / "full.db", HashingEncoder()) as bank:
            assert bank.ids() == sorted([*told["added"], told["late"]])
            whole(bank, HashingEncoder())


def test_a_file_that_may_not_grow_is_an_error_that_says_so_and_loses_nothing(tmp_path: Path) -> None:
    told = run("full", str(tmp_path))
    check_full(told, tmp_path)
    assert "nothing was changed" in told["told"][0]


@pytest.mark.skipif(
    not works(*IN_A_NAMESPACE, "true"), reason="needs the right to mount a small disk (unshare)"
)
def test_a_full_disk_is_an_error_that_says_so_and_the_bank_goes_on_once_there_is_room(tmp_path: Path) -> None:
    mount = ("sh", "-c", f'mount -t tmpfs -o size=8m tmpfs {tmp_path} && exec "$@"', "sh")
    told = run("full", str(tmp_path), through=(*IN_A_NAMESPACE, *mount))
    check_full(told, None)
    add, supersede, export, compact = told["told"]
    assert "got database or disk is full" in told["error"]
    assert "nothing was changed" in add
    assert "nothing was changed" in supersede
    assert "No space left on device" in export
    assert "what was there before is intact" in export
    assert compact == "" or "Nothing is lost" in compact


def test_writes_that_end_in_the_middle_of_a_page_change_nothing(tmp_path: Path) -> None:
    before = sorted(digging(f"block_{number}").id for number in range(40))
    after = sorted([*before, *(digging(f"more_{number}").id for number in range(40))])
    told = run("short", str(tmp_path))
    assert any(one["ids"] == before for one in told)
    assert any(one["ids"] == after for one in told)
    for one in told:
        assert one["ids"] in (before, after)
        assert sorted(one["found"]) == one["ids"]
        assert one["findings"] == []
        assert all("free space" in error for error in one["errors"])
        assert bool(one["errors"]) or one["ids"] == after


@pytest.mark.skipif(
    os.geteuid() == 0 and not works(*WITHOUT_ROOT, "true"),
    reason="nothing is forbidden to root (needs setpriv)",
)
def test_what_may_not_be_written_to_is_named_and_left_alone_and_caches_are_done_without(
    tmp_path: Path,
) -> None:
    told = run("locked", str(tmp_path), through=WITHOUT_ROOT if os.geteuid() == 0 else ())
    assert "that a bank can be made in; got [Errno 13] Permission denied" in told["new file"][0]
    for refused in ("folder", "file", "file and folder"):
        assert "attempt to write a readonly database. Check the folder's permissions" in told[refused][0]
    assert told["same"]
    assert told["found"] == told["right"]
    assert told["cue"] == [digging("block_3").id]
    assert "searchable vectors can be written to; got [Errno 13] Permission denied" in told["compact"][0]
    assert told["ids"] == sorted([*told["right"], told["late"]])
    assert examine(tmp_path / "bank.db").findings == ()


def test_threads_that_write_and_search_at_once_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "bank.db"
    Bank.open(path, HashingEncoder()).close()

    def work(name: str) -> list[str]:
        with Bank.open(path, HashingEncoder(), durable=False) as bank:
            ids = []
            for number in range(15):
                ids.append(bank.add(digging(f"{name}_{number}")))
                assert bank.recall(digging(f"{name}_{number}"), k=1)[0].id == ids[-1]
                assert [hit.id for hit in bank.cue(f"{name}_{number}")] == [ids[-1]]
            return ids

    with ThreadPoolExecutor(4) as pool:
        added = [id for ids in pool.map(work, ("north", "south", "east", "west")) for id in ids]
    with Bank.open(path, HashingEncoder()) as bank:
        assert bank.ids() == sorted(added)
        assert len(added) == 60
    assert examine(path).findings == ()


def test_a_bank_that_is_closed_or_of_another_thread_says_so(tmp_path: Path) -> None:
    with Bank.open(tmp_path / "bank.db", HashingEncoder()) as bank, ThreadPoolExecutor(1) as pool:
        with pytest.raises(BankError, match="used by the thread that opened it"):
            pool.submit(bank.add, digging("sand")).result()
        assert bank.ids() == []
    with pytest.raises(BankError, match="expected an open bank"):
        bank.ids()
