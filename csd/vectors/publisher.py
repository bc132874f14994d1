"""Publishing in the background, so that neither writing nor asking waits for it."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

from csd.store.feed import Feed
from csd.vectors.index import VectorIndex
from csd.vectors.sizes import Sizes

_LOG = logging.getLogger(__name__)

RETRY_SECONDS = 60.0
"""After a failure (a full disk) nothing is tried for so long."""


class Publisher:
    """Publishes snapshots of one bank in a thread, one at a time, when asked."""

    def __init__(
        self,
        folder: Path,
        open_feed: Callable[[], AbstractContextManager[Feed]],
        *,
        sizes: Sizes | None = None,
        retry_seconds: float = RETRY_SECONDS,
    ) -> None:
        """Publish to `folder` what `open_feed`, called in the thread, opens."""
        self._folder = folder
        self._open_feed = open_feed
        self._sizes = sizes
        self._retry_seconds = retry_seconds
        self._thread: threading.Thread | None = None
        self._failed: Exception | None = None
        self._failed_at = 0.0

    @property
    def failed(self) -> Exception | None:
        """Why the last publication failed; None if it did not."""
        return self._failed

    def ask(self) -> bool:
        """Start publishing; return whether it was started: not while one runs or soon after a failure."""
        if self._thread is not None and self._thread.is_alive():
            return False
        if self._failed is not None and time.monotonic() < self._failed_at + self._retry_seconds:
            return False
        self._thread = threading.Thread(target=self._publish, name="publish vectors", daemon=True)
        self._thread.start()
        return True

    def close(self) -> None:
        """Wait until a publication under way is through."""
        if self._thread is not None:
            self._thread.join()

    def _publish(self) -> None:
        try:
            with self._open_feed() as feed:
                VectorIndex(feed.dimension, self._folder, sizes=self._sizes).publish(feed)
            self._failed = None
        except Exception as error:
            # The bank works without a snapshot; only opening it again takes longer.
            _LOG.warning("publishing to %s failed: %s", self._folder, error)
            self._failed, self._failed_at = error, time.monotonic()
