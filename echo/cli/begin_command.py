"""``echo-memory begin``: make a memory folder, or begin a new life in one."""

from __future__ import annotations

from dataclasses import asdict, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.screen import exit_codes, out_console, print_json

if TYPE_CHECKING:
    from echo.mfm.episodic.begin import Begun
    from echo.mfm.options import MemoryOptions


def begin(
    root: Annotated[Path, typer.Argument(metavar="ROOT", help="Memory folder; made where it is not there.")],
    without: Annotated[
        str | None,
        typer.Option(
            metavar="LIST",
            help="What is switched off, by comma: frames, index, procedures, consolidation; or none.",
        ),
    ] = None,
    new_life: Annotated[
        bool,
        typer.Option(
            "--new-life",
            help="Put what was recorded so far into previous/life_N; mine/ stays for the new life.",
        ),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Make a memory folder, or begin a new life in one, and say what was done.

    Example: echo-memory begin runs/memory --new-life --without frames
    """
    with exit_codes("the memory is as it was; the same command goes on from there"):
        from echo.mfm.episodic.begin import begin_memory

        options = None if without is None else _options(without)
        begun = begin_memory(root, options=options, new_life=new_life)
        if as_json:
            print_json(
                {
                    "root": str(begun.root),
                    "made": begun.made,
                    "life": begun.life,
                    "episodes": begun.episodes,
                    "options": asdict(begun.options),
                    "mended": [] if begun.mend.clean else begun.mend.describe().split("\n"),
                }
            )
        else:
            _print(begun, asked_for_life=new_life)


def _options(without: str) -> MemoryOptions:
    """Read ``frames,index``, or ``none`` to switch everything on.

    Raises:
        UsageError: on a name that is none of the switches.
    """
    from echo.experiments.spec import UsageError
    from echo.mfm.options import MemoryOptions

    known = [each.name for each in fields(MemoryOptions)]
    named = [name.strip() for name in without.split(",") if name.strip()]
    if named == ["none"]:
        return MemoryOptions()
    unknown = [name for name in named if name not in known]
    if unknown or not named:
        raise UsageError(
            f"expected names of {', '.join(known)}, or none, for --without; "
            f"got {', '.join(unknown) or 'no name'}."
        )
    return MemoryOptions(**{name: name not in named for name in known})


def _print(begun: Begun, *, asked_for_life: bool) -> None:
    from echo.cli.plain_text import print_fields

    lines = [("memory:", f"{begun.root}, {'made' if begun.made else 'there already'}")]
    count = f"{begun.episodes:,} episode{'' if begun.episodes == 1 else 's'}"
    if begun.life is not None:
        lines.append(("put away:", f"{count}, as life {begun.life}, in previous/life_{begun.life}"))
    elif asked_for_life:
        lines.append(("put away:", "nothing: this life holds no episode yet, and goes on"))
    elif not begun.made:
        lines.append(("holds:", count))
    off = begun.options.switched_off
    lines.append(("switched off:", ", ".join(off) or "nothing"))
    if not begun.mend.clean:
        lines += [("mended:", line) for line in begun.mend.describe().split("\n")]
    print_fields(out_console(), lines)
