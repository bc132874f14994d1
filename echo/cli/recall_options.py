"""How the options of recall are written, and what they mean: weights, spans of steps and times, a place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from echo.experiments.spec import UsageError

if TYPE_CHECKING:
    from csd.axes import Axis


def read_weights(weights: str | None, axes: str | None) -> dict[Axis, float] | None:
    """Return the weight of each axis; None where all weigh alike.

    Args:
        weights: 'struct=2,func=1'; an axis left out weighs 0.
        axes: a mask as `csd.axes.parse_axes` reads it; the axes it takes away weigh 0.

    Raises:
        UsageError: on an unknown axis, a weight that is no finite number >= 0, or nothing left to ask.
    """
    from csd.axes import AXES, Axis, parse_axes

    if weights is None and axes is None:
        return None
    try:
        kept = AXES if axes is None else parse_axes(axes)
    except ValueError as error:
        raise UsageError(f"--axes: {error}") from error
    found = dict.fromkeys(AXES, 1.0) if weights is None else {}
    for piece in [] if weights is None else weights.split(","):
        name, mark, number = piece.partition("=")
        value = _number(number)
        if not mark or name.strip() not in list(Axis) or value is None or value < 0 or name.strip() in found:
            raise UsageError(
                f"expected --weights as 'struct=2,func=1', axes out of {', '.join(AXES)}, each once, weights "
                f">= 0; got {weights!r}."
            )
        found[Axis(name.strip())] = value
    shares = {axis: found[axis] for axis in AXES if axis in found and axis in kept}
    if not any(shares.values()):
        raise UsageError("expected at least one axis with weight; got none. Weigh one, or mask fewer.")
    return shares


def read_steps(text: str | None) -> tuple[int | None, int | None]:
    """Return the first step and the step before which it ends, of '100:200', '100:' or ':200'.

    Raises:
        UsageError: on anything else.
    """
    if text is None:
        return None, None
    first, mark, last = text.partition(":")
    try:
        found = tuple(int(side) if side.strip() else None for side in (first, last))
    except ValueError:
        found = (None, None)
    if not mark or found == (None, None) or _reversed(found[0], found[1]):
        raise UsageError(
            f"expected --steps as '100:200' (from step 100, before step 200), '100:' or ':200'; got {text!r}."
        )
    return found[0], found[1]


def read_times(text: str | None) -> tuple[datetime | None, datetime | None]:
    """Return the first moment and the moment before which it ends, of 'FROM:BEFORE' in ISO 8601.

    Either may be left out; one without a time zone is UTC, a date alone its first moment.

    Raises:
        UsageError: on anything else.
    """
    if text is None:
        return None, None
    # Times hold colons themselves: the one between the two is where both sides can be read.
    places = [place for place, letter in enumerate(text) if letter == ":"]
    for place in places:
        first, last = text[:place].strip(), text[place + 1 :].strip()
        read = [_moment(side) for side in (first, last) if side]
        if read and None not in read:
            begin = _moment(first) if first else None
            end = _moment(last) if last else None
            if not _reversed(begin, end):
                return begin, end
    raise UsageError(
        f"expected --recorded as 'FROM:BEFORE' in ISO 8601, such as '2026-01-01:2026-02-01' or "
        f"'2026-01-01T12:00:00Z:'; got {text!r}."
    )


def read_place(text: str | None) -> tuple[float, float, float] | None:
    """Return (x, z, radius in blocks) of 'x,z,radius'.

    Raises:
        UsageError: on anything else.
    """
    if text is None:
        return None
    numbers = [number for number in map(_number, text.split(",")) if number is not None]
    if len(numbers) != 3 or text.count(",") != 2 or numbers[2] < 0:
        raise UsageError(f"expected --near as 'x,z,radius' in blocks, such as '120,-40,64'; got {text!r}.")
    return numbers[0], numbers[1], numbers[2]


def one_source(given: Mapping[str, bool]) -> str:
    """Return the one way of asking that was used.

    Raises:
        UsageError: if none or several were.
    """
    used = [name for name, is_used in given.items() if is_used]
    if len(used) != 1:
        raise UsageError(
            f"expected one query out of {', '.join(given)}; got {' and '.join(used) or 'none'}. Ask one way "
            f"at a time."
        )
    return used[0]


def some(values: Iterable[str] | None) -> tuple[str, ...] | None:
    """Return the values of an option that may be repeated; None where it was not given."""
    return tuple(values or ()) or None


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _moment(text: str) -> datetime | None:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return None
    return read.replace(tzinfo=UTC) if read.utcoffset() is None else read


def _reversed(first: int | datetime | None, last: int | datetime | None) -> bool:
    if isinstance(first, datetime) and isinstance(last, datetime):
        return first > last
    return isinstance(first, int) and isinstance(last, int) and first > last
