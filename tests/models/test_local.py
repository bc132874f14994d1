"""A model on this machine, tiny and random: what it reads, where it stops, that batches change nothing."""

from __future__ import annotations

import hashlib
import json
import shutil
from dataclasses import replace

import pytest

from csd.chat import Message, ModelError
from echo.models.local import LocalModel
from echo.models.named import model_named
from echo.models.settings import ModelSettings
from tests.finetune.training.tiny_models import text_base

pytest.importorskip("peft", reason="the finetune extra is not installed")
pytestmark = pytest.mark.finetune

SETTINGS = ModelSettings(most_tokens=12)
TEXTS = ("a", "several words to make it long", "b c", "of the same length", "d")


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return text_base(tmp_path_factory.mktemp("base"), tied=False)


@pytest.fixture(scope="module")
def model(base) -> LocalModel:
    return LocalModel.from_folder(str(base), None, SETTINGS)


def asked(text: str) -> list[Message]:
    return [Message(role="user", text=text)]


def test_the_likeliest_tokens_are_taken_and_a_long_answer_is_cut(base, model):
    from transformers import AutoTokenizer

    reply = model(asked("hi"))
    assert reply.text == AutoTokenizer.from_pretrained(base).decode(likeliest(base, "hi", 12))
    # <|user|> h i <|end|> and the new line, <|assistant|>
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cut) == (6, 12, True)
    assert (reply.money, reply.seed, reply.held_to_schema) == (0.0, 0, False)


def likeliest(base, text: str, count: int) -> list[int]:
    """The likeliest tokens after a question, each found by reading all before it anew."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    weights, tokenizer = (
        AutoModelForCausalLM.from_pretrained(base).eval(),
        AutoTokenizer.from_pretrained(base),
    )
    told = tokenizer(f"<|user|>{text}<|end|>\n<|assistant|>", return_tensors="pt")["input_ids"]
    tokens = told
    for _ in range(count):
        with torch.inference_mode():
            tokens = torch.cat([tokens, weights(tokens).logits[:, -1].argmax(dim=1, keepdim=True)], dim=1)
    return tokens[0, told.shape[1] :].tolist()


def test_answers_of_a_batch_are_those_of_questions_alone_in_their_order(base, model):
    alone = [model(asked(text)).text for text in TEXTS]
    for batch in (2, 8):
        together = LocalModel.from_folder(str(base), None, replace(SETTINGS, batch=batch))
        replies = together.answer_each([asked(text) for text in TEXTS])
        assert [reply.text for reply in replies] == alone
        assert [reply.prompt_tokens for reply in replies] == [len(text) + 4 for text in TEXTS]
    assert len(set(alone)) > 1


def test_no_conversations_have_no_answers(model):
    assert model.answer_each([]) == []


def test_the_beginning_token_is_read_once(tmp_path):
    from tokenizers.processors import TemplateProcessing

    template = "<|system|>{% for m in messages %}<|user|>{{ m['content'] }}<|end|>{% endfor %}<|assistant|>"
    folder = text_base(tmp_path / "base", bos="<|system|>", template=template)
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.backend_tokenizer.post_processor = TemplateProcessing(
        single="<|system|> $A", special_tokens=[("<|system|>", tokenizer.bos_token_id)]
    )
    tokenizer.save_pretrained(folder)
    assert len(AutoTokenizer.from_pretrained(folder)("hi")["input_ids"]) == 3
    # <|system|> <|user|> h i <|end|> <|assistant|>
    assert LocalModel.from_folder(str(folder), None, SETTINGS)(asked("hi")).prompt_tokens == 6


def test_settings_of_generation_in_the_folder_do_not_change_answers(tmp_path, model):
    folder = text_base(tmp_path / "base", tied=False)
    path = folder / "generation_config.json"
    told = json.loads(path.read_text())
    odd = {"do_sample": True, "temperature": 9.0, "no_repeat_ngram_size": 1, "num_beams": 3, "top_k": 1}
    path.write_text(json.dumps({**told, **odd, "repetition_penalty": 5.0, "min_new_tokens": 3}))
    other = LocalModel.from_folder(str(folder), None, SETTINGS)
    assert [other(asked(text)).text for text in TEXTS] == [model(asked(text)).text for text in TEXTS]


def test_an_end_token_ends_the_answer_of_its_row_alone(tmp_path, base):
    folder = text_base(tmp_path / "base", tied=False)
    # Made an end token by the folder: the model writes it third for one question, and not for the other.
    third = likeliest(base, "a", 3)[2]
    assert third not in [*likeliest(base, "a", 2), *likeliest(base, "b c", 12)]
    path = folder / "generation_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), "eos_token_id": [3, third]}))
    replies = LocalModel.from_folder(str(folder), None, SETTINGS).answer_each([asked("a"), asked("b c")])
    assert [(reply.completion_tokens, reply.cut) for reply in replies] == [(3, False), (12, True)]


def test_draws_depend_on_seed_and_question_not_on_the_batch(base):
    def texts(seed: int, questions) -> list[str]:
        settings = replace(SETTINGS, temperature=1.0, seed=seed)
        made = LocalModel.from_folder(str(base), None, settings)
        return [reply.text for reply in made.answer_each([asked(text) for text in questions])]

    together = texts(1, TEXTS)
    assert texts(1, TEXTS) == together
    assert texts(1, TEXTS[:1]) == together[:1]
    assert texts(1, tuple(reversed(TEXTS))) == together[::-1]
    assert texts(2, TEXTS) != together


def test_a_conversation_beyond_the_window_is_an_error(model):
    with pytest.raises(ModelError, match=r"room for an answer in the 512 tokens of hf:.*; got one of 604"):
        model(asked("a" * 600))


def test_an_answer_ends_at_the_window(base):
    roomy = LocalModel.from_folder(str(base), None, replace(SETTINGS, most_tokens=400))
    reply = roomy(asked("a" * 500))
    assert (reply.prompt_tokens, reply.completion_tokens, reply.cut) == (504, 8, True)


def test_pictures_for_a_model_that_sees_none_are_an_error(model):
    with pytest.raises(ModelError, match=r"for 1 pictures; hf:.* reads text alone"):
        model([Message(role="user", text="What?", images=(b"png",))])


def test_an_empty_conversation_is_an_error(model):
    with pytest.raises(ModelError, match=r"expected a conversation for hf:.*got no message"):
        model([])


def test_roles_that_the_template_refuses_are_named(tmp_path):
    template = (
        "{% for m in messages %}{% if m['role'] == 'system' %}{{ raise_exception('no system here') }}"
        "{% endif %}{{ m['content'] }}{% endfor %}"
    )
    folder = text_base(tmp_path / "base", template=template)
    with pytest.raises(ModelError, match=r"take the roles system, user; it refuses: no system here"):
        LocalModel.from_folder(str(folder), None, SETTINGS)([Message(role="system", text="a"), *asked("b")])


def test_half_of_a_pair_in_a_question_can_be_read(model):
    assert model(asked("a\ud83c")).text == model(asked("a\ufffd")).text


def test_an_adapter_changes_the_answers_and_is_part_of_the_name(tmp_path, base, model):
    adapter = random_adapter(base, tmp_path / "adapter")
    adapted = model_named(f"hf:{base}+{adapter}", settings=SETTINGS)
    weights = hashlib.sha256((adapter / "adapter_model.safetensors").read_bytes()).hexdigest()
    assert adapted.name == f"{model.name}+adapter@{weights[:12]}"
    assert [adapted(asked(text)).text for text in TEXTS] != [model(asked(text)).text for text in TEXTS]


def test_a_name_holds_weights_and_no_path(tmp_path, base, model):
    same, other = (
        text_base(tmp_path / "base", tied=False),
        text_base(tmp_path / "b" / "base", tied=False, seed=1),
    )
    names = [model_named(f"hf:{one}", settings=SETTINGS).name for one in (base, same, other)]
    assert names[0] == model.name
    assert names[1].startswith("hf:base@")
    assert names[1].partition("@")[2] == names[0].partition("@")[2] != names[2].partition("@")[2]
    assert not any("/" in name for name in names)


def test_answers_are_kept_by_weights_and_not_by_name(tmp_path, base):
    settings = replace(SETTINGS, cache=tmp_path / "cache")
    adapter = random_adapter(base, tmp_path / "adapter")
    first = model_named(f"hf:{base}", settings=settings)(asked("a"))
    assert not model_named(f"hf:{base}+{adapter}", settings=settings)(asked("a")).cached
    moved = text_base(tmp_path / "moved", tied=False)
    again = model_named(f"hf:{moved}", settings=settings)(asked("a"))
    assert (again.text, again.cached) == (first.text, True)
    other = text_base(tmp_path / "other", tied=False, seed=1)
    assert not model_named(f"hf:{other}", settings=settings)(asked("a")).cached


def test_broken_settings_of_generation_are_an_error_of_the_model(tmp_path, base):
    folder = shutil.copytree(base, tmp_path / "broken")
    (folder / "generation_config.json").write_text("{")
    with pytest.raises(ModelError, match=r"generation_config\.json; got: .*Get the model again"):
        LocalModel.from_folder(str(folder), None, ModelSettings())


def test_an_adapter_of_another_base_is_refused(tmp_path, base):
    adapter = random_adapter(base, tmp_path / "adapter")
    other = text_base(tmp_path / "other", tied=False, seed=1)
    with pytest.raises(ModelError, match=r"expected a model at hf:.*the base that the adapter"):
        model_named(f"hf:{other}+{adapter}")


@pytest.mark.parametrize("name", ["hf:no/such/folder", "hf:smollm-2"])
def test_a_model_that_is_not_there_is_an_error(name):
    with pytest.raises(ModelError, match=rf"expected a model at {name}; got: expected a base model"):
        model_named(name)


def random_adapter(base, folder):
    import torch
    from peft import LoraConfig, get_peft_model

    from finetune.adapter import save_adapter
    from finetune.base import find_base, load_tokenizer, load_weights

    found = find_base(str(base))
    adapted = get_peft_model(load_weights(found), LoraConfig(r=4, target_modules="all-linear"))
    torch.manual_seed(0)
    for name, weight in adapted.named_parameters():
        if "lora_B" in name:
            torch.nn.init.normal_(weight, std=0.5)
    save_adapter(adapted, folder, base=found, texts=load_tokenizer(found))
    return folder
