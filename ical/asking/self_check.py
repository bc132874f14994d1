"""Self-verification: a model is asked whether the tasks it wrote hold what they assert.

Source: Echo §3.3 (assertions for self-verification). A verdict that cannot be read, or is the prompt's own
said again, leaves its task unjudged, which is neither passed nor failed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from csd.by_model.tolerant import Unreadable, read_json
from csd.chat import JsonSchema
from ical.asking import prompts
from ical.asking.calls import Asker
from ical.asking.considering import Considered, doubted
from ical.asking.scene import Scene
from ical.asking.situation import Situation
from ical.asking.words import record, short_text

LONGEST_WHY = 200
"""Characters of a reason that are kept."""


def verdicts_schema(tasks: int) -> JsonSchema:
    """Return the bounded schema of one verdict on each of `tasks` tasks."""
    verdict = record(
        task={"type": "integer", "minimum": 1, "maximum": tasks},
        passes={"type": "boolean"},
        why=short_text(60),
    )
    return record(verdicts={"type": "array", "items": verdict, "minItems": 1, "maxItems": tasks})


def self_checked(
    asker: Asker, scene: Scene, situation: Situation, considered: Sequence[Considered]
) -> tuple[Considered, ...]:
    """Return `considered` with the model's own verdict on each usable one.

    Raises:
        ModelError: if the model does not answer.
    """
    asked = [n for n, one in enumerate(considered) if one.usable]
    messages = prompts.verification(scene, situation, [considered[n].task for n in asked])
    reply = asker.ask(messages, verdicts_schema(len(asked)))
    said, faults, mended = _read(reply.text, len(asked))
    asker.judged("verify", messages, reply, usable=bool(said), findings=faults, mended=mended)
    checked = list(considered)
    for number, (passes, why) in said.items():
        place = asked[number - 1]
        checked[place] = doubted(considered[place], passes=passes, why=why)
    return tuple(checked)


def _read(text: str, tasks: int) -> tuple[dict[int, tuple[bool, str]], tuple[str, ...], tuple[str, ...]]:
    """Return task number -> verdict and reason, what could not be read, and what was mended."""
    try:
        read = read_json(text, fits=lambda value: "verdicts" in value or "passes" in value)
    except Unreadable as error:
        return {}, (str(error),), ()
    listed = read.value.get("verdicts", [read.value])
    said: dict[int, tuple[bool, str]] = {}
    faults = []
    for one in listed if isinstance(listed, list) else [listed]:
        number, passes = _verdict(one, alone=tasks == 1)
        if passes is None or number is None or not 1 <= number <= tasks:
            faults.append(f"expected a task from 1 to {tasks} that passes or not; got {str(one)[:80]}")
        elif number in said and said[number][0] != passes:
            faults.append(f"expected one verdict on task {number}; got two that differ: the first counts")
        elif one.get("why") == prompts.VERDICT_WHY:
            faults.append(
                f"expected a reason of its own for task {number}; got the prompt's {prompts.VERDICT_WHY!r}"
            )
        else:
            why = one.get("why", "")
            said.setdefault(number, (passes, " ".join(str(why).split())[:LONGEST_WHY]))
    return said, tuple(faults), read.mended


def _verdict(one: Any, *, alone: bool) -> tuple[int | None, bool | None]:
    if not isinstance(one, dict):
        return None, None
    number, passes = one.get("task", 1 if alone else None), one.get("passes")
    whole = isinstance(number, int) and not isinstance(number, bool)
    return (number if whole else None), (passes if isinstance(passes, bool) else None)
