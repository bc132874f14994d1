"""The conversations that are taught: those that `csd.by_model.author` has with a tuned model."""

from __future__ import annotations

from csd.axes import AXES
from csd.by_model.check import check
from csd.by_model.example import example_shots
from csd.by_model.picture import picture
from csd.by_model.prompts import VERSION, Shot, conversation
from csd.by_model.trace import STYLES
from csd.chat import Message
from csd.descriptor import canonical_json
from csd.episode import Episode

REFUSAL = (
    '{"meta":{"verb":"other","product":null,"success":false},'
    + ",".join(f"{canonical_json(axis.value)}:{{}}" for axis in AXES)
    + "}"
)
"""What is answered to an episode of which nothing can be said: of the compact form, so that a grammar lets it
through, and without a statement, so that no descriptor is made of it."""


def asked(episode: Episode, *, style: str, pictures: bool) -> tuple[Message, ...]:
    """Return the conversation in which a tuned model is asked to describe an episode.

    Args:
        episode: any run of steps.
        style: how the trace is told.
        pictures: whether the frame goes with it, where one was recorded.
    """
    return conversation(episode, style=style, image=picture(episode) if pictures else None)


def findings(answer: str, episode: Episode, shots: tuple[Shot, ...]) -> tuple[str, ...]:
    """Return what the checks find in an answer, as a model is told, empty where nothing is wrong with it."""
    return check(answer, episode, builder=VERSION, shots=shots).findings


def prompt_examples() -> dict[str, tuple[Shot, ...]]:
    """Return the examples of the few-shot prompt: style -> the same examples in that style."""
    return {style: example_shots(style) for style in STYLES}
