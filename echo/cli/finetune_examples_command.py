"""``echo-memory finetune examples``: instruction-tuning data from recorded episodes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from echo.cli.screen import InputError, exit_codes, out_console, print_json

if TYPE_CHECKING:
    from finetune.examples.card import Card
    from finetune.examples.settings import Settings

NOTHING_WRITTEN = "nothing was written"

ROWS, SIDES, FORM = "How many rows", "What is held out", "In which form"


def examples(
    memory: Annotated[
        list[Path], typer.Option("--memory", metavar="DIR", help="Memory folder. Repeat for more.")
    ],
    out: Annotated[Path, typer.Option("--out", metavar="FOLDER", help="New or empty folder for the data.")],
    seed: Annotated[int, typer.Option(min=0, help="Of every choice; same seed, same bytes.")] = 0,
    train: Annotated[int, typer.Option(min=1, help="Training rows.", rich_help_panel=ROWS)] = 2000,
    validation: Annotated[int, typer.Option(min=1, help="Validation rows.", rich_help_panel=ROWS)] = 100,
    test: Annotated[int, typer.Option(min=1, help="Test rows.", rich_help_panel=ROWS)] = 160,
    out_of_template: Annotated[
        int, typer.Option(min=0, help="More test rows, in an unseen style.", rich_help_panel=ROWS)
    ] = 40,
    repairs: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of repairs.", rich_help_panel=ROWS)
    ] = 0.15,
    refusals: Annotated[
        float, typer.Option(min=0.0, max=1.0, help="Share of refusals.", rich_help_panel=ROWS)
    ] = 0.03,
    hold_out: Annotated[
        list[str] | None,
        typer.Option(metavar="WORD", help="Item family for the test. Repeat.", rich_help_panel=SIDES),
    ] = None,
    hold_out_task: Annotated[
        list[str] | None,
        typer.Option(metavar="TASK", help="Task family for the test alone.", rich_help_panel=SIDES),
    ] = None,
    test_share: Annotated[
        float, typer.Option(help="Of the episodes, for the test.", rich_help_panel=SIDES)
    ] = 0.2,
    validation_share: Annotated[
        float, typer.Option(help="Of the episodes, for validation.", rich_help_panel=SIDES)
    ] = 0.1,
    unseen_style: Annotated[
        str | None, typer.Option(help="Style kept for rows out of template.", rich_help_panel=SIDES)
    ] = None,
    layout: Annotated[
        Literal["messages", "messages-marked", "prompt-completion"],
        typer.Option(help="Columns of the conversation.", rich_help_panel=FORM),
    ] = "messages",
    frames: Annotated[
        bool, typer.Option("--frames", help="With recorded pictures.", rich_help_panel=FORM)
    ] = False,
    base: Annotated[
        str | None,
        typer.Option(metavar="BASE", help="Base model to count tokens for.", rich_help_panel=FORM),
    ] = None,
    most_tokens: Annotated[
        int | None, typer.Option(min=1, help="Leave out longer rows.", rich_help_panel=FORM)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the card as one JSON object.")] = False,
) -> None:
    """Make data from recorded episodes, to teach a model to write descriptors.

    FOLDER gets train.jsonl, validation.jsonl and test.jsonl, the episodes of
    the latter two, and a data card. Item families ('planks' of 'oak_planks')
    are in one file alone, so that no recipe is in two.

    Example: echo-memory finetune examples --memory runs/unlock/memories/echo-s0 --out data
    """
    with exit_codes(NOTHING_WRITTEN):
        from csd.by_model.trace import STYLES
        from echo.experiments.spec import UsageError
        from finetune.base import BaseError
        from finetune.examples.recorded import ExamplesError, SettingsError
        from finetune.examples.settings import Settings
        from finetune.examples.splits import HeldOut

        settings = Settings(
            seed=seed,
            train=train,
            validation=validation,
            test=test,
            out_of_template=out_of_template,
            repair_share=repairs,
            refuse_share=refusals,
            held=HeldOut(
                test_share=test_share,
                validation_share=validation_share,
                families=tuple(hold_out or ()),
                tasks=tuple(hold_out_task or ()),
            ),
            unseen_style=unseen_style or STYLES[-1],
            layout=layout,
            pictures=frames,
            most_tokens=most_tokens,
        )
        try:
            card = _make(memory, out, settings, base)
        except SettingsError as error:
            raise UsageError(str(error)) from error
        except (ExamplesError, BaseError) as error:
            raise InputError(str(error)) from error
        if as_json:
            print_json(card.model_dump(mode="json"))
        else:
            _print(card, out, settings)


def _make(memories: list[Path], out: Path, settings: Settings, base: str | None) -> Card:
    """Read, build and write."""
    from csd.by_model.prompts import VERSION
    from echo.cli.bank_progress import counted
    from echo.cli.recorded_reading import read_recorded
    from echo.experiments.provenance import code_commit, package_versions
    from echo.mfm.codec import to_json
    from finetune.examples.build import build
    from finetune.examples.export import Origin, export
    from finetune.examples.folder import check_free
    from finetune.examples.teaching import prompt_examples
    from finetune.examples.tokens import counter

    check_free(out)
    settings.check()
    tokens = None if base is None else counter(base)
    with counted("reading") as told:
        read = read_recorded(memories, frames=settings.pictures, tell=told)
    for each in read.unreadable[:3]:
        typer.echo(f"left out {each.name}: {' '.join(each.detail.split())}", err=True)
    if len(read.unreadable) > 3:
        typer.echo(f"left out {len(read.unreadable) - 3:,} more that cannot be read; see the card", err=True)
    count = None if tokens is None else tokens.count
    with counted("making rows") as told:
        data = build(read.recorded, settings, shots=prompt_examples(), count=count, tell=told)
    origin = Origin(
        recorded=read.recorded,
        episode_json=to_json,
        unreadable=read.unreadable,
        versions=package_versions(),
        commit=code_commit(),
        tokenizer=None if tokens is None else tokens.name,
        prompt=VERSION,
    )
    return export(data, out, origin, count)


def _print(card: Card, out: Path, settings: Settings) -> None:
    from rich.table import Table

    console = out_console()
    table = Table(box=None, pad_edge=False)
    table.add_column("")
    for name in card.splits:
        table.add_column(name, justify="right")
    cards = list(card.splits.values())
    table.add_row("rows", *(f"{each.rows:,}" for each in cards))
    for kind in ("write", "repair", "refuse"):
        table.add_row(f"  {kind}", *(f"{each.kind.get(kind, 0):,}" for each in cards))
    table.add_row("out of template", *(f"{each.out_of_template:,}" for each in cards))
    if settings.pictures:
        table.add_row("with a picture", *(f"{each.pictured:,}" for each in cards))
    table.add_row("episodes", *(f"{each.episodes:,}" for each in cards))
    table.add_row("item families", *(f"{len(each.item_family):,}" for each in cards))
    table.add_row("characters, median", *(f"{each.characters.median:,}" for each in cards))
    if all(each.tokens for each in cards):
        table.add_row("tokens, median", *(f"{each.tokens.median:,}" for each in cards if each.tokens))
        table.add_row("tokens, most", *(f"{each.tokens.most:,}" for each in cards if each.tokens))
    console.print(table)
    for split, each in card.splits.items():
        wanted = getattr(settings, split) + (settings.out_of_template if split == "test" else 0)
        if each.rows < wanted:
            typer.echo(
                f"{split}: {each.rows:,} of {wanted:,} rows; the episodes give no more that differ", err=True
            )
    for reason, left in card.left_out.items():
        typer.echo(f"left out {left.count:,}: {reason}", err=True)
    if card.only_in_train:
        typer.echo(f"not in the test: {', '.join(card.only_in_train)}", err=True)
    typer.echo(f"data: {out}  digest {card.digest[:16]}")
