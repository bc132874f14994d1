"""What an agent says in a turn: JSON objects, each with one verb, anywhere in its reply."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

VERBS = ("plan", "act", "run", "reflex", "look", "end")
"""What an agent can say without any tool, in the order of the standing brief. A command is an object with
exactly one of these, or the name of a tool, as a key."""

MOST_FLAWS = 20
"""Stretches that look like commands and are none; what stands behind so many is not read."""

_EXCERPT = 120

_OBJECT = re.compile(r"""\{\s*["'}]""")
"""Where an object begins; other braces are prose."""


@dataclass(frozen=True, kw_only=True)
class Command:
    """One command, understood as far as its verb."""

    verb: str
    value: Any
    """What stands behind the verb."""
    more: dict[str, Any]
    """The other keys of the object."""
    text: str
    """The object as it was written, white space folded."""


@dataclass(frozen=True, kw_only=True)
class NotUnderstood:
    """A stretch of the reply that looks like a command and is none."""

    text: str
    """Its beginning."""
    reason: str


def commands(reply: str, verbs: Sequence[str] = VERBS) -> list[Command | NotUnderstood]:
    r"""Return the commands of a reply in order; prose and code fences around them are passed over.

    Behind a stretch that looks like an object and is none, reading goes on in the next line.

    Args:
        reply: What the model said.
        verbs: Keys that make an object a command: the verbs and the names of the tools.

    >>> [found.verb for found in commands('I plan.\n```json\n{"plan": "dig"}\n```\n{"end": true}')]
    ['plan', 'end']
    >>> commands('{"dance": 1}')[0].reason
    'expected one of plan, act, run, reflex, look, end as a key, got dance'
    """
    decoder = json.JSONDecoder(strict=False)
    found: list[Command | NotUnderstood] = []
    place = flaws = 0
    while (start := _OBJECT.search(reply, place)) and flaws < MOST_FLAWS:
        try:
            value, place = decoder.raw_decode(reply, start.start())
        except (ValueError, RecursionError) as error:
            flaws += 1
            text = _excerpt(reply[start.start() : start.start() + 2 * _EXCERPT])
            found.append(NotUnderstood(text=text, reason=f"expected JSON, got {error}"))
            line_end = reply.find("\n", start.end())
            place = len(reply) if line_end < 0 else line_end
            continue
        found.append(_command(value, reply[start.start() : place], verbs))
    return found


def _command(value: dict[str, Any], text: str, verbs: Sequence[str]) -> Command | NotUnderstood:
    said = [key for key in value if key in verbs]
    if len(said) != 1:
        got = ", ".join(said or value) or "no key"
        return NotUnderstood(
            text=_excerpt(text), reason=f"expected one of {', '.join(verbs)} as a key, got {got}"
        )
    more = {key: held for key, held in value.items() if key != said[0]}
    return Command(verb=said[0], value=value[said[0]], more=more, text=" ".join(text.split()))


def _excerpt(text: str) -> str:
    line = " ".join(text.split("\n", 1)[0].split())
    return line if len(line) <= _EXCERPT else f"{line[: _EXCERPT - 3]}..."
