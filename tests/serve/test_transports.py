"""The command as a client meets it: started over stdio, and over HTTP on a free port of this machine."""

from __future__ import annotations

import asyncio
import base64
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from echo.mfm.mine.writable import Mine
from tests.serve.memory_samples import make_memory, text_of

TOKEN = "a-token-of-25-characters."
COMMAND = [sys.executable, "-m", "echo.cli.main", "serve", "mcp"]
SECONDS = 30
GREETING = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory) -> Path:
    return make_memory(tmp_path_factory.mktemp("serve") / "memory")


@contextmanager
def served(memory: Path, *options: str, **environment: str) -> Iterator[tuple[str, subprocess.Popen]]:
    """Yield the URL and the process of a server on a free port; it is ended as Ctrl-C ends it."""
    words = [*COMMAND, "--root", str(memory), "--http", "--port", "0", "--json", *options]
    held = {name: value for name, value in os.environ.items() if name != "ECHO_MEMORY_TOKEN"}
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=held | environment
    ) as process:
        try:
            told = ""
            while not told.endswith("}\n"):
                line = process.stdout.readline()
                assert line, process.stderr.read()
                told += line
            yield json.loads(told)["url"], process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(SECONDS)


@pytest.fixture(scope="module")
def url(memory) -> Iterator[str]:
    with served(memory) as (url, _):
        yield url


@pytest.fixture(scope="module")
def guarded(memory) -> Iterator[str]:
    with served(memory, "--read-only", ECHO_MEMORY_TOKEN=TOKEN) as (url, _):
        yield url


@asynccontextmanager
async def client_of(url: str, token: str | None = None, mode: str = "auto"):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=SECONDS) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode) as client,
    ):
        yield client


def post(url: str, **headers: str) -> httpx2.Response:
    body = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": GREETING}
    accept = {"Accept": "application/json, text/event-stream"}
    return httpx2.post(url, json=body, headers=accept | headers, timeout=SECONDS)


def test_a_client_starts_the_server_itself_over_stdio(memory):
    async def main() -> tuple[list[str], Any, str]:
        words = [*COMMAND[1:], "--root", str(memory)]
        async with Client(StdioServerParameters(command=COMMAND[0], args=words)) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            seen = await client.call_tool("inspect", {"episode": "ep_000001", "frame": True})
            note = await client.read_resource("memory://index")
            return names, seen, note.contents[0].text

    names, seen, index = asyncio.run(main())
    assert "query" in names
    assert [content.type for content in seen.content] == ["text", "image"]
    assert json.loads(index)["episodes"] == 3


def test_nothing_but_protocol_is_on_standard_output_and_what_is_no_message_is_survived(memory):
    messages = [
        {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "initialize",
            "params": GREETING,
        },
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "fly", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "query", "arguments": {}}},
    ]
    lines = [json.dumps(message) for message in messages]
    lines[2:2] = ["this is no message", '{"jsonrpc": "2.0", "id": "\\ud83c"', ""]
    with subprocess.Popen(
        [*COMMAND, "--root", str(memory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdin.write("\n".join(lines) + "\n")
        process.stdin.flush()
        answers = {}
        while 3 not in answers:
            answer = json.loads(process.stdout.readline())
            answers[answer.get("id")] = answer
        process.stdin.close()
        assert process.wait(SECONDS) == 0
    assert answers[1]["result"]["serverInfo"]["name"] == "echo-memory"
    assert answers[2]["result"]["isError"] is True
    assert len(answers[3]["result"]["structuredContent"]["rows"]) == 3


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_server_over_stdio_ends_at_once_when_it_is_told_to(memory, number):
    with subprocess.Popen(
        [*COMMAND, "--root", str(memory)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        request = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        assert process.stdout.readline()
        process.send_signal(number)
        assert process.wait(SECONDS) == 0
        assert b"Traceback" not in process.stderr.read()


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_client_reaches_the_server_over_http(url, mode):
    async def main():
        async with client_of(url, mode=mode) as client:
            seen = await client.call_tool("inspect", {"episode": "ep_000001", "frame": True})
            frame = await client.read_resource("memory://episodes/ep_000001/frame")
            return seen, frame.contents[0].blob

    seen, blob = asyncio.run(main())
    assert [content.type for content in seen.content] == ["text", "image"]
    assert base64.b64decode(blob).startswith(b"\x89PNG")


def test_several_clients_at_once_each_get_their_own_answers_and_lose_no_note(url, memory):
    async def one(number: int) -> list[str]:
        async with client_of(url) as client:
            calls = [
                client.call_tool("remember", {"text": f"{number}.{each} [ep_000001]."}) for each in range(4)
            ]
            calls.append(client.call_tool("query", {"last": number}))
            *notes, rows = await asyncio.gather(*calls)
            assert not any(note.is_error for note in notes)
            return [row["id"] for row in rows.structured_content["rows"]]

    async def main() -> list[list[str]]:
        return await asyncio.gather(*(one(number) for number in (1, 2, 3)))

    assert asyncio.run(main()) == [
        ["ep_000002"],
        ["ep_000001", "ep_000002"],
        ["ep_000000", "ep_000001", "ep_000002"],
    ]
    assert Mine(memory).read("notes.md").count("\n- ") == 12


def test_a_large_picture_comes_through(url, memory):
    async def main():
        async with client_of(url) as client:
            asked = {"episode": "ep_000001", "frame": True, "scale": 64, "smooth": True}
            sheet = await client.call_tool("inspect", asked)
            note = "é" * 300_000
            written = {"command": "create", "path": "/memories/long.md", "file_text": note}
            await client.call_tool("memory", written)
            return sheet, text_of(await client.call_tool("notes_read", {"path": "long.md"})) == note

    picture, same = asyncio.run(main())
    assert picture.content[1].type == "image"
    assert same


def test_without_the_token_every_request_is_refused(guarded):
    for headers in ({}, {"Authorization": f"Bearer {TOKEN}x"}, {"Authorization": f"Basic {TOKEN}"}):
        answer = post(guarded, **headers)
        assert answer.status_code == 401
        assert answer.headers["www-authenticate"].startswith("Bearer")
    assert httpx2.get(guarded.replace("/mcp", "/elsewhere")).status_code == 401


def test_with_the_token_the_read_only_server_answers_and_writes_nothing(guarded):
    async def main():
        async with client_of(guarded, TOKEN) as client:
            names = [tool.name for tool in (await client.list_tools()).tools]
            refused = await client.call_tool("remember", {"text": "x [ep_000001]"})
            return names, refused

    names, refused = asyncio.run(main())
    assert not {"remember", "memory", "procedure_save", "consolidate", "working_write"} & set(names)
    assert text_of(refused) == "Unknown tool: remember"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
        ({}, 200),
    ],
)
def test_a_page_that_points_its_own_name_here_is_refused(url, headers, status):
    assert post(url, **headers).status_code == status


def test_what_is_no_message_is_answered_and_the_server_goes_on(url):
    for body in (b"", b"{", b"\xff", b"[" * 10_000, b'{"jsonrpc": "2.0"}', b"null"):
        answer = httpx2.post(url, content=body, headers={"Content-Type": "application/json"}, timeout=SECONDS)
        assert 400 <= answer.status_code < 500, body[:20]
    assert post(url).status_code == 200


def test_a_request_beyond_all_measure_is_refused(url):
    answer = httpx2.post(
        url, content=b"x" * (9 << 20), headers={"Content-Type": "application/json"}, timeout=SECONDS
    )
    assert answer.status_code == 413


def test_ctrl_c_ends_the_server_also_while_a_client_is_connected(memory):
    async def main(url: str, process: subprocess.Popen) -> int:
        async with client_of(url, mode="legacy") as client:
            await client.call_tool("query", {})
            process.send_signal(signal.SIGINT)
            return await asyncio.to_thread(process.wait, SECONDS)

    with served(memory) as (url, process):
        assert asyncio.run(main(url, process)) == 0
        error = process.stderr.read()
    assert "Traceback" not in error
    assert "the server has stopped" in error
