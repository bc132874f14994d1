"""``echo-memory why ITEM``: from an unlock back to the experiences it came from."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.screen import exit_codes, out_console, print_json

if TYPE_CHECKING:
    from rich.tree import Tree

    from echo.experiments.thread import Thread

_UNCUT = 10_000
"""Columns that no line of a thread fills."""


def why(
    item: Annotated[
        str, typer.Argument(metavar="ITEM", help="Item the run unlocked, such as stone_pickaxe.")
    ],
    run: Annotated[str, typer.Option(metavar="FILE|NAME", help="Result file, or name of a run in --out.")],
    out: Annotated[Path, typer.Option(help="Results folder.")] = Path("runs/unlock"),
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the thread from an unlock back through descriptors, exemplars, axes and episodes.

    Example: echo-memory why stone_pickaxe --run echo-s00 --out runs/unlock
    """
    with exit_codes():
        from echo.experiments.thread import thread_json
        from echo.experiments.why import find_run, trace_unlock

        result, folder = find_run(run, out)
        thread = trace_unlock(item, result, folder)
        if as_json:
            print_json({"run": result.spec.name, "item": item, "thread": thread_json(thread)})
        else:
            console = out_console()
            # A tree is cut at the console's width whatever `soft_wrap` says; a terminal wraps long lines.
            console.width = _UNCUT
            console.print(_tree(thread), soft_wrap=True)


def _tree(thread: Thread) -> Tree:
    """Return a thread as a tree to print."""
    from rich.text import Text
    from rich.tree import Tree

    head = Text(thread.item, style="bold")
    if thread.action is not None:
        head.append(f"  action {thread.action:,}, {thread.source}", style="not bold")
    tree = Tree(head)
    _hang(tree, thread)
    return tree


def _hang(tree: Tree, thread: Thread) -> None:
    """Hang what is known of a thread's head, and the threads it came from, onto `tree`."""
    from rich.text import Text

    if thread.repeated:
        tree.add(Text("told above", style="dim"))
        return
    if thread.detail:
        tree.add(Text(thread.detail))
    if thread.axes:
        shares = ", ".join(f"{axis} {share:.0%}" for axis, share in thread.axes.items())
        tree.add(Text(f"credit: {shares}"))
    _hang_carrying(tree, thread)
    if thread.csd is not None:
        described = tree.add(Text(f"described by {thread.csd}"))
        for axis, lines in thread.statements.items():
            described.add(Text(f"{axis}: {'; '.join(lines)}", style="dim"))
    for episode in thread.episodes:
        shown = tree.add(Text(f"seen in {episode.id}: {episode.told}"))
        if episode.path is not None:
            shown.add(Text(episode.path, style="dim"))
    if thread.needs:
        tree.add(Text("made of: " + "; ".join(thread.needs)))
    for note in thread.missing:
        tree.add(Text(note, style="italic"))
    for parent in thread.parents:
        branch = Text("from ", style="dim")
        branch.append(parent.item, style="bold not dim")
        told = f"action {parent.action:,}, {parent.source}" if parent.action is not None else parent.source
        branch.append(f"  {told}", style="not dim")
        hung = tree.add(branch)
        if parent.cosines:
            hung.add(Text(f"cosines to {thread.item}: {_cosines(parent.cosines)}"))
        _hang(hung, parent)


def _hang_carrying(tree: Tree, thread: Thread) -> None:
    """Hang how an experience was carried over from its exemplar onto `tree`."""
    from rich.text import Text

    if thread.correspondences:
        carried = tree.add(Text("carried over:"))
        for one in thread.correspondences:
            carried.add(Text(one.told()))
    if thread.objections is not None:
        found = f"first to mend: {'; '.join(thread.objections)}" if thread.objections else "passed at once"
        tree.add(Text(f"verified before the attempt: {found}"))
    for surprise in thread.surprises:
        tree.add(Text(f"unlike asserted: {surprise}"))


def _cosines(cosines: dict[str, float | None]) -> str:
    return ", ".join(f"{axis} {'-' if one is None else f'{one:.2f}'}" for axis, one in cosines.items())
