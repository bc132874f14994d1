"""A small memory to serve, and a client for it in the same process."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, TypeVar

import pytest
from mcp import Client, MCPError

from csd.bank import Bank
from csd.descriptor import Csd, Meta
from csd.encode import HashingEncoder
from echo.mfm.episodic.recorder import Recorder
from echo.serve.mcp_server import make_server
from tests.csd.descriptors import meta, says, wooden_pickaxe
from tests.mfm.episodic.sample_steps import collect_log, craft_planks, picture, seen

Answer = TypeVar("Answer")


def make_memory(root: Path) -> Path:
    """Record an initial state and two episodes: planks from a log, and a log collected with damage."""
    with Recorder.open(root, source="minecraft-test") as recorder:
        recorder.initial(seen(0, frame=picture(0)))
        recorder.write(
            goal="planks",
            steps=[craft_planks(1, frame=picture(1))],
            after=seen(2, oak_planks=4),
            notes=["planks from a log"],
        )
        recorder.write(goal="log", steps=[collect_log(2, frame=picture(2))], after=seen(3, oak_log=1))
    return root


def make_bank(path: Path) -> Path:
    """Fill a bank at `path` with two pickaxes, of wood and of stone."""
    circumstances = meta("make a stone_pickaxe", step=200).model_dump() | {"product": "stone_pickaxe"}
    stone = Csd(
        meta=Meta(**circumstances),
        struct=(says("stone_pickaxe", "grid", "AAA/.B./.B."), says("stick", "fills", "B")),
        func=(says("cobblestone", "plays", "head"), says("stick", "plays", "handle")),
    )
    with Bank.open(path, HashingEncoder(), durable=False) as bank:
        bank.add(wooden_pickaxe())
        bank.add(stone)
    return path


def with_client(root: Path, work: Callable[[Client], Awaitable[Answer]], **options: Any) -> Answer:
    """Return what `work` answers with a client of a server for `root`."""

    async def main() -> Answer:
        async with Client(make_server(root, **options)) as client:
            return await work(client)

    return asyncio.run(main())


def call(root: Path, tool: str, arguments: dict[str, Any] | None = None, **options: Any) -> Any:
    """Return the result of one call."""

    async def work(client: Client) -> Any:
        return await client.call_tool(tool, arguments or {})

    return with_client(root, work, **options)


def error_of(root: Path, work: Callable[[Client], Awaitable[Any]], **options: Any) -> MCPError:
    """Return the error of the protocol that `work` meets."""

    async def meet(client: Client) -> MCPError:
        # Caught while the client is open: it wraps what leaves it into groups.
        with pytest.raises(MCPError) as met:
            await work(client)
        return met.value

    return with_client(root, meet, **options)


def text_of(result: Any) -> str:
    """Return what a model reads of a result."""
    return "\n".join(each.text for each in result.content if each.type == "text")


def refusal(result: Any) -> str:
    """Return the text of an error, which the result must be."""
    assert result.is_error, result
    return text_of(result)


def digest_of(root: Path) -> dict[str, str]:
    """Return every file of a memory with the digest of its content; caches are left out."""
    return {
        path.relative_to(root).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(root.rglob("*"))
        if path.is_file() and not {"cache", "bank.sqlite.cache"} & set(path.relative_to(root).parts)
    }
