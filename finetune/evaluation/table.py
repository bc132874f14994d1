"""An evaluation as a Markdown table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from csd.axes import AXES
from finetune.evaluation.columns import COLUMNS
from finetune.evaluation.figures import Figures
from finetune.evaluation.records import Evaluation, Found, Helps

_Cell = Callable[[Figures], str]


def shown(value: float | None, digits: int = 3) -> str:
    """Return a figure as tables show it; '-' where it cannot be said.

    >>> shown(0.98765), shown(None)
    ('0.988', '-')
    """
    return "-" if value is None else f"{value:,.{digits}f}"


LINES: tuple[tuple[str, _Cell], ...] = (
    ("answers", lambda one: f"{one.rows:,}"),
    ("unanswered", lambda one: f"{one.unanswered:,}"),
    ("valid JSON", lambda one: shown(one.valid_json)),
    ("valid by the schema", lambda one: shown(one.schema_valid)),
    ("usable", lambda one: shown(one.usable)),
    ("states nothing", lambda one: shown(one.silent)),
    ("grounded", lambda one: shown(one.grounded)),
    *((f"F1 {axis.value}", lambda one, axis=axis: shown(one.f1[axis.value])) for axis in AXES),
    ("F1, mean of axes", lambda one: shown(one.mean_f1)),
    ("F1, all statements", lambda one: shown(one.pooled["all"].f1)),
    ("precision, all statements", lambda one: shown(one.pooled["all"].precision)),
    ("recall, all statements", lambda one: shown(one.pooled["all"].recall)),
    ("exact", lambda one: shown(one.exact)),
    ("same statements", lambda one: shown(one.same)),
    ("repeats the prompt", lambda one: shown(one.copied_prompt)),
    ("cut at the limit", lambda one: shown(one.cut)),
    ("tokens asked", lambda one: shown(one.prompt_tokens, 0)),
    ("tokens a descriptor", lambda one: shown(one.tokens_per_csd, 0)),
    ("seconds a descriptor", lambda one: shown(one.seconds_per_csd, 2)),
)
"""Figures in the order of the table, with how each is shown."""


def titles() -> dict[str, str]:
    """Return name of a column -> its title."""
    return {each.name: each.title for each in COLUMNS}


def table(columns: Mapping[str, Figures]) -> list[list[str]]:
    """Return the cells of a table: a line of titles, then one a figure."""
    named = titles()
    head = ["", *(named.get(name, name) for name in columns)]
    return [head, *([title, *(cell(each) for each in columns.values())] for title, cell in LINES)]


def evaluation_text(evaluation: Evaluation) -> str:
    """Return an evaluation as a Markdown page."""
    return "\n".join(_lines(evaluation)) + "\n"


def _lines(evaluation: Evaluation) -> Iterator[str]:
    made = evaluation.made
    yield "# Evaluation of a model that writes descriptors"
    yield ""
    yield f"- Model: `{made.model}`" + (f"; before: `{made.before}`" if made.before else "")
    yield f"- Test rows: `{(made.data or 'none')[:16]}`; texts: `{(made.texts or 'none')[:16]}`"
    yield f"- Prompts: {made.prompt}; commit {made.commit or 'unknown'}"
    yield f"- {', '.join(f'{name} {value}' for name, value in made.settings.items())}"
    yield ""
    yield from markdown(table(evaluation.columns()))
    for helps in evaluation.helps.values():
        yield ""
        yield from _helps_lines(helps)
    for name, part in (("trace", evaluation.styles), ("task", evaluation.families)):
        for column in ("after", "constrained"):
            if column in part and len(part[column]) > 1:
                yield ""
                yield f"## {titles()[column].capitalize()}, by {name}"
                yield ""
                yield from markdown(table(part[column]))
                break


def _helps_lines(helps: Helps) -> Iterator[str]:
    yield f"## Found by their likes (nDCG of {helps.depth}), {titles()[helps.column]}"
    yield ""
    yield f"{helps.episodes:,} episodes, {helps.written:,} described; banks of {helps.encoder}."
    yield ""
    yield from markdown(helps_table(helps))


def helps_table(helps: Helps) -> list[list[str]]:
    """Return the cells of a table of how well descriptors are found, an axis a line."""
    head = ["axis", "questions", "by lot", "rules", "model", "difference (95 %)"]
    return [head, *([axis, *_found(each)] for axis, each in helps.axes.items())]


def _found(each: Found | None) -> list[str]:
    if each is None:
        return ["0", "-", "-", "-", "-"]
    gap = each.difference
    between = "" if gap.low is None or gap.high is None else f" ({gap.low:+.3f} to {gap.high:+.3f})"
    means = (shown(each.chance), shown(each.rules), shown(each.model))
    return [f"{each.questions:,}", *means, f"{gap.value:+.3f}{between}"]


def markdown(cells: list[list[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table whose first line of cells is its head."""
    head, *rest = cells
    yield f"| {' | '.join(head)} |"
    yield f"| --- |{' ---: |' * (len(head) - 1)}"
    for line in rest:
        yield f"| {' | '.join(line)} |"
