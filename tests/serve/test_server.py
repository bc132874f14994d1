"""The server as a client sees it, in the same process: lists, errors, many calls at once, read-only."""

from __future__ import annotations

import asyncio
import json
import shutil
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from mcp import Client

from csd.store.schema import APPLICATION_ID
from echo.mfm.layout import MfmError
from echo.mfm.mine.writable import Mine
from echo.serve.mcp_server import AT_ONCE, make_server
from echo.serve.reply import Arguments, MemoryTool, NoArguments, Refused, Reply
from tests.csd.test_bank_upgrade import SCHEMA, fill
from tests.serve.memory_samples import call, digest_of, make_bank, make_memory, refusal, text_of, with_client

WRITING = ["consolidate", "memory", "procedure_save", "remember", "working_write"]
READING = [
    "inspect",
    "map",
    "notes_check",
    "notes_list",
    "notes_read",
    "places_changed",
    "places_known",
    "places_near",
    "places_nearest",
    "places_remembered",
    "procedure_show",
    "procedures_list",
    "query",
    "recall",
    "then_now",
    "why",
    "working_read",
]


@pytest.fixture(scope="module")
def recorded(tmp_path_factory) -> Path:
    return make_memory(tmp_path_factory.mktemp("serve") / "memory")


@pytest.fixture
def memory(recorded, tmp_path) -> Path:
    return Path(shutil.copytree(recorded, tmp_path / "memory"))


async def tools_of(client):
    return {tool.name: tool for tool in (await client.list_tools()).tools}


def fake(name="wait", call=None, arguments=NoArguments, **options):
    return MemoryTool(
        name=name,
        title=name,
        about="For a test.",
        arguments=arguments,
        call=call or (lambda asked: Reply(text="done")),
        **options,
    )


def test_every_tool_is_listed_with_what_it_does(recorded):
    tools = with_client(recorded, tools_of)
    assert sorted(tools) == sorted(READING + WRITING)
    hints = {name: tool.annotations for name, tool in tools.items()}
    assert sorted(name for name, hint in hints.items() if not hint.read_only_hint) == WRITING
    assert [name for name, hint in hints.items() if hint.destructive_hint] == ["memory"]
    assert not any(hint.open_world_hint for hint in hints.values())


def test_every_argument_is_described_and_no_other_is_taken(recorded):
    for tool in with_client(recorded, tools_of).values():
        assert tool.input_schema["additionalProperties"] is False
        assert all(held.get("description") for held in tool.input_schema["properties"].values()), tool.name


def test_all_tools_together_cost_a_model_less_than_eight_thousand_tokens(recorded):
    tools = with_client(recorded, tools_of).values()
    letters = sum(len(json.dumps(tool.model_dump(mode="json", exclude_none=True))) for tool in tools)
    # Some four letters a token.
    assert letters < 32_000


def test_a_memory_that_is_not_there_is_not_served(tmp_path):
    with pytest.raises(MfmError, match="expected the index of a memory"):
        make_server(tmp_path)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_clients_of_the_old_and_the_new_handshake_are_served(recorded, mode):
    async def main():
        async with Client(make_server(recorded), mode=mode) as client:
            return await client.call_tool("query", {"last": 1})

    assert asyncio.run(main()).structured_content["rows"][0]["id"] == "ep_000002"


@pytest.mark.parametrize(
    ("tool", "asked", "said"),
    [
        ("query", {"tags": "x"}, "tags: there is no such argument, tag is close"),
        ("query", {"zzz": 1}, "zzz: there is no such argument."),
        ("query", {"steps": [1]}, "steps: List should have at least 2 items"),
        ("query", {"near": ["nan", 0]}, "near: Input should be a finite number, got 'nan'"),
        ("inspect", {}, "episode: it must be given"),
        ("inspect", {"episode": 7}, "episode: Input should be a valid string, got 7"),
        ("places_known", {"kind": "fruit"}, "Input should be 'points', 'hazards', 'containers' or 'cells'"),
    ],
)
def test_wrong_arguments_are_told_one_by_one_with_what_the_tool_takes(recorded, tool, asked, said):
    text = refusal(call(recorded, tool, asked))
    assert said in text
    assert "pydantic" not in text
    assert text.endswith("Nothing was done.")


def test_an_unknown_tool_is_told(recorded):
    assert refusal(call(recorded, "fly")) == "Unknown tool: fly"


def test_a_foreseen_error_is_its_own_text_and_an_unforeseen_one_only_its_kind(recorded):
    def refuse(asked):
        raise Refused("expected a, got b. Do c.")

    def fall(asked):
        raise KeyError("/secret/path")

    tools = [fake("refuse", refuse), fake("fall", fall)]
    assert refusal(call(recorded, "refuse", tools=tools)) == "expected a, got b. Do c."
    assert refusal(call(recorded, "fall", tools=tools)) == (
        "expected an answer, got an unforeseen fault (KeyError). The server's log tells more; other calls go "
        "on working."
    )


def test_the_server_goes_on_after_an_unforeseen_fault(recorded):
    def fall(asked):
        raise RecursionError

    async def work(client):
        results = [
            await client.call_tool("fall"),
            await client.call_tool("wait"),
            await client.call_tool("fall"),
        ]
        return [result.is_error for result in results]

    assert with_client(recorded, work, tools=[fake("fall", fall), fake()]) == [True, False, True]


def test_half_a_character_and_no_number_in_a_memory_do_not_break_a_message(recorded):
    data = {"x": float("nan"), "text": "\ud83c"}
    tools = [fake(call=lambda asked: Reply(text="a\ud83c", data=data))]
    done = call(recorded, "wait", tools=tools)
    assert text_of(done) == "a\ufffd"
    assert done.structured_content == {"x": "NaN", "text": "\ufffd"}


def test_four_notes_at_once_are_all_kept_and_the_server_lives(memory):
    async def work(client):
        asked = [{"text": f"Lesson {number} [ep_000001]."} for number in range(4)]
        results = await asyncio.gather(*(client.call_tool("remember", one) for one in asked))
        assert not any(result.is_error for result in results)
        return await client.call_tool("notes_read", {"path": "notes.md"})

    lines = text_of(with_client(memory, work)).splitlines()[2:]
    assert sorted(lines) == [f"- Lesson {number} [ep_000001]." for number in range(4)]
    assert [change.number for change in Mine(memory).history()] == [1, 2, 3, 4]


def test_two_servers_of_one_memory_lose_nothing(memory):
    async def main():
        async with Client(make_server(memory)) as one, Client(make_server(memory)) as other:
            calls = [
                client.call_tool("remember", {"text": f"{name} {number} [ep_000001]."})
                for number in range(5)
                for name, client in (("one", one), ("other", other))
            ]
            return [result.is_error for result in await asyncio.gather(*calls)]

    assert asyncio.run(main()) == [False] * 10
    assert Mine(memory).read("notes.md").count("\n- ") == 10


def test_a_long_call_does_not_hold_up_others(recorded):
    begun, free = threading.Event(), threading.Event()

    def wait(asked):
        begun.set()
        assert free.wait(20)
        return Reply(text="late")

    async def work(client):
        late = asyncio.ensure_future(client.call_tool("wait"))
        await asyncio.to_thread(begun.wait, 20)
        quick = await client.call_tool("quick")
        read = await client.read_resource("memory://index")
        free.set()
        return text_of(quick), len(read.contents), text_of(await late)

    tools = [fake(call=wait), fake("quick")]
    assert with_client(recorded, work, tools=tools) == ("done", 1, "late")


def test_more_calls_than_threads_are_all_answered(recorded):
    running, most, turn = [0], [0], threading.Lock()

    def count(asked):
        with turn:
            running[0] += 1
            most[0] = max(most[0], running[0])
        threading.Event().wait(0.01)
        with turn:
            running[0] -= 1
        return Reply(text="done")

    async def work(client):
        return await asyncio.gather(*(client.call_tool("wait") for _ in range(3 * AT_ONCE)))

    results = with_client(recorded, work, tools=[fake(call=count)])
    assert [text_of(result) for result in results] == ["done"] * (3 * AT_ONCE)
    assert most[0] <= AT_ONCE


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_a_cancelled_call_is_finished_and_the_next_one_answered(recorded, mode):
    begun, free, ended = threading.Event(), threading.Event(), threading.Event()

    def wait(asked):
        begun.set()
        assert free.wait(20)
        ended.set()
        return Reply(text="late")

    async def main():
        async with Client(make_server(recorded, tools=[fake(call=wait), fake("quick")]), mode=mode) as client:
            late = asyncio.ensure_future(client.call_tool("wait"))
            await asyncio.to_thread(begun.wait, 20)
            late.cancel()
            quick = asyncio.ensure_future(client.call_tool("quick"))
            await asyncio.sleep(0.05)
            free.set()
            with pytest.raises(asyncio.CancelledError):
                await late
            return text_of(await quick)

    assert asyncio.run(main()) == "done"
    assert ended.wait(20)


def test_texts_of_arguments_are_taken_as_they_are(recorded):
    class Saying(Arguments):
        text: str | None = None
        """What to say."""
        numbers: list[int] | None = None
        """What to add."""

    tools = [fake(arguments=Saying, call=lambda asked: Reply(text=f"{asked.text!r} {asked.numbers}"))]
    assert (
        text_of(call(recorded, "wait", {"text": "[1]", "numbers": "[1, 2]"}, tools=tools)) == "'[1]' [1, 2]"
    )


def test_a_read_only_server_lists_no_tool_that_writes_and_takes_none(memory):
    assert sorted(with_client(memory, tools_of, read_only=True)) == READING
    for name in WRITING:
        assert refusal(call(memory, name, {"text": "x"}, read_only=True)) == f"Unknown tool: {name}"


async def read_all_notes(client):
    for name, asked in (
        ("notes_list", {}),
        ("notes_read", {"path": "notes.md"}),
        ("notes_check", {}),
        ("working_read", {}),
        ("procedures_list", {}),
    ):
        result = await client.call_tool(name, asked)
        assert not result.is_error, result
    await client.list_resources()
    return (await client.read_resource("memory://notes/notes.md")).contents[0].text


def test_a_read_only_server_shows_a_change_whose_writer_was_killed_and_leaves_it_unfinished(memory):
    mine = Mine(memory)
    mine.write("notes.md", "- Logs burn [ep_000001].\n", by="person", why="test")
    mine.write("notes.md", "- Logs float [ep_000001].\n", by="person", why="test")
    # As a kill between the line of the log and the file leaves it.
    (memory / "mine/notes.md").write_text("- Logs burn [ep_000001].\n")
    (memory / "history/applied").write_text("1\n")
    before = digest_of(memory)
    assert with_client(memory, read_all_notes, read_only=True) == "- Logs float [ep_000001].\n"
    assert digest_of(memory) == before
    assert Mine(memory).read("notes.md") == "- Logs float [ep_000001].\n"
    assert digest_of(memory) != before


def old_bank(path: Path) -> Path:
    """Make a bank as the first release did."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(SCHEMA)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 1")
        connection.execute("PRAGMA journal_mode = WAL")
        fill(connection)
    return path


def bank_without_log(path: Path) -> Path:
    """Make a bank of today's format in a file that has no write-ahead log, as a copy may be."""
    with closing(sqlite3.connect(make_bank(path), isolation_level=None)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
    return path


@pytest.mark.parametrize(("make", "got"), [(old_bank, "format 1"), (bank_without_log, "never opened")])
def test_a_read_only_server_refuses_a_bank_that_opening_would_rewrite(memory, make, got):
    make(memory / "bank.sqlite")
    before = digest_of(memory)
    said = refusal(call(memory, "recall", {"func": "handle"}, read_only=True))
    assert said.startswith(f"expected a bank of format 2 at {memory / 'bank.sqlite'}, for this server only")
    assert got in said
    assert digest_of(memory) == before
    assert not call(memory, "recall", {"func": "handle"}).is_error
    assert not call(memory, "recall", {"func": "handle"}, read_only=True).is_error


def test_a_read_only_server_changes_nothing_on_disk(memory):
    Mine(memory).write("notes.md", "- Logs burn [ep_000001].\n", by="person", why="test")
    make_bank(memory / "bank.sqlite")
    before = digest_of(memory)

    async def work(client):
        for name, asked in (
            ("query", {"text": "planks", "sheet": True}),
            ("query", {"same_screen": "ep_000001"}),
            ("inspect", {"episode": "ep_000001", "frame": True}),
            ("then_now", {"then": "ep_000001"}),
            ("places_near", {"x": 0, "z": 0}),
            ("places_known", {"kind": "hazards"}),
            ("recall", {"func": "handle"}),
            ("notes_list", {}),
            ("notes_read", {"path": "notes.md"}),
            ("procedures_list", {}),
        ):
            result = await client.call_tool(name, asked)
            assert not result.is_error, result
        for uri in ("memory://index", "memory://episodes/ep_000001/frame", "memory://notes/notes.md"):
            await client.read_resource(uri)

    with_client(memory, work, read_only=True)
    assert digest_of(memory) == before
