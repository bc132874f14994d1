"""Using what was taught: an adapter merged into its base, and the whole packed up for others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Literal

from csd.by_model.shape import compact_schema
from csd.descriptor import Record
from csd.resources import data_file
from finetune.adapter import Loaded, load
from finetune.base import DTYPES, weight_digest
from finetune.quiet import quiet
from finetune.whole_folder import whole_folder

if TYPE_CHECKING:
    from transformers import PreTrainedModel

RECORD = "echo_merged.json"
SCHEMA = "descriptor.schema.json"
GUIDE = "USE.md"


class UseError(ValueError):
    """A folder or number type that will not do; the text says what to change."""


class MergedRecord(Record):
    """What a folder of merged weights says of itself."""

    format: Literal[1] = 1
    base: str
    """Name of the base when it was merged."""
    base_digest: str
    """`finetune.base.Base.digest`."""
    adapter_digest: str | None
    """SHA-256 of the adapter's weights file, in hex; null where there was none to merge."""
    dtype: str
    """Number type of the weights."""
    digest: str
    """`finetune.base.weight_digest` of the weights in this folder."""


def merge(base: str, adapter: Path, out: Path, *, dtype: str = "bfloat16") -> MergedRecord:
    """Write a base with an adapter added into its weights, as one model that needs no adapter.

    They are added in float32 and rounded once. The folder, in the format of `transformers` with safetensors,
    tokenizer and chat template, is a base itself: ``hf:FOLDER``.

    Args:
        base: as for `finetune.base.find_base`.
        adapter: folder of the adapter.
        out: absent or empty.
        dtype: number type of the weights written, out of `finetune.base.DTYPES`; ``auto`` is bfloat16.

    Raises:
        UseError: if there is something in `out`, the number type is unknown, or a sum is not finite.
        BaseError, AdapterError: as `finetune.adapter.load`.
        OSError: if the disk refuses; nothing is left then.
    """
    with _new_folder(out) as unfinished:
        return _write_merged(base, adapter, unfinished, dtype)


def export(base: str, adapter: Path | None, out: Path, *, dtype: str = "bfloat16") -> MergedRecord:
    """Write all that others need to use a model: as `merge`, with a guide and the schema of its answers.

    The guide says how to ask the model, serve it behind an OpenAI-compatible endpoint, and turn it into GGUF.

    Args:
        base: as for `finetune.base.find_base`.
        adapter: folder of the adapter, None to pack up the base as it is.
        out: absent or empty.
        dtype: as for `merge`.

    Raises:
        UseError, BaseError, AdapterError, OSError: as `merge`.
    """
    with _new_folder(out) as unfinished:
        record = _write_merged(base, adapter, unfinished, dtype)
        schema = json.dumps(compact_schema(), indent=1)
        (unfinished / SCHEMA).write_text(schema + "\n", encoding="utf-8")
        (unfinished / GUIDE).write_text(guide(record, out.name), encoding="utf-8")
        return record


def guide(record: MergedRecord, folder: str) -> str:
    """Return how to use the model of `record` in a folder called `folder`, as Markdown."""
    return Template(data_file("finetune", "use.md").read_text(encoding="utf-8")).substitute(
        folder=folder,
        base=record.base,
        base_digest=record.base_digest[:16],
        adapter="none" if record.adapter_digest is None else f"`{record.adapter_digest[:16]}`",
        dtype=record.dtype,
        digest=record.digest[:16],
        instruction=data_file("prompts", "describe.md").read_text(encoding="utf-8").strip(),
        schema=SCHEMA,
    )


@contextmanager
def _new_folder(out: Path) -> Iterator[Path]:
    """Yield a folder that becomes `out`, which must be absent or empty, now and when all is written."""

    def check() -> None:
        if out.exists() and (not out.is_dir() or any(out.iterdir())):
            raise UseError(f"expected a new or empty folder; got {out}, which holds something. Name another.")

    check()
    with whole_folder(out) as unfinished:
        yield unfinished
        # Whoever filled it meanwhile keeps it.
        check()


def _write_merged(base: str, adapter: Path | None, folder: Path, dtype: str) -> MergedRecord:
    if dtype not in DTYPES:
        raise UseError(f"expected a number type out of {', '.join(DTYPES)}; got {dtype!r}.")
    kind = "bfloat16" if dtype == "auto" else dtype
    loaded = load(base, adapter, dtype="float32", merged=adapter is not None)
    model: Any = loaded.model
    _round(model, kind, base)
    with quiet():
        model.save_pretrained(str(folder))
        (loaded.processor or loaded.tokenizer).save_pretrained(str(folder))
    record = _record(loaded, kind, folder)
    (folder / RECORD).write_text(record.model_dump_json(indent=2) + "\n", encoding="utf-8")
    return record


def _round(model: PreTrainedModel, dtype: str, base: str) -> None:
    import torch

    number = getattr(torch, dtype)
    model.to(number)
    model.config.dtype = number
    for name, weight in model.named_parameters():
        if not bool(torch.isfinite(weight).all()):
            raise UseError(
                f"expected finite weights; got others in {name} of {base} with its adapter as {dtype}. "
                f"Take bfloat16 or float32, or look whether the training diverged."
            )


def _record(loaded: Loaded, dtype: str, folder: Path) -> MergedRecord:
    return MergedRecord(
        base=loaded.base.name,
        base_digest=loaded.base.digest,
        adapter_digest=loaded.adapter_digest,
        dtype=dtype,
        digest=weight_digest(folder),
    )
