"""The ``echo-memory`` command. A command loads what it needs when it runs, so that help is there at once."""

from __future__ import annotations

from typing import Annotated

import typer

from echo.cli.begin_command import begin
from echo.cli.bench_command import app as bench_app
from echo.cli.consolidate_command import consolidate
from echo.cli.csd_command import app as csd_app
from echo.cli.cue_entry import cue
from echo.cli.doctor_command import doctor
from echo.cli.exchange_commands import export, import_
from echo.cli.file_command import file
from echo.cli.finetune_command import app as finetune_app
from echo.cli.ical_command import ical
from echo.cli.inspect_command import inspect
from echo.cli.map_command import map_
from echo.cli.notes_command import app as notes_app
from echo.cli.places_command import places
from echo.cli.procedures_command import app as procedures_app
from echo.cli.query_entry import query
from echo.cli.recall_command import recall
from echo.cli.report_command import report
from echo.cli.results_command import app as results_app
from echo.cli.run_command import app as run_app
from echo.cli.screen import exit_codes, print_json
from echo.cli.serve_command import app as serve_app
from echo.cli.upkeep_commands import compact, rebuild, reembed, stats
from echo.cli.why_command import why

app = typer.Typer(
    name="echo-memory",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Experience that transfers: a five-axis memory for embodied agents, and its bench.",
    epilog="Exit codes: 0 done, 1 failed, 2 wrong use. Results go to stdout, progress to stderr.",
)
PLAY, MODEL, FOLDER, BANK, UPKEEP = "Experiments", "Language model", "Memory folder", "Memory bank", "Upkeep"

app.add_typer(run_app, name="run", rich_help_panel=PLAY)
app.command("report", rich_help_panel=PLAY)(report)
app.add_typer(results_app, name="results", rich_help_panel=PLAY)
app.command("why", rich_help_panel=PLAY)(why)
app.add_typer(bench_app, name="bench", rich_help_panel=PLAY)
app.add_typer(finetune_app, name="finetune", rich_help_panel=MODEL)
app.command("begin", rich_help_panel=FOLDER)(begin)
app.command("query", rich_help_panel=FOLDER)(query)
app.command("inspect", rich_help_panel=FOLDER)(inspect)
app.command("places", rich_help_panel=FOLDER)(places)
app.command("map", rich_help_panel=FOLDER)(map_)
app.add_typer(notes_app, name="notes", rich_help_panel=FOLDER)
app.add_typer(procedures_app, name="procedures", rich_help_panel=FOLDER)
app.command("consolidate", rich_help_panel=FOLDER)(consolidate)
app.command("file", rich_help_panel=FOLDER)(file)
app.add_typer(serve_app, name="serve", rich_help_panel=FOLDER)
app.command("recall", rich_help_panel=BANK)(recall)
app.command("ical", rich_help_panel=BANK)(ical)
app.command("cue", rich_help_panel=BANK)(cue)
app.add_typer(csd_app, name="csd", rich_help_panel=BANK)
app.command("export", rich_help_panel=BANK)(export)
app.command("import", rich_help_panel=BANK)(import_)
app.command("doctor", rich_help_panel=UPKEEP)(doctor)
app.command("stats", rich_help_panel=UPKEEP)(stats)
app.command("rebuild", rich_help_panel=UPKEEP)(rebuild)
app.command("compact", rich_help_panel=UPKEEP)(compact)
app.command("reembed", rich_help_panel=UPKEEP)(reembed)


@app.command("version")
def version(
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the versions that results depend on.

    Example: echo-memory version --json
    """
    with exit_codes():
        from echo.experiments.provenance import code_commit, package_versions

        versions = package_versions()
        if as_json:
            print_json({"versions": versions, "commit": code_commit()})
            return
        typer.echo(f"echo-memory {versions.get('echo-memory', '(not installed)')}")
        for name, number in versions.items():
            if name != "echo-memory":
                typer.echo(f"  {name} {number}")


def main() -> None:
    """Run the command line."""
    app()
