"""A Ray cluster to play on: one that is there already, or Ray on this machine alone."""

from __future__ import annotations

import os
import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from echo.experiments.pool import count_processors, explain
from echo.experiments.spec import UsageError

ANSWER_SECONDS = 10.0
"""A cluster that does not take a connection within this time is not there."""


@contextmanager
def connected(address: str | None, processes: int) -> Iterator[Any]:
    """Connect to a cluster, or start Ray here, for as long as it lasts; one that the caller has is used.

    Raises:
        UsageError: if Ray is not installed, or the cluster does not answer or has no processors.
    """
    address = address or os.environ.get("RAY_ADDRESS")
    if address is not None:
        _check_answers(address)
    ray = _import_ray(alone=address is None)
    if ray.is_initialized():
        yield ray
        return
    before = signal.getsignal(signal.SIGTERM)
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": "ERROR"}
    if address is None:
        settings |= {"num_cpus": processes or count_processors(), "include_dashboard": False}
    try:
        ray.init(address=address or "local", **settings)
        if ray.cluster_resources().get("CPU", 0) < 1:
            raise UsageError(
                f"expected a Ray cluster with processors at {address}; got one without. "
                f"Start its nodes without --num-cpus 0."
            )
        yield ray
    except (ConnectionError, RuntimeError, ValueError) as error:
        if ray.is_initialized():
            raise
        raise UsageError(
            f"expected a Ray cluster of this Ray ({ray.__version__}) and Python at "
            f"{address or 'this machine'}, with a node on this machine; got {explain(error)}. "
            f"See docs/cluster.md."
        ) from error
    finally:
        ray.shutdown()
        # Ray has put its own in the place of the caller's.
        if before is not None and threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, before)


def _import_ray(*, alone: bool) -> Any:
    """Return Ray, which tells nobody of its use, and `alone` listens on this machine's own address only.

    Raises:
        UsageError: if it is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if alone:
        # Else Ray, which asks nobody for a password, listens on all of this machine's addresses.
        os.environ.setdefault("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", "0")
    try:
        import ray
        import ray.exceptions
        import ray.util.scheduling_strategies
    except ImportError as error:
        raise UsageError(
            "expected Ray for --executor ray; got no such package. "
            "Install it in a checkout: pip install '.[cluster]', or leave --executor away."
        ) from error
    return ray


def _check_answers(address: str) -> None:
    """Knock at a cluster's door; Ray itself would wait for two minutes and then end the process.

    Raises:
        UsageError: if nobody opens, or `address` is none.
    """
    if address == "auto":
        return
    host, colon, port = address.rpartition(":")
    if not colon or not host or "/" in address or not port.isdecimal() or int(port) > 65535:
        raise UsageError(
            f"expected the address of a Ray cluster as HOST:PORT, or auto; got {address!r}. "
            f"`ray start --head` tells it, usually with port 6379. Change --address or RAY_ADDRESS."
        )
    try:
        socket.create_connection((host, int(port)), timeout=ANSWER_SECONDS).close()
    except OSError as error:
        raise UsageError(
            f"expected a Ray cluster at {address}; got {error.strerror or error}. "
            f"Start one with `ray start --head`, or change --address or RAY_ADDRESS."
        ) from error
