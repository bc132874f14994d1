"""Tables of what tuning a small model to write descriptors came to."""

from __future__ import annotations

from echo.experiments.tasks.table_cells import markdown
from finetune.evaluation.packed import Tuning
from finetune.evaluation.records import Found, Helps
from finetune.evaluation.table import shown, table

MAIN = ("before", "before_explained", "after", "constrained", "out_of_template")
"""Columns of the short table."""

LEFT_OUT = ("unanswered", "usable", "states nothing", "same statements", "tokens asked")
"""Lines that the short table lacks."""


def main_table(tuning: Tuning) -> str:
    """Return the short table, before and after, with what it was made of below it."""
    found = tuning.evaluation.columns()
    cells = table({name: found[name] for name in MAIN if name in found})
    lines = [line for line in cells[1:] if line[0] not in LEFT_OUT and "all statements" not in line[0]]
    return f"{markdown(cells[0], lines)}\n{_made(tuning)}\n"


def whole_table(tuning: Tuning) -> str:
    """Return every column and line."""
    head, *lines = table(tuning.evaluation.columns())
    return markdown(head, lines)


def helps_table(tuning: Tuning) -> str:
    """Return how well episodes are found by their likes, axis by axis: rules, model, and model before."""
    found = tuning.evaluation.helps
    after, before = _side(tuning, "model"), _side(tuning, "before")
    if after is None:
        return "Not measured.\n"
    rows = []
    for axis, one in found[after].axes.items():
        other = None if before is None else found[before].axes[axis]
        rows.append([axis, *_line(one), *_written(other), *_written(one)])
    heads = ["axis", "questions", "by lot", "rules", "before", "less rules (95 %)", "after"]
    text = markdown([*heads, "less rules (95 %)"], rows)
    return f"{text}\n{_counted(found[after])}" + (
        f"; before {_counted(found[before])}.\n" if before else ".\n"
    )


def _side(tuning: Tuning, who: str) -> str | None:
    """Return the column in which the descriptors of a model were looked for."""
    before = {name for name in tuning.evaluation.helps if name.startswith("before")}
    names = [name for name in tuning.evaluation.helps if (name in before) == (who == "before")]
    return names[0] if names else None


def _line(one: Found | None) -> list[str]:
    return ["0", "-", "-"] if one is None else [f"{one.questions:,}", shown(one.chance), shown(one.rules)]


def _written(one: Found | None) -> list[str]:
    if one is None:
        return ["-", "-"]
    gap = one.difference
    between = "" if gap.low is None or gap.high is None else f" ({gap.low:+.3f} to {gap.high:+.3f})"
    return [shown(one.model), f"{gap.value:+.3f}{between}"]


def _counted(helps: Helps) -> str:
    return f"{helps.written:,} of {helps.episodes:,} episodes described ({helps.column})"


def _made(tuning: Tuning) -> str:
    begun, ended, made = tuning.run.begun, tuning.run.ended, tuning.evaluation.made
    machine = f"{begun.machine.get('cores', 'unknown')} cores of {begun.machine.get('processor', 'unknown')}"
    return (
        f"{begun.asked.settings.base}, {begun.trained:,} numbers trained on {begun.asked.train.rows:,} rows: "
        f"{ended.steps:,} steps in {ended.seconds / 60:.1f} minutes on {machine}; validation loss "
        f"{ended.first_loss:.3f} before, {ended.best_loss:.3f} after. Answers of at most "
        f"{made.settings['most_tokens']} tokens, {made.settings['batch']} at a time. "
        f"Data `{tuning.card.digest[:16]}`, adapter `{ended.adapter_sha256[:16]}`."
    )
