from __future__ import annotations

import errno
import fcntl
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo.experiments.pool_folder import Slice, only_one_here, take_slice
from echo.experiments.spec import UsageError


def test_a_slice_is_every_kth_member_from_its_number_on():
    assert take_slice("abcdefgh", "1/3") == ("a", "d", "g")
    assert take_slice("abcdefgh", "3/3") == ("c", "f")
    assert take_slice("abc", " 1 / 1 ") == ("a", "b", "c")
    assert take_slice("ab", "3/3") == ()


@given(members=st.lists(st.integers(), max_size=60), of=st.integers(1, 70))
def test_all_slices_of_a_number_are_all_members_once_and_differ_by_one_at_most(members, of):
    shares = [Slice(number=number, of=of).take(range(len(members))) for number in range(1, of + 1)]
    assert sorted(member for share in shares for member in share) == list(range(len(members)))
    assert max(map(len, shares)) - min(map(len, shares)) <= 1


@pytest.mark.parametrize(
    "text", ["", "3", "3/", "/40", "3/40/2", "-1/40", "1.5/4", "three/four", "3 40", "٣/٤"]
)
def test_what_is_no_slice_is_refused_with_an_example(text):
    with pytest.raises(UsageError, match=r"expected a slice such as 3/40, the third of forty; got .*--slice"):
        take_slice("abc", text)


def test_a_slice_outside_its_number_is_refused_with_what_a_batch_system_must_be_told():
    with pytest.raises(UsageError, match=r"from 1/40 to 40/40; got '0/40'.*--array=1-40"):
        take_slice("abc", "0/40")
    with pytest.raises(UsageError, match=r"from 1/40 to 40/40; got '41/40'"):
        take_slice("abc", "41/40")
    with pytest.raises(UsageError, match="expected a slice of 1 or more; got '0/0'"):
        take_slice("abc", "0/0")


def part(text: str | None) -> Slice | None:
    return None if text is None else Slice.parse(text)


@pytest.mark.parametrize(
    ("inside", "asked", "told"),
    [
        (None, None, "another running experiment in"),
        ("1/4", None, "another running experiment in"),
        (None, "1/4", "another running experiment that plays all of it in"),
        ("1/4", "1/4", "the slice 1/4 already running in"),
        ("1/4", "2/3", "the running slice 1/4, whose jobs overlap with those of 2/3, in"),
    ],
)
def test_what_would_play_a_run_twice_is_kept_out_of_a_folder(tmp_path, inside, asked, told):
    with (
        only_one_here(tmp_path, part(inside)),
        pytest.raises(UsageError, match=f"in which nothing runs; got {told} .*--out"),
        only_one_here(tmp_path, part(asked)),
    ):
        pass


def test_slices_of_one_number_run_in_one_folder_and_leave_it_free(tmp_path):
    with only_one_here(tmp_path, part("1/4")), only_one_here(tmp_path, part("2/4")):
        assert (tmp_path / "runs").is_dir()
    with only_one_here(tmp_path, part("2/3")):
        pass
    with only_one_here(tmp_path):
        pass


HOLDER = """
import sys, time
from pathlib import Path
from echo.experiments.pool_folder import Slice, only_one_here

with only_one_here(Path(sys.argv[1]), Slice.parse("2/4")):
    print("held", flush=True)
    time.sleep(60)
"""


def test_a_killed_process_frees_the_folder(tmp_path):
    root = Path(__file__).parents[2]
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], cwd=root, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with only_one_here(tmp_path, part("1/4")):
            pass
        with pytest.raises(UsageError, match="another running experiment"), only_one_here(tmp_path):
            pass
        holder.kill()
    with only_one_here(tmp_path):
        pass


def test_a_file_system_without_locks_is_told_from_a_folder_in_use(tmp_path, monkeypatch):
    def refuse(file: object, kind: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with (
        pytest.raises(UsageError, match=r"a file system that can lock files at .*No locks available.*--out"),
        only_one_here(tmp_path),
    ):
        pass
