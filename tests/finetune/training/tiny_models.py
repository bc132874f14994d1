"""Tiny random models, made in a test's own folder: a text model and one that takes pictures."""

from __future__ import annotations

import json
from pathlib import Path

TEMPLATE = (
    "{% for message in messages %}<|{{ message['role'] }}|>{{ message['content'] }}<|end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
SPECIAL = ("<|system|>", "<|user|>", "<|assistant|>", "<|end|>")


def text_base(
    folder: Path,
    *,
    template: str | None = TEMPLATE,
    pad: str | None = None,
    tied: bool = True,
    seed: int = 0,
    bos: str | None = None,
    eos: str | None = "<|end|>",
) -> Path:
    """A llama of two layers, 32 numbers a token, with a tokenizer of bytes; it pads with its end token."""
    import torch
    from transformers import LlamaConfig, LlamaForCausalLM

    tokenizer = byte_tokenizer(template=template, pad=pad, bos=bos, eos=eos)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=512,
        tie_word_embeddings=tied,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=None,
        bos_token_id=None,
    )
    LlamaForCausalLM(config).save_pretrained(folder)
    return folder


def byte_tokenizer(*, template=TEMPLATE, pad=None, bos=None, eos="<|end|>", special=SPECIAL):
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: at for at, token in enumerate([*special, *alphabet])}
    tokens = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokens.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokens.decoder = decoders.ByteLevel()
    tokens.add_special_tokens(list(special))
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=tokens, eos_token=eos, pad_token=pad, bos_token=bos)
    tokenizer.chat_template = template
    return tokenizer


def conversation(told: str, answer: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": told}, {"role": "assistant", "content": answer}]


def write_rows(path: Path, conversations, **more) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        json.dumps({"messages": each, "episode": f"ep_{at}", **more}) for at, each in enumerate(conversations)
    ]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def data_folder(folder: Path, rows: int = 12) -> Path:
    """Rows of different lengths to learn: a word said twice."""
    words = [chr(97 + at % 26) * (at % 5 + 1) for at in range(rows)]
    write_rows(folder / "train.jsonl", [conversation(f"say {word}", f"{word} {word}") for word in words])
    write_rows(
        folder / "validation.jsonl", [conversation(f"say {word}", f"{word} {word}") for word in words[:4]]
    )
    return folder
