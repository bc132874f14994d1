"""Conversations as a model on this machine reads them: its own template, padded on the left."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from csd.chat import Message, ModelError
from echo.models.text import whole_text

if TYPE_CHECKING:
    from finetune.adapter import Loaded


def prompt_text(loaded: Loaded, messages: Sequence[Message], name: str) -> str:
    """Return the conversation in the model's template, up to where its answer begins.

    Raises:
        ModelError: if there is no message, there are pictures that the model `name` cannot see, or its
            template refuses the roles.
    """
    if not messages:
        raise ModelError(f"expected a conversation for {name}; got no message.")
    sees = loaded.processor is not None
    pictures = sum(len(each.images) for each in messages)
    if pictures and not sees:
        raise ModelError(
            f"expected a model that sees, for {pictures} pictures; {name} reads text alone. Leave the "
            f"pictures out or name a vision model."
        )
    told = [
        {"role": each.role, "content": _content(each) if sees else whole_text(each.text)} for each in messages
    ]
    template: Any = loaded.processor if sees else loaded.tokenizer
    # A template is a program in the model's folder: it fails as it likes.
    try:
        return str(template.apply_chat_template(told, add_generation_prompt=True, tokenize=False))
    except Exception as error:
        roles = ", ".join(each.role for each in messages)
        raise ModelError(
            f"expected the chat template of {name} to take the roles {roles}; it refuses: {error}"
        ) from error


def prompt_inputs(loaded: Loaded, prompts: Sequence[tuple[str, tuple[bytes, ...]]]) -> Any:
    """Return tensors for texts and their pictures, padded on the left so that answers begin in one column.

    The template wrote the special tokens already: none is added.

    Raises:
        ModelError: if a picture cannot be read.
    """
    texts = [text for text, _ in prompts]
    loaded.tokenizer.padding_side = "left"
    if loaded.processor is None or not any(images for _, images in prompts):
        return loaded.tokenizer(texts, add_special_tokens=False, padding=True, return_tensors="pt")
    pictures = [[_picture(png) for png in images] for _, images in prompts]
    process: Any = loaded.processor
    return process(text=texts, images=pictures, add_special_tokens=False, padding=True, return_tensors="pt")


def _picture(png: bytes) -> Any:
    from PIL import Image

    try:
        return Image.open(io.BytesIO(png)).convert("RGB")
    except (OSError, ValueError) as error:
        raise ModelError(f"expected a picture as a PNG file; got {len(png):,} bytes: {error}") from error


def _content(message: Message) -> list[dict[str, str]]:
    return [*({"type": "image"} for _ in message.images), {"type": "text", "text": whole_text(message.text)}]
