"""Kill a bank at its work and see what is left: `python -m echo.bench.recovery --json`."""

from __future__ import annotations

import argparse
import json
import sys

from echo.bench.recovery.report import measure_recovery, written


def main() -> int:
    """Run the benchmark; 1 where something was lost."""
    parser = argparse.ArgumentParser(prog="python -m echo.bench.recovery", description=__doc__)
    parser.add_argument("--kills", type=int, default=200, help="how many deaths (200)")
    parser.add_argument("--seed", type=int, default=0, help="of all that is drawn (0)")
    parser.add_argument(
        "--soak", type=float, default=60.0, metavar="SECONDS", help="4 writers and 4 readers (60)"
    )
    parser.add_argument("--keep", metavar="FOLDER", help="leave damaged banks there")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args()
    result = measure_recovery(asked.kills, asked.seed, asked.soak, _note, asked.keep)
    sys.stdout.write((json.dumps(result, indent=2) if asked.json else written(result)) + "\n")
    return 0 if result["sound"] else 1


def _note(told: str) -> None:
    sys.stderr.write(told + "\n")
    sys.stderr.flush()


if __name__ == "__main__":
    sys.exit(main())
