import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

pytest.importorskip("peft", reason="the finetune extra is not installed")

import torch

from csd.vectors.files import sole_holder
from finetune.adapter import load, load_adapter
from finetune.base import find_base, load_weights
from finetune.training.errors import TrainingError
from finetune.training.lora import with_adapter
from finetune.training.loss import completion_loss
from finetune.training.material import prepare
from finetune.training.run import read_run
from tests.finetune.training.runs import Heard, run, settings, weights
from tests.finetune.training.tiny_models import conversation, data_folder, text_base, write_rows

pytestmark = pytest.mark.finetune


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return text_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return data_folder(tmp_path_factory.mktemp("data"))


@pytest.fixture(scope="module")
def trained(base, data, tmp_path_factory):
    """A run of eight steps, with where it lies."""
    out = tmp_path_factory.mktemp("runs") / "out"
    heard = Heard()
    return run(settings(base), data, out, heard), out, heard


def table(out) -> list[dict[str, str]]:
    return list(csv.DictReader((out / "curve.csv").read_text().splitlines()))


@contextmanager
def small_disk():
    """Yields what makes every file that is written end at so many bytes, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    try:
        yield lambda most: resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def stop():
    raise KeyboardInterrupt


def test_every_adapter_weight_moves_and_no_frozen_one_does(base, data, trained):
    _, out, _ = trained
    told = settings(base)
    fresh = with_adapter(load_weights(find_base(str(base))), told.adapter, seed=told.seed)
    before = {name: weight.clone() for name, weight in fresh.state_dict().items()}
    after = load(str(base), out / "adapter").model.state_dict()
    assert sorted(before) == sorted(after)
    adapters = [name for name in before if "lora_" in name]
    assert len(adapters) == 2 * 7 * 2  # Two layers of seven linear ones, two matrices each.
    assert [name for name in adapters if torch.equal(before[name], after[name])] == []
    frozen = [name for name in before if "lora_" not in name]
    assert [name for name in frozen if not torch.equal(before[name], after[name])] == []


def test_the_loss_on_a_batch_falls(base, data, trained):
    _, out, _ = trained
    material = prepare(settings(base), find_base(str(base)), data)
    batch = material.collate(material.train.lines[:4])
    with torch.no_grad():
        before = completion_loss(load(str(base)).model, batch).total
        after = completion_loss(load(str(base), out / "adapter").model, batch).total
    assert float(after) < float(before)


def test_a_loaded_adapter_has_the_loss_that_was_measured(base, data, trained):
    record, out, _ = trained
    material = prepare(settings(base), find_base(str(base)), data)
    lines = sorted(material.validation.lines, key=lambda line: -line.length)
    with torch.no_grad():
        loss = completion_loss(load(str(base), out / "adapter").model, material.collate(lines))
    assert float(loss.total) / loss.tokens == pytest.approx(record.ended.best_loss, rel=1e-6)


def test_a_run_says_what_it_was_and_what_it_came_to(base, data, trained):
    record, out, heard = trained
    assert read_run(out) == record
    begun, ended = record.begun, record.ended
    assert begun.asked.base_digest == find_base(str(base)).digest
    assert (begun.asked.train.rows, begun.asked.validation.rows) == (12, 4)
    assert begun.commit == "abc"
    assert "torch" in begun.versions
    assert begun.versions["echo-memory"] == "0"
    assert (ended.stopped, ended.steps, ended.epochs) == ("steps", 8, pytest.approx(8 / 3, abs=1e-4))
    assert [step for step, _ in heard.steps] == list(range(1, 9))
    assert [step for step, _, _ in heard.looks] == [0, 4, 8]
    assert ended.best_loss == min(loss for _, loss, _ in heard.looks) < ended.first_loss
    assert sorted(each.name for each in out.iterdir()) == [
        "adapter",
        "begun.json",
        "curve.csv",
        "curve.png",
        "run.json",
    ]
    lines = table(out)
    assert [int(line["step"]) for line in lines] == list(range(9))
    assert [line["step"] for line in lines if line["validation_loss"]] == ["0", "4", "8"]
    assert (out / "curve.png").read_bytes().startswith(b"\x89PNG")


def test_the_same_settings_give_the_same_adapter(base, data, trained, tmp_path):
    record, _, _ = trained
    again = run(settings(base), data, tmp_path / "again")
    assert again.ended.adapter_sha256 == record.ended.adapter_sha256


def test_another_seed_gives_another_adapter(base, data, trained, tmp_path):
    record, _, _ = trained
    told = settings(base).model_copy(update={"seed": 1})
    assert run(told, data, tmp_path / "other").ended.adapter_sha256 != record.ended.adapter_sha256


@pytest.mark.parametrize("after", [3, 4, 6])
def test_an_interrupted_run_goes_on_to_the_same_weights(base, data, tmp_path, after):
    told = settings(base, adapter={"dropout": 0.2})
    whole = run(told, data, tmp_path / "whole")
    with pytest.raises(KeyboardInterrupt):
        run(told, data, tmp_path / "cut", Heard(after, stop))
    assert not (tmp_path / "cut" / "run.json").exists()
    heard = Heard()
    record = run(told, data, tmp_path / "cut", heard)
    assert heard.steps[0][0] == (1 if after < 4 + 1 else 5)
    assert record.ended.adapter_sha256 == whole.ended.adapter_sha256
    assert record.ended.best_step == whole.ended.best_step
    same = weights(tmp_path / "whole" / "adapter"), weights(tmp_path / "cut" / "adapter")
    assert all(torch.equal(same[0][name], same[1][name]) for name in same[0])


def test_a_run_that_goes_on_has_one_curve_of_all_steps(base, data, tmp_path):
    with pytest.raises(KeyboardInterrupt):
        run(settings(base), data, tmp_path / "cut", Heard(6, stop))
    record = run(settings(base), data, tmp_path / "cut")
    lines = table(tmp_path / "cut")
    assert [int(line["step"]) for line in lines] == list(range(9))
    seconds = [float(line["seconds"]) for line in lines]
    assert seconds == sorted(seconds)
    assert record.ended.seconds == pytest.approx(seconds[-1], abs=5)


@pytest.mark.slow
def test_a_killed_process_goes_on_to_the_same_weights(base, data, trained, tmp_path):
    record, _, _ = trained
    out = tmp_path / "killed"
    program = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from tests.finetune.training.runs import Heard, run, settings\n"
        "die = lambda: os.kill(os.getpid(), signal.SIGKILL)\n"
        "run(settings(Path(sys.argv[1])), Path(sys.argv[2]), Path(sys.argv[3]), Heard(6, die))\n"
    )
    found = subprocess.run(
        [sys.executable, "-c", program, str(base), str(data), str(out)], capture_output=True, check=False
    )
    assert found.returncode == -signal.SIGKILL, found.stderr.decode()
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["checkpoint-4"]
    assert run(settings(base), data, out).ended.adapter_sha256 == record.ended.adapter_sha256


def test_a_second_run_in_a_folder_is_refused_while_the_first_goes_on(base, data, trained, tmp_path):
    record, _, _ = trained
    out, held = tmp_path / "out", []
    out.mkdir()

    def look():
        with sole_holder(out / ".lock") as free:
            held.append(not free)

    with sole_holder(out / ".lock") as free:
        assert free
        with pytest.raises(TrainingError, match="a folder in which nothing runs; got another run"):
            run(settings(base), data, out)
    assert [each.name for each in out.iterdir()] == [".lock"]
    assert run(settings(base), data, out, Heard(6, look)).ended.adapter_sha256 == record.ended.adapter_sha256
    assert held == [True]
    assert not (out / ".lock").exists()


def test_a_run_that_was_refused_leaves_no_folder(base, data, tmp_path):
    with pytest.raises(TrainingError, match="last_layers up to the 2 that the model has; got 3"):
        run(settings(base, adapter={"last_layers": 3}), data, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    (tmp_path / "mine").mkdir()
    with pytest.raises(TrainingError, match="last_layers"):
        run(settings(base, adapter={"last_layers": 3}), data, tmp_path / "mine")
    assert list((tmp_path / "mine").iterdir()) == []


@pytest.mark.parametrize("name", ["adapter_model.safetensors", "optimizer.pt", "trainer_state.json", "whole"])
def test_a_damaged_checkpoint_is_named_and_the_run_begins_anew_without_it(
    base, data, trained, tmp_path, name
):
    record, _, _ = trained
    out = tmp_path / "out"
    with pytest.raises(KeyboardInterrupt):
        run(settings(base), data, out, Heard(6, stop))
    checkpoint = out / "checkpoints" / "checkpoint-4"
    (checkpoint / name).write_bytes((checkpoint / name).read_bytes()[:-20])
    with pytest.raises(TrainingError, match=rf"{checkpoint} as it was written; got .* {name}\. Delete"):
        run(settings(base), data, out)
    shutil.rmtree(checkpoint)
    assert run(settings(base), data, out).ended.adapter_sha256 == record.ended.adapter_sha256


def test_files_that_were_removed_are_not_taken_for_a_full_disk(base, data, tmp_path, monkeypatch):
    def gone(checkpoint):
        raise FileNotFoundError(2, "No such file or directory", str(checkpoint))

    monkeypatch.setattr("finetune.training.checkpoints.close", gone)
    with pytest.raises(
        TrainingError, match=r"checkpoint of step 4; got: .*Let nothing remove files"
    ) as found:
        run(settings(base), data, tmp_path / "out")
    assert "room" not in str(found.value)


def test_a_finished_run_is_not_run_again(base, data, trained):
    record, out, _ = trained
    heard = Heard()
    assert run(settings(base), data, out, heard) == record
    assert heard.steps == []


def test_another_run_is_refused_in_its_folder(base, data, trained, tmp_path):
    _, out, _ = trained
    with pytest.raises(
        TrainingError, match=r"begun with settings.schedule.learning_rate 0.01, now it is 0.02"
    ):
        run(settings(base, learning_rate=2e-2), data, out)
    other = data_folder(tmp_path / "data", rows=13)
    with pytest.raises(TrainingError, match=r"begun with train.sha256 .* and \d more differ"):
        run(settings(base), other, out)


def test_a_folder_with_other_things_is_refused(base, data, tmp_path):
    (tmp_path / "letters.txt").write_text("dear")
    with pytest.raises(TrainingError, match=r"holds letters\.txt"):
        run(settings(base), data, tmp_path)


def test_patience_ends_a_run_that_gets_no_better(base, data, tmp_path):
    # At such a rate the untrained model is the best one. (Far above it float32 overflows.)
    told = settings(base, steps=40, evaluate_every=1, save_every=40, patience=3, learning_rate=1.0)
    record = run(told, data, tmp_path / "out")
    assert record.ended.stopped == "patience"
    assert (record.ended.best_step, record.ended.steps) == (0, 3)


def test_minutes_end_a_run_at_its_best_adapter(base, data, tmp_path):
    heard = Heard()
    record = run(
        settings(base, steps=100_000, evaluate_every=50_000, minutes=0.06), data, tmp_path / "out", heard
    )
    assert record.ended.stopped == "minutes"
    assert 0 < record.ended.steps < 100_000
    assert [step for step, _, _ in heard.looks] == [0, record.ended.steps]
    assert (tmp_path / "out" / "adapter" / "adapter_model.safetensors").is_file()


def test_a_loss_that_is_no_number_ends_the_run_and_names_the_rows(base, tmp_path):
    broken = text_base(tmp_path / "broken")
    from safetensors.torch import load_file, save_file

    path = broken / "model.safetensors"
    told = load_file(path)
    told["model.embed_tokens.weight"][ord("z") - ord("!") + 4] = float("nan")
    save_file(told, path, metadata={"format": "pt"})
    words = [conversation(f"say {word}", word) for word in ("ab", "cd", "xyz", "ef")]
    write_rows(tmp_path / "data" / "train.jsonl", words)
    write_rows(tmp_path / "data" / "validation.jsonl", words[:2])
    # The head shares the embedding's weights: where it has a row of NaN every loss is NaN.
    with pytest.raises(
        TrainingError,
        match=r"a validation loss of nan after 0 steps, on the rows validation\.jsonl line 1 \(ep_0\)",
    ):
        run(settings(broken, batches={"rows": 1}), tmp_path / "data", tmp_path / "out")


def test_the_row_whose_loss_is_no_number_is_named(tmp_path):
    broken = text_base(tmp_path / "broken", tied=False)
    from safetensors.torch import load_file, save_file

    path = broken / "model.safetensors"
    told = load_file(path)
    tokenizer = load(str(broken)).tokenizer
    told["model.embed_tokens.weight"][tokenizer("z")["input_ids"][0]] = float("nan")
    save_file(told, path, metadata={"format": "pt"})
    words = [conversation(f"say {word}", word) for word in ("ab", "cd", "xyz", "ef")]
    write_rows(tmp_path / "data" / "train.jsonl", words)
    write_rows(tmp_path / "data" / "validation.jsonl", words[:2])
    with pytest.raises(
        TrainingError, match=r"a loss of nan in step \d, on the rows train\.jsonl line 3 \(ep_2\)\. "
    ):
        run(settings(broken, batches={"rows": 1}), tmp_path / "data", tmp_path / "out")


# Bytes too few for the weights of the adapter, and enough for them but not for the optimiser's numbers.
@pytest.mark.parametrize("most", [2_000, 40_000])
def test_a_full_disk_at_a_checkpoint_keeps_the_last_whole_one(base, data, tmp_path, most):
    told = settings(base, steps=12, evaluate_every=12)
    whole = run(told, data, tmp_path / "whole")
    out = tmp_path / "out"
    with (
        small_disk() as fill,
        pytest.raises(TrainingError, match=r"checkpoint of step 8; got: .*checkpoint-4 is kept"),
    ):
        run(told, data, out, Heard(8, lambda: fill(most)))
    assert [path.name for path in (out / "checkpoints").iterdir()] == ["checkpoint-4"]
    assert run(told, data, out).ended.adapter_sha256 == whole.ended.adapter_sha256


def test_a_full_disk_at_a_better_adapter_keeps_the_one_before(base, data, tmp_path):
    out = tmp_path / "out"
    with (
        small_disk() as fill,
        pytest.raises(TrainingError, match=r"adapter of step 4; got: .*There was none before"),
    ):
        run(settings(base), data, out, Heard(4, lambda: fill(2_000)))
    kept = weights(out / "adapter")
    assert all(bool((weight == 0).all()) for name, weight in kept.items() if "lora_B" in name)
    assert [path.name for path in out.iterdir() if "unfinished" in path.name] == []
    assert run(settings(base), data, out).ended.stopped == "steps"


def test_packed_rows_train_too(base, data, tmp_path):
    record = run(
        settings(base, batches={"packing": True, "rows": 2, "most_tokens": 64}), data, tmp_path / "out"
    )
    assert record.begun.asked.train.lines < record.begun.asked.train.rows
    assert record.ended.best_loss < record.ended.first_loss


def test_activations_are_computed_again_only_where_it_is_asked_for(base, data, tmp_path, monkeypatch):
    from transformers.models.llama.modeling_llama import LlamaMLP

    passes = []
    forward = LlamaMLP.forward
    monkeypatch.setattr(
        LlamaMLP,
        "forward",
        lambda layer, told: passes.append(torch.is_grad_enabled()) or forward(layer, told),
    )
    counts = []
    for checkpointing in (False, True):
        passes.clear()
        told = settings(base, steps=3, evaluate_every=3).model_copy(update={"checkpointing": checkpointing})
        run(told, data, tmp_path / str(checkpointing))
        counts.append(sum(passes))
    assert counts == [2 * 3, 2 * 2 * 3]


def test_recomputed_activations_change_no_weight(base, data, trained, tmp_path):
    _, out, _ = trained
    told = settings(base).model_copy(update={"checkpointing": True})
    run(told, data, tmp_path / "out")
    old, new = weights(out / "adapter"), weights(tmp_path / "out" / "adapter")
    assert all(torch.allclose(old[name], new[name], atol=1e-6) for name in old)


def test_accumulated_batches_make_the_step_of_one_large_batch(base, data, tmp_path):
    told = settings(base, batches={"rows": 12, "by_length": False}, steps=2, evaluate_every=2)
    parts = settings(
        base, batches={"rows": 3, "accumulate": 4, "by_length": False}, steps=2, evaluate_every=2
    )
    run(told, data, tmp_path / "one")
    run(parts, data, tmp_path / "four")
    one, four = weights(tmp_path / "one" / "adapter"), weights(tmp_path / "four" / "adapter")
    assert all(torch.allclose(one[name], four[name], atol=2e-5) for name in one)


def test_batches_in_parts_make_the_steps_of_whole_ones(base, data, tmp_path):
    told = settings(base, steps=2, evaluate_every=2)
    longest = run(told, data, tmp_path / "whole").begun.asked.train.longest
    told = settings(base, steps=2, evaluate_every=2, batches={"tokens_at_once": longest})
    run(told, data, tmp_path / "parts")
    whole, parts = weights(tmp_path / "whole" / "adapter"), weights(tmp_path / "parts" / "adapter")
    # Each step moves a weight by up to 0.01; where its gradient is next to nothing, rounding has a say.
    assert all(torch.allclose(whole[name], parts[name], atol=5e-4) for name in whole)
    assert not all(torch.equal(whole[name], parts[name]) for name in whole)


def test_a_run_out_of_memory_says_what_to_lower_and_goes_on_with_less(base, data, tmp_path, monkeypatch):
    import finetune.training.trainer

    whole = run(settings(base), data, tmp_path / "whole")

    def greedy(model, batch):
        if len(batch["rows"]) > 1 and done.steps and done.steps[-1][0] == 6:
            torch.empty(1 << 60, dtype=torch.uint8)
        return completion_loss(model, batch)

    done = Heard()
    monkeypatch.setattr(finetune.training.trainer, "completion_loss", greedy)
    with pytest.raises(
        TrainingError,
        match=r"memory for 2,048 tokens at once, or for the longest row \(26 tokens\).*allocate memory.*"
        r"lower `tokens_at_once`.*set `checkpointing = true`.*bfloat16",
    ):
        run(settings(base), data, tmp_path / "out", done)
    record = run(settings(base, batches={"tokens_at_once": 26}), data, tmp_path / "out", Heard())
    assert record.begun.asked.settings.batches.tokens_at_once == 26
    assert record.ended.steps == 8
    assert record.ended.best_loss == pytest.approx(whole.ended.best_loss, rel=1e-4)


@pytest.mark.parametrize("tied", [True, False])
def test_added_tokens_are_trained_kept_and_loaded(data, tmp_path, tied):
    base = text_base(tmp_path / "base", tied=tied)
    told = settings(base, adapter={"added_tokens": ["say", "<row>"]}, steps=4)
    run(told, data, tmp_path / "out")
    loaded = load(str(base), tmp_path / "out" / "adapter")
    assert loaded.tokenizer.tokenize("say a") == ["say", "Ġ", "a"]
    plain = load_weights(find_base(str(base)))
    number = loaded.tokenizer.convert_tokens_to_ids("say")
    assert number == plain.get_input_embeddings().weight.shape[0]
    logits = loaded.model(torch.tensor([[number, 5]])).logits
    assert logits.shape[-1] == number + 2
    assert bool(torch.isfinite(logits).all())
    merged = load(str(base), tmp_path / "out" / "adapter", merged=True).model
    assert torch.allclose(merged(torch.tensor([[number, 5]])).logits, logits, atol=1e-5)


def test_only_the_last_layers_get_an_adapter(base, data, tmp_path):
    run(settings(base, adapter={"last_layers": 1}, steps=4), data, tmp_path / "out")
    assert {name.split(".")[4] for name in weights(tmp_path / "out" / "adapter")} == {"1"}


def test_an_adapter_in_the_base_s_number_type_survives_an_interruption(data, tmp_path):
    base = text_base(tmp_path / "base")
    told = settings(base, adapter={"number": "base"}).model_copy(update={"number": "bfloat16"})
    whole = run(told, data, tmp_path / "whole")
    assert {str(each.dtype) for each in weights(tmp_path / "whole" / "adapter").values()} == {
        "torch.bfloat16"
    }
    with pytest.raises(KeyboardInterrupt):
        run(told, data, tmp_path / "cut", Heard(6, stop))
    assert run(told, data, tmp_path / "cut").ended.adapter_sha256 == whole.ended.adapter_sha256


def test_the_number_type_is_tried_on_a_cpu(base, data, tmp_path):
    told = settings(base, steps=2).model_copy(update={"number": "auto"})
    begun = run(told, data, tmp_path / "out").begun
    assert begun.probe is not None
    assert sorted(begun.probe.seconds) == ["bfloat16", "float32"]
    assert begun.number == begun.probe.chosen


TORCHRUN = ("torch.distributed.run", "--standalone", "--nproc-per-node", "2", "-m", "echo.cli.main")
ACCELERATE = (
    *("accelerate.commands.launch", "--multi_gpu", "--num_processes", "2", "--num_machines", "1"),
    *("--mixed_precision", "no", "--dynamo_backend", "no", "--num_cpu_threads_per_process", "1"),
    *("-m", "echo.cli.main"),
)


@pytest.mark.slow
@pytest.mark.parametrize("launcher", [TORCHRUN, ACCELERATE], ids=["torchrun", "accelerate"])
def test_two_processes_share_a_run(base, data, tmp_path, launcher):
    told = tmp_path / "settings.toml"
    told.write_text(
        f'base = "{base}"\ndevice = "cpu"\nnumber = "float32"\n[adapter]\nrank = 4\nalpha = 8\n'
        "[batches]\nrows = 2\nmost_tokens = 128\ntokens_at_once = 30\nby_length = false\n"
        "[schedule]\nsteps = 4\nevaluate_every = 2\nsave_every = 2\nlearning_rate = 1e-2\n"
    )
    command = ["finetune", "train", "--config", str(told), "--data", str(data)]
    # The home folder may hold settings of accelerate.
    environment = {**os.environ, "OMP_NUM_THREADS": "1", "HF_HOME": str(tmp_path / "home")}
    found = subprocess.run(
        [
            *(sys.executable, "-m", *launcher),
            *(*command, "--out", str(tmp_path / "two"), "--json"),
        ],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=300,
    )
    assert found.returncode == 0, found.stderr
    record = json.loads(found.stdout)
    assert record["begun"]["asked"]["processes"] == 2
    assert record["ended"]["best_loss"] < record["ended"]["first_loss"]
    assert record["ended"]["steps"] == 4
    # One process with batches twice as large makes the same steps.
    alone = settings(base, batches={"rows": 4, "by_length": False}, steps=4, evaluate_every=2, save_every=2)
    assert record["ended"]["best_loss"] == pytest.approx(
        run(alone, data, tmp_path / "one").ended.best_loss, rel=1e-3
    )
    assert load_adapter(
        load_weights(find_base(str(base))), find_base(str(base)), tmp_path / "two" / "adapter"
    )
