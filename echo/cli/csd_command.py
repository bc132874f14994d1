"""``echo-memory csd ...``: add, show, correct and remove single descriptors."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from echo.cli.bank_door import AsJson, BankPath, EncoderChoice, bank_file, open_bank, open_or_make_bank
from echo.cli.episode_describing import RULES, Builder, BuilderChoice, ExplainChoice, FramesChoice
from echo.cli.screen import exit_codes, print_json
from echo.mfm.plain_text import plain

if TYPE_CHECKING:
    from csd.protocol import Filing

app = typer.Typer(no_args_is_help=True, help="Add, show, correct and remove descriptors of a memory bank.")

UNCHANGED = "nothing was changed"

FILE_HELP = "JSON of descriptors; '-' is standard input."

FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help=FILE_HELP)]
Tags = Annotated[list[str] | None, typer.Option("--tag", help="File it under this tag. Repeat for more.")]
Agent = Annotated[str, typer.Option(help="Who remembers it.")]
Life = Annotated[str, typer.Option(help="The life in which it was experienced.")]
Success = Annotated[
    bool | None,
    typer.Option("--success/--failed", help="Of released entries whose history states no score."),
]


@app.callback()
def csd() -> None:
    """Add, show, correct and remove descriptors of a memory bank."""


@app.command()
def add(
    file: FileArgument,
    bank: BankPath,
    tag: Tags = None,
    agent: Agent = "",
    life: Life = "",
    derived_from: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Descriptor it was made from. Repeat for more; for one new one only."
        ),
    ] = None,
    success: Success = None,
    encoder: EncoderChoice = None,
    builder: BuilderChoice = RULES,
    explain: ExplainChoice = None,
    frames: FramesChoice = False,
    as_json: AsJson = False,
) -> None:
    """Add the descriptors in FILE to a bank, all of them or none; a missing bank is made.

    FILE holds one descriptor, a JSON list, one a line, or a memory file as Echo released it; or it is a
    memory folder, whose episodes are described: by rule, or by a model, each of whose attempts is kept in
    BANK.attempts.jsonl.

    Example: echo-memory csd add new.jsonl --bank memory.sqlite --agent ada --tag kitchen
    """
    with exit_codes(UNCHANGED):
        from csd.by_model.kept import attempts_file
        from echo.cli.csd_reading import read_descriptors
        from echo.experiments.spec import UsageError

        attempts = attempts_file(bank_file(bank))
        chosen = Builder(name=builder, explain=explain, frames=frames, attempts=attempts)
        if chosen.is_model and bank_file(bank).exists():
            # Before a model is asked for an hour: a bank that will not take it is told now.
            open_bank(bank, encoder, embeds=False).close()
        csds = read_descriptors(file, success, chosen)
        if derived_from and len(csds) != 1:
            raise UsageError(
                f"expected one descriptor with --derived-from; got {len(csds)}. Add it on its own."
            )
        with open_or_make_bank(bank, encoder) as memory:
            held = [one for one in dict.fromkeys(one.id for one in csds) if one in memory]
            filing = _filing(tag, agent, life)
            if derived_from:
                memory.add(csds[0], filing=filing, derived_from=derived_from)
            else:
                memory.add_many(csds, filing=filing)
            added = [one for one in dict.fromkeys(one.id for one in csds) if one not in held]
        if as_json:
            print_json({"bank": str(memory.path), "added": added, "held": held})
            return
        if not csds:
            typer.echo(f"nothing added: {file} holds no descriptors", err=True)
        about = {one.id: one.meta.task for one in csds}
        for id in added:
            typer.echo(f"added {id}  {plain(about[id])[:50]}")
        for id in held:
            typer.echo(f"held  {id}  {plain(about[id])[:50]}")


@app.command()
def show(
    id: Annotated[str, typer.Argument(metavar="ID", help="Descriptor, 'csd_' and 16 digits.")],
    bank: BankPath,
    graph: Annotated[
        Literal["node-link", "graphml"] | None,
        typer.Option(help="Print its graph instead, as a file for other programs."),
    ] = None,
    versions: Annotated[bool, typer.Option("--versions", help="Also all states of this belief.")] = False,
    links: Annotated[bool, typer.Option("--links", help="Also links, and credit an axis.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a descriptor: circumstances, and what it states on each axis with the evidence for it.

    Example: echo-memory csd show csd_0123456789abcdef --bank memory.sqlite --versions --links
    """
    with exit_codes(UNCHANGED):
        from echo.cli.csd_shown import csd_json, graph_text, print_csd, print_links, print_versions
        from echo.experiments.spec import UsageError

        if graph == "graphml" and as_json:
            raise UsageError(
                "expected --json or --graph graphml; got both. GraphML is XML: leave out --json."
            )
        with open_bank(bank, embeds=False) as memory:
            found = memory.get(id)
            if graph is not None:
                typer.echo(graph_text(found, graph))
            elif as_json:
                print_json(csd_json(found, memory))
            else:
                print_csd(found)
                if versions:
                    print_versions(id, memory)
                if links:
                    print_links(id, memory)


@app.command()
def rm(
    ids: Annotated[list[str], typer.Argument(metavar="ID...", help="Descriptors to forget.")],
    bank: BankPath,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    as_json: AsJson = False,
) -> None:
    """Forget descriptors, with their links, credit and filings; tells what hangs on them and asks first.

    Example: echo-memory csd rm csd_0123456789abcdef --bank memory.sqlite
    """
    with exit_codes("each descriptor is there whole, or gone"), open_bank(bank, embeds=False) as memory:
        from echo.cli.csd_shown import hanging
        from echo.experiments.spec import UsageError

        wanted = list(dict.fromkeys(ids))
        told = {id: hanging(id, memory) for id in wanted}
        for id, lines in told.items():
            typer.echo(f"{id}  {plain(lines[0])}", err=True)
            for line in lines[1:]:
                typer.echo(f"  {plain(line)}", err=True)
        if not yes:
            if not sys.stdin.isatty():
                raise UsageError("expected --yes where nobody can be asked; got none. Nothing was removed.")
            typer.confirm(f"Forget {_counted(len(wanted))}?", abort=True, err=True)
        removed = [id for id in wanted if memory.remove(id)]
        if as_json:
            print_json({"bank": str(memory.path), "removed": removed})
        else:
            typer.echo(f"removed {_counted(len(removed))}")


@app.command()
def supersede(
    old: Annotated[str, typer.Argument(metavar="OLD", help="Id of the descriptor that holds no more.")],
    file: FileArgument,
    bank: BankPath,
    at_step: Annotated[
        int | None, typer.Option(min=0, help="World step from which it holds; left out, the new one's own.")
    ] = None,
    tag: Tags = None,
    agent: Agent = "",
    life: Life = "",
    success: Success = None,
    encoder: EncoderChoice = None,
    as_json: AsJson = False,
) -> None:
    """Put the descriptor in FILE in the place of OLD, which stays readable and is recalled with --as-of.

    Example: echo-memory csd supersede csd_0123456789abcdef better.json --bank memory.sqlite
    """
    with exit_codes(UNCHANGED):
        from echo.cli.csd_reading import read_descriptor
        from echo.experiments.spec import UsageError

        correction = read_descriptor(file, success)
        with open_bank(bank, encoder) as memory:
            try:
                new = memory.supersede(old, correction, at_step=at_step, filing=_filing(tag, agent, life))
            except ValueError as error:
                raise UsageError(str(error)) from error
            state: dict[str, Any] = next(
                {"superseded": one.id, "by": new, "at_step": one.superseded_step}
                for one in memory.versions(old)
                if one.id == old
            )
        if as_json:
            print_json({"bank": str(memory.path), **state})
        else:
            typer.echo(f"{old} is superseded by {new} from step {state['at_step']:,}")


def _filing(tags: list[str] | None, agent: str, life: str) -> Filing | None:
    from csd.protocol import Filing

    return Filing(agent=agent, life=life, tags=tuple(tags or ())) if tags or agent or life else None


def _counted(number: int) -> str:
    return f"{number} descriptor{'' if number == 1 else 's'}"
