"""How numbers stand in the tables of README and docs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean

from echo.experiments.statistics.strata import Interval
from echo.experiments.tasks.report.success import Cell, Mean


def markdown(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    r"""Return a Markdown table; bars in cells are escaped.

    >>> print(markdown(["a", "b"], [["1", "x|y"]]), end="")
    | a | b |
    |---|---|
    | 1 | x\|y |
    """
    lines = ["|".join(["", *(f" {_cell(head)} " for head in heads), ""]), "|" + "---|" * len(heads)]
    lines += ["|".join(["", *(f" {_cell(cell)} " for cell in row), ""]) for row in rows]
    return "".join(f"{line}\n" for line in lines)


def percent(value: float | None, digits: int = 1) -> str:
    """Return a share in percent without the sign, a whole number without a point; a dash for none.

    >>> percent(0.625), percent(0.625, 0), percent(0.5), percent(None)
    ('62.5', '62', '50', '-')
    """
    return "-" if value is None else f"{100 * value:.{digits}f}".removesuffix(".0")


def share(mean: Mean | None) -> str:
    """Return a mean over 30 episodes in percent with its interval."""
    if mean is None:
        return "-"
    value = mean.at30
    if value.low is None or value.high is None:
        return percent(value.value)
    return f"{percent(value.value)} ({percent(value.low)} to {percent(value.high)})"


def points(value: Interval | None) -> str:
    """Return a difference of shares in percentage points with its interval; a dash for none."""
    if value is None:
        return "-"
    return interval(
        Interval(
            value=100 * value.value,
            low=None if value.low is None else 100 * value.low,
            high=None if value.high is None else 100 * value.high,
        ),
        1,
    )


def interval(value: Interval, digits: int) -> str:
    """Return a signed value with its interval, if it has one."""
    if value.low is None or value.high is None:
        return f"{value.value:+.{digits}f}"
    return f"{value.value:+.{digits}f} ({value.low:+.{digits}f} to {value.high:+.{digits}f})"


def p_value(p: float) -> str:
    """Return a p as tables show it.

    >>> p_value(0.0312), p_value(0.00001)
    ('0.031', '< 0.001')
    """
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def mean_of(cells: Mapping[str, Cell], tasks: Sequence[str]) -> str:
    """Return the means of both windows over `tasks`; a dash where one has no result."""
    known = [cells[task] for task in tasks if task in cells]
    early = [cell.at10 for cell in known if cell.at10 is not None]
    late = [cell.at30 for cell in known if cell.at30 is not None]
    if not early or not len(early) == len(late) == len(tasks):
        return "-"
    return f"{percent(fmean(early))}/{percent(fmean(late))}"
