"""Names of models for results and descriptors: no path of this machine, another name for other weights."""

from __future__ import annotations

from pathlib import Path

DIGITS = 12
"""Hexadecimal digits of a digest in a name."""


def lasting(path: str | Path, digest: str) -> str:
    """Return the last part of a path with the digest of what lies there.

    >>> lasting("runs/tuned/adapter", "0123456789abcdef0123456789abcdef")
    'adapter@0123456789ab'
    """
    return f"{Path(path).expanduser().absolute().name}@{digest[:DIGITS]}"


def lasting_weights(base: str, digest: str, adapter: Path | None, adapter_digest: str | None) -> str:
    """Return the name of a model on this machine: its base, and the adapter where it has one.

    Args:
        base: folder, file or name of the base.
        digest: of the base's weights.
        adapter: folder of the adapter.
        adapter_digest: of the adapter's weights; None without one.
    """
    told = f"hf:{lasting(base, digest)}"
    if adapter is None or adapter_digest is None:
        return told
    return f"{told}+{lasting(adapter, adapter_digest)}"
