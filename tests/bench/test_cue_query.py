from __future__ import annotations

import json
from pathlib import Path

from echo.bench.cue_query import SizeResult, Timing, describe, main
from echo.bench.query_memory import RARE_EVERY, write_memory
from echo.mfm.folder import MemoryFolder


def test_a_memory_to_ask_is_whole_and_the_same_each_time(tmp_path: Path):
    write_memory(tmp_path / "one", 20)
    write_memory(tmp_path / "two", 20)
    memory = MemoryFolder(tmp_path / "one")
    rows = list(memory.rows())
    assert rows == list(MemoryFolder(tmp_path / "two").rows())
    assert [row["id"] for row in rows] == [f"ep_{number:06d}" for number in range(20)]
    assert memory.outcome("ep_000003")["last_step"] == rows[3]["last_step"]
    assert memory.state("ep_000003")["step"] == rows[3]["first_step"] - 1
    assert memory.action("ep_000003")["first_step"] == rows[3]["first_step"]


def test_all_queries_are_timed_beside_a_plain_scan(tmp_path: Path, capsys):
    main(["--sizes", "40", "--runs", "1", "--folder", str(tmp_path), "--json"])
    [result] = json.loads(capsys.readouterr().out)["sizes"]
    assert result["episodes"] == 40
    assert result["cache_bytes"] > 0
    lines = {timing["name"]: timing["lines"] for timing in (*result["warm"], *result["peers"])}
    assert RARE_EVERY > 40
    assert {name: lines[name] for name in ("last", "grep", "grep, nothing", "text", "steps", "tag")} == {
        "last": 5, "grep": 1, "grep, nothing": 0, "text": 1, "steps": 4, "tag": 3,
    }  # fmt: skip
    assert lines["python, JSON scan of the index by tag"] == 1
    assert all(timing["median_ms"] > 0 for timing in result["warm"])


def test_the_result_is_a_table():
    result = SizeResult(
        episodes=3083,
        index_bytes=1_250_000,
        cache_bytes=5_000_000,
        first_of_few_ms=26.4,
        first_by_row_ms=80.4,
        first_by_text_ms=1234.5,
        warm=(Timing(name="grep", median_ms=27.0, fastest_ms=26.5, processor_ms=25.0, lines=4),),
        peers=(),
    )
    assert describe(result) == (
        "3,083 episodes: index 1.2 MB, caches 5.0 MB; first query for few 26 ms, "
        "by row 80 ms, by text 1,234 ms\n"
        "  grep                                       27.0 ms (fastest 26.5, processor 25.0)  4 lines"
    )
