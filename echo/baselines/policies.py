"""The memories that Echo is compared with in unlocking, by name.

Two differ from it in their source of likeness alone. The others are memories of tasks, asked by one rule: see
`echo.baselines.recalling`. Left out are `direct` and `deps`, which keep nothing and so are the agent 'edits',
and `mfm`, whose folder is written and read an episode at a time and has procedures for goals alone.
"""

from __future__ import annotations

from collections.abc import Sequence

from csd.encode import load_encoder
from csd.episode import Episode
from echo.agent.body import World
from echo.agent.policy import MemoryPolicy
from echo.agent.transfer import TransferPolicy
from echo.baselines.bow import BagLikeness
from echo.baselines.memories import make_memory
from echo.baselines.names import NameLikeness
from echo.baselines.recalling import RecallingPolicy
from echo.baselines.watched import Watched

RECALLING: tuple[str, ...] = (
    "voyager", "jarvis-1", "mrsteve", "mp5", "pro-long", "vista", "echo-release",
)  # fmt: skip
"""Memories of tasks that an unlocking life can be led with, in the order of all tables."""


def baseline_policy(agent: str, encoder: str) -> MemoryPolicy | None:
    """Return the memory of the baseline `agent`, None for an agent that is no baseline with a memory.

    Args:
        agent: 'name-similarity' or 'bow'; others have none of their own here.
        encoder: name of the encoder that compares names, see `csd.encode.load_encoder`.

    Raises:
        EncodeError: if the encoder is unknown or cannot be loaded.
    """
    match agent:
        case "name-similarity":
            return TransferPolicy(NameLikeness(load_encoder(encoder)))
        case "bow":
            return TransferPolicy(BagLikeness())
        case _:
            return None


def remembering(
    agent: str, world: World, demonstrations: Sequence[Episode], encoder: str
) -> tuple[World, MemoryPolicy]:
    """Return a world that a memory of tasks looks on at, and what that memory suggests in it.

    Args:
        agent: one of `RECALLING`.
        world: to live in.
        demonstrations: shown to the memory before the start.
        encoder: name of the encoder of those that compare texts, see `csd.encode.load_encoder`.

    Raises:
        ValueError: on an agent that there is not.
        EncodeError: if the encoder is unknown or cannot be loaded.
    """
    memory = make_memory(agent, None, encoder=load_encoder(encoder))
    for shown in demonstrations:
        memory.show(shown)
    watched = Watched(world, memory)
    return watched, RecallingPolicy(memory, watched)
