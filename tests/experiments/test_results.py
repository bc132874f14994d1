from __future__ import annotations

import json

import pytest

from echo.experiments.results import (
    ResultsError,
    Timing,
    claim_folder,
    read_result,
    read_results,
    run_file,
    write_atomically,
    write_result,
)
from echo.experiments.spec import UnlockSpec, UsageError
from echo.experiments.trial import run_trial
from tests.experiments.fakes import make_run, play_fake

SPEC = UnlockSpec(agent="echo", seed=1, steps=100)


def test_a_result_reads_back_equal(tmp_path):
    run = make_run(SPEC, 3, 9)
    path = write_result(tmp_path, run)
    assert path == tmp_path / "runs" / "echo-s01.json"
    assert read_result(path) == run
    assert read_result(path).model_dump() == run.model_dump()


def test_milestones_are_the_action_of_the_first_gain_or_none():
    run = make_run(SPEC, 3, 9, items=("furnace", "stick"))
    assert run.milestones["furnace"] == 3
    assert run.milestones["diamond"] is None


def test_timing_and_command_count_in_no_comparison():
    run = make_run(SPEC, 3)
    slower = run.model_copy(
        update={"timing": Timing(wall_seconds=99, decision_ms=(7, 8), started="later"), "command": "other"}
    )
    assert slower == run
    assert slower.result_digest == run.result_digest
    assert make_run(SPEC, 4) != run


def test_no_unfinished_file_is_left_and_a_rewrite_replaces_the_whole(tmp_path):
    write_atomically(tmp_path / "a" / "file.json", b"a longer text")
    write_atomically(tmp_path / "a" / "file.json", b"short")
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["file.json"]
    assert (tmp_path / "a" / "file.json").read_bytes() == b"short"


def test_a_torn_result_file_is_named_with_what_to_do(tmp_path):
    path = write_result(tmp_path, make_run(SPEC, 3))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(ResultsError, match=r"a result file as JSON.*echo-s01\.json.*Delete that file"):
        read_result(path)


def test_a_result_of_another_format_is_refused(tmp_path):
    path = write_result(tmp_path, make_run(SPEC, 3))
    path.write_text(json.dumps({**json.loads(path.read_text()), "format": 2}))
    with pytest.raises(ResultsError, match=r"format 1; got 2 in .*echo-s01.json"):
        read_result(path)


def test_a_result_with_an_unknown_field_or_a_wrong_value_is_refused(tmp_path):
    path = write_result(tmp_path, make_run(SPEC, 3))
    content = json.loads(path.read_text())
    path.write_text(json.dumps({**content, "extra": 1}))
    with pytest.raises(ResultsError, match="extra: Extra inputs"):
        read_result(path)
    content["unlocks"][0]["action"] = 0
    path.write_text(json.dumps(content))
    with pytest.raises(ResultsError, match=r"unlocks\.0\.action"):
        read_result(path)


def test_a_result_whose_spec_was_altered_is_refused(tmp_path):
    path = write_result(tmp_path, make_run(SPEC, 3))
    content = json.loads(path.read_text())
    content["spec"]["seed"] = 7
    path.write_text(json.dumps(content))
    with pytest.raises(ResultsError, match="the spec was altered"):
        read_result(path)


@pytest.mark.parametrize("content", ["[1, 2]", '{"note": "mine"}', "null"])
def test_a_file_that_is_no_result_is_named_and_to_be_moved_out(tmp_path, content):
    write_result(tmp_path, make_run(SPEC, 3))
    (tmp_path / "runs" / "notes.json").write_text(content)
    with pytest.raises(ResultsError, match=r"notes\.json: it is no result of a run\. Move it out"):
        read_results(tmp_path)


def test_a_missing_result_is_no_empty_result(tmp_path):
    with pytest.raises(ResultsError, match="got nothing at"):
        read_result(run_file(tmp_path, "echo-s09"))
    with pytest.raises(UsageError, match=r"expected a results folder with runs/\*\.json"):
        read_results(tmp_path)


def test_a_result_under_another_name_is_refused_with_its_own(tmp_path):
    path = write_result(tmp_path, make_run(SPEC, 3))
    path.rename(path.with_name("echo-s07.json"))
    with pytest.raises(
        ResultsError, match=r"the run echo-s07; got the one of echo-s01 in .*Rename it to echo-s01\.json"
    ):
        read_results(tmp_path)


def test_a_copy_of_a_result_does_not_count_twice(tmp_path):
    path = write_result(tmp_path, make_run(SPEC, 3))
    path.with_name("copy.json").write_bytes(path.read_bytes())
    with pytest.raises(ResultsError, match=r"echo-s01\.json lies beside it.*delete copy\.json"):
        read_results(tmp_path)


def test_a_folder_takes_more_agents_and_seeds_in_the_same_circumstances(tmp_path):
    claim_folder(tmp_path, SPEC)
    claim_folder(tmp_path, UnlockSpec(agent="edits", seed=5, steps=100))


def test_a_folder_refuses_runs_in_other_circumstances_and_names_them(tmp_path):
    claim_folder(tmp_path, SPEC)
    with pytest.raises(UsageError, match=r"\(shots=2, steps=100\); got shots=8, steps=200.*--out"):
        claim_folder(tmp_path, UnlockSpec(agent="echo", steps=200, shots=8))


@pytest.mark.parametrize("content", ['{"format": 9, "circumstances": {}}', "{", "[]", '{"format": 1}'])
def test_a_folder_of_another_version_or_a_damaged_one_is_refused(tmp_path, content):
    (tmp_path / "experiment.json").write_text(content)
    with pytest.raises(ResultsError, match=r"expected (a results folder of format 1|an experiment file)"):
        claim_folder(tmp_path, SPEC)


def test_a_result_from_before_the_verifier_counts_none_rejected(tmp_path):
    run = run_trial(SPEC, tmp_path, play_fake, "", lambda *_: None)
    path = run_file(tmp_path, SPEC.name)
    content = json.loads(path.read_text())
    assert content["attempts"]["transfer"] == {"rejected": 0, "tried": 40, "made": 20, "new": 9}
    for counts in content["attempts"].values():
        del counts["rejected"]
    path.write_text(json.dumps(content))
    assert read_result(path) == run
    assert read_result(path).attempts["transfer"]["rejected"] == 0
