"""``echo-memory map``: a picture of what a memory knows of its places."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from echo.cli.screen import exit_codes, out_console, print_json


class LayerName(StrEnum):
    """The layers of a map; the same as `echo.mfm.spatial.map_content.LAYERS`."""

    path = "path"
    resources = "resources"
    stations = "stations"
    containers = "containers"
    hazards = "hazards"


SAME_AGAIN = "episodes are untouched, the same command begins anew"


def map_(
    root: Annotated[Path, typer.Option(metavar="DIR", help="Memory folder, or a life_N of it.")] = Path(),
    out: Annotated[Path, typer.Option(metavar="PNG", help="Where the picture goes.")] = Path("map.png"),
    layer: Annotated[
        list[LayerName] | None,
        typer.Option(help="What to draw; may be repeated. Default: everything."),
    ] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Kind of block to draw; may be repeated. Default: 10 rare ones."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Above the map. Default: the folder's name.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Draw the way walked, coloured by time, with what was seen, used and suffered beside it.

    Example: echo-memory map --root runs/memory --out map.png --layer path --layer hazards
    """
    with exit_codes(SAME_AGAIN):
        from dataclasses import asdict

        from echo.cli.bank_progress import counted
        from echo.cli.places_shown import print_left_out
        from echo.cli.plain_text import print_fields
        from echo.mfm.picture_file import check_place
        from echo.mfm.plain_text import plain
        from echo.mfm.spatial.map_content import LAYERS, map_content
        from echo.mfm.spatial.map_picture import draw_map
        from echo.mfm.spatial.places import Places

        # Before episodes are read for nothing.
        check_place(out)
        layers = LAYERS if layer is None else [held for held in LAYERS if held in layer]
        with counted("reading episodes") as told:
            content = map_content(Places(root, told=told), layers, name or (), title)
        draw_map(content, out)
        if as_json:
            print_json({"picture": str(out), **asdict(content)})
            return
        kinds = ", ".join(plain(kind) for kind in content.resources) or "none"
        print_fields(
            out_console(),
            [
                ("picture", str(out)),
                ("episodes", f"{content.episodes:,}"),
                ("path", f"{len(content.path):,} stays"),
                ("stations", f"{len(content.stations):,}"),
                ("containers", f"{len(content.containers):,}"),
                ("hazards", f"{len(content.hazards):,}"),
                ("resources", kinds),
            ],
        )
        print_left_out(content)
