"""``echo-memory ical``: one round of the ICAL loop on a memory of one's own, outside any world."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import typer

from echo.cli.bank_door import BANK_HELP, AsJson, EncoderChoice, open_bank
from echo.cli.grid_options import Reasoner
from echo.cli.screen import FAILED, InputError, exit_codes, print_json

NOTHING_CHANGED = "nothing was changed"


def ical(
    memory: Annotated[Path, typer.Option("--memory", metavar="DIR", help=BANK_HELP)],
    reasoner: Reasoner = None,
    task: Annotated[
        str | None, typer.Option(metavar="TEXT", help="What new tasks should lead to, in words.")
    ] = None,
    item: Annotated[
        str | None, typer.Option("--for", metavar="ITEM", help="What new tasks should use.")
    ] = None,
    select: Annotated[
        Literal["recent", "successful"], typer.Option(help="Which task is carried over.")
    ] = "recent",
    axes: Annotated[
        str | None, typer.Option(metavar="MASK", help="'func,struct' alone, or all but '-func'.")
    ] = None,
    k: Annotated[int, typer.Option("-k", "--count", min=0, metavar="N", help="Exemplars.")] = 3,
    tasks: Annotated[int, typer.Option(min=1, max=10, metavar="N", help="New tasks, at most.")] = 3,
    budget: Annotated[int, typer.Option(min=50, metavar="TOKENS", help="Length of the scene.")] = 900,
    show_prompts: Annotated[bool, typer.Option("--show-prompts", help="Print what was asked.")] = False,
    encoder: EncoderChoice = None,
    as_json: AsJson = False,
) -> None:
    """Play one ICAL round: select a task, recall, induce new tasks, verify. Nothing is tried or kept.

    Exit code 1 where no task can be used.

    Example: echo-memory ical --memory runs/unlock/memories/echo-s00 --for cobblestone --show-prompts
    """
    with exit_codes(NOTHING_CHANGED):
        from csd.axes import AXES, parse_axes
        from csd.chat import ModelError
        from echo.cli.bank_progress import counted
        from echo.cli.ical_asking import Asking, carried, play_round
        from echo.cli.ical_shown import print_round, round_json
        from echo.experiments.reasoner import model_for, resolved
        from echo.experiments.reasoner_names import RULE
        from echo.experiments.spec import UsageError
        from ical.asking.scene import BudgetTooSmall

        if task is not None and item is not None:
            raise UsageError("expected --task or --for; got both. Leave one out.")
        if any(text is not None and not text.strip() for text in (task, item)):
            raise UsageError("expected words after --task or --for; got a blank text. Leave it out.")
        try:
            kept = AXES if axes is None else parse_axes(axes)
        except ValueError as error:
            raise UsageError(f"{error} (--axes)") from error
        if not kept:
            raise UsageError(f"expected at least one axis; got {axes!r} for --axes.")
        asked = reasoner or RULE
        name = resolved(asked)
        asking = Asking(
            axes=kept, select=select, task=task, item=item, k=k, tasks=tasks, budget_tokens=budget
        )
        # Only texts are embedded here: of --task and of all that is known of an item.
        with open_bank(memory, encoder, embeds=task is not None or item is not None) as bank:
            try:
                model = None if asked == RULE else model_for(asked)
                with counted("reading descriptors") as tell:
                    found = play_round(bank, asking, model, carried(memory), tell)
            except ModelError as error:
                raise InputError(f"{error} (--reasoner {asked})") from error
            except BudgetTooSmall as error:
                raise UsageError(f"{error} (--budget)") from error
        if as_json:
            print_json(round_json(found, name))
        else:
            print_round(found, name, prompts=show_prompts)
    if found.reason is not None:
        raise typer.Exit(FAILED)
