"""How numbers are written on a page."""

from __future__ import annotations

from html import escape

from echo.experiments.statistics.strata import Interval
from echo.experiments.tasks.report.drawing import colour_of

UNKNOWN = "&ndash;"

TITLES = {
    "tasks": "twelve tasks",
    "ablate": "ablation",
    "continual": "continual learning",
    "mfm": "the folder memory",
}
"""Kind of an experiment -> its name in titles."""


def percent(share: float | None) -> str:
    """Return a share in percent with one decimal.

    >>> percent(0.625), percent(None)
    ('62.5', '&ndash;')
    """
    return UNKNOWN if share is None else f"{100 * share:.1f}"


def points(interval: Interval | None) -> str:
    """Return a difference of shares in percentage points, with its interval in small type.

    >>> points(Interval(value=-0.11, low=-0.2, high=0.01))
    '-11.0 <small>-20.0 to +1.0</small>'
    """
    if interval is None:
        return UNKNOWN
    if interval.low is None or interval.high is None:
        return signed(100 * interval.value)
    return f"{signed(100 * interval.value)} {span(100 * interval.low, 100 * interval.high, '+')}"


def with_span(interval: Interval | None, scale: float = 1.0, digits: int = 1) -> str:
    """Return a value with its interval in small type, both times `scale`."""
    if interval is None:
        return UNKNOWN
    text = signed(scale * interval.value, "", digits)
    if interval.low is None or interval.high is None:
        return text
    return f"{text} {span(scale * interval.low, scale * interval.high, '', digits)}"


def span(low: float | None, high: float | None, sign: str = "", digits: int = 1) -> str:
    """Return an interval in small type; nothing where it is not known."""
    if low is None or high is None:
        return ""
    return f"<small>{signed(low, sign, digits)} to {signed(high, sign, digits)}</small>"


def signed(value: float, sign: str = "+", digits: int = 1) -> str:
    """Return a number with its sign; one that rounds to zero has no minus.

    >>> signed(-0.04), signed(1.25, "", 1)
    ('+0.0', '1.2')
    """
    return f"{round(value, digits) + 0.0:{sign},.{digits}f}"


def amount(value: float | None, digits: int = 1) -> str:
    """Return a cost.

    >>> amount(1234.5, 0), amount(None)
    ('1,234', '&ndash;')
    """
    return UNKNOWN if value is None else f"{value:,.{digits}f}"


def chance(p: float) -> str:
    """Return a p value; a small one by its bound.

    >>> chance(0.0004), chance(0.034)
    ('&lt; 0.001', '0.034')
    """
    return "&lt; 0.001" if p < 0.001 else f"{p:.3f}"


def named(label: str) -> str:
    """Return a competitor's name with its colour."""
    return f'<span class="dot" style="background:{colour_of(label)}"></span>{escape(label)}'
