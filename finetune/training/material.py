"""What a run trains on: the rows of a data folder, as the base's tokenizer or processor makes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finetune.base import Base, load_processor, load_tokenizer, stop_tokens
from finetune.training.collating import Line, PackedCollator, PaddedCollator
from finetune.training.encoding import encode
from finetune.training.errors import TrainingError
from finetune.training.lora import Added, extend
from finetune.training.records import Data
from finetune.training.rows import Rows, read_rows
from finetune.training.separation import packed_lines
from finetune.training.settings import Settings
from finetune.training.vision import PictureCollator, PictureLine, picture_lines, picture_tokens

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase, ProcessorMixin

TRAIN, VALIDATION = "train.jsonl", "validation.jsonl"


@dataclass(frozen=True, kw_only=True)
class Side:
    """The rows of one file."""

    lines: Sequence[Line] | Sequence[PictureLine]
    data: Data


@dataclass(frozen=True, kw_only=True)
class Material:
    """What a run trains on."""

    texts: PreTrainedTokenizerBase | ProcessorMixin
    """Tokenizer, or processor of a vision base."""
    added: tuple[Added, ...]
    train: Side
    validation: Side
    collate: Callable[[Any], Mapping[str, Any]]
    pad: int
    template: str


def prepare(settings: Settings, base: Base, folder: Path) -> Material:
    """Read and encode the rows in `folder`.

    Raises:
        TrainingError: if they are none, or cannot be trained on as they are.
        BaseError: if the tokenizer will not do.
        OSError: if a file cannot be read.
    """
    template = None if settings.template is None else Path(settings.template).read_text(encoding="utf-8")
    train = read_rows(folder / TRAIN)
    validation = read_rows(folder / VALIDATION, most=settings.schedule.validation_rows)
    if base.vision:
        return _with_pictures(settings, base, (train, validation), template)
    tokenizer = load_tokenizer(base, template=template)
    added = extend(tokenizer, settings.adapter.added_tokens)
    stops = stop_tokens(base, tokenizer)
    batches = settings.batches
    sides = []
    for rows in (train, validation):
        encoded = encode(rows.rows, tokenizer, stops=stops, most_tokens=batches.most_tokens)
        lines = (
            packed_lines(encoded, batches.most_tokens)
            if batches.packing
            else [Line(place=at, parts=(row,)) for at, row in enumerate(encoded)]
        )
        learned = sum(row.end - row.start for row in encoded)
        sides.append(Side(lines=lines, data=_data(rows, lines, learned)))
    pad = int(tokenizer.pad_token_id)
    return Material(
        texts=tokenizer,
        added=added,
        train=sides[0],
        validation=sides[1],
        collate=PackedCollator(pad=pad) if batches.packing else PaddedCollator(pad=pad),
        pad=pad,
        template=str(tokenizer.chat_template),
    )


def _with_pictures(
    settings: Settings, base: Base, sides: tuple[Rows, Rows], template: str | None
) -> Material:
    from transformers import AutoConfig

    if settings.batches.packing or settings.adapter.added_tokens or settings.adapter.last_layers:
        raise TrainingError(
            "expected settings without packing, added_tokens and last_layers, which are for text models; got "
            "a base that takes pictures."
        )
    processor = load_processor(base, template=template)
    # Answers end together, but positions are the model's own business: it counts them from the left.
    processor.tokenizer.padding_side = "right"
    stops = stop_tokens(base, processor.tokenizer)
    train, validation = (
        picture_lines(rows.rows, processor, stops=stops, most_tokens=settings.batches.most_tokens)
        for rows in sides
    )
    config = AutoConfig.from_pretrained(base.folder, local_files_only=True)
    return Material(
        texts=processor,
        added=(),
        train=Side(lines=train, data=_data(sides[0], train, None)),
        validation=Side(lines=validation, data=_data(sides[1], validation, None)),
        collate=PictureCollator(
            processor=processor,
            stops=stops,
            unlearned=picture_tokens(processor, config),
        ),
        pad=int(processor.tokenizer.pad_token_id),
        template=str(processor.chat_template),
    )


def _data(rows: Rows, lines: Sequence[Line] | Sequence[PictureLine], learned: int | None) -> Data:
    lengths = [line.length for line in lines]
    return Data(
        sha256=rows.digest,
        rows=len(rows.rows),
        lines=len(lengths),
        tokens=sum(lengths),
        longest=max(lengths),
        learned=learned,
    )
