"""Where ``echo-memory`` starts: cues and queries are answered before anything that takes time is loaded."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the command line."""
    if sys.argv[1:2] == ["cue"]:
        from echo.cli.cue_command import main as cue

        raise SystemExit(cue(sys.argv[2:]))
    if sys.argv[1:2] == ["query"]:
        from echo.cli.query_command import main as query

        raise SystemExit(query(sys.argv[2:]))
    from echo.cli.app import main as every_command

    every_command()


if __name__ == "__main__":
    main()
