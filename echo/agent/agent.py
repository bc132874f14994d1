"""What an agent is made of, whatever it remembers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from echo.agent.options import AgentOptions
from echo.agent.policy import MemoryPolicy


@dataclass(frozen=True, kw_only=True, slots=True)
class Agent:
    """One agent: a memory, an explorer with or without edits, settings, and its own dice."""

    policy: MemoryPolicy
    edits: bool
    """Whether the explorer edits grids that worked."""
    options: AgentOptions
    rng: np.random.Generator
    """Draws the share of exploration, and blocks to dig for want of something better."""
