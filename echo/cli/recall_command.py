"""``echo-memory recall``: what a bank remembers that resembles a text, a descriptor or an item, and why."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from echo.cli.bank_door import AsJson, BankPath, EncoderChoice, open_bank
from echo.cli.screen import exit_codes, print_json

if TYPE_CHECKING:
    from csd.axes import Axis

NO_STATE_LEFT = "nothing was changed"

Several = list[str] | None

Asked = partial(typer.Option, rich_help_panel="Query: texts on any axes, or one of the others")
Text = partial(Asked, metavar="TEXT")
Order = partial(typer.Option, rich_help_panel="Ranking")
Only = partial(typer.Option, rich_help_panel="Conditions, applied before the best are chosen")


def recall(
    bank: BankPath,
    struct: Annotated[str | None, Text(help="Text to resemble on structure.")] = None,
    attr: Annotated[str | None, Text(help="... on attributes.")] = None,
    proc: Annotated[str | None, Text(help="... on procedure.")] = None,
    func: Annotated[str | None, Text(help="... on function.")] = None,
    inter: Annotated[str | None, Text(help="... on interaction.")] = None,
    like: Annotated[
        str | None, Asked(metavar="ID", help="Resemble this descriptor of the bank; it is left out.")
    ] = None,
    csd: Annotated[Path | None, Asked(metavar="FILE", help="Resemble the descriptor in this file.")] = None,
    item: Annotated[str | None, Asked(metavar="NAME", help="Resemble all that is known of an item.")] = None,
    weights: Annotated[
        str | None, Order(metavar="AXIS=W,..", help="'struct=2,func=1'; other axes weigh 0.")
    ] = None,
    axes: Annotated[
        str | None, Order(metavar="MASK", help="'func,struct' alone, or all but '-func'.")
    ] = None,
    k: Annotated[int, Order("-k", "--count", min=0, metavar="N", help="How many at most.")] = 5,
    map_: Annotated[
        bool, Order("--map/--no-map", help="Order by structure too, and tell what corresponds.")
    ] = False,
    exact: Annotated[bool, Order("--exact", help="Miss nothing, also in a large bank.")] = False,
    success: Annotated[
        bool | None, Only("--success/--failed", help="Goal reached, or not; left out: both.")
    ] = None,
    task: Annotated[Several, Only(metavar="TEXT", help="Of this goal, letter by letter.*")] = None,
    verb: Annotated[Several, Only(metavar="VERB", help="Such as craft.*")] = None,
    product: Annotated[Several, Only(metavar="NAME", help="Of this item gained.*")] = None,
    biome: Annotated[Several, Only(metavar="NAME", help="In this biome. * Repeat: any of these.")] = None,
    tag: Annotated[Several, Only(metavar="TAG", help="Filed under it. Repeat: under all.")] = None,
    agent: Annotated[str | None, Only(metavar="NAME", help="Filed by this agent.")] = None,
    life: Annotated[str | None, Only(metavar="NAME", help="Filed in this life.")] = None,
    world: Annotated[str | None, Only(metavar="NAME", help="In this environment.")] = None,
    steps: Annotated[
        str | None, Only(metavar="A:B", help="World steps from A to before B; one may be left out.")
    ] = None,
    recorded: Annotated[
        str | None, Only(metavar="A:B", help="First filed from A to before B, ISO 8601, UTC.")
    ] = None,
    near: Annotated[str | None, Only(metavar="X,Z,R", help="Within R blocks of x, z.")] = None,
    as_of: Annotated[int | None, Only(metavar="STEP", help="Versions that held at this step.")] = None,
    encoder: EncoderChoice = None,
    as_json: AsJson = False,
) -> None:
    """Recall what resembles a text an axis, a descriptor, or an item: cosines, score and evidence.

    Example: echo-memory recall --bank memory.sqlite --struct "planks over a stick" --func handle -k 3
    """
    with exit_codes(NO_STATE_LEFT):
        from csd.axes import Axis
        from csd.store.where import Where
        from echo.cli.csd_reading import read_descriptor
        from echo.cli.recall_asking import Asking
        from echo.cli.recall_options import one_source, read_place, read_steps, read_times, read_weights, some
        from echo.cli.recall_shown import print_found, recall_json

        texts = {Axis.STRUCT: struct, Axis.ATTR: attr, Axis.PROC: proc, Axis.FUNC: func, Axis.INTER: inter}
        said = {axis: text for axis, text in texts.items() if text is not None}
        one_source(
            {
                "--struct/--attr/--proc/--func/--inter": bool(said),
                "--like": like is not None,
                "--csd": csd is not None,
                "--item": item is not None,
            }
        )
        shares = read_weights(weights, axes)
        (from_step, before_step), (since, until) = read_steps(steps), read_times(recorded)
        where = Where(
            success=success,
            tasks=some(task),
            verbs=some(verb),
            products=some(product),
            biomes=some(biome),
            tags=some(tag),
            agent=agent,
            life=life,
            world=world,
            from_step=from_step,
            before_step=before_step,
            recorded_from=since,
            recorded_before=until,
            near=read_place(near),
            as_of=as_of,
        )
        _check_texts(said, item, shares, map_)
        ask = Asking(k=k, weights=shares, where=where, map=map_, exact=exact)
        query = None if csd is None else read_descriptor(csd)
        # The vectors of one that is held are there: no model needs to be loaded for it.
        with open_bank(bank, encoder, embeds=like is None) as memory:
            if query is not None:
                found = ask.csd(memory, query)
            elif like is not None:
                found = ask.like(memory, like)
            elif item is not None:
                found = ask.item(memory, item)
            else:
                found = ask.texts(memory, said)
        if as_json:
            print_json(recall_json(found, shares))
        else:
            print_found(found, k)


def _check_texts(
    said: Mapping[Axis, str], item: str | None, shares: Mapping[Axis, float] | None, map_: bool
) -> None:
    """Refuse what cannot be asked of texts.

    Raises:
        UsageError: on a blank text or name, texts on axes that weigh nothing, or a mapping of texts.
    """
    from echo.experiments.spec import UsageError

    blank = next((axis for axis, text in said.items() if not text.strip()), None)
    if blank is not None or (item is not None and not item.strip()):
        raise UsageError(f"expected words after --{blank or 'item'}; got a blank text. Leave the option out.")
    if said and shares is not None and not any(shares.get(axis) for axis in said):
        raise UsageError(
            f"expected weight on an axis that is asked ({', '.join(said)}); got none. Weigh one of them."
        )
    if said and map_:
        raise UsageError(
            "expected a descriptor or an item to map to, which texts are not; got --map with texts. Ask with "
            "--like, --csd or --item, or leave out --map."
        )
