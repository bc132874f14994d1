"""What the files of an episode say, in a few words, beside what a statement says."""

from __future__ import annotations

import math
from collections.abc import Sequence

from echo.mfm.mine.facts import Facts
from echo.mfm.mine.statement import Statement

_WORDS = 6
"""Items, actions or events told of one episode."""


def level(statement: Statement, each: Facts) -> float | None:
    """Return how far the nearest place is from that spoken of, in blocks; None where none is known."""
    return min((math.hypot(x - statement.x, z - statement.z) for x, _, z in each.places), default=None)


def upright(statement: Statement, each: Facts) -> float | None:
    """Return how far the nearest height is from that spoken of, in blocks; None where none is known."""
    said = statement.y
    return None if said is None else min((abs(y - said) for _, y, _ in each.places), default=None)


def delta_text(statement: Statement, each: Facts) -> str:
    """Return what was gained and lost, the item spoken of first."""
    if each.delta is None:
        return "inventory_delta unknown"
    first = sorted(each.delta, key=lambda item: item != statement.name)
    return f"inventory_delta {_listed([f'{item} {each.delta[item]:+d}' for item in first]) or 'empty'}"


def actions_text(statement: Statement, each: Facts) -> str:
    """Return what was done, and to what."""
    kinds = _listed(list(dict.fromkeys(each.kinds)))
    return f"actions {kinds or 'unknown'}{f' of {_listed(sorted(each.named))}' if each.named else ''}"


def held_text(statement: Statement, each: Facts) -> str:
    """Return what was in the hand."""
    return f"in the hand {_listed(sorted(item or 'nothing' for item in each.held)) or 'unknown'}"


def events_text(statement: Statement, each: Facts) -> str:
    """Return what happened besides."""
    health = ", health fell" if each.hurt else ""
    return f"events {'unknown' if each.events is None else _listed(each.events) or 'none'}{health}"


def codes_text(statement: Statement, each: Facts) -> str:
    """Return how the actions ended."""
    return f"ended in {_listed(list(dict.fromkeys(each.codes))) or 'unknown'}"


def level_text(statement: Statement, each: Facts) -> str:
    """Return how far off the place spoken of is."""
    return _away_text(level(statement, each))


def upright_text(statement: Statement, each: Facts) -> str:
    """Return how far off the height spoken of is."""
    return _away_text(upright(statement, each))


def _away_text(away: float | None) -> str:
    return "no place recorded" if away is None else f"{away:.1f} blocks away at the nearest"


def _listed(words: Sequence[str]) -> str:
    more = len(words) - _WORDS
    return ", ".join(words[:_WORDS]) + (f" and {more} more" if more > 0 else "")


def shown_text(statement: Statement, each: Facts) -> str:
    """Return what was done and changed instead."""
    return f"not shown by {delta_text(statement, each)}, {actions_text(statement, each)}"


def not_read_text(statement: Statement, each: Facts) -> str:
    """Return that it was not judged."""
    return "not judged"
