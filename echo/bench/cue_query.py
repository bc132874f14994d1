"""How long ``echo-memory query`` takes, whole process from the shell, on memories of several sizes.

Run as ``python -m echo.bench.cue_query --sizes 636,3083,100000 --json``. Beside it, in the same run: ripgrep
over the index and over all text files of the episodes, where it is installed, and a Python program that
parses every line of the index. The bars are 40 ms at 3,083 episodes and 60 ms at 100,000, caches made.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from echo.bench.query_memory import RARE, STEPS, write_memory
from echo.mfm.layout import CACHE, EPISODES, INDEX

SIZES = (636, 3_083, 100_000)
RUNS = 11

_SCAN = """
import json, sys
for line in open(sys.argv[1], "rb"):
    row = json.loads(line)
    if "damage" in row["tags"]:
        last = line
sys.stdout.buffer.write(last)
"""


@dataclass(frozen=True, kw_only=True)
class Timing:
    """How long a command took."""

    name: str
    median_ms: float
    fastest_ms: float
    processor_ms: float
    """Median of the processor time it took, which other programs on the machine disturb less."""
    lines: int
    """Of output."""


@dataclass(frozen=True, kw_only=True)
class SizeResult:
    """All that was measured on one memory."""

    episodes: int
    index_bytes: int
    cache_bytes: int
    """Of both caches."""
    first_of_few_ms: float
    """Of the first query for the last few of many, which needs no cache."""
    first_by_row_ms: float
    """Of the first query by place, which makes the cache of rows."""
    first_by_text_ms: float
    """Of the first grep, which reads all files of all episodes once."""
    warm: tuple[Timing, ...]
    """Queries with the caches made."""
    peers: tuple[Timing, ...]


def measure(root: Path, *, runs: int = RUNS) -> SizeResult:
    """Measure on the memory at `root`, of `write_memory`; its caches are made anew."""
    shutil.rmtree(root / CACHE, ignore_errors=True)
    size = (root / INDEX).stat().st_size
    with (root / INDEX).open("rb") as index:
        episodes = sum(1 for _ in index)
        index.seek(size // 2)
        index.readline()
        middle = json.loads(index.readline())
    near = ["--near", str(middle["x"]), str(middle["z"])]
    first_of_few = _timed("first of few", _query(root, "--tag", "damage", "--last", "5"), 1).median_ms
    first_by_row = _timed("first by row", _query(root, *near), 1).median_ms
    first_by_text = _timed("first by text", _query(root, "--grep", RARE), 1).median_ms
    steps = [str(middle["first_step"]), str(middle["first_step"] + 3 * STEPS)]
    queries = {
        "last": ["--last", "5"],
        "grep": ["--grep", RARE.upper()],
        "grep, common": ["--grep", "oak_log", "--last", "5"],
        "grep, nothing": ["--grep", "no such thing"],
        "grep, two letters": ["--grep", "zq"],
        "grep, one letter": ["--grep", "q", "--last", "5"],
        "text": ["--text", "hollow river"],
        "text, one letter": ["--text", "o*", "--last", "5"],
        "near": near,
        "steps": ["--steps", *steps],
        "tag": ["--tag", "damage", "--last", "5"],
        "tag, all": ["--tag", "damage"],
        "tag, near, grep": ["--tag", "note", *near, "--radius", "500", "--grep", "hollow"],
    }
    return SizeResult(
        episodes=episodes,
        index_bytes=size,
        cache_bytes=sum(path.stat().st_size for path in (root / CACHE).iterdir()),
        first_of_few_ms=first_of_few,
        first_by_row_ms=first_by_row,
        first_by_text_ms=first_by_text,
        warm=tuple(_timed(name, _query(root, *words), runs) for name, words in queries.items()),
        peers=tuple(_peers(root, runs)),
    )


def _peers(root: Path, runs: int) -> list[Timing]:
    python = [sys.executable, "-c"]
    found = [
        _timed("python, nothing", [*python, "pass"], runs),
        _timed("python, JSON scan of the index by tag", [*python, _SCAN, str(root / INDEX)], min(runs, 5)),
    ]
    rg = shutil.which("rg") or shutil.which("rg", path=str(Path(sys.executable).parent))
    if rg is not None:
        words = [rg, "-i", "-F", "--no-ignore", RARE]
        found.append(_timed("ripgrep, index", [*words, str(root / INDEX)], runs))
        found.append(_timed("ripgrep, all files", [*words, str(root / EPISODES)], min(runs, 3)))
    return found


def _query(root: Path, *words: str) -> list[str]:
    return [str(Path(sys.executable).parent / "echo-memory"), "query", "--root", str(root), *words]


def _timed(name: str, command: Sequence[str], runs: int) -> Timing:
    # As installed programs run: with their compiled modules kept.
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    took, processor = [], []
    for _ in range(runs):
        start, before = time.perf_counter(), _children_seconds()
        done = subprocess.run(command, capture_output=True, check=False, env=environment)
        took.append(1e3 * (time.perf_counter() - start))
        processor.append(1e3 * (_children_seconds() - before))
        if done.returncode not in (0, 1) or (done.returncode and "echo-memory" in command[0]):
            raise RuntimeError(f"expected {name} to work, got {done.stderr.decode()[-300:]}")
    took.sort()
    return Timing(
        name=name,
        median_ms=round(took[len(took) // 2], 1),
        fastest_ms=round(took[0], 1),
        processor_ms=round(sorted(processor)[len(processor) // 2], 1),
        lines=done.stdout.count(b"\n"),
    )


def _children_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def describe(result: SizeResult) -> str:
    """Return the result as a table in text."""
    lines = [
        f"{result.episodes:,} episodes: index {result.index_bytes / 1e6:.1f} MB, caches "
        f"{result.cache_bytes / 1e6:.1f} MB; first query for few {result.first_of_few_ms:,.0f} ms, by row "
        f"{result.first_by_row_ms:,.0f} ms, "
        f"by text {result.first_by_text_ms:,.0f} ms"
    ]
    lines += [
        f"  {one.name:38} {one.median_ms:8.1f} ms (fastest {one.fastest_ms:.1f}, processor "
        f"{one.processor_ms:.1f})  {one.lines:,} lines"
        for one in (*result.warm, *result.peers)
    ]
    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m echo.bench.cue_query", description=__doc__)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="Episodes, with commas.")
    parser.add_argument("--runs", type=int, default=RUNS, help="Runs of each command (%(default)s).")
    parser.add_argument("--folder", type=Path, help="Where the memories are, or are to stay; else they go.")
    parser.add_argument("--json", action="store_true", help="Print one JSON object.")
    asked = parser.parse_args(words)
    results = []
    with tempfile.TemporaryDirectory() as temporary:
        for size in map(int, asked.sizes.split(",")):
            root = (asked.folder or Path(temporary)) / str(size)
            if not root.exists():
                write_memory(root, size)
            results.append(measure(root, runs=asked.runs))
            if not asked.json:
                sys.stdout.write(f"{describe(results[-1])}\n")
    if asked.json:
        sys.stdout.write(json.dumps({"sizes": [asdict(result) for result in results]}, indent=2) + "\n")


if __name__ == "__main__":
    main()
