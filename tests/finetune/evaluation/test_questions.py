from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from csd.episode import Episode
from echo.mfm.codec import to_json
from finetune.evaluation.errors import EvaluationError
from finetune.evaluation.questions import instruction, read_questions, read_texts
from finetune.training.errors import TrainingError
from tests.finetune.evaluation.evaluation_samples import BOWL, data_folder, gold, read_episode


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return data_folder(tmp_path_factory.mktemp("data") / "data")


def edited(data: Path, folder: Path, change) -> Path:
    folder.mkdir()
    for name in ("test.jsonl", "episodes.jsonl"):
        lines = [json.loads(line) for line in (data / name).read_text().splitlines()]
        (folder / name).write_text("".join(f"{json.dumps(change(name, line))}\n" for line in lines))
    return folder


def test_test_rows_are_read_with_the_episodes_they_tell_of(data: Path):
    found = read_questions(data, read_episode)
    counts = Counter(each.group for each in found.questions)
    rows = [json.loads(line) for line in (data / "test.jsonl").read_text().splitlines()]
    assert counts["out_of_template"] == 4
    assert counts["write"] == sum(row["kind"] == "write" for row in rows) - 4
    assert counts["repair"] == sum(row["kind"] == "repair" for row in rows) > 0
    assert counts["refuse"] == sum(row["kind"] == "refuse" for row in rows) > 0
    for each, row in zip(found.questions, rows, strict=True):
        assert each.messages[-1].text == row["messages"][-2]["content"]
        assert each.gold == row["messages"][-1]["content"]
        assert (each.episode is None) == (each.group == "refuse")
        assert each.episode is None or isinstance(each.episode, Episode)
        assert (each.style, each.family) == (row["style"], row["family"])


def test_other_rows_have_another_digest(data: Path, tmp_path: Path):
    first = read_questions(data, read_episode).digest
    other = edited(
        data, tmp_path / "a", lambda name, line: {**line, "more": 1} if name == "test.jsonl" else line
    )
    assert read_questions(other, read_episode).digest != first
    assert read_questions(data, read_episode).digest == first


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("test.jsonl", {"kind": "other"}, "expected 'kind' out of write, repair, refuse"),
        ("test.jsonl", {"episode": 3}, "the name of an episode in test.jsonl line 1"),
        ("test.jsonl", {"episode": "none/of"}, r"expected the episode of test\.jsonl line \d+ \(none/of\)"),
        ("episodes.jsonl", {"record": {"id": 1}}, "expected an episode in episodes.jsonl line 1"),
    ],
)
def test_rows_and_episodes_that_will_not_do_are_named(data: Path, tmp_path: Path, name, change, said):
    folder = edited(data, tmp_path / "a", lambda file, line: {**line, **change} if file == name else line)
    with pytest.raises(EvaluationError, match=said):
        read_questions(folder, read_episode)


@pytest.mark.parametrize("name", ["test.jsonl", "episodes.jsonl"])
def test_lines_nested_too_deep_are_named(data: Path, tmp_path: Path, name):
    folder = edited(data, tmp_path / "a", lambda file, line: line)
    (folder / name).write_text("[" * 100_000)
    with pytest.raises((EvaluationError, TrainingError), match=f"{name}.* line 1.*JSON nested too deep"):
        read_questions(folder, read_episode)


def test_a_right_answer_that_is_none_is_named(data: Path, tmp_path: Path):
    def spoil(file, line):
        if file == "test.jsonl" and line["kind"] == "write":
            line["messages"][-1]["content"] = line["messages"][-1]["content"][:-9]
        return line

    with pytest.raises(EvaluationError, match=r"right answer in test\.jsonl line \d+"):
        read_questions(edited(data, tmp_path / "a", spoil), read_episode)


def test_a_file_without_rows_is_an_error(data: Path, tmp_path: Path):
    (tmp_path / "test.jsonl").write_text("\n")
    (tmp_path / "episodes.jsonl").write_text("")
    with pytest.raises(TrainingError, match="expected rows in"):
        read_questions(tmp_path, read_episode)


def texts(path: Path, *lines: object) -> Path:
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines))
    return path


def test_texts_of_a_user_become_questions(tmp_path: Path):
    told = [{"role": "user", "content": "hello"}]
    found = read_texts(
        texts(
            tmp_path / "t.jsonl",
            {"text": "goal: a bowl"},
            {"messages": told},
            {"messages": [*told, {"role": "assistant", "content": gold()}]},
            {"text": "t", "gold": json.loads(gold()), "record": to_json(BOWL)},
        ),
        read_episode,
    )
    first, second, third, fourth = found.questions
    assert [(each.role, each.text) for each in first.messages] == [
        ("system", instruction()), ("user", "goal: a bowl")
    ]  # fmt: skip
    assert first.gold is None
    assert first.episode is None
    assert [each.text for each in second.messages] == ["hello"]
    assert third.gold == fourth.gold == gold()
    assert third.messages == second.messages
    assert fourth.episode == BOWL
    assert {each.group: None for each in found.questions} == {"texts": None}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("no json", "expected a JSON object in t.jsonl line 1"),
        ("[1]", "got list"),
        ("[" * 100_000, "expected a JSON object in t.jsonl line 1; got: JSON nested too deep"),
        (
            '{"text": "a", "gold": ' + "[" * 100_000,
            "expected a JSON object in t.jsonl line 1; got: JSON nested",
        ),
        ({"text": "a", "gold": "[" * 100_000}, "expected a compact descriptor as the right answer"),
        ({"text": "a", "glod": gold()}, "beside it 'gold' and 'record' alone; got text, glod"),
        ({"text": "a", "messages": []}, "expected 'text', or 'messages'.*got text, messages"),
        ({"text": 5}, "expected 'text' to be a string in t.jsonl line 1; got 5"),
        ({"text": "\udc00"}, "in t.jsonl line 1; got half a surrogate pair"),
        ({"txt": "a"}, "expected 'text', or 'messages'.*got txt"),
        ({"text": "  "}, "ends with what the user says"),
        ({"messages": [{"role": "tool", "content": "a"}]}, "role out of system, user, assistant"),
        ({"messages": [{"role": "assistant", "content": gold()}]}, "ends with what the user says"),
        ({"text": "a", "gold": {"meta": 1}}, "expected a compact descriptor as the right answer"),
        ({"text": "a", "record": {"id": 3}}, "expected an episode in t.jsonl line 1"),
    ],
)
def test_texts_that_will_not_do_are_named(tmp_path: Path, line, said: str):
    with pytest.raises(EvaluationError, match=said):
        read_texts(texts(tmp_path / "t.jsonl", line), read_episode)


def test_a_file_without_texts_is_an_error(tmp_path: Path):
    with pytest.raises(EvaluationError, match="expected lines such as"):
        read_texts(texts(tmp_path / "t.jsonl", ""), read_episode)
