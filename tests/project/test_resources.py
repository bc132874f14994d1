"""Data files are found in a checkout and in the layout of a wheel."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from csd.resources import data_file

ROOT = Path(__file__).resolve().parents[2]


def test_every_file_of_a_checkout_is_found_with_its_own_bytes():
    files = [path for path in sorted((ROOT / "data").rglob("*")) if path.is_file()]
    assert files
    for path in files:
        assert data_file(*path.relative_to(ROOT / "data").parts).read_bytes() == path.read_bytes()


def test_a_folder_is_found_too():
    assert data_file("minecraft").is_dir()


def test_a_missing_file_says_where_it_was_looked_for_and_what_to_do():
    with pytest.raises(FileNotFoundError, match=r"'minecraft/none.json'.*_data.*got nothing.*Reinstall"):
        data_file("minecraft", "none.json")


def test_in_a_wheel_the_packaged_data_is_found_and_not_a_data_folder_next_to_the_packages(tmp_path: Path):
    shutil.copytree(ROOT / "csd", tmp_path / "csd", ignore=shutil.ignore_patterns("__pycache__"))
    for folder, text in (("csd/_data", "packaged"), ("data", "beside")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "word.txt").write_text(text, encoding="ascii")
    script = "from csd.resources import data_file; print(data_file('word.txt').read_text())"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "packaged\n"
