"""Adapters (LoRA): kept with the digest of the base they were trained on, and never put on another."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import ValidationError

from csd.descriptor import Record
from finetune.base import Base, find_base, load_processor, load_tokenizer, load_weights
from finetune.quiet import quiet
from finetune.whole_folder import whole_folder

if TYPE_CHECKING:
    from peft import PeftModel
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, ProcessorMixin

RECORD = "echo_adapter.json"
WEIGHTS = "adapter_model.safetensors"
CONFIG = "adapter_config.json"


class AdapterError(ValueError):
    """An adapter that is not there, is broken, or belongs to another base; says what to change."""


class AdapterRecord(Record):
    """What an adapter folder says of itself, beside what peft writes."""

    format: Literal[1] = 1
    base: str
    """Name of the base when it was trained; another name for the same weights is as good."""
    base_digest: str
    """`finetune.base.Base.digest`."""
    added_tokens: tuple[str, ...] = ()
    """Tokens the base's tokenizer lacks, in the order of their numbers."""
    rows: int
    """Rows of the embedding it was trained with, more than the base's where tokens were added."""


@dataclass(frozen=True, kw_only=True)
class Loaded:
    """A model ready to be asked."""

    model: PreTrainedModel | PeftModel
    tokenizer: PreTrainedTokenizerBase
    processor: ProcessorMixin | None
    """Of a vision base; its tokenizer is `tokenizer`."""
    base: Base
    adapter_digest: str | None
    """SHA-256 of the adapter's weights file, in hex; None without an adapter."""
    checked: bool
    """Whether base and adapter are known to belong together; an adapter of another tool does not say."""


def load(
    name: str,
    adapter: Path | None = None,
    *,
    dtype: str = "auto",
    device: str = "cpu",
    merged: bool = False,
) -> Loaded:
    """Load a base model, with an adapter or without.

    Args:
        name: as for `finetune.base.find_base`.
        adapter: folder of the adapter.
        dtype: out of `finetune.base.DTYPES`.
        device: as for `finetune.base.load_weights`.
        merged: whether the adapter is added into the weights, which is faster to ask and, in bfloat16,
            rounds it.

    Raises:
        BaseError: if the base will not do.
        AdapterError: if the adapter will not do, or is another base's.
    """
    base = find_base(name)
    model: Any = load_weights(base, dtype=dtype, device=device)
    template = None if adapter is None else _template(adapter)
    processor = load_processor(base, template=template) if base.vision else None
    if processor is not None:
        tokenizer: PreTrainedTokenizerBase = processor.tokenizer
    else:
        tokenizer = load_tokenizer(base, template=template)
    checked = True
    if adapter is not None:
        record = read_record(adapter)
        checked = record is not None
        if record is not None and record.added_tokens:
            tokenizer.add_tokens(list(record.added_tokens))
        model = load_adapter(model, base, adapter)
        if merged:
            model = model.merge_and_unload()
        model.eval()
    return Loaded(
        model=model,
        tokenizer=tokenizer,
        processor=processor,
        base=base,
        adapter_digest=None if adapter is None else adapter_digest(adapter),
        checked=checked,
    )


def load_adapter(model: PreTrainedModel, base: Base, folder: Path, *, trainable: bool = False) -> PeftModel:
    """Put the adapter in `folder` on `model`, whose weights are those of `base`.

    An adapter without our record, as other tools write them, is taken if all its weights fit.

    Raises:
        AdapterError: if the adapter was trained on other weights, is broken, or does not fit.
    """
    from peft import PeftModel

    record = _whole(folder)
    if record is not None:
        _refuse_other_base(record, base, folder)
        _grow(model, record.rows)
    stored = _stored_weights(folder)
    try:
        with quiet():
            adapted = PeftModel.from_pretrained(
                model,
                str(folder),
                is_trainable=trainable,
                # Weights stored in float32 were trained so, over whatever the base is in.
                autocast_adapter_dtype=any("float32" in str(each.dtype) for each in stored.values()),
                torch_device=str(model.device),
                local_files_only=True,
            )
    except (RuntimeError, ValueError, KeyError, TypeError) as error:
        raise AdapterError(
            f"expected an adapter for {base.name} in {folder}; it does not fit: {error}"
        ) from error
    _refuse_other_weights(adapted, sorted(stored), folder)
    return adapted


def save_adapter(
    model: PeftModel,
    folder: Path,
    *,
    base: Base,
    texts: PreTrainedTokenizerBase | ProcessorMixin,
    added_tokens: Sequence[str] = (),
) -> None:
    """Write the adapter of `model` into `folder`, in the place of an older one, whole or not at all.

    Args:
        model: a base with one adapter.
        folder: gets the adapter as peft writes it, tokenizer or processor, and our record.
        base: what it was trained on.
        texts: its tokenizer, or processor for a vision base.
        added_tokens: tokens that the base's tokenizer lacks.

    Raises:
        OSError: if the disk refuses; an older adapter is there still.
    """
    record = AdapterRecord(
        base=base.name,
        base_digest=base.digest,
        added_tokens=tuple(added_tokens),
        rows=int(model.get_input_embeddings().weight.shape[0]),
    )
    with whole_folder(folder, replace=True) as unfinished, quiet():
        # The rows of added tokens are part of the adapter; the whole embedding would be most of the file.
        model.save_pretrained(str(unfinished), save_embedding_layers=False)
        texts.save_pretrained(str(unfinished))
        (unfinished / RECORD).write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
        # peft writes a page about the model with the hub's blanks in it, and nothing of this one.
        (unfinished / "README.md").unlink(missing_ok=True)


def read_record(folder: Path) -> AdapterRecord | None:
    """Return what the adapter in `folder` says of itself; None for one of another tool.

    Raises:
        AdapterError: if the record cannot be read.
    """
    path = folder / RECORD
    if not path.is_file():
        return None
    try:
        return AdapterRecord.model_validate_json(path.read_bytes())
    except ValidationError as error:
        raise AdapterError(f"expected the record of an adapter in {path}; got: {error}") from error


def adapter_digest(folder: Path) -> str:
    """Return the SHA-256, in hex, of the weights file in `folder`.

    Raises:
        AdapterError: if there is none.
    """
    try:
        with (folder / WEIGHTS).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise AdapterError(
            f"expected the weights of an adapter in {folder / WEIGHTS}; got: {error}"
        ) from error


def _whole(folder: Path) -> AdapterRecord | None:
    lacking = [name for name in (CONFIG, WEIGHTS) if not (folder / name).is_file()]
    if lacking:
        raise AdapterError(
            f"expected an adapter in {folder}; it lacks {' and '.join(lacking)}. "
            f"`echo-memory finetune train` leaves one in the folder 'adapter' of its output."
        )
    return read_record(folder)


def _refuse_other_base(record: AdapterRecord, base: Base, folder: Path) -> None:
    if record.base_digest != base.digest:
        raise AdapterError(
            f"expected the base that the adapter in {folder} was trained on ({record.base}, weights "
            f"{record.base_digest[:16]}); got {base.name}, weights {base.digest[:16]}. Name that base, or "
            f"train an adapter for this one."
        )


def _grow(model: PreTrainedModel, rows: int) -> None:
    """Give the embedding the rows it had in training; the adapter holds what goes into the new ones."""
    if rows > model.get_input_embeddings().weight.shape[0]:
        model.resize_token_embeddings(rows, mean_resizing=False)


def _stored_weights(folder: Path) -> dict[str, Any]:
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    try:
        return dict(load_file(folder / WEIGHTS))
    except (SafetensorError, OSError) as error:
        raise AdapterError(
            f"expected the weights of an adapter in {folder / WEIGHTS}; got: {error}. Get the adapter again."
        ) from error


def _refuse_other_weights(adapted: PeftModel, stored: Sequence[str], folder: Path) -> None:
    """Raise unless the adapter's file holds each weight that its settings call for, and no other."""
    from peft import get_peft_model_state_dict

    wanted = sorted(get_peft_model_state_dict(adapted, save_embedding_layers=False))
    lost = [name for name in wanted if name not in stored]
    over = [name for name in stored if name not in wanted]
    if lost or over:
        raise AdapterError(
            f"expected {len(wanted)} weights of an adapter in {folder}; {len(lost)} are missing"
            f"{f' ({lost[0]} ...)' if lost else ''}, {len(over)} have no place in the base"
            f"{f' ({over[0]} ...)' if over else ''}. It was made for another model."
        )


def _template(folder: Path) -> str | None:
    """Return the chat template that an adapter was trained with, where its folder holds one."""
    path = folder / "chat_template.jinja"
    return path.read_text(encoding="utf-8") if path.is_file() else None
