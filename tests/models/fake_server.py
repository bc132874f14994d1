"""A server on this machine that sends what a test says, and remembers what it was asked."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, BinaryIO


@dataclass(frozen=True, kw_only=True)
class Sent:
    """What the server sends for one question."""

    body: bytes = b""
    status: int = 200
    headers: dict[str, str] = field(default_factory=lambda: {"Content-Type": "application/json"})
    wait: float = 0.0
    """Seconds before anything is sent."""
    missing: int = 0
    """Bytes that Content-Length promises and the body lacks."""
    drops: bool = False
    """Whether the connection closes without a word."""
    breaks: bool = False
    """Whether the body comes in chunks, as of a stream, and the connection closes before the last one."""
    drips: bool = False
    """Whether the body is sent for ever, a byte every hundredth of a second."""


def said(text: str | None, *, reason: str = "stop", **message: Any) -> Sent:
    """A chat completion of 7 prompt and 3 completion tokens."""
    choice = {
        "index": 0,
        "message": {"role": "assistant", "content": text, **message},
        "finish_reason": reason,
    }
    return told({"choices": [choice], "usage": {"prompt_tokens": 7, "completion_tokens": 3}})


def told(value: object, status: int = 200, **headers: str) -> Sent:
    return Sent(
        body=json.dumps(value).encode("ascii"),
        status=status,
        headers={"Content-Type": "application/json", **headers},
    )


def refused(message: str, status: int = 400, **headers: str) -> Sent:
    return told({"error": {"message": message, "param": None}}, status, **headers)


@dataclass
class FakeServer:
    address: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str | None] = field(default_factory=list)
    busy: int = 0
    busiest: int = 0
    """Questions that were open at once, at most."""


def blanks(place: BinaryIO, closing: threading.Event) -> None:
    while not closing.is_set():
        place.write(b" ")
        time.sleep(0.01)


@contextmanager
def serving(*sends: Sent | Callable[[dict[str, Any]], Sent]) -> Iterator[FakeServer]:
    """Serve `sends`, one a question; the last one answers all further questions."""
    turn = threading.Lock()
    closing = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            with turn:
                place = min(len(server.asked), len(sends) - 1)
                server.asked.append(body)
                server.keys.append(self.headers.get("Authorization"))
                server.busy += 1
                server.busiest = max(server.busiest, server.busy)
            try:
                send = sends[place]
                self._send(send if isinstance(send, Sent) else send(body))
            except (BrokenPipeError, ConnectionResetError):
                self.close_connection = True
            finally:
                with turn:
                    server.busy -= 1

        def _send(self, sent: Sent) -> None:
            closing.wait(sent.wait)
            if sent.drops:
                self.close_connection = True
                return
            self.send_response(sent.status)
            for name, value in sent.headers.items():
                self.send_header(name, value)
            if sent.drips:
                self._drip()
                return
            if sent.breaks:
                self._break(sent.body)
                return
            self.send_header("Content-Length", str(len(sent.body) + sent.missing))
            self.end_headers()
            self.wfile.write(sent.body)
            if sent.missing:
                self.close_connection = True

        def _break(self, body: bytes) -> None:
            self.close_connection = True
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(body), body))

        def _drip(self) -> None:
            self.close_connection = True
            self.end_headers()
            blanks(self.wfile, closing)

        def log_message(self, *arguments: object) -> None:
            pass

    host = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server = FakeServer(address=f"http://127.0.0.1:{host.server_port}/v1")
    thread = threading.Thread(target=host.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield server
    finally:
        closing.set()
        host.shutdown()
        thread.join()
        host.server_close()
