"""What memory believes about untried fillings: a Gaussian process over (slot, item) pairs.

Every tried filling is an observation, 1 if it gave something and 0 if not. The covariance of two fillings
is slot likeness times item likeness, plus a bias of the item and one of the slot, so that success and
failure spread to like items in like slots, and a prediction falls apart into parts: the credit of each
axis. Source: Gaussian process regression (Rasmussen & Williams, 2006, §2.2) with a product kernel; the
solve is conjugate gradients started from the last solution.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, slots=True)
class BeliefSettings:
    """Constants of the process."""

    mean: float = 0.02
    """Success rate where nothing is known."""
    scale: float = 1.0
    """Prior variance of what spreads by likeness."""
    item_bias: float = 0.15
    """Prior variance of how often an item works anywhere."""
    slot_bias: float = 0.06
    """Prior variance of how open a slot is."""
    noise: float = 0.05
    """Variance of an outcome around the belief."""
    iterations: int = 12


@dataclass(slots=True)
class Belief:
    """Posterior over all slot and item pairs."""

    settings: BeliefSettings = field(default_factory=BeliefSettings)
    _alpha: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    _slots: Floats = field(default_factory=lambda: np.zeros((0, 0)))
    _items: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def set_kernels(self, slots: Floats, items: Floats) -> None:
        """Take the likeness of slots (s, s) and items (n, n), float64, semi-definite, diagonal <= 1."""
        self._slots, self._items = slots, items

    def fit(self, worked: NDArray[np.bool_], failed: NDArray[np.bool_]) -> None:
        """Condition on all tried fillings, (slots, items) bool each."""
        seen = (worked | failed).astype(np.float64)
        target = np.where(worked, 1.0 - self.settings.mean, -self.settings.mean) * seen
        alpha = np.zeros_like(target)
        rows, columns = min(len(self._alpha), len(target)), min(self._alpha.shape[1], target.shape[1])
        alpha[:rows, :columns] = self._alpha[:rows, :columns]
        alpha *= seen
        self._alpha = self._solve(alpha, target, seen)

    def predict(self) -> Floats:
        """Return the belief for all fillings, (slots, items) float64, not clipped."""
        return np.asarray(self.settings.mean + self._spread(self._alpha))

    def parts(self, row: int, column: int, shares: Mapping[str, Floats]) -> dict[str, float]:
        """Return what the belief in one filling consists of.

        Args:
            row: the slot.
            column: the item.
            shares: channel -> its share in the likeness of the item to each item, (n,) float64 in [0, 1].

        Returns:
            One part per channel, and 'item' and 'slot' for the two biases; with the mean they add up to the
            belief.
        """
        s = self.settings
        along = s.scale * (self._slots[row] @ self._alpha) * self._items[:, column]
        parts = {name: float((along * share).sum()) for name, share in shares.items()}
        parts["item"] = float(s.item_bias * self._alpha[:, column].sum())
        parts["slot"] = float(s.slot_bias * self._alpha[row].sum())
        return parts

    def _spread(self, alpha: Floats) -> Floats:
        s = self.settings
        return np.asarray(
            s.scale * (self._slots @ alpha @ self._items)
            + s.item_bias * alpha.sum(axis=0)[None, :]
            + s.slot_bias * alpha.sum(axis=1)[:, None]
        )

    def _apply(self, alpha: Floats, seen: Floats) -> Floats:
        return np.asarray((self.settings.noise * alpha + self._spread(alpha)) * seen)

    def _solve(self, alpha: Floats, target: Floats, seen: Floats) -> Floats:
        residual = target - self._apply(alpha, seen)
        direction, power = residual.copy(), float((residual**2).sum())
        for _ in range(self.settings.iterations):
            if power < 1e-6:
                break
            image = self._apply(direction, seen)
            curvature = float((direction * image).sum())
            if curvature <= 0:
                break
            step = power / curvature
            alpha = alpha + step * direction
            residual = residual - step * image
            fresh = float((residual**2).sum())
            direction = residual + (fresh / power) * direction
            power = fresh
        return alpha
