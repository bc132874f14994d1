"""With what a run was made: versions, commit, machine. Nothing here enters a digest."""

from __future__ import annotations

import os
import platform
import subprocess
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PACKAGES: tuple[str, ...] = (
    "echo-memory",
    "numpy",
    "pydantic",
    "networkx",
    "faiss-cpu",
    "onnxruntime",
    "tokenizers",
    "gymnasium",
)


class Made(Protocol):
    """A result that says with what it was made."""

    @property
    def commit(self) -> str | None:
        """Of the code, with ``+changes`` where files differed from it; None outside a checkout."""

    @property
    def versions(self) -> dict[str, str]:
        """Package -> version."""


@lru_cache(maxsize=1)
def package_versions() -> dict[str, str]:
    """Return the versions of Python and of the packages that results depend on; absent ones are left out."""
    found = {"python": platform.python_version()}
    for name in PACKAGES:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


@lru_cache(maxsize=1)
def code_commit() -> str | None:
    """Return the commit this code was checked out at, with ``+changes`` where tracked files differ.

    None where the package does not lie in a git checkout of its own (an installed wheel), or has no commit.
    """
    root = Path(__file__).resolve().parents[2]
    if not (root / ".git").exists():
        return None
    commit = _git(root, "rev-parse", "HEAD")
    if not commit:
        return None
    changed = _git(root, "status", "--porcelain", "--untracked-files=no")
    return commit + ("+changes" if changed else "")


def _git(root: Path, *arguments: str) -> str | None:
    """Return the output of a git command, None where it fails or git is absent."""
    try:
        done = subprocess.run(
            ["git", "-C", str(root), *arguments], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def tell_foreign(results: Sequence[Made], commit: str | None, versions: Mapping[str, str]) -> str | None:
    """Return a warning, in one line, of results that other code made than that of `commit` and `versions`.

    None where there are none. Commits are cut to 12 digits.
    """
    foreign = [run for run in results if run.commit != commit or run.versions != versions]
    if not foreign:
        return None
    commits = [_short(run.commit) for run in foreign if run.commit != commit]
    changed = [
        f"{name} {run.versions.get(name, 'absent')}"
        for run in foreign
        for name in sorted({*run.versions, *versions})
        if run.versions.get(name) != versions.get(name)
    ]
    made = [f"commit {one}" for one in dict.fromkeys(commits)] + list(dict.fromkeys(changed))
    return (
        f"{len(foreign)} of {len(results)} kept {'result' if len(results) == 1 else 'results'} made with "
        f"{', '.join(made)}; this is commit {_short(commit)}. To play all anew, choose another --out."
    )


def _short(commit: str | None) -> str:
    """Return a commit's first 12 digits with its ``+changes``."""
    if commit is None:
        return "unknown"
    digits, plus, changes = commit.partition("+")
    return digits[:12] + plus + changes


@lru_cache(maxsize=1)
def machine_facts() -> dict[str, str | int]:
    """Return kind of system, processor and number of cores; no host or user name."""
    return {
        "system": platform.system(),
        "machine": platform.machine(),
        "processor": _processor_name(),
        "cores": os.cpu_count() or 1,
    }


def _processor_name() -> str:
    """Return the processor's model name, or what the platform module knows."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(named, platform.processor() or "unknown")
