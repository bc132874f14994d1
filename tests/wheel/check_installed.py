"""Run by the Python of an environment that has only the wheel: is the data whole and found from there?

Usage: python -I check_installed.py CHECKOUT_DATA ENVIRONMENT
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path

import csd.resources


def main(data: Path, environment: Path) -> None:
    home = Path(csd.resources.__file__).resolve()
    if not home.is_relative_to(environment.resolve()):
        raise SystemExit(f"expected csd from the wheel in {environment}; got {home}.")
    # Committed results are for the pages of a checkout; the wheel leaves them out.
    files = sorted(
        path for path in data.rglob("*") if path.is_file() and path.relative_to(data).parts[0] != "results"
    )
    if not files:
        raise SystemExit(f"expected data files in {data}; got none.")
    for path in files:
        parts = path.relative_to(data).parts
        installed = csd.resources.data_file(*parts)
        if not Path(str(installed)).resolve().is_relative_to(environment.resolve()):
            raise SystemExit(f"expected {'/'.join(parts)} inside the wheel; got {installed}.")
        if installed.read_bytes() != path.read_bytes():
            raise SystemExit(f"expected the bytes of {path}; got others in {installed}.")
    print(f"echo-memory {version('echo-memory')}: {len(files)} data files found in the wheel, all equal")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
