"""``echo-memory finetune merge`` and ``export``: one model of a base and an adapter."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.screen import InputError, exit_codes, print_json

if TYPE_CHECKING:
    from collections.abc import Callable

    from finetune.use import MergedRecord

NOTHING_WRITTEN = "nothing was written"

ModelChoice = Annotated[str, typer.Option("--model", metavar="WHO", help="hf:BASE+ADAPTER.")]
Folder = Annotated[Path, typer.Option("--out", metavar="FOLDER", help="New or empty folder for the model.")]
NumberType = Annotated[str, typer.Option(help="Of the weights: bfloat16, float16 or float32.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print its record as one JSON object.")]


def merge(model: ModelChoice, out: Folder, dtype: NumberType = "bfloat16", as_json: AsJson = False) -> None:
    """Merge an adapter into its base: one model folder, for hf:FOLDER.

    FOLDER gets weights (safetensors), tokenizer, and a record of the digests
    of base and adapter.

    Example: echo-memory finetune merge --model hf:smollm2+runs/tuned/adapter --out merged
    """
    with exit_codes(NOTHING_WRITTEN):
        from finetune.use import merge as merged

        base, adapter = _parts(model)
        if adapter is None:
            from echo.experiments.spec import UsageError

            raise UsageError(f"expected hf:BASE+ADAPTER; got {model!r}, which has no adapter to merge.")
        _show(_done(lambda: merged(base, adapter, out, dtype=dtype)), out, as_json)


def export(model: ModelChoice, out: Folder, dtype: NumberType = "bfloat16", as_json: AsJson = False) -> None:
    """Pack up a model for others, merged, with a guide to its use.

    FOLDER gets what `merge` writes, the JSON Schema of its answers, and
    USE.md: how to ask it, serve it behind an OpenAI-compatible endpoint, and
    turn it into GGUF.

    Example: echo-memory finetune export --model hf:smollm2+runs/tuned/adapter --out packed
    """
    with exit_codes(NOTHING_WRITTEN):
        from finetune.use import GUIDE
        from finetune.use import export as exported

        base, adapter = _parts(model)
        _show(_done(lambda: exported(base, adapter, out, dtype=dtype)), out, as_json)
        if not as_json:
            typer.echo(f"how to use it, serve it, turn it into GGUF: {out / GUIDE}")


def _parts(model: str) -> tuple[str, Path | None]:
    """Return base and adapter of ``hf:BASE[+ADAPTER]``."""
    from csd.chat import ModelError
    from echo.experiments.spec import UsageError
    from echo.models.named import base_and_adapter

    kind, _, rest = model.partition(":")
    if kind != "hf" or not rest:
        raise UsageError(f"expected a model on this machine, hf:BASE or hf:BASE+ADAPTER; got {model!r}.")
    try:
        return base_and_adapter(rest)
    except ModelError as error:
        raise UsageError(str(error)) from error


def _done(work: Callable[[], MergedRecord]) -> MergedRecord:
    from echo.models.grammar import INSTALL
    from finetune.adapter import AdapterError
    from finetune.base import BaseError
    from finetune.use import UseError

    try:
        return work()
    except ImportError as error:
        raise InputError(f"expected torch, transformers and peft; got: {error}. {INSTALL}") from error
    except (AdapterError, BaseError, UseError) as error:
        raise InputError(str(error)) from error


def _show(record: MergedRecord, out: Path, as_json: bool) -> None:
    if as_json:
        print_json(record.model_dump(mode="json"))
    else:
        typer.echo(f"model: {out}  {record.dtype}, digest {record.digest[:16]}")
