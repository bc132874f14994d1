"""The memories that Echo is compared with, by name. They differ from it in their source of likeness alone."""

from __future__ import annotations

from csd.encode import load_encoder
from echo.agent.policy import MemoryPolicy
from echo.agent.transfer import TransferPolicy
from echo.baselines.bow import BagLikeness
from echo.baselines.names import NameLikeness


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
