"""One message to another process and its answer, a line each, within a time."""

from __future__ import annotations

import json
import os
import select
import time
from typing import Any

_READ_BYTES = 65_536
_DEEPEST = 40
"""Nesting of an answer; what goes on from here may recurse."""


class NoAnswer(Exception):
    """The other process did not answer as it should."""


class Late(NoAnswer):
    """Not in time."""


class TooLong(NoAnswer):
    """With more than it may."""


class Closed(NoAnswer):
    """It closed the line, or ended."""


def exchange(writing: int, reading: int, message: bytes, *, seconds: float, most: int) -> bytes:
    """Send a message and return what comes back, up to a line end and whatever came along with that.

    Args:
        writing: Descriptor to write to; it stops blocking.
        reading: Descriptor to read from.
        message: Whole lines. What does not fit into the pipe is written while waiting for the answer.
        seconds: How long to wait, by the clock.
        most: Bytes that an answer may have.

    Raises:
        NoAnswer: one of its kinds.
    """
    os.set_blocking(writing, False)
    deadline = time.monotonic() + seconds
    left, held = memoryview(message), b""
    poll = select.poll()
    poll.register(reading, select.POLLIN)
    poll.register(writing, select.POLLOUT)
    while b"\n" not in held:
        wait = deadline - time.monotonic()
        if wait <= 0:
            raise Late
        ready = dict(poll.poll(wait * 1000))
        if writing in ready:
            left = left[_written(writing, left) :]
            if not left:
                poll.unregister(writing)
        if reading in ready:
            more = os.read(reading, _READ_BYTES)
            if not more:
                raise Closed
            held += more
        if len(held) > most:
            raise TooLong
    return held


def read_line(data: bytes) -> dict[str, Any] | None:
    """Return the JSON object that `data` is the one line of; None where it is anything else."""
    line, _, rest = data.partition(b"\n")
    try:
        held = json.loads(line, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        return None
    return held if isinstance(held, dict) and not rest and _is_shallow(held) else None


def _is_shallow(value: Any, deep: int = 0) -> bool:
    if isinstance(value, dict | list):
        inner = value.values() if isinstance(value, dict) else value
        return deep < _DEEPEST and all(_is_shallow(each, deep + 1) for each in inner)
    return True


def _refuse_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON")


def _written(descriptor: int, data: memoryview) -> int:
    """Write what fits and return how much; all counts as written where nobody reads any more."""
    try:
        return os.write(descriptor, data)
    except BlockingIOError:
        return 0
    except BrokenPipeError:
        return len(data)
