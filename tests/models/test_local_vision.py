"""A model on this machine that takes pictures, tiny and random."""

from __future__ import annotations

import io

import pytest

from csd.chat import Message, ModelError
from echo.models.local import LocalModel
from echo.models.settings import ModelSettings
from tests.finetune.training.tiny_models import SPECIAL, byte_tokenizer

pytest.importorskip("peft", reason="the finetune extra is not installed")
pytestmark = pytest.mark.finetune

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}<|end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> LocalModel:
    folder = vision_base(tmp_path_factory.mktemp("vision"))
    return LocalModel.from_folder(str(folder), None, ModelSettings(most_tokens=8))


def vision_base(folder):
    """A llava of two layers that sees 16 x 16 pixels as four tokens."""
    import torch
    from transformers import (
        CLIPImageProcessorPil,
        CLIPVisionConfig,
        LlamaConfig,
        LlavaConfig,
        LlavaForConditionalGeneration,
        LlavaProcessor,
    )

    tokenizer = byte_tokenizer(template=TEMPLATE, special=(*SPECIAL, "<image>"))
    LlavaProcessor(
        image_processor=CLIPImageProcessorPil(
            size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16}
        ),
        tokenizer=tokenizer,
        patch_size=8,
        vision_feature_select_strategy="default",
        chat_template=TEMPLATE,
        num_additional_image_tokens=1,
    ).save_pretrained(folder)
    sizes = {"intermediate_size": 32, "num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 32}
    torch.manual_seed(0)
    config = LlavaConfig(
        vision_config=CLIPVisionConfig(**sizes, image_size=16, patch_size=8, projection_dim=16),
        text_config=LlamaConfig(
            **sizes,
            vocab_size=len(tokenizer),
            max_position_embeddings=128,
            eos_token_id=tokenizer.eos_token_id,
        ),
        image_token_index=tokenizer.convert_tokens_to_ids("<image>"),
        image_seq_length=4,
    )
    LlavaForConditionalGeneration(config).save_pretrained(folder)
    return folder


def png(colour: str) -> bytes:
    from PIL import Image

    file = io.BytesIO()
    Image.new("RGB", (20, 20), colour).save(file, "PNG")
    return file.getvalue()


def asked(text: str, *colours: str) -> list[Message]:
    return [Message(role="user", text=text, images=tuple(png(colour) for colour in colours))]


def test_a_picture_takes_its_tokens_and_changes_the_answer(model):
    none, red, blue = (model(asked("hi", *colours)) for colours in ((), ("red",), ("blue",)))
    assert [reply.prompt_tokens for reply in (none, red, blue)] == [6, 10, 10]
    assert len({reply.text for reply in (none, red, blue)}) == 3


def test_conversations_with_and_without_pictures_go_together(model):
    questions = [asked("hi"), asked("longer text", "blue", "red"), asked("hi", "red")]
    together = model.answer_each(questions)
    assert [reply.text for reply in together] == [model(each).text for each in questions]
    assert [reply.prompt_tokens for reply in together] == [6, 23, 10]


def test_a_vision_model_is_held_to_a_schema(model):
    assert model(asked("hi", "red"), schema={"const": "red"}).text == '"red"'


def test_bytes_that_are_no_picture_are_an_error(model):
    with pytest.raises(ModelError, match="expected a picture as a PNG file; got 3 bytes"):
        model([Message(role="user", text="What?", images=(b"png",))])
