"""The server over stdio and over streamable HTTP, and how it ends."""

from __future__ import annotations

import os
import signal
import socket
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from echo.serve.access import Application, RequireToken
from echo.serve.address import Address

if TYPE_CHECKING:
    from types import FrameType

    from mcp.server.mcpserver import MCPServer

END_SECONDS = 3
"""How long open requests may take when the server is ended."""

BODY_BYTES = 8 * 1024 * 1024
"""Longest request; a note is far shorter."""


def serve_stdio(server: MCPServer[Any]) -> None:
    """Serve the one client at standard input and output until it closes them.

    Nothing but protocol goes to standard output: the SDK turns whatever else is printed to standard error.
    """
    _end_when_told()
    server.run("stdio")


def _end_when_told() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, _end_now)


def _end_now(number: int, frame: FrameType | None) -> None:
    """End the process: a thread that waits for input, or works on a call, cannot be asked to.

    Whatever is being written is written whole or not at all, also when a process dies.
    """
    os._exit(0)


def http_application(server: MCPServer[Any], address: Address, path: str, token: str | None) -> Application:
    """Return the ASGI application that serves `path`.

    On loopback the headers Host and Origin must name this machine, so that no web page reaches the memory
    through a name that it points here. Elsewhere that page would need the token.

    Args:
        server: What is served.
        address: Where it listens.
        path: Such as '/mcp'.
        token: What every request must carry; None lets all through.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    hosts = list(dict.fromkeys(["127.0.0.1", "localhost", "[::1]", address.url_host, address.host]))
    names = [name for host in hosts for name in (host, f"{host}:*")]
    security = TransportSecuritySettings(
        enable_dns_rebinding_protection=address.loopback,
        allowed_hosts=names,
        allowed_origins=[f"http://{name}" for name in names],
    )
    application: Application = server.streamable_http_app(
        streamable_http_path=path,
        # One JSON answer a call: a client bounds the size of streamed events, which pictures pass.
        json_response=True,
        max_request_body_size=BODY_BYTES,
        transport_security=security,
        host=address.ip,
    )
    return application if token is None else RequireToken(application, token)


def serve_http(application: Application, bound: socket.socket, ready: Callable[[], None]) -> None:
    """Serve until Ctrl-C or a signal to end. Calls under way are finished first, unless it comes twice.

    Args:
        application: From `http_application`.
        bound: A listening socket; closed at the end.
        ready: Called once requests are taken.
    """
    import uvicorn

    class Announced(uvicorn.Server):
        """Says when it has begun, and does not wait a second time."""

        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets=sockets)
            ready()

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            if self.should_exit:
                _end_now(sig, frame)
            super().handle_exit(sig, frame)

    config = uvicorn.Config(
        application,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=END_SECONDS,
        lifespan="on",
    )
    with bound, suppress(KeyboardInterrupt):
        Announced(config).run(sockets=[bound])
    # What is left are threads that finish their calls.
    _end_when_told()
