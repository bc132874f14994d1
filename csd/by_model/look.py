"""What a model that sees makes of the frame: a caption and a list of objects, checked against the records.

Source: Echo Fig. 6 (perception: visual caption, object list); differs in that an object is told on only if it
was in sight by the records of that moment.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from csd.by_model.tolerant import Unreadable, read_json
from csd.chat import JsonSchema
from csd.claims import known_name, plain_name
from csd.episode import Episode, Observation
from csd.scene import scene_of

LOOK_SCHEMA: JsonSchema = {
    "type": "object",
    "properties": {
        "caption": {"type": "string", "minLength": 1, "maxLength": 240},
        "objects": {
            "type": "array",
            "maxItems": 16,
            "items": {"type": "string", "minLength": 1, "maxLength": 64},
        },
    },
    "required": ["caption", "objects"],
    "additionalProperties": False,
}
"""What an answer about a picture is JSON of."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Looked:
    """What a model says of a frame."""

    caption: str
    objects: tuple[str, ...]
    """The kinds it named that were in sight, spelt as in the records, each once."""
    unseen: tuple[str, ...]
    """What it named besides."""


def read_look(answer: str, episode: Episode, product: str | None = None) -> Looked:
    """Read what a model says of the frame before the deciding step of `episode`.

    Raises:
        ValueError: if the answer holds no object with a caption and a list of objects; says where.
    """
    try:
        value = read_json(answer, fits=lambda one: "caption" in one).value
    except Unreadable as error:
        raise ValueError(str(error)) from error
    caption, objects = value.get("caption"), value.get("objects")
    listed = isinstance(objects, list) and all(isinstance(one, str) for one in objects)
    if not isinstance(caption, str) or not caption.strip() or not listed or not isinstance(objects, list):
        raise ValueError(
            f"expected a caption in words and a list of objects; got {str(value)[:80]}. Ask again."
        )
    names = {plain_name(name): name for name in _in_sight(episode, product)}
    known = {one: known_name(one, names) for one in objects if one.strip()}
    return Looked(
        caption=" ".join(caption.split()),
        objects=tuple(dict.fromkeys(names[name] for name in known.values() if name is not None)),
        unseen=tuple(one for one, name in known.items() if name is None),
    )


def _in_sight(episode: Episode, product: str | None) -> Iterator[str]:
    scene = scene_of(episode, product)
    seen: Observation = episode.after if scene is None else scene.step.before
    yield from seen.blocks
    yield from seen.mobs
