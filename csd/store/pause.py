"""Long runs of work that make many small things and no cycles among them."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Keep Python from looking for cycles meanwhile.

    None are made in such work, but with many descriptors in memory each look goes through all of them: it
    was measured to take a third of the time of filling a bank.
    """
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()
