import json

import pytest

pytest.importorskip("peft", reason="the finetune extra is not installed")

import torch

from finetune.base import BaseError, find_base, load_weights
from finetune.training.collating import Line, PackedCollator, PaddedCollator, PartsCollator
from finetune.training.encoding import IGNORED
from finetune.training.errors import TrainingError
from finetune.training.loss import completion_loss
from finetune.training.material import prepare
from finetune.training.separation import refuse_leaks
from tests.finetune.training.runs import settings
from tests.finetune.training.tiny_models import TEMPLATE, conversation, data_folder, text_base, write_rows

pytestmark = pytest.mark.finetune


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    return text_base(tmp_path_factory.mktemp("base"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return data_folder(tmp_path_factory.mktemp("data"))


def prepared(base, data, **told):
    return prepare(settings(base, **told), find_base(str(base)), data)


def rows_in(folder, *conversations):
    for name in ("train.jsonl", "validation.jsonl"):
        write_rows(folder / name, conversations)
    return folder


def begins_itself(base, token):
    """Have the tokenizer in `base` put `token` before every text, as many do."""
    path = base / "tokenizer.json"
    told = json.loads(path.read_text())
    number = next(each["id"] for each in told["added_tokens"] if each["content"] == token)
    sequence = [{"SpecialToken": {"id": token, "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}]
    told["post_processor"] = {
        "type": "TemplateProcessing",
        "single": sequence,
        "pair": [*sequence, {"Sequence": {"id": "B", "type_id": 0}}],
        "special_tokens": {token: {"id": token, "ids": [number], "tokens": [token]}},
    }
    path.write_text(json.dumps(told))


def test_the_answer_and_its_end_are_learned_although_padding_is_the_same_token(base, data):
    material = prepared(base, data)
    assert material.pad == material.texts.eos_token_id
    batch = material.collate(material.train.lines[:5])
    learned = [
        material.texts.decode(tokens[labels != IGNORED])
        for tokens, labels in zip(batch["input_ids"], batch["labels"], strict=True)
    ]
    assert learned == [f"{word} {word}<|end|>" for word in ("a", "bb", "ccc", "dddd", "eeeee")]
    padded = batch["input_ids"][0, material.train.lines[0].length :]
    assert set(padded.tolist()) == {material.pad}
    assert set(batch["labels"][0, material.train.lines[0].length :].tolist()) == {IGNORED}


def test_where_the_template_writes_no_end_one_is_learned(tmp_path, data):
    base = text_base(tmp_path / "base", template=TEMPLATE.replace("<|end|>", ""))
    (row,) = prepared(base, data).train.lines[0].parts
    end = find_token(base, "<|end|>")
    assert (row.tokens[-1], row.end) == (end, len(row.tokens))


def find_token(base, text):
    told = json.loads((base / "tokenizer.json").read_text())
    return next(each["id"] for each in told["added_tokens"] if each["content"] == text)


def test_a_row_that_is_too_long_is_named_and_nothing_cut(base, data):
    with pytest.raises(
        TrainingError,
        match=r"at most 20 tokens a row; train\.jsonl line 4 \(ep_3\) has 23, and 4 of 12 rows are longer, "
        r"the longest 26\. Nothing is cut",
    ):
        prepared(base, data, batches={"most_tokens": 20})


def test_the_beginning_token_stands_once_where_template_and_tokenizer_both_write_it(tmp_path, data):
    base = text_base(tmp_path / "base", template="{{ bos_token }}" + TEMPLATE, bos="<|system|>")
    begins_itself(base, "<|system|>")
    material = prepared(base, data)
    beginning = find_token(base, "<|system|>")
    assert material.texts("a")["input_ids"][0] == beginning
    assert {line.parts[0].tokens.count(beginning) for line in material.train.lines} == {1}


def test_a_template_that_writes_the_beginning_token_twice_is_refused(tmp_path, data):
    template = "{{ bos_token }}{{ bos_token }}" + TEMPLATE
    base = text_base(tmp_path / "base", template=template, bos="<|system|>")
    with pytest.raises(BaseError, match=r"beginning token '<\|system\|>' once; it writes it twice"):
        prepared(base, data)


def test_a_base_without_a_chat_template_needs_one_in_the_settings(tmp_path, data):
    base = text_base(tmp_path / "base", template=None)
    with pytest.raises(BaseError, match="expected a chat template with the tokenizer in"):
        prepared(base, data)
    (tmp_path / "chat.jinja").write_text(TEMPLATE)
    told = settings(base).model_copy(update={"template": str(tmp_path / "chat.jinja")})
    assert len(prepare(told, find_base(str(base)), data).train.lines) == 12


def test_a_base_without_an_end_token_is_refused(tmp_path, data):
    base = text_base(tmp_path / "base", eos=None)
    with pytest.raises(BaseError, match="the model cannot learn to stop"):
        prepared(base, data)


def test_a_template_that_writes_prompts_otherwise_is_refused(tmp_path, data):
    template = TEMPLATE.replace("<|assistant|>{% endif %}", "<|assistant|>think: {% endif %}")
    base = text_base(tmp_path / "base", template=template)
    with pytest.raises(
        TrainingError,
        match=r"in train\.jsonl line 1 \(ep_0\) they differ from character \d+ on: 'think: ' and",
    ):
        prepared(base, data)


def test_a_role_that_the_template_refuses_is_told_with_its_row(tmp_path):
    template = "{% if messages[0].role == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TEMPLATE
    base = text_base(tmp_path / "base", template=template)
    row = [{"role": "system", "content": "be short"}, *conversation("say a", "a")]
    with pytest.raises(TrainingError, match=r"train\.jsonl line 2 \(ep_1\) is none: no system"):
        prepared(base, rows_in(tmp_path / "data", conversation("say a", "a"), row))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", r"expected rows in .*train\.jsonl; got none"),
        ("\n\n", r"expected rows in .*train\.jsonl; got none"),
        ("{", r"expected a JSON object in .*train\.jsonl, line 1; got:"),
        ("[1]", r"expected a JSON object in .*train\.jsonl, line 1; got list"),
        ("[" * 100_000, r"expected a JSON object in .*train\.jsonl, line 1; got: JSON nested too deep"),
        ('{"prompt": 5}', r"two messages or more in train\.jsonl line 1"),
        ('{"prompt": [], "completion": "a"}', r"two messages or more in train\.jsonl line 1"),
        (
            json.dumps({"messages": conversation("say a", "a"), "images": 5}),
            r"names of files as 'images' in train\.jsonl line 1; got 5",
        ),
        (
            json.dumps({"messages": conversation("say \ud800", "a")}),
            r"in .*train\.jsonl, line 1; got half a surrogate pair \('\\ud800'\)",
        ),
        ('{"messages": []}', r"two messages or more in train\.jsonl line 1"),
        ('{"text": "a"}', r"two messages or more in train\.jsonl line 1"),
        (
            json.dumps({"messages": conversation("say a", " ")}),
            r"last message in train\.jsonl line 1 to be the assistant's and not empty",
        ),
        (
            json.dumps({"messages": conversation("say a", "a")[::-1]}),
            r"last message in train\.jsonl line 1 to be the assistant's",
        ),
    ],
)
def test_data_that_cannot_be_learned_from_is_refused(base, tmp_path, text, said):
    rows_in(tmp_path, conversation("say a", "a"))
    (tmp_path / "train.jsonl").write_text(text)
    with pytest.raises(TrainingError, match=said):
        prepared(base, tmp_path)


@pytest.mark.parametrize("token", ["<|end|>", "<|assistant|>"])
def test_an_answer_that_holds_a_control_token_is_refused(base, tmp_path, token):
    good, bad = conversation(f"say {token}", "a"), conversation("say a", f"a{token} a")
    assert len(prepared(base, rows_in(tmp_path / "asked", good)).train.lines) == 1
    with pytest.raises(
        TrainingError, match=r"control tokens of the model in train\.jsonl line 2 \(ep_1\); got"
    ):
        prepared(base, rows_in(tmp_path / "answered", good, bad))


def test_an_answer_may_hold_tokens_that_were_added(base, tmp_path):
    data = rows_in(tmp_path, conversation("say a", "<new> a"))
    assert prepared(base, data, adapter={"added_tokens": ("<new>",)}).added


def apart(messages):
    return {"prompt": messages[:-1], "completion": messages[-1:]}


def marked(messages):
    return {"messages": [{**each, "train": each is messages[-1]} for each in messages]}


@pytest.mark.parametrize("layout", [apart, marked])
def test_every_layout_is_read_as_the_same_conversations(base, data, tmp_path, layout):
    for name in ("train.jsonl", "validation.jsonl"):
        lines = [json.loads(line)["messages"] for line in (data / name).read_text().splitlines()]
        (tmp_path / name).write_text("".join(json.dumps(layout(each)) + "\n" for each in lines))
    plain, other = (
        [[part.tokens for part in line.parts] for line in prepared(base, folder).train.lines]
        for folder in (data, tmp_path)
    )
    assert plain == other


def test_pictures_are_refused_for_a_text_model(base, tmp_path):
    write_rows(tmp_path / "train.jsonl", [conversation("what?", "red")], images=["red.png"])
    write_rows(tmp_path / "validation.jsonl", [conversation("what?", "red")])
    with pytest.raises(TrainingError, match=r"train\.jsonl line 1 \(ep_0\) has 1 pictures"):
        prepared(base, tmp_path)


def test_packed_rows_have_the_loss_that_they_have_alone(base, data):
    told = prepared(base, data, batches={"packing": True, "most_tokens": 64})
    alone = prepared(base, data)
    model = load_weights(find_base(str(base)), dtype="float32")
    assert len(told.train.lines) < len(alone.train.lines)
    with torch.no_grad():
        packed = completion_loss(model, told.collate(told.train.lines))
        each = [completion_loss(model, alone.collate([line])) for line in alone.train.lines]
    assert packed.tokens == sum(one.tokens for one in each)
    assert float(packed.total) == pytest.approx(sum(float(one.total) for one in each), rel=1e-5)


def test_a_model_that_runs_on_from_row_to_row_is_not_packed_for(base):
    from transformers import MambaConfig, MambaForCausalLM

    refuse_leaks(load_weights(find_base(str(base))), 3)
    torch.manual_seed(0)
    leaky = MambaForCausalLM(MambaConfig(vocab_size=60, hidden_size=16, state_size=4, num_hidden_layers=1))
    with pytest.raises(TrainingError, match=r"a row changes by \d.*Set `packing` to false"):
        refuse_leaks(leaky, 3)


@pytest.mark.parametrize("packing", [False, True])
def test_a_batch_in_parts_has_the_loss_of_the_whole(base, data, packing):
    told = prepared(base, data, batches={"packing": packing, "most_tokens": 30})
    model = load_weights(find_base(str(base)), dtype="float32")
    parts = PartsCollator(collate=told.collate, most_tokens=60)(told.train.lines)["parts"]
    assert len(parts) > 2
    assert max(part["input_ids"].numel() for part in parts) <= 60
    with torch.no_grad():
        whole = completion_loss(model, told.collate(told.train.lines))
        each = [completion_loss(model, part) for part in parts]
    assert whole.tokens == sum(one.tokens for one in each)
    assert float(whole.total) == pytest.approx(sum(float(one.total) for one in each), rel=1e-5)


def test_a_row_longer_than_a_part_stands_alone(base, data):
    lines = prepared(base, data).train.lines
    parts = PartsCollator(collate=PaddedCollator(pad=3), most_tokens=5)(lines)["parts"]
    assert [len(part["rows"]) for part in parts] == [1] * len(lines)
    assert sorted(int(part["rows"]) for part in parts) == list(range(len(lines)))


def test_padding_of_packed_rows_is_a_row_of_its_own(base, data):
    lines = prepared(base, data).train.lines
    two = Line(place=0, parts=(*lines[0].parts, *lines[1].parts))
    batch = PackedCollator(pad=3)([two, lines[4]])
    first, second, longest = lines[0].length, lines[1].length, batch["input_ids"].shape[1]
    assert longest == first + second
    assert batch["position_ids"][0].tolist() == [*range(first), *range(second)]
    assert batch["position_ids"][1].tolist() == [*range(lines[4].length), *range(longest - lines[4].length)]
