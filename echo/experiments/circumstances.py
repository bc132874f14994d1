"""Runs that are compared must have been made in the same circumstances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from echo.experiments.spec import UsageError


def find_differing(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Return the names of the circumstances that differ, in alphabetical order; a missing one is None."""
    return [name for name in sorted({*one, *other}) if one.get(name) != other.get(name)]


def tell_circumstances(circumstances: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the circumstances called `names` in words.

    >>> tell_circumstances({"seed": 3, "episodes": 30}, ["seed"])
    'seed=3'
    """
    return ", ".join(f"{name}={circumstances.get(name)!r}" for name in names)


def check_circumstances(folder: Path, known: Mapping[str, Any], wanted: Mapping[str, Any]) -> None:
    """Check that runs asked for share the circumstances of those in `folder`.

    Raises:
        UsageError: if they do not, with what differs.
    """
    differing = find_differing(known, wanted)
    if differing:
        raise UsageError(
            f"expected the circumstances of the runs already in {folder} "
            f"({tell_circumstances(known, differing)}); got {tell_circumstances(wanted, differing)}. Runs "
            f"that are compared must share them: choose another folder with --out, or repeat the "
            f"earlier settings."
        )
