"""One ICAL round, for reading and as JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from csd.axes import AXES
from csd.descriptor import Csd
from echo.cli.plain_text import counted, print_fields
from echo.cli.recall_shown import heading_of, print_found, recall_json
from echo.cli.screen import out_console
from ical.asking.words import action_json

if TYPE_CHECKING:
    from rich.console import Console

    from echo.cli.ical_asking import Asked
    from ical.asking.calls import Call
    from ical.asking.considering import Considered


def print_round(asked: Asked, reasoner: str, *, prompts: bool) -> None:
    """Print what was selected, recalled, asked where wanted, and induced with what speaks for and against."""
    console = out_console()
    print_fields(console, _selected(asked, reasoner))
    if asked.exemplars:
        console.print()
        print_found(asked.exemplars, len(asked.exemplars))
    for number, call in enumerate(asked.calls if prompts else (), start=1):
        _print_call(console, number, call)
    for number, one in enumerate(asked.considered, start=1):
        console.print()
        print_fields(console, _task(number, one))
    if asked.reason is not None:
        console.print()
        print_fields(console, [("no task", asked.reason)])
    if asked.calls:
        console.print()
        print_fields(console, [("asked", _bill(asked))])


def round_json(asked: Asked, reasoner: str) -> dict[str, Any]:
    """Return all of a round, for a program; prompts and answers too."""
    subject = asked.subject
    return {
        "reasoner": reasoner,
        "descriptors": asked.descriptors,
        "selected": subject.id if isinstance(subject, Csd) else None,
        "item": None if subject is None or isinstance(subject, Csd) else subject.item,
        "exemplars": recall_json(asked.exemplars, None)["results"],
        "scene": {
            "text": asked.scene.text,
            "tokens": asked.scene.tokens,
            "sources": [
                {
                    "label": one.label,
                    "id": one.id,
                    "told": [axis.value for axis in one.told],
                    "shares": {axis.value: share for axis, share in one.shares.items()},
                    "score": one.score,
                }
                for one in asked.scene.sources
            ],
        },
        "situation": asked.situation.told(),
        "tasks": [_task_json(one) for one in asked.considered],
        "reason": asked.reason,
        "calls": [_call_json(call) for call in asked.calls],
    }


def _selected(asked: Asked, reasoner: str) -> list[tuple[str, str]]:
    subject = asked.subject
    if subject is None:
        told = f"nothing, of {asked.descriptors:,} descriptors"
    elif isinstance(subject, Csd):
        told = f"{subject.id}  {heading_of(subject)}"
    else:
        told = f"all that is known of {subject.item}"
    rows = [("reasoner", reasoner), ("selected", told)]
    if asked.scene.sources:
        axes = ", ".join(axis for axis in AXES if any(axis in one.told for one in asked.scene.sources))
        told = counted(len(asked.scene.sources), "experience")
        rows.append(("scene", f"{asked.scene.tokens:,} tokens of {told}: {axes}"))
    return rows


def _task(number: int, one: Considered) -> list[tuple[str, str]]:
    task = one.task
    verdict = "; ".join(finding.reason for finding in one.verdict.findings) or "passes"
    if not one.usable:
        verdict = f"rejected: {verdict}"
    elif not one.verdict.passed:
        verdict = f"can be mended: {verdict}"
    rows = [(f"task {number}", task.goal)]
    rows += [("do", _action_words(action)) for action in task.actions]
    rows.append(("needs", ", ".join(f"{item} x{count}" for item, count in task.needs.items()) or "nothing"))
    if task.station is not None:
        rows.append(("station", task.station))
    if task.effects:
        rows.append(("expected", task.effects))
    rows += [
        ("asserted", "; ".join(assertion.text for assertion in task.assertions)),
        ("support", _support(one)),
    ]
    rows.append(("verdict", verdict))
    if one.passes is not None:
        rows.append(("by itself", f"{'passes' if one.passes else 'fails'}: {one.why}".rstrip(": ")))
    return rows


def _support(one: Considered) -> str:
    if one.source is None:
        return "none"
    shares = ", ".join(f"{axis.value} {share:.0%}" for axis, share in one.source.shares.items())
    return (
        f"{one.source.id} {one.source.csd.meta.product or one.source.csd.meta.verb} ({shares or 'no axis'})"
    )


def _action_words(action: Any) -> str:
    import json

    told = action_json(action)
    kind = told.pop("do")
    return f"{kind} {json.dumps(told.get('grid', told), separators=(',', ':'))}"


def _task_json(one: Considered) -> dict[str, Any]:
    task = one.task
    return {
        "goal": task.goal,
        "actions": [action_json(action) for action in task.actions],
        "needs": dict(task.needs),
        "station": task.station,
        "expected": task.effects,
        "assertions": [
            {"kind": each.kind, "item": each.item, "amount": each.amount, "text": each.text}
            for each in task.assertions
        ],
        "support": [
            {
                "step": each.step,
                "exemplar": each.exemplar,
                "axes": {axis.value: share for axis, share in each.axes.items()},
            }
            for each in task.support
        ],
        "success": task.success,
        "usable": one.usable,
        "findings": [
            {"kind": each.kind, "reason": each.reason, "step": each.step} for each in one.verdict.findings
        ],
        "passes_itself": one.passes,
        "why": one.why,
    }


def _call_json(call: Call) -> dict[str, Any]:
    reply = call.reply
    return {
        "purpose": call.purpose,
        "prompt_digest": call.prompt_digest,
        "messages": [{"role": each.role, "text": each.text} for each in call.messages],
        "answer": reply.text,
        "prompt_tokens": reply.prompt_tokens,
        "completion_tokens": reply.completion_tokens,
        "money": reply.money,
        "seed": reply.seed,
        "seconds": reply.seconds,
        "cut": reply.cut,
        "held_to_schema": reply.held_to_schema,
        "cached": reply.cached,
        "usable": call.usable,
        "findings": list(call.findings),
        "mended": list(call.mended),
    }


def _print_call(console: Console, number: int, call: Call) -> None:
    console.print()
    told = [(each.role, each.text) for each in call.messages] + [("answer", call.reply.text)]
    rows = [(f"{number}. {call.purpose}", call.prompt_digest[:16])]
    for who, text in told:
        lines = text.split("\n")
        rows += [(who, lines[0]), *(("", line) for line in lines[1:])]
    print_fields(console, rows)
    print_fields(console, [("wrong", finding) for finding in call.findings], indent=3)


def _bill(asked: Asked) -> str:
    calls = asked.calls
    prompts = [call.reply.prompt_tokens for call in calls]
    answers = [call.reply.completion_tokens for call in calls]
    told = [counted(len(calls), "question")]
    if None not in prompts and None not in answers:
        told.append(f"{sum(filter(None, prompts)):,} + {sum(filter(None, answers)):,} tokens")
    seconds = [call.reply.seconds for call in calls]
    if None not in seconds:
        told.append(f"{sum(filter(None, seconds)):.1f} s")
    return ", ".join(told)
