"""The caches beside a bank file, as whole files: where they are, and how they are thrown away."""

from __future__ import annotations

import shutil
from contextlib import suppress
from pathlib import Path

from csd.caches import VECTORS, WORDS, cache_folder


def drop_caches(bank: Path) -> list[Path]:
    """Throw away what is searched in `bank`, which is made anew; return what was there.

    For changes that no cache can follow. Call it before their commit: a kill in between then leaves no
    cache of another history.
    """
    places = [cache_folder(bank) / name for name in (VECTORS, WORDS)]
    return [place for place in places if drop_cache(place)]


def drop_cache(place: Path) -> bool:
    """Throw away one cache, a folder or a database with what belongs to it; return whether it was there."""
    there = place.exists()
    if place.is_dir():
        shutil.rmtree(place, ignore_errors=True)
    else:
        for side in ("", "-wal", "-shm", "-journal"):
            # In a folder that nobody may write to it stays, and is out of step: never used, and named.
            with suppress(OSError):
                place.with_name(place.name + side).unlink(missing_ok=True)
    return there
