"""How well stored frames are found again: by their hash, and by their vector.

Run as ``python -m echo.bench.evidence [SEEDS]``. Views of 64x64 pixels from random places of the Minecraft
world, two thirds on the ground and one third in caves dug for the purpose, are compared with the views from
the same places a little changed, and with those from other places, at least `APART` blocks away. A seed lays
the same land out another way round, so that only views of one seed are compared.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from echo.mfm.evidence.hashes import BITS, SAME, bits_apart, screen_hash
from echo.mfm.evidence.picture_vector import picture_vector
from echo.mfm.evidence.pictures import png_bytes
from echo.worlds.minecraft.body import Body
from echo.worlds.minecraft.facts import load_facts
from echo.worlds.minecraft.render import draw
from echo.worlds.minecraft.sight import EYE_HEIGHT
from echo.worlds.minecraft.terrain import AIR, lay_out, spawn_cell

if TYPE_CHECKING:
    from csd.episode import Cell, Frame
    from echo.worlds.minecraft.terrain import Land

SIZE = 64
PLACES = 90
"""Places of one seed."""
APART = 4.0
_COPIES = 2
"""A third copy would be the first one again, and its views no other places."""


@dataclass(frozen=True, kw_only=True)
class View:
    """What is seen from a place, as it was and a little changed."""

    place: Cell
    as_it_was: bytes
    changed: dict[str, bytes]
    """Name of the change -> picture."""


def views(seed: int, places: int = PLACES) -> list[View]:
    """Return the views from some places of one seed."""
    rng = np.random.default_rng(seed)
    land = lay_out(load_facts(), _COPIES, rng)
    seen = []
    for number in range(places):
        place = spawn_cell(land, rng)
        if number % 3 == 0:
            place = _cave(land, place, rng)
        body = Body(feet=place, yaw=float(rng.uniform(0, 360)), pitch=float(rng.uniform(-20, 25)))
        seen.append(_view(land, body))
    return seen


def _cave(land: Land, above: Cell, rng: np.random.Generator) -> Cell:
    """Dig a small cave below a place and return its middle."""
    x, _, z = (min(max(value, 4), size - 5) for value, size in zip(above, land.shape, strict=True))
    y = land.min_y + int(rng.integers(8, 40))
    for dx, dy, dz in np.ndindex(7, 3, 7):
        if rng.random() < 0.8:
            land.put((x + dx - 3, y + dy, z + dz - 3), AIR)
    return x, y, z


def _view(land: Land, body: Body) -> View:
    def drawn(eyes: Body, held: tuple[int, int, int] | None = None, daylight: float = 1.0) -> bytes:
        return _png(draw(land, eyes, SIZE, held=held, daylight=daylight))

    x, y, z = body.feet
    as_it_was = drawn(body)
    changed = {
        "another thing in the hand": drawn(body, held=(200, 60, 60)),
        "a little later (light .9)": drawn(body, daylight=0.9),
        "at dusk (light .6)": drawn(body, daylight=0.6),
        "turned by 4 degrees": drawn(replace(body, yaw=body.yaw + 4)),
        "turned by 12 degrees": drawn(replace(body, yaw=body.yaw + 12)),
        "tilted by 4 degrees": drawn(replace(body, pitch=body.pitch + 4)),
        "a step aside": drawn(replace(body, feet=(x + 1, y, z))),
        "two steps aside": drawn(replace(body, feet=(x, y, z + 2))),
    }
    changed["a block in front dug out"] = _without_block_ahead(land, body, drawn)
    return View(place=body.feet, as_it_was=as_it_was, changed=changed)


def _without_block_ahead(land: Land, body: Body, drawn: Callable[[Body], bytes]) -> bytes:
    """Return the view without the first block that is looked at, which is put back."""
    yaw, pitch = np.radians(body.yaw), np.radians(body.pitch)
    ahead = np.array((-np.sin(yaw) * np.cos(pitch), -np.sin(pitch), np.cos(yaw) * np.cos(pitch)))
    eye = np.add(body.feet, (0.5, EYE_HEIGHT, 0.5))
    for blocks in np.arange(0.5, 6.0, 0.1):
        x, y, z = np.floor(eye + ahead * blocks).astype(int).tolist()
        if land.inside((x, y, z)) and land.at((x, y, z)) != AIR:
            kind = land.at((x, y, z))
            land.put((x, y, z), AIR)
            picture = drawn(body)
            land.put((x, y, z), kind)
            return picture
    return drawn(body)


def _png(frame: Frame) -> bytes:
    from PIL import Image

    return png_bytes(Image.fromarray(frame))


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        prog="python -m echo.bench.evidence",
        description="How often a changed view of a place is found again, by hash and by vector.",
        epilog="Example: python -m echo.bench.evidence 4",
    )
    parser.add_argument("seeds", type=int, nargs="?", default=4, help="Worlds to look at (%(default)s).")
    parser.add_argument("--json", action="store_true", help="Print one JSON object of these lines.")
    asked = parser.parse_args()
    seeds = range(asked.seeds)
    seen = [views(seed) for seed in seeds]
    told = {"hash": hash_lines(seen), "vector": vector_lines(seen)}
    if asked.json:
        sys.stdout.write(f"{json.dumps(told)}\n")
        return
    for line in (*told["hash"], *told["vector"]):
        sys.stdout.write(f"{line}\n")


def hash_lines(seen: Sequence[Sequence[View]]) -> list[str]:
    """Return how many views are within the bound of `same_screen`, in words."""
    began = time.perf_counter()
    hashes = [[screen_hash(view.as_it_was) for view in group] for group in seen]
    each = (time.perf_counter() - began) / sum(map(len, seen))
    others = [
        bits_apart(hashes[n][one], hashes[n][two])
        for n, group in enumerate(seen)
        for one, two in _other_places(group)
    ]
    lines = [
        f"screen_hash: {BITS} bits, {each * 1e3:.2f} ms a frame",
        f"  {'other places':28} {_share(others)} of {len(others):,} pairs within {SAME} bits",
    ]
    for change in seen[0][0].changed:
        apart = [
            bits_apart(hashes[n][place], screen_hash(view.changed[change]))
            for n, group in enumerate(seen)
            for place, view in enumerate(group)
        ]
        lines.append(f"  {change:28} {_share(apart)} within {SAME} bits, median {int(np.median(apart))}")
    return lines


def _share(apart: Sequence[int]) -> str:
    return f"{np.mean(np.array(apart) <= SAME):7.2%}"


def _other_places(group: Sequence[View]) -> list[tuple[int, int]]:
    return [
        (one, two)
        for one in range(len(group))
        for two in range(one)
        if np.linalg.norm(np.subtract(group[one].place, group[two].place)) >= APART
    ]


def vector_lines(seen: Sequence[Sequence[View]]) -> list[str]:
    """Return how often the view as it was is the most similar one to a changed view, in words."""
    began = time.perf_counter()
    held = [np.array([picture_vector(view.as_it_was) for view in group]) for group in seen]
    each = (time.perf_counter() - began) / sum(map(len, seen))
    lines = [f"picture_vector: {held[0].shape[1]} numbers, {each * 1e3:.2f} ms a frame"]
    for change in seen[0][0].changed:
        ranks = []
        for n, group in enumerate(seen):
            cosines = np.array([picture_vector(view.changed[change]) for view in group]) @ held[n].T
            ranks += (cosines > np.diag(cosines)[:, None]).sum(axis=1).tolist()
        first, fifth = np.mean(np.array(ranks) == 0), np.mean(np.array(ranks) < 5)
        lines.append(f"  {change:28} found first {first:4.0%}, among the first five {fifth:4.0%}")
    return lines


if __name__ == "__main__":
    main()
