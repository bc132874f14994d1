"""Synthetic records: clustered unit vectors and made-up descriptors of about 2 KB, the same for one seed.

Every block of rows is drawn from a generator of its own, so that any part can be made alone, and a small
set is the beginning of a larger one.
"""

from __future__ import annotations

from functools import cached_property, lru_cache

import numpy as np

from csd.axes import AXES
from csd.descriptor import Csd, Evidence, Meta, Statement, Value
from echo.bench.retrieval.question import Batch, Facets, Floats, batch_of

CENTRES = 2_000
DIMENSION = 384
SPREAD = 0.6
"""Length of the noise beside a centre of length 1: two records of a cluster have a cosine near .74."""
BLOCK = 5_000
"""Rows drawn together, 38 MB."""
STEPS = 100_000
"""World steps at which experiences begin, evenly spread."""

_HELD_OUT = 1_000_000_000
"""Rows from here on are never among the data."""
_VERBS = ("craft", "smelt", "collect", "mine", "attack", "place", "other")
_WORDS = (
    "amber", "birch", "cedar", "dusk", "ember", "frost", "granite", "hazel", "iron", "jade", "kelp",
    "loam", "moss", "night", "oak", "pine", "quartz", "rust", "slate", "thorn", "umber", "vine",
)  # fmt: skip


class SyntheticData:
    """`size` synthetic records of a seed."""

    dimension = DIMENSION

    def __init__(self, seed: int, size: int) -> None:
        """Draw nothing yet; rows are drawn when they are asked for."""
        self.size = size
        self._seed = seed
        self._drawn: tuple[int, Floats] | None = None

    def vectors(self, start: int, stop: int) -> Floats:
        """Return (stop - start, 5, 384) vectors."""
        parts = []
        for block in range(start // BLOCK, (stop - 1) // BLOCK + 1):
            first = block * BLOCK
            parts.append(self._block(block)[max(start - first, 0) : stop - first])
        return np.concatenate(parts) if len(parts) > 1 else parts[0]

    def facets(self, start: int, stop: int) -> Facets:
        """Return circumstances: two in three succeed, steps and the rest are evenly spread."""
        rows = np.arange(start, stop, dtype=np.uint64)
        roll = _scramble(rows + np.uint64(self._seed) * np.uint64(1_000_003))
        return Facets(
            success=roll % np.uint64(3) > 0,
            step=(roll // np.uint64(3) % np.uint64(STEPS)).astype(np.int64),
            verb=[_VERBS[n] for n in (roll // np.uint64(1 << 20) % np.uint64(len(_VERBS))).tolist()],
            world=[f"world-{n}" for n in (roll // np.uint64(1 << 30) % np.uint64(10)).tolist()],
            biome=[_WORDS[n] for n in (roll // np.uint64(1 << 40) % np.uint64(len(_WORDS))).tolist()],
        )

    def records(self, start: int, stop: int) -> list[str]:
        """Return canonical JSON; the content has to do with the row, not with its vectors."""
        facets = self.facets(start, stop)
        return [
            _record(row, bool(success), step, verb, world, biome)
            for row, success, step, verb, world, biome in zip(
                range(start, stop),
                facets.success,
                facets.step.tolist(),
                facets.verb,
                facets.world,
                facets.biome,
                strict=True,
            )
        ]

    def held_out(self, count: int) -> Batch:
        """Return `count` more records out of the same clusters."""
        return batch_of(self, _HELD_OUT, _HELD_OUT + count)

    @cached_property
    def _centres(self) -> Floats:
        rng = np.random.default_rng([self._seed, 0])
        return _unit(rng.standard_normal((CENTRES, len(AXES), DIMENSION), dtype=np.float32))

    def _block(self, block: int) -> Floats:
        if self._drawn is None or self._drawn[0] != block:
            rng = np.random.default_rng([self._seed, 1, block])
            near = self._centres[rng.integers(CENTRES, size=BLOCK)]
            noise = rng.standard_normal(near.shape, dtype=np.float32)
            noise *= np.float32(SPREAD / np.sqrt(DIMENSION))
            noise += near
            self._drawn = (block, _unit(noise))
        return self._drawn[1]


def _unit(rows: Floats) -> Floats:
    rows /= np.sqrt(np.einsum("nad,nad->na", rows, rows))[:, :, None]
    return rows


def _scramble(
    numbers: np.ndarray[tuple[int], np.dtype[np.uint64]],
) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """Return well mixed 64-bit numbers. Source: the finaliser of SplitMix64."""
    mixed = (numbers + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def _record(row: int, success: bool, step: int, verb: str, world: str, biome: str) -> str:
    product, head, handle = (f"{_WORDS[row // n % len(_WORDS)]}_{kind}_{row}" for n, kind in _NAMES)
    record = _template()
    for mark, text in (
        ("@product", product),
        ("@head", head),
        ("@handle", handle),
        ("@episode", f"ep_{row % 1_000_000:06d}"),
        ("@biome", biome),
        ("@world", world),
        ('"@verb"', f'"{verb}"'),
        ('"success":true', f'"success":{str(success).lower()}'),
        ('"step":987654321', f'"step":{step}'),
        ('"tick":987654321', f'"tick":{20 * step}'),
    ):
        record = record.replace(mark, text)
    return record


_NAMES = ((1, "tool"), (22, "plate"), (484, "rod"))


@lru_cache(maxsize=1)
def _template() -> str:
    """Return the canonical JSON of a descriptor with marks in the places that differ between records."""

    def says(subject: str, predicate: str, value: Value, detail: str) -> Statement:
        seen = Evidence(episode="@episode", step=3, kind="outcome", detail=detail)
        return Statement(subject=subject, predicate=predicate, value=value, evidence=(seen,))

    laid = "craft AAA/.B./.B. of @head x3, @handle x2"
    csd = Csd(
        meta=Meta(
            task="make a @product", success=True, product="@product", verb="other",
            position=(12.5, 64.0, -3.5), step=987654321, tick=987654321, biome="@biome",
            objects=("crafting_table", "grass_block", "oak_log"), world="@world", builder="synthetic/1",
            episodes=("@episode",),
        ),
        struct=(
            says("@product", "grid", "AAA/.B./.B.", laid),
            says("@head", "fills", "A", laid),
            says("@handle", "fills", "B", laid),
            says("@head", "part", "top row", laid),
        ),
        attr=(says("@product", "stack_size", 1, "@product +1"), says("@head", "placeable", True, "placed")),
        proc=(
            says("@product", "made_by", "craft", laid),
            says("@product", "consumes", "@head x3", "@head -3"),
            says("@product", "consumes", "@handle x2", "@handle -2"),
        ),
        func=(says("@head", "plays", "head", laid), says("@handle", "plays", "handle", laid)),
        inter=(says(laid, "tried", "ok", "@product +1"),),
    )  # fmt: skip
    return csd.canonical().replace('"verb":"other"', '"verb":"@verb"')
