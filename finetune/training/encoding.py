"""From conversations to tokens, with which of them are learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from finetune.training.errors import TrainingError
from finetune.training.rows import Row, as_text, text_of

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

IGNORED = -100
"""Label of a token that is not learned."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Encoded:
    """A row as tokens."""

    name: str
    tokens: tuple[int, ...]
    start: int
    """Place of the first token that is learned; at least 1."""
    end: int
    """Place after the last one, which is a token that stops the model."""

    @property
    def labels(self) -> tuple[int, ...]:
        """Per token itself where it is learned, else `IGNORED`."""
        before, after = self.start, len(self.tokens) - self.end
        return (IGNORED,) * before + self.tokens[self.start : self.end] + (IGNORED,) * after


@dataclass(frozen=True, kw_only=True)
class Text:
    """A conversation as its chat template writes it."""

    prompt: str
    """Up to where the assistant's answer begins."""
    answer: str
    """The rest, with what ends the turn."""


def encode(
    rows: Sequence[Row],
    tokenizer: PreTrainedTokenizerBase,
    *,
    stops: Sequence[int],
    most_tokens: int,
) -> list[Encoded]:
    """Return the tokens of each row, in order; all of its answer is learned, and that it stops there.

    Args:
        rows: text alone.
        tokenizer: with a chat template.
        stops: tokens at which the model stops writing, at least one.
        most_tokens: no row may have more.

    Raises:
        TrainingError: naming the row, if it is too long, its answer holds a control token, or its template
            does not write prompts as the beginnings of conversations.
    """
    refuse_control(rows, tokenizer, stops)
    encoded = [_encoded(row, tokenizer, stops) for row in rows]
    refuse_long([(each.name, len(each.tokens)) for each in encoded], most_tokens)
    return encoded


def split_text(row: Row, render: Any, messages: Sequence[Mapping[str, Any]]) -> Text:
    """Return a row as text, cut where the answer begins.

    Args:
        row: for errors.
        render: the `apply_chat_template` of a tokenizer or processor.
        messages: of the row, as `render` takes them.

    Raises:
        TrainingError: if the prompt is not how the whole conversation begins.
    """
    from jinja2 import TemplateError

    try:
        prompt = render(list(messages[:-1]), tokenize=False, add_generation_prompt=True)
        whole = render(list(messages), tokenize=False)
    except (TemplateError, ValueError, TypeError, KeyError) as error:
        # Templates raise errors of their own, such as on a role they do not know.
        raise TrainingError(
            f"expected a conversation that the chat template takes; {row.name} is none: {error}"
        ) from error
    if not whole.startswith(prompt):
        at = next((i for i, (a, b) in enumerate(zip(prompt, whole, strict=False)) if a != b), len(whole))
        raise TrainingError(
            f"expected a chat template that writes a prompt as the beginning of the whole conversation; in "
            f"{row.name} they differ from character {at} on: {prompt[at : at + 40]!r} and "
            f"{whole[at : at + 40]!r}. The model would be trained on another text than it is asked with: "
            f"give a template that keeps to it (`template` in the settings)."
        )
    return Text(prompt=prompt, answer=whole[len(prompt) :])


def refuse_long(lengths: Sequence[tuple[str, int]], most_tokens: int) -> None:
    """Raise if a row has more tokens than `most_tokens`: cut, its answer would be learned without its end.

    Raises:
        TrainingError: naming the first such row and how many there are.
    """
    long = [(name, tokens) for name, tokens in lengths if tokens > most_tokens]
    if long:
        name, tokens = long[0]
        raise TrainingError(
            f"expected at most {most_tokens:,} tokens a row; {name} has {tokens:,}, and {len(long):,} of "
            f"{len(lengths):,} rows are longer, the longest {max(each for _, each in long):,}. Nothing is "
            f"cut: raise `most_tokens` in the settings, or leave such rows out of the data."
        )


def refuse_control(rows: Sequence[Row], tokenizer: PreTrainedTokenizerBase, stops: Sequence[int]) -> None:
    """Raise if an answer holds the text of a control token: the model would learn to stop, or turn, there.

    Raises:
        TrainingError: naming the row.
    """
    control = {str(each) for each in tokenizer.added_tokens_decoder.values() if each.special}
    control |= {*tokenizer.all_special_tokens, *map(str, tokenizer.convert_ids_to_tokens(list(stops)))}
    for row in rows:
        answer = text_of(row.messages[-1])
        held = sorted(each for each in control if each and each in answer)
        if held:
            raise TrainingError(
                f"expected an answer without control tokens of the model in {row.name}; got "
                f"{', '.join(map(repr, held))}. The model would learn to end or to speak for others in the "
                f"midst of an answer: leave the row out, or write it otherwise."
            )


def _encoded(row: Row, tokenizer: PreTrainedTokenizerBase, stops: Sequence[int]) -> Encoded:
    if row.images:
        raise TrainingError(
            f"expected rows of text for a text model; {row.name} has {len(row.images)} pictures. Name a base "
            f"that takes pictures, or make the data without frames."
        )
    text = split_text(row, tokenizer.apply_chat_template, as_text(row.messages))
    prompt = _tokens(tokenizer, text.prompt)
    whole = _tokens(tokenizer, text.prompt + text.answer)
    # Tokens may not straddle the border: when the model is asked, the prompt ends there.
    tokens = whole if whole[: len(prompt)] == prompt else prompt + _tokens(tokenizer, text.answer)
    return learned(row.name, tokens, len(prompt), stops)


def learned(name: str, tokens: Sequence[int], start: int, stops: Sequence[int]) -> Encoded:
    """Return tokens of which those from `start` on are learned, up to the last that stops the model.

    What a template writes after that, such as a new line, the model never gets to write. Where it writes no
    such token, the first of `stops` is put at the end.
    """
    stop = next((place for place in range(len(tokens) - 1, start, -1) if tokens[place] in stops), None)
    if stop is None:
        tokens = (*tokens, stops[0])
        stop = len(tokens) - 1
    return Encoded(name=name, tokens=tuple(tokens), start=start, end=stop + 1)


def _tokens(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    # The template has written the beginning token where the model wants one; a second one is a known fault.
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
