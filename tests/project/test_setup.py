"""The files at the root keep their promises to each other."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

needs_make = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    # A make that runs these tests hands its flags down; they are not part of the question.
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))
    }
    return subprocess.run(
        ["make", *arguments], cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )


def project() -> dict[str, object]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_the_installed_version_is_the_one_in_pyproject_and_the_newest_in_the_changelog():
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    newest = re.search(r"^## (\S+)", changelog, re.MULTILINE)
    assert newest is not None
    assert newest[1] == project()["version"]
    try:
        installed = version("echo-memory")
    except PackageNotFoundError:
        pytest.skip("echo-memory is not installed here; make test installs it")
    assert installed == project()["version"]


def test_every_dependency_is_pinned_within_its_range():
    from packaging.requirements import Requirement
    from packaging.utils import canonicalize_name

    pins = {
        canonicalize_name(name): pin
        for name, pin in re.findall(
            r"^([\w.-]+)==(\S+)$", (ROOT / "constraints.txt").read_text(), re.MULTILINE
        )
    }
    extras: dict[str, list[str]] = project()["optional-dependencies"]
    asked = [
        Requirement(text) for text in (*project()["dependencies"], *(r for e in extras.values() for r in e))
    ]
    unfit = [
        str(one)
        for one in asked
        if canonicalize_name(one.name) not in pins or pins[canonicalize_name(one.name)] not in one.specifier
    ]
    assert unfit == []


def test_every_decision_has_its_question_choice_reason_and_what_would_change_it():
    decisions = (ROOT / "DECISIONS.md").read_text(encoding="utf-8").split("\n## ")[1:]
    for number, decision in enumerate(decisions, start=1):
        title, *lines = decision.strip().splitlines()
        assert title.startswith(f"{number}. ")
        assert [line.split(":")[0] for line in lines if line] == [
            "- Question",
            "- Choice",
            "- Reason",
            "- Change",
        ], title


@needs_make
def test_a_python_that_is_not_there_is_named_with_what_to_do(tmp_path: Path):
    done = make("demo", f"VENV={tmp_path / 'venv'}", "PYTHON=no-such-python")
    assert done.returncode == 2
    assert "expected Python 3.11 or newer as 'no-such-python'; got no such command" in done.stderr
    assert "make PYTHON=" in done.stderr
    assert not (tmp_path / "venv").exists()


@needs_make
def test_a_python_that_is_too_old_is_named_with_its_version(tmp_path: Path):
    old = tmp_path / "python3"
    old.write_text(
        '#!/bin/sh\ncase "$1" in --version) echo Python 3.10.1;; *) exit 1;; esac\n', encoding="ascii"
    )
    old.chmod(0o755)
    done = make("test", f"VENV={tmp_path / 'venv'}", f"PYTHON={old}")
    assert done.returncode == 2
    assert f"expected Python 3.11 or newer as '{old}'; got Python 3.10.1" in done.stderr
    assert not (tmp_path / "venv").exists()


@needs_make
def test_a_finished_installation_is_not_repeated(tmp_path: Path):
    (tmp_path / "bin").mkdir()
    for name in ("bin/python", ".core", ".dev", ".full"):
        (tmp_path / name).touch()
    for target in ("demo", "check", "test", "wheel-test"):
        done = make("--dry-run", target, f"VENV={tmp_path}")
        assert done.returncode == 0, done.stderr
        assert "pip install" not in done.stdout


def test_the_readme_shows_the_two_commands_and_the_walk_within_60_lines():
    head = "\n".join((ROOT / "README.md").read_text(encoding="utf-8").splitlines()[:60])
    for part in ("make demo", "make test", "retrieve"):
        assert part in head
