"""The words of a script: its atoms, what it sees, what came of an action. Loaded in the script's process."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Sequence
from typing import Any, cast

Do = dict[str, Any]
"""An action as JSON."""
Yielded = Do | tuple[Do, dict[str, Any]]
"""An action, alone or with what is expected of it."""


class View(dict[str, Any]):
    """A JSON object whose keys are attributes too: `came.ok`, `seen.inventory`."""

    def __init__(self, value: dict[str, Any]) -> None:
        """Take over an object and all objects in it."""
        super().__init__({key: _view(each) for key, each in value.items()})

    def __getattr__(self, name: str) -> Any:
        """Return the value of the key `name`.

        Raises:
            AttributeError: if there is no such key.
        """
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"expected one of {', '.join(self)}, got {name!r}") from None


class Seen(View):
    """What is perceived."""

    def count(self, item: str) -> int:
        """Return how many of `item` are carried."""
        held = self["inventory"].get(item)
        return 0 if held is None else int(held["count"])

    def near(self, block: str) -> bool:
        """Return whether `block` is within reach and can be used."""
        return any(station["block"] == block for station in self["stations"])


class Came(View):
    """What came of an action, and what is seen after it."""

    def __init__(self, value: dict[str, Any]) -> None:
        """Take over the answer to an action."""
        super().__init__(value)
        self["seen"] = Seen(value["seen"])

    def count(self, item: str) -> int:
        """Return how many of `item` are carried now."""
        return cast(Seen, self["seen"]).count(item)

    def near(self, block: str) -> bool:
        """Return whether `block` is within reach now and can be used."""
        return cast(Seen, self["seen"]).near(block)


Loop = Generator[Yielded, Came, Came]
"""A closed loop: `came = yield from collect_until("oak_log", "oak_log", 4)`."""


def _view(value: Any) -> Any:
    if isinstance(value, dict):
        return View(value)
    return [_view(each) for each in value] if isinstance(value, list) else value


def _atom(kind: str, *names: str, **usual: Any) -> Callable[..., Do]:
    """Return the function that makes an action of this kind."""

    def make(*values: Any, **named: Any) -> Do:
        given = {**dict(zip(names, values, strict=False)), **named}
        missing = [name for name in names if name not in given and name not in usual]
        if len(values) > len(names) or len(given) < len(values) + len(named) or set(given) - set(names):
            raise TypeError(f"{kind} takes ({', '.join(names)}), got {values!r} {named!r}"[:200])
        if missing:
            raise TypeError(f"{kind} takes ({', '.join(names)}), got no {missing[0]}")
        return {"kind": kind, **usual, **given}

    make.__name__ = kind
    return make


go_to = _atom("go_to", "target")
look_at = _atom("look_at", "target")
collect = _atom("collect", "block")
mine = _atom("mine", "target")
craft = _atom("craft", "grid")
smelt = _atom("smelt", "input", "fuel")
place = _atom("place", "item", "target", target=None)
equip = _atom("equip", "item")
eat = _atom("eat", "item")
attack = _atom("attack", "mob")
drop = _atom("drop", "item", "amount", amount=1)
wait_until = _atom("wait_until", "condition", "ticks", condition="time", ticks=20)


def look() -> Do:
    """Look again without doing anything."""
    return {"kind": "look"}


def watch(ticks: int = 400, **conditions: Any) -> Do:
    """Wait until all conditions hold, at most `ticks` ticks."""
    return {"kind": "watch", "ticks": ticks, "until": conditions}


def call(name: str, /, **arguments: Any) -> Do:
    """Run another procedure."""
    return {"kind": "call", "name": name, "arguments": arguments}


def note(text: str) -> Do:
    """Leave a remark in the record of the run."""
    return {"kind": "note", "text": text}


def _until(action: Do, item: str, count: int, codes: Sequence[str] = ("ok",)) -> Loop:
    """Repeat an action until `count` of `item` are carried; any outcome but `codes` is a surprise."""
    came = yield look()
    while came.count(item) < count:
        came = yield action, {"code": list(codes)}
    return came


def collect_until(block: str, item: str, count: int) -> Loop:
    """Collect such blocks until so many of the item are carried; no drop is no surprise."""
    return (yield from _until(collect(block), item, count, ("ok", "no_drop")))


def attack_until(mob: str, item: str, count: int) -> Loop:
    """Strike such creatures until so many of the item are carried; no drop is no surprise."""
    return (yield from _until(attack(mob), item, count, ("ok", "no_drop")))


def craft_until(grid: list[list[str | None]], item: str, count: int) -> Loop:
    """Craft until so many of the item are carried."""
    return (yield from _until(craft(grid), item, count))


def smelt_until(input: str, fuel: str, item: str, count: int) -> Loop:
    """Smelt until so many of the item are carried."""
    return (yield from _until(smelt(input, fuel), item, count))


def go_near(block: str) -> Loop:
    """Walk to the nearest such block in sight; none in sight is a surprise."""
    came = yield look(), {"sees": [block]}
    return (yield go_to(came.seen.blocks[block].nearest))


def ensure_near(station: str) -> Loop:
    """Have the station in reach: there, walked to, or put down from the pack."""
    came = yield look()
    if not came.near(station) and station in came.seen.blocks:
        came = yield go_to(came.seen.blocks[station].nearest)
    if not came.near(station) and came.count(station) > 0:
        came = yield place(station)
    return came if came.near(station) else (yield look(), {"near": [station]})


def ensure_held(item: str | None) -> Loop:
    """Hold the item unless it is held already."""
    came = yield look()
    return came if came.seen.mainhand == item else (yield equip(item), {"holds": item})


def eat_until(item: str, food: float) -> Loop:
    """Eat until food is at least so high."""
    came = yield look()
    while came.seen.vitals.food < food:
        came = yield eat(item)
    return came


def drop_all(item: str) -> Loop:
    """Throw away all of the item."""
    came = yield look()
    carried = came.count(item)
    return (yield drop(item, carried), {"inventory_at_most": {item: 0}}) if carried else came


def dig_down(depth: int) -> Loop:
    """Dig so many blocks straight down, sinking into each."""
    came = yield look()
    for _ in range(depth):
        x, y, z = (math.floor(part) for part in came.seen.position)
        came = yield mine([x, y - 1, z]), {"code": ["ok", "no_drop"]}
        came = yield go_to([x, y - 1, z])
    return came


def walk(targets: Sequence[Sequence[int]]) -> Loop:
    """Walk to each of the cells in order."""
    came = yield look()
    for target in targets:
        came = yield go_to(target)
    return came


def wait_for_day() -> Loop:
    """Wait until it is day."""
    return (yield wait_until("day", 24_000))


WORDS: dict[str, Any] = {
    word.__name__: word
    for word in (
        *(go_to, look_at, collect, mine, craft, smelt, place, equip, eat, attack, drop, wait_until),
        *(look, watch, call, note, collect_until, attack_until, craft_until, smelt_until, go_near),
        *(ensure_near, ensure_held, eat_until, drop_all, dig_down, walk, wait_for_day),
    )
}
"""Name -> function, as `echo.mfm.procedural.atoms` describes them."""
