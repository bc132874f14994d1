"""Rows with pictures: through the processor of a vision-language model, into the tensors of a batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finetune.training.collating import PLACES
from finetune.training.encoding import IGNORED, Text, refuse_control, refuse_long, split_text
from finetune.training.errors import TrainingError
from finetune.training.rows import Row

if TYPE_CHECKING:
    from transformers import ProcessorMixin

PICTURE_TOKENS = ("image_token_id", "video_token_id", "image_token_index")
"""Where processors and configurations say which tokens stand for pictures."""


@dataclass(frozen=True, kw_only=True, slots=True)
class PictureLine:
    """A row with pictures as a line of a batch; becomes tensors only there, since pictures are large."""

    place: int
    """In the data."""
    row: Row
    text: Text
    length: int
    """In tokens, those of pictures included."""

    @property
    def name(self) -> str:
        """For errors."""
        return self.row.name


def picture_lines(
    rows: Sequence[Row], processor: ProcessorMixin, *, stops: Sequence[int], most_tokens: int
) -> list[PictureLine]:
    """Prepare each row, in order, and look at each of its pictures once.

    Raises:
        TrainingError: naming the row, if it is too long, its answer holds a control token, its template
            does not write prompts as the beginnings of conversations, or its messages show other pictures
            than it names.
        OSError: if a picture cannot be read.
    """
    refuse_control(rows, processor.tokenizer, stops)
    lines = []
    for place, row in enumerate(rows):
        messages = _with_parts(row)
        text = split_text(row, processor.apply_chat_template, messages)
        line = PictureLine(place=place, row=row, text=text, length=0)
        tokens = _processed(processor, [line])["input_ids"]
        lines.append(PictureLine(place=place, row=row, text=text, length=int(tokens.shape[1])))
    refuse_long([(line.name, line.length) for line in lines], most_tokens)
    return lines


@dataclass(frozen=True, kw_only=True)
class PictureCollator:
    """One row a line, padded as the processor does; the answer alone is learned, and never a picture."""

    processor: ProcessorMixin
    stops: Sequence[int]
    """Tokens at which the model stops writing."""
    unlearned: Sequence[int]
    """Tokens that stand for pictures: `picture_tokens`."""

    def __call__(self, lines: Sequence[PictureLine]) -> Mapping[str, Any]:
        """Return what the processor makes of the lines, with labels of shape (lines, longest), int64."""
        import torch

        batch = dict(_processed(self.processor, lines))
        tokens, mask = batch["input_ids"], batch["attention_mask"]
        labels = torch.full_like(tokens, IGNORED)
        for at, line in enumerate(lines):
            real = mask[at].nonzero().flatten()
            start, end = self._learned(line, tokens[at, real].tolist())
            labels[at, real[start:end]] = tokens[at, real[start:end]]
        for token in self.unlearned:
            labels[tokens == token] = IGNORED
        return {**batch, "labels": labels, PLACES: torch.tensor([line.place for line in lines])}

    def _learned(self, line: PictureLine, tokens: Sequence[int]) -> tuple[int, int]:
        """Return from where to where the tokens of a line are learned."""
        answer = self.processor.tokenizer(line.text.answer, add_special_tokens=False)["input_ids"]
        start = len(tokens) - len(answer)
        if start < 1 or list(tokens[start:]) != list(answer):
            raise TrainingError(
                f"expected the tokens of {line.name} to end with those of its answer; they do not, so that "
                f"it cannot be told what is to be learned. Use another chat template (`template` in the "
                "settings)."
            )
        stop = next((at for at in range(len(tokens) - 1, start, -1) if tokens[at] in self.stops), None)
        if stop is None:
            raise TrainingError(
                f"expected the chat template to end the answer with a token that stops the model; in "
                f"{line.name} it does not, and the model would not learn to stop."
            )
        return start, stop + 1


def picture_tokens(processor: ProcessorMixin, config: Any) -> tuple[int, ...]:
    """Return the tokens that stand for pictures, ascending; at least one.

    Raises:
        TrainingError: if neither the processor nor the model's configuration names one.
    """
    named = [getattr(place, name, None) for place in (processor, config) for name in PICTURE_TOKENS]
    tokens = tuple(sorted(dict.fromkeys(int(token) for token in named if token is not None)))
    if not tokens:
        raise TrainingError(
            f"expected a vision model that names its picture token ({', '.join(PICTURE_TOKENS)}); got none."
        )
    return tokens


def _with_parts(row: Row) -> list[dict[str, Any]]:
    """Return the messages with all content as parts, as templates of vision models take them."""
    messages = [
        {
            "role": each["role"],
            "content": [{"type": "text", "text": each["content"]}]
            if isinstance(each["content"], str)
            else [
                {"type": "image"} if part["type"] == "image" else {"type": "text", "text": part["text"]}
                for part in each["content"]
            ],
        }
        for each in row.messages
    ]
    shown = sum(part["type"] == "image" for each in messages for part in each["content"])
    if shown != len(row.images):
        raise TrainingError(
            f"expected as many pictures as {row.name} shows in its messages, {shown}; it names "
            f"{len(row.images)}."
        )
    return messages


def _processed(processor: ProcessorMixin, lines: Sequence[PictureLine]) -> Mapping[str, Any]:
    from PIL import Image

    pictures = []
    for line in lines:
        opened = []
        for path in line.row.images:
            with Image.open(path) as picture:
                opened.append(picture.convert("RGB"))
        pictures.append(opened)
    told: dict[str, Any] = {"images": pictures} if any(pictures) else {}
    processed: Mapping[str, Any] = processor(
        text=[line.text.prompt + line.text.answer for line in lines],
        padding=True,
        # The template has written the beginning token where the model wants one.
        add_special_tokens=False,
        return_tensors="pt",
        **told,
    )
    return processed
