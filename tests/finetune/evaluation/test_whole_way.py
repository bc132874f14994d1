"""From recorded episodes to a tuned model at work, with a tiny random model: all commands in turn."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from echo.mfm.episodic.reader import read_episode
from finetune.examples.recorded import Recorded
from tests.cli.bank_samples import call, told
from tests.cli.test_finetune_examples import recorded
from tests.finetune.examples.recorded_samples import memory

pytestmark = [pytest.mark.finetune, pytest.mark.slow]

FEW = ("--train", "16", "--validation", "4", "--test", "6", "--out-of-template", "2", "--refusals", "0")
CONFIG = """
[adapter]
rank = 4
alpha = 8
[batches]
rows = 2
most_tokens = 4096
[schedule]
steps = 2
evaluate_every = 2
save_every = 2
validation_rows = 2
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("peft", reason="the finetune extra is not installed")
    pytest.importorskip("llguidance", reason="the finetune extra is not installed")
    from tests.finetune.training.tiny_models import text_base

    home = tmp_path_factory.mktemp("way")
    base = text_base(home / "base")
    # A token a byte: descriptors are longer than the window that tests of training need.
    config = json.loads((base / "config.json").read_text())
    (base / "config.json").write_text(json.dumps({**config, "max_position_embeddings": 8192}))
    recorded(home / "ada", *memory())
    (home / "tiny.toml").write_text(CONFIG)
    told("finetune", "examples", "--memory", home / "ada", "--out", home / "data", *FEW)
    told(
        "finetune", "train", "--config", home / "tiny.toml", "--base", base, "--data", home / "data",
        "--out", home / "tuned",
    )  # fmt: skip
    return home


def asking(home: Path, out: Path, *words: str) -> tuple[str | Path, ...]:
    return (
        "finetune", "evaluate", "--model", f"hf:{home / 'base'}+{home / 'tuned' / 'adapter'}",
        "--before", f"hf:{home / 'base'}", "--data", home / "data", "--out", out,
        "--encoder", "hashing-256", "--rows", "2", *words,
    )  # fmt: skip


def test_the_tuned_model_is_evaluated_beside_its_base_and_asked_nothing_twice(home: Path, tmp_path: Path):
    words = asking(home, tmp_path, "--most-tokens", "24", "--batch", "2")
    first = told(*words)
    for column in ("before", "after", "constrained", "out_of_template"):
        assert first[column]["rows"] == 2
        assert first[column]["tokens_per_csd"] > 0
        assert first[column]["seconds_per_csd"] > 0
    # A random model never ends by itself.
    assert first["after"]["cut"] == 1
    assert first["after"]["valid_json"] == 0
    assert first["constrained"]["held_to_schema"] == 1
    run = json.loads((home / "tuned" / "run.json").read_text())
    assert first["made"]["told"]["model"]["adapter"] == run["ended"]["adapter_sha256"]
    assert first["made"]["told"]["before"]["adapter"] is None
    assert first["made"]["told"]["before"]["model"] == run["begun"]["asked"]["base_digest"]
    kept = (tmp_path / "completions.jsonl").read_bytes()
    assert told(*words) == first
    assert (tmp_path / "completions.jsonl").read_bytes() == kept


def test_an_answer_may_be_an_eighth_longer_than_the_longest_right_one(home: Path, tmp_path: Path):
    made = told(*asking(home, tmp_path, "--column", "after", "--rows", "1"))["made"]
    rows = [json.loads(line) for line in (home / "data" / "test.jsonl").read_text().splitlines()]
    longest = max(len(row["messages"][-1]["content"].encode()) for row in rows)
    assert made["settings"]["most_tokens"] == longest + longest // 8 + 1


def test_merged_and_exported_it_answers_as_with_its_adapter(home: Path, tmp_path: Path):
    tuned = f"hf:{home / 'base'}+{home / 'tuned' / 'adapter'}"
    merged = told("finetune", "merge", "--model", tuned, "--out", tmp_path / "merged", "--dtype", "float32")
    packed = told("finetune", "export", "--model", tuned, "--out", tmp_path / "packed", "--dtype", "float32")
    assert merged == packed
    assert merged["base_digest"] != merged["digest"]
    assert "transformers serve packed" in (tmp_path / "packed" / "USE.md").read_text()
    assert json.loads((tmp_path / "packed" / "descriptor.schema.json").read_text())["type"] == "object"
    common = ("--data", home / "data", "--column", "after", "--rows", "2", "--most-tokens", "24",
              "--dtype", "float32", "--encoder", "hashing-256")  # fmt: skip
    found = [
        told("finetune", "evaluate", "--model", model, *common, "--out", tmp_path / f"out{place}")
        for place, model in enumerate((tuned, f"hf:{tmp_path / 'merged'}", f"hf:{tmp_path / 'packed'}"))
    ]
    written = [[each["answers"]["after"] for each in one["samples"]] for one in found]
    assert written[0] == written[1] == written[2]
    assert written[0]


def test_a_folder_that_holds_something_is_left_as_it_is(home: Path, tmp_path: Path):
    (tmp_path / "mine").write_text("mine")
    model = f"hf:{home / 'base'}+{home / 'tuned' / 'adapter'}"
    for command in ("merge", "export"):
        done = call("finetune", command, "--model", model, "--out", tmp_path)
        assert done.exit_code == 1
        assert "expected a new or empty folder" in done.stderr
    assert [each.name for each in tmp_path.iterdir()] == ["mine"]


@pytest.mark.parametrize(
    ("command", "model", "code", "said"),
    [
        ("merge", "openai:gpt-5", 2, "expected a model on this machine"),
        ("merge", "hf:smollm2", 2, "which has no adapter to merge"),
        ("export", "hf:nowhere", 1, "expected a base model"),
        ("merge", "hf:BASE+nowhere", 1, "it lacks adapter_config.json"),
    ],
)
def test_what_cannot_be_merged_is_refused(home: Path, tmp_path: Path, command, model, code: int, said: str):
    model = model.replace("BASE", str(home / "base"))
    done = call("finetune", command, "--model", model, "--out", tmp_path / "out")
    assert done.exit_code == code
    assert said in " ".join(done.stderr.split())
    assert not (tmp_path / "out").exists()


def test_the_tuned_model_is_the_builder_of_a_bank(home: Path, tmp_path: Path):
    """A random model writes no descriptor that an episode bears out: nothing gets in, the asking is kept."""
    recorded(tmp_path / "one", memory()[0])
    bank = tmp_path / "bank.sqlite"
    done = call(
        "csd", "add", tmp_path / "one", "--bank", bank, "--encoder", "hashing-256",
        "--builder", f"hf:{home / 'base'}+{home / 'tuned' / 'adapter'}",
    )  # fmt: skip
    attempts = [json.loads(line) for line in Path(f"{bank}.attempts.jsonl").read_text().splitlines()]
    assert attempts
    assert all(each["held_to_schema"] for each in attempts)
    assert [each["csd"] for each in attempts] == [None] * len(attempts)
    assert done.exit_code == 1
    assert not bank.exists() or told("csd", "ls", "--bank", bank) == []


def test_what_is_taught_gets_into_a_bank_when_a_model_answers_so(home: Path, tmp_path: Path):
    rows = [json.loads(line) for line in (home / "data" / "train.jsonl").read_text().splitlines()]
    row = next(row for row in rows if row["kind"] == "write")
    episode = read_episode(home / "ada", row["episode"].removeprefix("ada/"))
    recorded(tmp_path / "one", Recorded(memory="ada", episode=episode))
    answer = row["messages"][-1]["content"]
    (tmp_path / "answers.jsonl").write_text(json.dumps({"reply": answer}) + "\n")
    bank = tmp_path / "bank.sqlite"
    added = told(
        "csd", "add", tmp_path / "one", "--bank", bank, "--encoder", "hashing-256",
        "--builder", f"scripted:{tmp_path / 'answers.jsonl'}", "--no-explain",
    )["added"]  # fmt: skip
    (attempt,) = [json.loads(line) for line in Path(f"{bank}.attempts.jsonl").read_text().splitlines()]
    assert [attempt["csd"]] == added
    assert attempt["completion"] == answer
    assert attempt["ungrounded"] == []
    assert attempt["builder"] in json.dumps(told("csd", "show", added[0], "--bank", bank))
