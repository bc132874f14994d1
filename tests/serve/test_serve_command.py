from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from echo.cli.serve_command import app
from echo.serve.address import listen, look_up
from tests.serve.memory_samples import make_memory

TOKEN = "a-token-of-25-characters."


@pytest.fixture(scope="module")
def memory(tmp_path_factory) -> Path:
    return make_memory(tmp_path_factory.mktemp("serve") / "memory")


def call(*words: str | Path, token: str | None = None):
    return CliRunner().invoke(app, ["mcp", *map(str, words)], env={"ECHO_MEMORY_TOKEN": token})


def told(*words: str | Path, token: str | None = None):
    done = call(*words, token=token)
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def test_the_configuration_of_a_client_starts_this_program_wherever_it_is_called_from(memory, monkeypatch):
    monkeypatch.chdir(memory.parent)
    entry = told("--root", memory.name, "--print-config", "--read-only")["mcpServers"]["echo-memory"]
    assert Path(entry["command"]).is_absolute()
    assert entry["args"][-5:] == ["serve", "mcp", "--root", str(memory), "--read-only"]


def test_the_configuration_for_http_names_the_token_and_does_not_tell_it(memory):
    words = ("--root", memory, "--http", "--port", "9000", "--path", "/memory", "--print-config", "--json")
    assert told(*words)["mcpServers"]["echo-memory"] == {
        "type": "http",
        "url": "http://127.0.0.1:9000/memory",
    }
    guarded = told(*words, "--host", "0.0.0.0", token=TOKEN)["mcpServers"]["echo-memory"]
    assert guarded["headers"] == {"Authorization": "Bearer ${ECHO_MEMORY_TOKEN}"}
    assert TOKEN not in json.dumps(guarded)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7"])
def test_off_loopback_a_token_is_required(memory, host):
    done = call("--root", memory, "--http", "--host", host)
    assert done.exit_code == 2
    assert f"expected a token, for others can reach {host}" in done.stderr


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("--json",), 2, "over stdio standard output belongs to the protocol"),
        (("--token-file", "/nowhere"), 2, "expected --token-file with --http"),
        (("--http", "--token-file", "/nowhere"), 1, "expected a file with a token at /nowhere"),
        (("--http", "--path", "mcp"), 2, "expected --path as '/mcp'"),
        (("--http", "--path", "/{x}"), 2, "expected --path as '/mcp'"),
        (("--http", "--host", "no such host"), 1, "expected the name or address of this machine"),
        (("--http", "--port", "65536"), 2, "--port"),
    ],
)
def test_wrong_use_is_told_before_anything_is_served(memory, words, code, said):
    done = call("--root", memory, *words)
    assert (done.exit_code, said in done.stderr) == (code, True), done.stderr


def test_a_weak_token_is_refused(memory):
    done = call("--root", memory, "--http", token="short")
    assert done.exit_code == 1
    assert "at least 16 characters in ECHO_MEMORY_TOKEN; got 5" in done.stderr


def test_a_folder_without_a_memory_is_told(tmp_path):
    done = call("--root", tmp_path, "--http", "--port", "0")
    assert done.exit_code == 1
    assert "expected the index of a memory" in done.stderr


def test_a_port_that_is_taken_is_told(memory):
    with listen(look_up("127.0.0.1", 0)) as taken:
        done = call("--root", memory, "--http", "--port", str(taken.getsockname()[1]))
    assert done.exit_code == 1
    assert "expected a free port at 127.0.0.1" in done.stderr


def test_a_missing_sdk_is_told_with_the_command_that_installs_it(memory, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    done = call("--root", memory)
    assert done.exit_code == 1
    assert "Install it in a checkout: pip install '.[serve]'" in done.stderr


def test_a_configuration_is_printed_without_the_sdk_too(memory, monkeypatch):
    monkeypatch.setitem(sys.modules, "mcp", None)
    assert "mcpServers" in told("--root", memory, "--print-config")
