"""Settings of an agent, the same for every memory it is given."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, kw_only=True, slots=True)
class ExplorerOptions:
    """How an explorer ranks what it could try; bits are those of a description length."""

    item_bits: float = 5.5
    """Bits to name an item that never worked in a grid: one of about 45."""
    smelt_bits: float = 3.0
    """Bits to say that something is smelted."""
    edit_bits: float = 3.0
    """Bits to say that a grid that worked is edited, and how."""
    useful: float = 1.0
    """How much an item's bits fall with the logarithm of its successes."""
    tries_scale: float = 150.0
    """Own attempts with an item after which it costs one bit more."""
    pair_items: int = 40
    """Two-kind patterns are filled with this many items of the fewest bits."""
    queue: int = 64
    """Attempts ranked at once for each arm."""
    luck_memory: float = 0.95
    """Share of an arm's luck that outlasts one attempt; luck is its share of attempts with a new item."""
    first_luck: float = 0.1
    """Luck of every arm at the start."""
    dice_bits: float = 0.0
    """Spread of the dice (Gumbel) in the ranking, in bits; 1 / ln 2 draws attempts as their bits say."""
    price_share: float = 1.0
    """How much the bits of missing material count; above 1 what is near at hand comes first."""
    too_dear: float = 1e4
    """Price in counted actions beyond which missing material counts as out of reach."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentOptions:
    """How an agent shares its budget out between memory and exploration."""

    explore_share: float = 0.3
    """Share of decisions that go to exploration although memory promises more."""
    rate_memory: float = 0.96
    """Share of the explorer's rate that outlasts one counted action of exploration."""
    first_rate: float = 0.3
    """Explorer's new items per counted action taken for granted at the start."""
    plans: int = 3
    """Plans made for one attempt before it is set aside; each but the first answers a surprise."""
    idle_probes: int = 2
    """Closed blocks on which a new tool may fail, one after another, before it is not probed further."""
    verifies: bool = True
    """Whether a suggestion is checked against what is known before it is tried."""
    patience: int = 10_000
    """Turns without a counted action after which the agent gives up."""
    explorer: ExplorerOptions = field(default_factory=ExplorerOptions)


def options_for(*, remembers: bool) -> AgentOptions:
    """Return the defaults of an agent with a memory that suggests (`remembers`), or of one without.

    Each kind has the price of an edit at which it does best: three bits where edits are all there is (with
    four it has 104 items instead of 134 after 8,000 actions), four where memory varies what worked as well.
    """
    return AgentOptions(explorer=ExplorerOptions(edit_bits=4.0 if remembers else 3.0))
