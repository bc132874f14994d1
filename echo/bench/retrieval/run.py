"""The benchmark of retrieval: every engine at every size, each in processes of its own, one after another."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from echo.bench.retrieval.asking import KINDS, questions_about
from echo.bench.retrieval.contest import K, Progress, in_process, measure_engine
from echo.bench.retrieval.cue import ROWS, bank_in, measure_cue
from echo.bench.retrieval.engines import ECHO, ENTRANTS, Entrant
from echo.bench.retrieval.exact import exact_answers
from echo.bench.retrieval.machine import machine
from echo.bench.retrieval.plot import write_plot
from echo.bench.retrieval.question import Data
from echo.bench.retrieval.synthetic import SyntheticData

RESULTS = "results.json"
PLOT = "retrieval.png"
Embeddings = Literal["synthetic", "real"]


class BenchError(Exception):
    """A benchmark that cannot be run as asked."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What a user asked to have measured."""

    sizes: tuple[int, ...]
    peers: str = "installed"
    """'installed', 'none', 'all' (sizes without limit too), or names separated by commas."""
    embeddings: Embeddings = "synthetic"
    seed: int = 0
    queries: int = 200
    out: Path
    """Folder of results.json and of the plot."""
    cache: Path
    """Folder of real descriptors and their embeddings."""
    cue: bool = True
    """Whether word search from the shell is timed too."""
    minutes: float = 10.0
    """How long real descriptors may be gathered if there are not enough yet."""


def run(plan: Plan, progress: Progress) -> dict[str, Any]:
    """Measure and return the results; they are written after each engine, and what is there is kept.

    Raises:
        BenchError: on unknown peers, sizes out of range, or results of another kind in the same place.
    """
    entrants = chosen(plan.peers)
    if not plan.sizes or min(plan.sizes) < 1 or plan.queries < 1:
        raise BenchError(f"expected sizes and a number of queries above 0; got {plan.sizes}, {plan.queries}.")
    results = _begin(plan)
    if plan.embeddings == "real":
        from echo.bench.retrieval.real import RealData, harvest

        harvest(plan.cache, max(plan.sizes), plan.minutes, progress)
        results["real"] = {"distinct": RealData(plan.cache).size}
    for size in sorted(plan.sizes):
        row = results["sizes"].setdefault(str(size), {})
        missing = [one for one in entrants if one.name not in row or "not_run" in row[one.name]]
        if not missing:
            continue
        data = _data(plan, size)
        if data is None:
            held = results["real"]["distinct"]
            row.update({one.name: {"not_run": f"only {held:,} distinct descriptors"} for one in missing})
        else:
            _run_size(plan, data, missing, row, results, progress)
        _write(plan.out, results)
    if plan.cue:
        _run_cues(plan, results, progress)
    write_plot(results, plan.out / PLOT)
    return results


def chosen(peers: str) -> list[Entrant]:
    """Return the engines that a user's word asks for, echo first.

    Raises:
        BenchError: on an unknown name.
    """
    names = [name.strip() for name in peers.split(",") if name.strip()]
    if names in (["installed"], ["all"]):
        return list(ENTRANTS)
    if names == ["none"]:
        names = []
    known = [one.name for one in ENTRANTS]
    unknown = [name for name in names if name not in known]
    if unknown:
        raise BenchError(
            f"expected --peers installed, all, none, or names out of {', '.join(known)}; "
            f"got {', '.join(unknown)}."
        )
    return [one for one in ENTRANTS if one.name in (ECHO, *names)]


def why_not(one: Entrant, size: int, peers: str) -> str | None:
    """Return why an engine is not run at a size, None where it is."""
    if not one.installed:
        return f"not installed: pip install {one.install or 'echo-memory'}"
    if one.limit is not None and size > one.limit and peers != "all":
        return f"above {one.limit:,} only with --peers all"
    return None


def _run_size(
    plan: Plan,
    data: Data,
    entrants: Sequence[Entrant],
    row: dict[str, Any],
    results: dict[str, Any],
    progress: Progress,
) -> None:
    size = data.size
    reasons = {one.name: why_not(one, size, plan.peers) for one in entrants}
    row.update({name: {"not_run": reason} for name, reason in reasons.items() if reason})
    running = [one for one in entrants if reasons[one.name] is None]
    if not running:
        return
    held_out = data.held_out(plan.queries)
    questions = questions_about(held_out, data, plan.seed)
    flat = [question for kind in KINDS for question in questions[kind]]
    answers = exact_answers(data, flat, K, lambda told: progress(f"{size:,}: {told}"))
    right = {kind: answers[n * len(held_out) :][: len(held_out)] for n, kind in enumerate(KINDS)}
    plan.out.mkdir(parents=True, exist_ok=True)
    for one in running:
        with TemporaryDirectory(prefix="bench-", dir=plan.out) as work:
            say = _saying(progress, f"{size:,} {one.name}")
            row[one.name] = measure_engine(one, data, held_out, questions, right, Path(work), say)
        _write(plan.out, results)


def _run_cues(plan: Plan, results: dict[str, Any], progress: Progress) -> None:
    """Time word search at the sizes that have a bar, as far as they are not above what was asked for."""
    cues = results.setdefault("cue", {})
    for rows in ROWS:
        if str(rows) in cues or rows > max(max(plan.sizes), ROWS[0]):
            continue
        say = _saying(progress, f"{rows:,} cue")
        data = SyntheticData(plan.seed, rows)
        plan.out.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix="bench-", dir=plan.out) as work:
            store = Path(work) / "store"
            store.mkdir()
            filled = in_process("fill", ECHO, store, (data, data.held_out(1)), Path(work), say)
            found = filled if "not_run" in filled else measure_cue(data, bank_in(store), Path(work))
        cues[str(rows)] = found
        _write(plan.out, results)


def _saying(progress: Progress, name: str) -> Progress:
    return lambda told: progress(f"{name}: {told}")


def _data(plan: Plan, size: int) -> Data | None:
    if plan.embeddings == "synthetic":
        return SyntheticData(plan.seed, size)
    from echo.bench.retrieval.real import RealData

    data = RealData(plan.cache, size)
    return data if data.size == size else None


def _begin(plan: Plan) -> dict[str, Any]:
    """Return the results to add to: those that are there already if they are of the same kind."""
    new = {
        "machine": machine(),
        "embeddings": plan.embeddings,
        "seed": plan.seed,
        "k": K,
        "queries": plan.queries,
        "engines": {
            one.name: {"kind": one.kind, "database": one.database, "how": one.how} for one in ENTRANTS
        },
        "sizes": {},
    }
    path = plan.out / RESULTS
    if not path.exists():
        return new
    held: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    for name, value in new.items():
        if name != "sizes" and held.get(name) != value:
            raise BenchError(
                f"expected results in {path} of the same machine, commit, seed and settings; got another "
                f"{name}. Choose another --out, or move that file away."
            )
    return held


def _write(folder: Path, results: dict[str, Any]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    torn = folder / "results.part"
    torn.write_text(json.dumps(results, indent=1, allow_nan=False) + "\n", encoding="utf-8")
    torn.replace(folder / RESULTS)
