"""The ``echo-memory`` command. A command loads what it needs when it runs, so that help is there at once."""

from __future__ import annotations

from typing import Annotated

import typer

from echo.cli.report_command import report
from echo.cli.run_command import app as run_app
from echo.cli.screen import exit_codes, print_json
from echo.cli.why_command import why

app = typer.Typer(
    name="echo-memory",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="Experience that transfers: a five-axis memory for embodied agents, and its bench.",
    epilog="Exit codes: 0 done, 1 failed, 2 wrong use. Results go to stdout, progress to stderr.",
)
app.add_typer(run_app, name="run")
app.command("report")(report)
app.command("why")(why)


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
