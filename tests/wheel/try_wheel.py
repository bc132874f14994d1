"""Build the wheel, install it into an empty environment, and play a small unlock from another folder.

Usage: python tests/wheel/try_wheel.py

Everything happens in a temporary folder that is removed afterwards; the checkout is not touched.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

LEAKS = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
"""Variables through which the checkout could be seen from the other folder."""


def run(command: Sequence[str | Path], where: Path) -> str:
    """Run `command` in `where`, show it, and return its standard output; stop if it fails."""
    print("+", *(str(part) for part in command), flush=True)
    environment = {name: value for name, value in os.environ.items() if name not in LEAKS}
    done = subprocess.run(
        [str(part) for part in command],
        cwd=where,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise SystemExit(f"expected exit code 0; got {done.returncode}, after the output:\n{done.stdout}")
    return done.stdout


def build_wheel(folder: Path) -> Path:
    """Build a source distribution and, from it, the wheel: so both are complete."""
    run([sys.executable, "-m", "build", "--outdir", folder, ROOT], ROOT)
    (wheel,) = folder.glob("*.whl")
    print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
    return wheel


def install(wheel: Path, environment: Path) -> Path:
    """Install `wheel` with the pinned core into an empty environment; return its ``bin`` folder."""
    venv.create(environment, with_pip=True)
    bin_folder = environment / ("Scripts" if os.name == "nt" else "bin")
    pip = [bin_folder / "python", "-m", "pip", "install", "--quiet", "--quiet", "--disable-pip-version-check"]
    run([*pip, "--constraint", ROOT / "constraints.txt", wheel], environment)
    return bin_folder


def play(bin_folder: Path, elsewhere: Path) -> None:
    """Play a small unlock and report on it; both must leave what they promise."""
    echo = bin_folder / "echo-memory"
    size = ["--seeds", "0", "--steps", "200", "--shots", "2", "--jobs", "1"]
    run([echo, "run", "unlock", "--agents", "edits,echo", *size, "--out", "unlock"], elsewhere)
    print(run([echo, "report", "unlock"], elsewhere), end="")
    report = json.loads(run([echo, "report", "unlock", "--json"], elsewhere))
    missing = [key for key in ("speedup", "curves", "milestones", "sources", "runs") if key not in report]
    pages = sorted((elsewhere / "unlock").rglob("*.html"))
    if missing or not pages:
        raise SystemExit(f"expected a report with every part and a page; missing {missing}, pages {pages}.")


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="echo-wheel-") as name:
        folder = Path(name)
        elsewhere = folder / "elsewhere"
        elsewhere.mkdir()
        environment = folder / "environment"
        bin_folder = install(build_wheel(folder / "dist"), environment)
        checker = Path(__file__).with_name("check_installed.py")
        print(run([bin_folder / "python", "-I", checker, ROOT / "data", environment], elsewhere), end="")
        play(bin_folder, elsewhere)
    print("wheel: built, installed and played")


if __name__ == "__main__":
    main()
