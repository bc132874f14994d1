"""A tiny random model that takes pictures, and data for it."""

from __future__ import annotations

import json
from pathlib import Path

from tests.finetune.training.tiny_models import SPECIAL, byte_tokenizer

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{% for part in message['content'] %}"
    "{% if part['type'] == 'image' %}<image>{% else %}{{ part['text'] }}{% endif %}{% endfor %}<|end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
COLOURS = ("red", "blue", "green", "white")


def vision_base(folder: Path) -> Path:
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


def picture_row(colours: tuple[str, ...], answer: str) -> dict:
    pictures = [{"type": "image", "text": None} for _ in colours]
    return {
        "messages": [
            {"role": "user", "content": [*pictures, {"type": "text", "text": "what?"}]},
            {"role": "assistant", "content": [{"type": "text", "text": answer}]},
        ],
        "images": [f"images/{colour}.png" for colour in colours],
        "episode": "-".join(colours) or "none",
    }


def picture_data(folder: Path) -> Path:
    """Rows with one picture, with two, and with none."""
    from PIL import Image

    (folder / "images").mkdir(parents=True)
    for colour in COLOURS:
        Image.new("RGB", (20, 24), colour).save(folder / "images" / f"{colour}.png")
    rows = [picture_row((colour,), colour) for colour in COLOURS]
    rows += [picture_row(("red", "blue"), "red and blue"), picture_row((), "nothing")]
    for name in ("train.jsonl", "validation.jsonl"):
        (folder / name).write_text("".join(json.dumps(row) + "\n" for row in rows))
    return folder
