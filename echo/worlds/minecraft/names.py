"""Invented names: one seeded renaming of every item, block and creature, both ways.

A world with invented names shows what a policy owes to knowing words. An item and the block it places
share one invented name, as they share one real name.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

_ONSETS = (
    "b",
    "d",
    "f",
    "g",
    "h",
    "j",
    "k",
    "l",
    "m",
    "n",
    "p",
    "r",
    "s",
    "t",
    "v",
    "w",
    "z",
    "br",
    "dr",
    "kl",
    "st",
    "tr",
)
_VOWELS = ("a", "e", "i", "o", "u", "ai", "ou")
_CODAS = ("", "", "", "n", "r", "l", "s", "k")


class NameBook:
    """The names a world shows, and the real ones behind them.

    Attributes:
        shown_by_real: Shown name of each real name; empty when names are not invented.
        real_by_shown: The inverse.
    """

    def __init__(self, real_names: Iterable[str], seed: int | None) -> None:
        """Make the book.

        Args:
            real_names: Every name that may be shown. Order and repetition do not matter.
            seed: Seed of the renaming, or None to show the real names.
        """
        self.shown_by_real: dict[str, str] = {}
        self.real_by_shown: dict[str, str] = {}
        if seed is None:
            return
        ordered = sorted(dict.fromkeys(real_names))
        rng = np.random.default_rng(np.random.SeedSequence([seed, 0x6E616D65]))
        taken = dict.fromkeys(ordered)
        for real in ordered:
            shown = _invent(rng)
            while shown in taken:
                shown = _invent(rng)
            taken[shown] = None
            self.shown_by_real[real] = shown
            self.real_by_shown[shown] = real

    @property
    def invented(self) -> bool:
        """Whether the shown names differ from the real ones."""
        return bool(self.shown_by_real)

    def shown(self, real: str) -> str:
        """Return the name the agent sees for `real`."""
        return self.shown_by_real.get(real, real)

    def real(self, shown: str) -> str | None:
        """Return the real name behind `shown`, or None for a name this world never shows."""
        return self.real_by_shown.get(shown) if self.real_by_shown else shown


def _invent(rng: np.random.Generator) -> str:
    """Return two or three syllables."""
    syllables = []
    for _ in range(int(rng.integers(2, 4))):
        onset, vowel, coda = (part[int(rng.integers(len(part)))] for part in (_ONSETS, _VOWELS, _CODAS))
        syllables.append(onset + vowel + coda)
    return "".join(syllables)
