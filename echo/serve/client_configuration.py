"""What a client of the protocol is told to start or reach this server, as its configuration file has it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from echo.serve.access import VARIABLE

SERVER = "echo-memory"
"""Name under which a client lists the server."""


def stdio_configuration(root: Path, *, read_only: bool) -> dict[str, Any]:
    """Return the entry of a client that starts the server itself, in the form most clients read."""
    options = ["--root", str(root.resolve()), *(["--read-only"] if read_only else [])]
    program, *before = _program()
    return {"mcpServers": {SERVER: {"command": program, "args": [*before, "serve", "mcp", *options]}}}


def http_configuration(url: str, *, token: bool) -> dict[str, Any]:
    """Return the entry of a client that reaches a running server; the token is named, never shown."""
    entry: dict[str, Any] = {"type": "http", "url": url}
    if token:
        entry["headers"] = {"Authorization": f"Bearer ${{{VARIABLE}}}"}
    return {"mcpServers": {SERVER: entry}}


def _program() -> list[str]:
    """Return the command line that starts this program, whatever the client's PATH is."""
    beside = Path(sys.executable).with_name("echo-memory")
    return [str(beside)] if beside.is_file() else [sys.executable, "-m", "echo.cli.main"]
