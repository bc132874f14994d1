"""``echo-memory serve mcp``: a memory folder for any client of the Model Context Protocol."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from echo.cli.screen import InputError, exit_codes, print_json

if TYPE_CHECKING:
    from echo.serve.address import Address

app = typer.Typer(no_args_is_help=True, help="Serve a memory folder to other programs.")

STOPPED = "the server has stopped; the memory is as it was"

Http = Annotated[bool, typer.Option("--http", help="Streamable HTTP instead of stdio.")]


@app.callback()
def serve() -> None:
    """Serve a memory folder to other programs."""


@app.command()
def mcp(
    root: Annotated[Path, typer.Option(metavar="DIR", help="Memory folder.")] = Path(),
    http: Http = False,
    host: Annotated[str, typer.Option(help="Address; off loopback a token is required.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="0: any free one.")] = 8765,
    path: Annotated[str, typer.Option(help="Path of the URL.")] = "/mcp",
    token_file: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Token to require; else of $ECHO_MEMORY_TOKEN.")
    ] = None,
    read_only: Annotated[bool, typer.Option("--read-only", help="Offer nothing that writes.")] = False,
    print_config: Annotated[
        bool, typer.Option("--print-config", help="Print a client's configuration and end.")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON object once HTTP is served.")
    ] = False,
) -> None:
    """Serve a memory folder by the Model Context Protocol: over stdio, or with --http.

    Over stdio the client starts this command itself; --print-config prints what to tell it.

    Example: echo-memory serve mcp --root runs/memory --http --port 8765 --read-only
    """
    with exit_codes(STOPPED), _refusals():
        import os

        from echo.experiments.spec import UsageError
        from echo.serve.access import find_token

        if as_json and not (http or print_config):
            raise UsageError(
                "expected --json with --http or --print-config; over stdio standard output belongs to the "
                "protocol. Add one of them, or leave out --json."
            )
        if token_file is not None and not http:
            raise UsageError(
                "expected --token-file with --http; over stdio the client is the one that started it."
            )
        token = find_token(token_file, os.environ) if http else None
        if print_config:
            print_json(_configuration(root, http, host, port, path, token is not None, read_only))
            return
        _require_sdk()
        if http:
            _serve_http(root, host, port, path, token, read_only, as_json)
        else:
            _serve_stdio(root, read_only)


def _configuration(
    root: Path, http: bool, host: str, port: int, path: str, token: bool, read_only: bool
) -> dict[str, Any]:
    from echo.serve.client_configuration import http_configuration, stdio_configuration

    if not http:
        return stdio_configuration(root, read_only=read_only)
    return http_configuration(_url(_address(host, port, path, token), path), token=token)


def _serve_stdio(root: Path, read_only: bool) -> None:
    from echo.serve.mcp_server import make_server
    from echo.serve.transports import serve_stdio

    serve_stdio(make_server(root, read_only=read_only))


def _serve_http(
    root: Path, host: str, port: int, path: str, token: str | None, read_only: bool, as_json: bool
) -> None:
    from dataclasses import replace

    from echo.serve.address import listen
    from echo.serve.mcp_server import make_server
    from echo.serve.transports import http_application, serve_http

    address = _address(host, port, path, token is not None)
    server = make_server(root, read_only=read_only)
    bound = listen(address)
    address = replace(address, port=bound.getsockname()[1])

    def ready() -> None:
        told = {
            "url": _url(address, path),
            "root": str(root),
            "read_only": read_only,
            "token": token is not None,
        }
        if as_json:
            # On one line: whoever started the server reads a line, the output never ends.
            typer.echo(json.dumps(told))
            sys.stdout.flush()
        else:
            typer.echo(f"serving {root} at {told['url']}; Ctrl-C ends it", err=True)

    serve_http(http_application(server, address, path, token), bound, ready)
    typer.echo(STOPPED, err=True)


def _address(host: str, port: int, path: str, token: bool) -> Address:
    """Return where to listen, having checked that it may be listened at.

    Raises:
        UsageError: if others can reach the address and no token is required, or on a path of a wrong form.
    """
    from echo.experiments.spec import UsageError
    from echo.serve.access import VARIABLE
    from echo.serve.address import look_up

    if not path.startswith("/") or any(letter in "?#{}" or not "!" <= letter <= "~" for letter in path):
        raise UsageError(f"expected --path as '/mcp': a slash, then plain letters; got {path!r}.")
    address = look_up(host, port)
    if not address.loopback and not token:
        raise UsageError(
            f"expected a token, for others can reach {host} ({address.ip}); got none. Put one into a file "
            f"and give --token-file FILE, or set ${VARIABLE}; or leave out --host."
        )
    return address


def _url(address: Address, path: str) -> str:
    return f"http://{address.url_host}:{address.port}{path}"


def _require_sdk() -> None:
    """Raise where the SDK is not installed.

    Raises:
        InputError: with the command that installs it.
    """
    from importlib.util import find_spec

    if find_spec("mcp") is None:
        raise InputError(
            "expected the package mcp, which speaks the protocol; it is not installed. "
            "Install it in a checkout: pip install '.[serve]'"
        )


@contextmanager
def _refusals() -> Iterator[None]:
    """Let what the server refuses to start with end the command as any other bad input does."""
    from echo.serve.reply import Refused

    try:
        yield
    except Refused as refused:
        raise InputError(str(refused)) from refused
