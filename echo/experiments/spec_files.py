"""Files that say what an experiment consists of: TOML that tells only its difference from a base."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from csd.resources import data_file
from echo.experiments.spec import UsageError

SIZES: tuple[str, ...] = ("quick", "standard", "full")
"""Sizes in which each experiment comes."""


def read_settings(
    name: str,
    folder: Path,
    *,
    keys: Sequence[str],
    shipped: Sequence[str],
    seen: Mapping[Path, str] | None = None,
) -> dict[str, Any]:
    """Return the keys of a spec file over those of its base.

    Args:
        name: Of the file, from `folder`; without ``.toml`` it comes with the project.
        folder: Of the file that names it.
        keys: Those that such a file may have, 'base' among them.
        shipped: Names of the specs of its kind that come with the project.
        seen: The files that led to it -> their names as given.

    Raises:
        UsageError: if a file is missing, is no TOML, or has an unknown key or a base that leads back to it.
    """
    seen = seen or {}
    place = Path(os.path.normpath(folder / name))
    if place in seen:
        chain = " -> ".join((*seen.values(), name))
        raise UsageError(f"expected a base that ends somewhere; got {chain}. Name another.")
    own = _read(name, folder, shipped)
    unknown = [key for key in own if key not in keys]
    if unknown:
        near = [match for key in unknown for match in get_close_matches(key, keys, n=2, cutoff=0.5)]
        hint = f" Did you mean {' or '.join(dict.fromkeys(near))}?" if near else ""
        raise UsageError(
            f"expected keys out of {', '.join(keys)} in {name}; got {', '.join(map(repr, unknown))}.{hint}"
        )
    base = own.get("base")
    if base is None:
        return own
    if not isinstance(base, str):
        raise UsageError(f"expected the name of a spec for 'base' in {name}; got {base!r}.")
    under = read_settings(
        base, (folder / name).parent, keys=keys, shipped=shipped, seen={**seen, place: name}
    )
    return {**under, **own}


def told(error: ValidationError) -> str:
    """Return what is wrong, key by key, at most three."""
    faults = []
    for one in error.errors()[:3]:
        key = ".".join(map(str, one["loc"]))
        said = one["msg"][:1].lower() + one["msg"][1:]
        missing = one["type"] == "missing"
        faults.append(f"nothing for {key!r}" if missing else f"{key} = {one['input']!r} ({said})")
    return "; ".join(faults)


def _read(name: str, folder: Path, shipped: Sequence[str]) -> dict[str, Any]:
    """Return the content of a spec file in `folder`; without ``.toml`` it comes with the project."""
    if not name.endswith(".toml") and name not in shipped:
        near = get_close_matches(name, shipped, n=3, cutoff=0.5)
        hint = f" Did you mean {' or '.join(near)}?" if near else ""
        raise UsageError(f"expected a spec out of {', '.join(shipped)}, or a .toml file; got {name!r}.{hint}")
    file = folder.joinpath(name) if name.endswith(".toml") else data_file("runs").joinpath(f"{name}.toml")
    if isinstance(file, Path) and file.exists() and not file.is_file():
        # A pipe might never end.
        raise UsageError(f"expected a spec file; got a folder or a device at {file}.")
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"expected a spec file; got {error.strerror or error} at {file}.") from error
    except (ValueError, RecursionError) as error:  # RecursionError: nested too deep.
        raise UsageError(f"expected a spec file in TOML; got {error} in {file}.") from error
