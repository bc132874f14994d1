"""One engine at one size: filled in one process, asked in another, on one thread each."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from echo.bench.retrieval.asking import KINDS
from echo.bench.retrieval.engines import Entrant
from echo.bench.retrieval.exact import Answer
from echo.bench.retrieval.measure import disk_mb
from echo.bench.retrieval.question import Batch, Data, Question

K = 10
Progress = Callable[[str], None]

_THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "RAYON_NUM_THREADS",
    "LANCE_CPU_THREADS",
    "TOKIO_WORKER_THREADS",
)


def measure_engine(
    one: Entrant,
    data: Data,
    extra: Batch,
    questions: dict[str, Sequence[Question]],
    right: dict[str, list[Answer]],
    work: Path,
    progress: Progress,
) -> dict[str, Any]:
    """Fill one engine in one process, ask it in another, and return its numbers."""
    store = work / "store"
    store.mkdir()
    load = os.getloadavg()[0]
    filled = in_process("fill", one.name, store, (data, extra), work, progress)
    if "not_run" in filled:
        return filled
    size_mb = disk_mb(store)
    asked = in_process("ask", one.name, store, (questions, K, data.dimension), work, progress)
    if "not_run" in asked:
        return asked
    shutil.rmtree(store)
    return {
        **{kind: figures(asked["answers"].pop(kind), right[kind], one) for kind in KINDS},
        **filled,
        **{name: value for name, value in asked.items() if name != "answers"},
        "disk_mb": size_mb,
        "load": load,
    }


def figures(timed: dict[str, Any], right: Sequence[Answer], one: Entrant) -> dict[str, float | int | None]:
    """Return p50 and p95 in milliseconds, recall (None where a ranking is not by vectors) and the count."""
    found = timed["found"]
    recalls = [answer.recall(ids) for answer, ids in zip(right, found, strict=False)]
    return {
        "p50_ms": float(np.percentile(timed["ms"], 50)),
        "p95_ms": float(np.percentile(timed["ms"], 95)),
        "recall": None if one.kind == "words" else float(np.mean(recalls)),
        "queries": len(found),
    }


def in_process(
    task: str, name: str, store: Path, given: object, work: Path, progress: Progress
) -> dict[str, Any]:
    """Run `echo.bench.retrieval.worker` on one processor and return what it measured, or why it did not."""
    handed, result = work / f"{task}.pickle", work / f"{task}.json"
    with handed.open("wb") as file:
        pickle.dump(given, file)
    command = [
        sys.executable,
        "-m",
        "echo.bench.retrieval.worker",
        task,
        name,
        str(store),
        str(handed),
        str(result),
    ]
    with (
        (work / f"{task}.err").open("w+", encoding="utf-8") as errors,
        subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment()
        ) as child,
    ):
        try:
            for line in child.stdout or ():
                progress(line.strip())
            child.wait()
        finally:
            child.kill()
        errors.seek(0)
        last = [line.strip() for line in errors if line.strip()][-1:]
    if child.returncode != 0:
        return {"not_run": f"failed to {task}: {last[0][:300] if last else child.returncode}"}
    measured: dict[str, Any] = json.loads(result.read_text(encoding="utf-8"))
    return measured


def environment() -> dict[str, str]:
    """Return the environment of a process on one thread that finds these packages."""
    root = str(Path(__file__).resolve().parents[3])
    paths = [root, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, **dict.fromkeys(_THREADS, "1"), "PYTHONPATH": os.pathsep.join(paths)}
