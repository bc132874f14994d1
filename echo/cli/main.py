"""Where ``echo-memory`` starts: cues and queries are answered before anything that takes time is loaded."""

from __future__ import annotations

import os
import sys

_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


def main() -> None:
    """Run the command line."""
    _open_closed_streams()
    if sys.argv[1:2] == ["cue"]:
        from echo.cli.cue_command import main as cue

        raise SystemExit(cue(sys.argv[2:]))
    if sys.argv[1:2] == ["query"]:
        import gc

        from echo.cli.query_command import main as query

        # Rows hold no circles, and the process ends soon; looking for some takes a tenth of the time.
        gc.disable()
        raise SystemExit(query(sys.argv[2:]))
    from echo.cli.app import main as every_command

    every_command()


def _open_closed_streams() -> None:
    """Let a stream that was closed before the start lead nowhere.

    The next file that is opened would get its number otherwise, and what is printed.
    """
    for name, mode in _STREAMS:
        if getattr(sys, name) is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_RDWR), mode))


if __name__ == "__main__":
    main()
