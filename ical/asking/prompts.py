"""What a model is asked in the ICAL loop, made from the prompt files ``data/prompts/ical_*.md``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from string import Template
from typing import Any

from csd.by_model.tolerant import read_json
from csd.chat import Message
from csd.resources import data_file
from ical.asking.scene import Scene
from ical.asking.situation import Situation
from ical.asking.words import action_json
from ical.task import InducedTask

VERSION = "ical/1"
"""Name and version of the prompts; changes with any of the files."""

VERDICT_WHY = "a few words"
"""The reason in the verdict that ``ical_verify.md`` shows: a verdict with it was copied."""

MOST_FINDINGS = 6
"""Findings that a model is shown at once."""


def induction(scene: Scene, situation: Situation, most: int) -> tuple[Message, ...]:
    """Return the question for at most `most` new tasks."""
    return _asked("ical_induce", scene, situation, most=str(most), example=_file("ical_example"))


def repair(findings: Sequence[str]) -> Message:
    """Return what a model is told when none of its tasks will do."""
    lines = [f"- {one}" for one in findings[:MOST_FINDINGS]]
    if len(findings) > MOST_FINDINGS:
        lines.append(f"- and {len(findings) - MOST_FINDINGS} more of the kind")
    return Message(role="user", text=Template(_file("ical_repair")).substitute(findings="\n".join(lines)))


def verification(scene: Scene, situation: Situation, tasks: Sequence[InducedTask]) -> tuple[Message, ...]:
    """Return the question whether `tasks` hold what they assert."""
    told = [f"{number}: {task_line(task)}" for number, task in enumerate(tasks, start=1)]
    return _asked("ical_verify", scene, situation, tasks="\n".join(told))


def recovery(scene: Scene, situation: Situation, task: InducedTask, outcome: str) -> tuple[Message, ...]:
    """Return the question how to mend a task that failed with `outcome`, in words."""
    return _asked(
        "ical_recover",
        scene,
        situation,
        command=task_line(task),
        outcome=outcome,
        example=_file("ical_example"),
    )


def subgoals(scene: Scene, situation: Situation, most: int) -> tuple[Message, ...]:
    """Return the question for at most `most` things to hold on the way to the aim."""
    return _asked("ical_subgoals", scene, situation, most=str(most))


def task_line(task: InducedTask) -> str:
    """Return a task in one line: goal, actions, assertions."""
    actions = json.dumps([action_json(action) for action in task.actions], separators=(",", ":"))
    return f"{task.goal}: {actions}; asserted: {'; '.join(one.text for one in task.assertions)}"


@lru_cache(maxsize=1)
def example() -> dict[str, Any]:
    """Return the answer that the prompts show, about things that no world has."""
    return read_json(_file("ical_example")).value


def _asked(name: str, scene: Scene, situation: Situation, **blanks: str) -> tuple[Message, ...]:
    told = Template(_file(name)).substitute(
        scene=scene.text or "Nothing is remembered yet.", situation=situation.told(), **blanks
    )
    return (Message(role="system", text=_file("ical_system")), Message(role="user", text=told))


@lru_cache(maxsize=8)
def _file(name: str) -> str:
    return data_file("prompts", f"{name}.md").read_text(encoding="utf-8").strip()
