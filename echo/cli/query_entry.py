"""``echo-memory query`` among the others, for `echo-memory --help`; `echo.cli.main` runs it without."""

from __future__ import annotations

from typing import Annotated

import typer

from echo.cli.query_arguments import Asked
from echo.cli.query_command import answer


def query(
    root: Annotated[
        str, typer.Option(metavar="DIR", help="Memory folder, or one of its earlier lives.")
    ] = ".",
    last: Annotated[int | None, typer.Option(metavar="N", help="Only the last N of them.")] = None,
    steps: Annotated[
        tuple[int, int] | None, typer.Option(metavar="A B", help="Only those that reach into steps A to B.")
    ] = None,
    near: Annotated[
        tuple[float, float] | None, typer.Option(metavar="X Z", help="Only those that began near X Z.")
    ] = None,
    radius: Annotated[float, typer.Option(metavar="R", help="How near, in blocks.")] = 6.0,
    tag: Annotated[str | None, typer.Option(metavar="TAG", help="Only those with this tag.")] = None,
    action: Annotated[
        str | None, typer.Option(metavar="ACTION", help="Only those with this kind of action.")
    ] = None,
    grep: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only those with this text in index line or files.")
    ] = None,
    previous: Annotated[bool, typer.Option("--previous", help="Ask the earlier lives instead.")] = False,
    same_screen: Annotated[
        str | None, typer.Option(metavar="PNG", help="Only those that began with this screen.")
    ] = None,
    sheet: Annotated[
        str | None, typer.Option(metavar="PNG", help="Also write a sheet of their frames.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print their index lines as JSON.")] = False,
    then_now: Annotated[
        str | None, typer.Option(metavar="EP", help="Write its frame beside the current view.")
    ] = None,
    now: Annotated[str | None, typer.Option(metavar="PNG", help="The current view, for --then-now.")] = None,
    out: Annotated[str, typer.Option(metavar="PNG", help="Where --then-now writes.")] = "then_now.png",
    q: Annotated[str | None, typer.Option(metavar="TEXT", help="What the pictures are to answer.")] = None,
    text: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Only those in which all these words occur.")
    ] = None,
    similar: Annotated[
        str | None, typer.Option(metavar="TEXT|PNG", help="The most similar ones, the best first.")
    ] = None,
    limit: Annotated[int | None, typer.Option(metavar="N", help="At most N of them.")] = None,
) -> None:
    """Print the episodes of a memory that meet all conditions, in order of time.

    Example: echo-memory query --root runs/memory --near 12 -40 --tag damage
    """
    asked = Asked()
    given = {
        "root": root,
        "last": last,
        "steps": steps,
        "near": near,
        "radius": radius,
        "tag": tag,
        "action": action,
        "grep": grep,
        "previous": previous,
        "same_screen": same_screen,
        "sheet": sheet,
        "json": as_json,
        "then_now": then_now,
        "now": now,
        "out": out,
        "q": q,
        "text": text,
        "similar": similar,
        "limit": limit,
    }
    for name, value in given.items():
        setattr(asked, name, value)
    raise typer.Exit(answer(asked))
