"""What is carried: counts per item, slots, wear of tools, the held item."""

from __future__ import annotations

from collections.abc import Mapping

from csd.episode import ItemStack
from echo.worlds.minecraft.facts import ItemFact
from echo.worlds.minecraft.names import NameBook


class Inventory:
    """Items carried. Names are real inside; `seen` shows them through the name book.

    Stacks are always packed: an item takes ceil(count / stack size) slots. Of several pieces of one tool the
    most worn is used first.
    """

    def __init__(self, items: Mapping[str, ItemFact], names: NameBook, slots: int | None) -> None:
        """Start empty.

        Args:
            items: Facts of every item.
            names: What to show.
            slots: Number of slots, or None for no limit.
        """
        self._items = items
        self._names = names
        self._slots = slots
        self.counts: dict[str, int] = {}
        """Count of each item carried, none of them zero."""
        self._wear: dict[str, list[int]] = {}
        self.held: str | None = None
        self._stale: dict[str, None] = {}
        self._seen: Mapping[str, ItemStack] = {}

    def count(self, item: str) -> int:
        """Return how many of `item` are carried."""
        return self.counts.get(item, 0)

    def add(self, item: str, amount: int) -> None:
        """Put `amount` new pieces in, whether or not there is room: ask `fits` first."""
        self.counts[item] = self.counts.get(item, 0) + amount
        if self._items[item].durability is not None:
            self._wear.setdefault(item, []).extend([0] * amount)
        self._stale[item] = None

    def remove(self, item: str, amount: int) -> None:
        """Take `amount` pieces out, the most worn first.

        Raises:
            ValueError: if fewer are carried.
        """
        left = self.counts.get(item, 0) - amount
        if left < 0:
            raise ValueError(f"expected at least {amount} of {item!r} in the inventory; got {left + amount}.")
        if left:
            self.counts[item] = left
        else:
            del self.counts[item]
            if self.held == item:
                self.held = None
        if item in self._wear:
            self._wear[item] = sorted(self._wear[item])[:left]
        self._stale[item] = None

    def use(self, item: str, uses: int) -> bool:
        """Wear the most worn piece of `item` by `uses`; return whether it broke and is gone."""
        durability = self._items[item].durability
        if durability is None or uses <= 0:
            return False
        pieces = self._wear[item]
        worst = max(range(len(pieces)), key=pieces.__getitem__)
        pieces[worst] += uses
        self._stale[item] = None
        if pieces[worst] < durability:
            return False
        self.remove(item, 1)
        return True

    def fits(self, item: str, amount: int, *, without: Mapping[str, int] | None = None) -> bool:
        """Return whether `amount` of `item` finds room once the items in `without` are taken out."""
        if self._slots is None:
            return True
        after = dict(self.counts)
        for name, taken in (without or {}).items():
            after[name] = after.get(name, 0) - taken
        after[item] = after.get(item, 0) + amount
        used = sum(-(-count // self._items[name].stack_size) for name, count in after.items() if count > 0)
        return used <= self._slots

    def seen(self) -> Mapping[str, ItemStack]:
        """Return the inventory as shown: sorted by shown name, unchanged by what happens later."""
        if self._stale:
            fresh = dict(self._seen)
            resort = False
            for item in self._stale:
                shown = self._names.shown(item)
                if item in self.counts:
                    resort = resort or shown not in fresh
                    fresh[shown] = self._stack(item)
                else:
                    fresh.pop(shown, None)
            if resort:
                fresh = {name: fresh[name] for name in sorted(fresh)}
            self._seen = fresh
            self._stale.clear()
        return self._seen

    def _stack(self, item: str) -> ItemStack:
        fact = self._items[item]
        wear = 0.0
        if fact.durability is not None:
            wear = max(self._wear[item]) / fact.durability
        return ItemStack(count=self.counts[item], stack_size=fact.stack_size, wear=wear)
