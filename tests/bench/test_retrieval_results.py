from __future__ import annotations

import copy
import json

import pytest
from typer.testing import CliRunner

from echo.bench.retrieval.asking import KINDS
from echo.bench.retrieval.bars import judge
from echo.bench.retrieval.engines import ENTRANTS, entrant
from echo.bench.retrieval.plot import write_plot
from echo.bench.retrieval.run import BenchError, Plan, chosen, run, why_not
from echo.bench.retrieval.table import COLUMNS, tell
from echo.cli.bench_command import app as bench

ISSUE_KEYS = {
    *KINDS, "add_per_s", "batch_per_s", "delete_ms", "open_ms", "rss_mb", "disk_mb", "build_s",
    "anonymous_mb",
}  # fmt: skip


COSTS = [key for key, _, _ in COLUMNS]


def engine(p50, recall=1.0, **others):
    found = {"p50_ms": p50, "p95_ms": 2 * p50, "recall": recall, "queries": 200}
    costs = dict.fromkeys(COSTS, 100.0)
    return {"weighted": found, "single": found, "filtered": found, **costs, **others}


def results(**sizes):
    return {
        "machine": {
            "processor": "A processor", "cores": 2, "memory_gb": 24.0, "system": "Linux", "kernel": "6.1",
            "commit": "0" * 40 + "+changes",
            "versions": {"python": "3.11.9", "numpy": "2.4.6", "faiss-cpu": "1.15.1", "lancedb": "0.40.0"},
        },
        "embeddings": "synthetic", "seed": 0, "k": 10, "queries": 200,
        "engines": {one.name: {"kind": one.kind, "database": one.database} for one in ENTRANTS},
        "sizes": {size.strip("_"): row for size, row in sizes.items()},
    }  # fmt: skip


def verdicts(found):
    return {(verdict.text, verdict.size): verdict for verdict in judge(found)}


def test_a_bar_is_reached_or_missed_by_a_factor():
    found = verdicts(results(_10000={"echo": engine(4.0, 0.995, batch_per_s=20_000.0, delete_ms=1.0)}))
    missed = found["weighted, p50", 10_000]
    assert (missed.reached, missed.measured, missed.bar, missed.missed_by) == (False, 4.0, 2.0, 2.0)
    assert missed.line().split() == ["MISSED", "10,000", "weighted,", "p50", "4", "2", "ms", "x", "2"]
    assert found["weighted, recall", 10_000].reached
    assert found["batched ingest", 10_000].reached
    assert found["delete by id", 10_000].reached
    assert found["single durable add", 10_000].missed_by == 15.0


def test_a_bar_that_was_not_measured_is_neither_reached_nor_missed():
    verdict = verdicts(results(_10000={"echo": engine(1.0)}))["weighted, p50", 1_000_000]
    assert (verdict.measured, verdict.reached, verdict.missed_by) == (None, None, None)
    assert verdict.line().split() == ["-", "1,000,000", "weighted,", "p50", "-", "20", "ms"]
    assert (
        verdicts(results(_100000={"echo": {"not_run": "why"}}))["open + first query", 100_000].reached is None
    )


def test_peers_of_a_kind_are_compared_with_the_fastest_of_them():
    row = {
        "echo": engine(1.0), "numpy": engine(6.0), "lancedb": engine(50.0), "milvus-flat": engine(30.0),
        "chroma": engine(4.0, 0.95),
    }  # fmt: skip
    found = verdicts(results(_10000=row))
    database = found["over exact stores", 10_000]
    library = found["over all exact peers", 10_000]
    assert (database.measured, database.reached, database.against) == (30.0, True, "milvus-flat")
    assert (library.measured, library.reached, library.against) == (6.0, False, "numpy")
    assert found["over approximate", 10_000].measured == 4.0


def test_being_faster_with_less_recall_reaches_no_bar():
    row = {"echo": engine(1.0, 0.9), "chroma": engine(40.0, 0.95)}
    verdict = verdicts(results(_10000=row))["over approximate", 10_000]
    assert verdict.reached is False
    assert verdict.against == "chroma"
    assert verdict.line().endswith("recall")


def test_text_fits_80_columns_and_tells_what_was_not_run():
    row = {one.name: engine(123.456) for one in ENTRANTS}
    row["chroma"] = {"not_run": "not installed: pip install chromadb"}
    row["bow"]["weighted"] = {**row["bow"]["weighted"], "recall": None}
    found = results(_10000=row, _1000000=copy.deepcopy(row))
    found["cue"] = {"3083": {"echo_ms": 33.3, "ripgrep_ms": 4.6}, "100000": {"not_run": "failed"}}
    text = tell(found)
    assert max(len(line) for line in text.splitlines()) <= 80
    assert "chroma         not run: not installed: pip install chromadb" in text
    assert "A processor, 2 cores" in text
    assert "not run: failed" in text
    assert "9 more bars are about sizes that were not asked for" in text


def test_a_plot_is_drawn_of_one_size_and_of_several(tmp_path):
    one = results(_10000={"echo": engine(1.0), "numpy": engine(5.0)})
    more = results(_10000={"echo": engine(1.0), "bow": engine(5.0)}, _100000={"echo": engine(2.0)})
    for number, found in enumerate((one, more, results(_10000={"echo": {"not_run": "why"}}))):
        path = tmp_path / f"{number}.png"
        write_plot(found, path)
        assert path.read_bytes().startswith(b"\x89PNG")


def test_peers_are_chosen_by_name_and_limited_by_size():
    assert [one.name for one in chosen("numpy, chroma")] == ["echo", "numpy", "chroma"]
    assert [one.name for one in chosen("none")] == ["echo"]
    assert len(chosen("installed")) == len(ENTRANTS)
    with pytest.raises(BenchError, match=r"names out of echo, faiss-flat.*got pinecone"):
        chosen("pinecone")
    bow = entrant("bow")
    assert why_not(bow, 10_000, "installed") is None
    assert why_not(bow, 10_001, "bow") == "above 10,000 only with --peers all"
    assert why_not(bow, 10_001, "all") is None


def test_results_have_the_promised_keys_are_kept_and_refuse_other_settings(tmp_path):
    told = []
    plan = Plan(sizes=(200,), peers="numpy", queries=5, out=tmp_path, cache=tmp_path / "cache", cue=False)
    found = run(plan, told.append)
    assert list(found["sizes"]) == ["200"]
    assert list(found["sizes"]["200"]) == ["echo", "numpy"]
    for name, one in found["sizes"]["200"].items():
        assert one.keys() >= ISSUE_KEYS, (name, one)
        assert one["weighted"].keys() == {"p50_ms", "p95_ms", "recall", "queries"}
        assert one["weighted"]["recall"] == 1.0
        assert one["disk_mb"] > 1
    assert json.loads((tmp_path / "results.json").read_text()) == found
    assert "200 numpy: filled 200/200" in told
    told.clear()
    assert run(plan, told.append) == found
    assert not told
    with pytest.raises(BenchError, match="another seed"):
        run(Plan(sizes=(200,), seed=1, out=tmp_path, cache=tmp_path, queries=5), told.append)
    assert not [path for path in tmp_path.iterdir() if path.is_dir()]


def test_the_command_prints_tables_or_json_and_refuses_what_it_cannot_read(tmp_path):
    runner, where = CliRunner(), ["--out", str(tmp_path), "--cache", str(tmp_path)]
    wrong = runner.invoke(bench, ["retrieval", "--sizes", "ten", *where])
    assert wrong.exit_code == 2
    assert "expected --sizes as numbers separated by commas; got 'ten'" in wrong.output
    unknown = runner.invoke(bench, ["retrieval", "--peers", "pinecone", *where])
    assert (unknown.exit_code, "got pinecone" in unknown.output) == (2, True)
    asked = ["retrieval", "--sizes", "100", "--peers", "none", "--queries", "3", "--no-cue", *where]
    told = runner.invoke(bench, asked)
    assert told.exit_code == 0, told.output
    assert "100 records, synthetic embeddings" in told.stdout
    printed = json.loads(runner.invoke(bench, [*asked, "--json"]).stdout)
    assert printed["sizes"]["100"]["echo"]["filtered"]["recall"] == 1.0
    assert {"text", "size", "bar", "measured", "reached", "missed_by"} <= printed["bars"][0].keys()
    assert (tmp_path / "retrieval.png").stat().st_size > 10_000
