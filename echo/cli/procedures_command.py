"""``echo-memory procedures ...``: the action scripts and reflexes of a memory folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo.cli.screen import FAILED, exit_codes, print_json

if TYPE_CHECKING:
    pass

app = typer.Typer(no_args_is_help=True, help="Save, check and run the action scripts of a memory.")

KEPT = "what was saved before is as it was"

Root = Annotated[Path, typer.Option(metavar="DIR", help="Memory folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of a procedure.")]
Unsafe = Annotated[
    bool, typer.Option("--unsafe", help="Run it even where nothing keeps it from the network.")
]


@app.callback()
def procedures() -> None:
    """Save, check and run the action scripts of a memory."""


@app.command("list")
def list_(root: Root = Path(), as_json: AsJson = False) -> None:
    """List the procedures, reflexes and skills of a memory, and how runs went.

    Example: echo-memory procedures list --root runs/memory
    """
    with exit_codes(KEPT):
        from echo.cli.procedures_shown import list_json, list_lines
        from echo.mfm.procedural.library import Library

        library = Library(root)
        if as_json:
            print_json(list_json(library))
            return
        for line in list_lines(library):
            typer.echo(line)


@app.command()
def atoms(as_json: AsJson = False) -> None:
    """List what a procedure can do: its actions and closed loops.

    Example: echo-memory procedures atoms
    """
    from dataclasses import asdict

    from echo.cli.procedures_shown import atom_lines
    from echo.mfm.procedural.atoms import atoms as known

    if as_json:
        print_json({"atoms": [asdict(atom) for atom in known()]})
        return
    for line in atom_lines():
        typer.echo(line)


@app.command()
def show(name: Name, root: Root = Path(), as_json: AsJson = False) -> None:
    """Show a procedure: its text, its versions, and how their runs went.

    Example: echo-memory procedures show make_planks --root runs/memory
    """
    with exit_codes(KEPT):
        from echo.cli.procedures_shown import show_json, show_lines
        from echo.mfm.procedural.library import Library

        library = Library(root)
        if as_json:
            print_json(show_json(library, name))
            return
        for line in show_lines(library, name):
            typer.echo(line)


@app.command()
def check(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME]...", help="Procedures and reflexes; all if none.")
    ] = None,
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Find what is wrong with procedures and reflexes, without running any; exit code 1 where something is.

    Example: echo-memory procedures check --root runs/memory
    """
    with exit_codes(KEPT):
        from echo.cli.procedures_shown import flaws_of
        from echo.mfm.procedural.library import Library

        found = flaws_of(Library(root), names or [])
        if as_json:
            held = {
                file: [{"line": flaw.line, "text": flaw.text} for flaw in flaws]
                for file, flaws in found.items()
            }
            print_json({"root": str(root), "sound": not any(found.values()), "files": held})
        else:
            from echo.mfm.plain_text import plain

            for file, flaws in found.items():
                for flaw in flaws:
                    typer.echo(plain(f"{file}: {flaw}"))
            wrong = sum(map(bool, found.values()))
            typer.echo(f"{len(found)} checked, {wrong} with flaws")
    if any(found.values()):
        raise typer.Exit(FAILED)


@app.command()
def save(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="NAME.py, the text of the procedure.")],
    root: Root = Path(),
    why: Annotated[str, typer.Option(help="The reason, for the history.")] = "saved from a file",
    as_json: AsJson = False,
) -> None:
    """Save a procedure into a memory, under the name of its file; a new version where there is one.

    Example: echo-memory procedures save make_planks.py --root runs/memory --why "learned today"
    """
    with exit_codes(KEPT):
        from echo.cli.screen import InputError
        from echo.mfm.procedural.library import Library

        try:
            text = file.read_text(encoding="utf-8")
        except UnicodeDecodeError as error:
            raise InputError(f"expected UTF-8 text in {file}, got something else ({error}).") from error
        saved = Library(root).save(file.stem, text, by="person", why=why)
        if as_json:
            held = {"name": saved.procedure.name, "version": saved.version.number}
            print_json({"root": str(root), **held, "digest": saved.version.digest})
        else:
            typer.echo(f"saved {saved.procedure.name} {saved.version}")


@app.command()
def install(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a procedure or skill.")],
    source: Annotated[Path, typer.Option("--from", metavar="DIR", help="Memory folder that has it.")],
    root: Root = Path(),
    as_json: AsJson = False,
) -> None:
    """Take a procedure or a skill over from another memory; episodes it cites are named with where they are.

    Example: echo-memory procedures install smelt_iron --from runs/iron --root runs/memory
    """
    with exit_codes(KEPT):
        from echo.mfm.procedural.library import Library
        from echo.mfm.procedural.skills import install_procedure, install_skill, skill_names

        known = Library(source).names()
        chosen = install_skill if name not in known and name in skill_names(source) else install_procedure
        done = chosen(root, name, source=source, where=str(source))
        if as_json:
            print_json({"root": str(root), "paths": list(done.paths), "cited": list(done.cited)})
            return
        for path in done.paths:
            typer.echo(f"installed {path}")


@app.command()
def run(
    name: Name,
    root: Root = Path(),
    args: Annotated[str, typer.Option(metavar="JSON", help="Arguments, a JSON object.")] = "{}",
    seed: Annotated[int, typer.Option(min=0, help="Of the Minecraft world it runs in.")] = 0,
    give: Annotated[
        list[str] | None, typer.Option(metavar="ITEM=N", help="Carried at the start. Repeat for more.")
    ] = None,
    mob: Annotated[
        list[str] | None, typer.Option(metavar="MOB", help="Creature that roams the land. Repeat for more.")
    ] = None,
    steps: Annotated[int, typer.Option(min=1, help="Most actions.")] = 200,
    record: Annotated[bool, typer.Option("--record", help="Record it as a new life of the memory.")] = False,
    unsafe: Unsafe = False,
    as_json: AsJson = False,
) -> None:
    """Run a procedure in a new Minecraft world; exit code 1 where it was no success.

    It stops at the first surprise. How it went is added to the statistics of the procedure.

    Example: echo-memory procedures run make_planks --root runs/memory --give oak_log=2 --seed 3
    """
    with exit_codes("what was done so far is in runs.jsonl"):
        from echo.cli.procedures_running import run_in_minecraft, world_options
        from echo.cli.procedures_shown import run_json, run_lines

        given = _json_option("--args", args)
        if not isinstance(given, dict):
            from echo.experiments.spec import UsageError

            raise UsageError(f"expected a JSON object for --args, got {args!r}.")
        options = world_options(seed, give or [], mob or [])
        done = run_in_minecraft(root, name, given, options, steps=steps, record=record, unsafe=unsafe)
        if as_json:
            print_json(run_json(done))
        else:
            for line in run_lines(done):
                typer.echo(line)
    if not done.success:
        raise typer.Exit(FAILED)


@app.command()
def reflex(
    name: Annotated[str, typer.Argument(metavar="NAME", help="Name of a reflex.")],
    given: Annotated[str, typer.Argument(metavar="JSON", help="What it is given; '-' is standard input.")],
    root: Root = Path(),
    unsafe: Unsafe = False,
    as_json: AsJson = False,
) -> None:
    """Run a reflex on a JSON value and print what it gives, as JSON.

    Example: echo-memory procedures reflex choose_tool '{"block": "stone"}' --root runs/memory
    """
    with exit_codes(KEPT):
        import sys
        from dataclasses import asdict

        from echo.mfm.plain_text import plain
        from echo.mfm.procedural.reflexes import Ran, run_reflex

        value = _json_option("the reflex", sys.stdin.read() if given == "-" else given)
        told = run_reflex(root, name, value, unsafe=unsafe)
        if as_json:
            print_json({"reflex": name, "ran": isinstance(told, Ran), **asdict(told)})
        elif isinstance(told, Ran):
            typer.echo(json.dumps(told.value))
        else:
            typer.echo(f"error: {plain(told.text)}", err=True)
    if not isinstance(told, Ran):
        raise typer.Exit(FAILED)


def _json_option(name: str, text: str) -> Any:
    from echo.experiments.spec import UsageError

    def refuse(constant: str) -> Any:
        raise ValueError(f"{constant} is no JSON")

    try:
        return json.loads(text, parse_constant=refuse)
    except (ValueError, RecursionError) as error:
        raise UsageError(f"expected JSON for {name}, got {text[:80]!r} ({error}).") from error
