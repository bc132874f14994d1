"""With what a grid of runs is played: where, how many at a time, and which of them."""

from __future__ import annotations

from dataclasses import dataclass

from echo.experiments.pool import Executor
from echo.experiments.pool_folder import Slice


@dataclass(frozen=True, kw_only=True)
class Means:
    """How runs are played; none of it changes what comes of them."""

    executor: Executor = "local"
    processes: int = 0
    """Runs at a time; 0 is one a processor, of this machine or of the cluster."""
    address: str | None = None
    """Of a Ray cluster."""
    share: Slice | None = None
    """Which part of the runs; None is all of them."""
