"""How predictions turned out, group by group: the correction that outcomes teach."""

from __future__ import annotations

from collections.abc import Hashable, Sequence


class Honesty:
    """How predictions for groups of candidates turned out: observed against predicted successes."""

    def __init__(self, strength: float = 1.5) -> None:
        """Start without any outcome.

        Args:
            strength: successes' worth of trust in the predictions as they are.
        """
        self._strength = strength
        self._sums: dict[Hashable, list[float]] = {}

    def note(self, groups: Sequence[Hashable], predicted: float, *, worked: bool) -> None:
        """Take in one tried candidate, its prediction in [0, 1] and the groups it belongs to."""
        for group in groups:
            sums = self._sums.setdefault(group, [0.0, 0.0])
            sums[0] += worked
            sums[1] += predicted

    def factor(self, group: Hashable) -> float:
        """Return observed over predicted for a group, drawn to 1 by `strength` successes' worth; 0.1 to 2."""
        worked, predicted = self._sums.get(group, (0.0, 0.0))
        return min(max((worked + self._strength) / (predicted + self._strength), 0.1), 2.0)
