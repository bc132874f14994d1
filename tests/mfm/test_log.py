from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from echo.mfm.layout import MfmError
from echo.mfm.log import append_log, read_log


def test_entries_come_back_in_order_and_a_log_never_written_is_empty(tmp_path: Path):
    log = tmp_path / "runs.jsonl"
    assert read_log(log).entries == ()
    append_log(log, {"b": "é", "a": 1})
    append_log(log, {"c": None})
    assert log.read_bytes() == b'{"a": 1, "b": "\\u00e9"}\n{"c": null}\n'
    assert read_log(log).entries == ({"a": 1, "b": "é"}, {"c": None})


def test_a_torn_line_is_counted_kept_and_does_not_swallow_the_next_entry(tmp_path: Path):
    log = tmp_path / "runs.jsonl"
    append_log(log, {"n": 1})
    log.write_bytes(log.read_bytes() + b'{"n": 2, "text": "\xc3')
    append_log(log, {"n": 3})
    held = read_log(log)
    assert held.entries == ({"n": 1}, {"n": 3})
    assert held.unread == 1
    assert b'{"n": 2' in log.read_bytes()


def test_lines_that_are_json_but_no_object_are_counted(tmp_path: Path):
    log = tmp_path / "runs.jsonl"
    log.write_bytes(b'[1]\n\n"x"\n{"n": 1}\n' + b"[" * 100_000 + b"\n")
    assert (read_log(log).entries, read_log(log).unread) == (({"n": 1},), 3)


def test_a_folder_in_the_way_is_named(tmp_path: Path):
    (tmp_path / "runs.jsonl").mkdir()
    with pytest.raises(MfmError, match=r"expected a log at .*runs\.jsonl"):
        append_log(tmp_path / "runs.jsonl", {})


def test_a_number_that_is_not_finite_leaves_the_log_as_it_was(tmp_path: Path):
    append_log(tmp_path / "log", {"n": 1})
    with pytest.raises(ValueError, match="finite"):
        append_log(tmp_path / "log", {"n": float("nan")})
    assert read_log(tmp_path / "log").entries == ({"n": 1},)


def test_four_processes_writing_at_once_lose_nothing(tmp_path: Path):
    script = (
        "import sys; from pathlib import Path; from echo.mfm.log import append_log\n"
        "for n in range(50): append_log(Path(sys.argv[1]), {'who': sys.argv[2], 'n': n})"
    )
    log = tmp_path / "log"
    writers = [subprocess.Popen([sys.executable, "-c", script, str(log), str(who)]) for who in range(4)]
    assert [writer.wait(60) for writer in writers] == [0] * 4
    held = read_log(log)
    assert held.unread == 0
    assert sorted((entry["who"], entry["n"]) for entry in held.entries) == [
        (str(who), n) for who in range(4) for n in range(50)
    ]
    assert len(log.read_bytes().splitlines()) == len([json.dumps(e) for e in held.entries])
