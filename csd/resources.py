"""Where the data files lie, in an installed wheel and in a checkout alike."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable


def data_file(*parts: str) -> Traversable:
    """Return the data file or folder at `parts` below the project's ``data/``.

    A wheel carries ``data/`` as ``csd/_data``; a checkout has it beside the packages.

    Raises:
        FileNotFoundError: if it is in neither place.
    """
    package = files("csd")
    checkout = package.joinpath("..", "data")
    for root in (package.joinpath("_data"), checkout):
        found = root.joinpath(*parts)
        if found.is_file() or found.is_dir():
            return found
    raise FileNotFoundError(
        f"expected the data file {'/'.join(parts)!r} in {package.joinpath('_data')} or {checkout}; "
        f"got nothing there. Reinstall echo-memory, or run from a complete checkout."
    )
