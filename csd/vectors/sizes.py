"""Which way of searching is taken at which size: the one place where numbers decide, with the numbers.

Measured on two cores (FAISS 1.15, AVX-512, one thread), five axes of 384, microseconds:

| way | cost | gives |
|---|---|---|
| scan of float16 rows, by bitmap | 0.2 a row, 0.5 if few of many, 0.002 a skipped one | all, exactly |
| scan of rows as bytes | 0.07 a row, whoever takes part; 0.4 a candidate fetched | candidates |
| the same, by bitmap | 0.12 a row, 0.35 in a large segment, 0.002 a skipped one | candidates |
| scan of 4-bit product codes | 0.01 a row, whoever takes part; 0.08 a candidate fetched | candidates |
| candidates of codes scanned as bytes | as by bitmap | fewer candidates |
| exact scores of chosen rows, copied first | 0.9 a row | the rows chosen |

So a few chosen rows are scored as they are; few rows are scanned; more are scanned as bytes, many by
their codes, and the best candidates scored exactly. Where codes leave many candidates (on real descriptors
seldom, on synthetic ones in clusters of five often), their bytes are scanned first: those estimates are a
hundred times as close.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum


class Way(Enum):
    """How one segment is searched."""

    CHOSEN = "chosen"
    """Score exactly the rows that take part."""
    SCAN = "scan"
    """Scan all float16 rows, skipping who does not take part; exact."""
    BYTES = "bytes"
    """Scan the rows as bytes, skipping who does not take part, then score the best candidates exactly."""
    CODES = "codes"
    """Scan the product codes, then score the best candidates exactly; many of them are scanned as bytes
    before."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Sizes:
    """The numbers that decide; the defaults are measured, tests shrink them."""

    segment_rows: int = 131_072
    """No segment grows beyond: 500 MB of vectors, so that building one stays far below 1 GB."""
    code_rows: int = 2_048
    """Segments from this size on get product codes when they are published."""
    candidates: int = 100
    """How many candidates of the code scans are scored exactly at first, at least."""
    candidates_per_match: int = 4
    """... and at least this many for each match that is asked for."""
    byte_candidates: int = 40
    """Instead of `candidates` where bytes are scanned ..."""
    byte_candidates_per_match: int = 2
    """... and instead of `candidates_per_match`."""
    many: int = 400
    """If so many more are needed, they are scanned where they are instead of being copied first: as bytes
    where codes found them."""
    spread: float = 4.0
    """More are scored until none that is left is expected, within this many standard deviations of
    the errors seen, to belong to the matches. At 4, nothing was missed on 5,716 real descriptors, three in a
    thousand on 10,000 synthetic ones in clusters of five, and up to one in a hundred on sparse vectors."""
    fetch_limit: int = 32_768
    """Code scans that would have to fetch more candidates than this give way to exact scans."""
    lonely_rows: int = 16_384
    """Where fewer take part, few have near neighbours, and many code candidates must be looked at: one in
    twelve of 13,000 synthetic descriptors in clusters of five, in every second question."""
    in_vain_rows: int = 8_192
    """Codes are passed over where fewer take part in a segment: they leave a third of them."""
    publish_rows: int = 2_048
    """So many rows or changes that no snapshot holds make publishing worth it."""
    small_rows: int = 2_048
    """Segments below this size are merged with their newer neighbour whatever its size."""
    merge_factor: int = 2
    """A segment is merged with newer ones when it has at most so many times their rows."""
    dead_share: float = 0.25
    """A published segment is written anew when this share of its rows is dead."""
    split_us: float = 2_000.0
    """Scans of rows of a segment that take longer are shared by two threads if the machine has nothing
    else to do. On a busy one, waiting for the other made 5 ms 9 ..."""
    split_always_us: float = 10_000.0
    """... but 28 ms 16, so that longer ones are shared in any case."""
    scan_us: float = 0.2
    scattered_us: float = 0.5
    """Instead of `scan_us` where fewer than half of the rows take part ..."""
    cached_rows: int = 16_384
    """... of a segment larger than the processor's cache."""
    skip_us: float = 0.002
    byte_us: float = 0.07
    picked_byte_us: float = 0.12
    """Instead of `byte_us` where some are skipped: the processor cannot tell which comes next ..."""
    scattered_byte_us: float = 0.35
    """... nor read it ahead in a segment larger than its cache."""
    byte_fetch_us: float = 0.4
    code_us: float = 0.01
    fetch_us: float = 0.08
    score_us: float = 0.9

    def wanted(self, way: Way, k: int) -> int:
        """Return how many candidates are scored exactly at first for `k` matches."""
        if way is Way.BYTES:
            return max(self.byte_candidates, self.byte_candidates_per_match * k)
        return max(self.candidates, self.candidates_per_match * k)

    def first_fetch(self, way: Way, k: int, *, rows: int, taking_part: int) -> int:
        """Return how many candidates to fetch at first from each segment.

        Args:
            way: by codes or by bytes.
            k: how many matches are asked for.
            rows: of the largest segment.
            taking_part: in all segments.
        """
        most = 4 * self.wanted(way, k)
        if way is Way.BYTES:
            return most
        return max(most, taking_part // 3 if taking_part < self.lonely_rows else taking_part // 1024)

    def candidate_us(self, way: Way) -> float:
        """Return the microseconds that each of many candidates costs: scored, or scanned as bytes first."""
        return min(self.score_us, self.scattered_byte_us) if way is Way.CODES else self.score_us

    def byte_scan(self, *, rows: int, taking_part: int) -> float:
        """Return the microseconds of a scan of bytes without what each candidate costs."""
        return min(rows * self.byte_us, self._picked(rows, taking_part))

    def _picked(self, rows: int, taking_part: int) -> float:
        each = self.scattered_byte_us if rows > self.cached_rows else self.picked_byte_us
        return taking_part * each + rows * self.skip_us

    def picks(self, way: Way, *, rows: int, taking_part: int) -> bool:
        """Return whether a coarse scan skips who does not take part; else candidates are dropped later."""
        if way is Way.CODES:
            # Of most rows, fetching a few more is quicker, and needs no copy of the codes.
            return 2 * taking_part < rows
        return self._picked(rows, taking_part) < rows * self.byte_us

    def fetched(self, way: Way, wanted: int, *, rows: int, taking_part: int) -> int:
        """Return how many candidates to fetch from a segment so that `wanted` of them take part."""
        if taking_part == rows or self.picks(way, rows=rows, taking_part=taking_part):
            return min(taking_part, wanted)
        return min(rows, 32 + wanted * rows * 5 // (taking_part * 4))

    def estimates(self, way: Way, fetched: int, *, rows: int, taking_part: int) -> float:
        """Return the microseconds of a scan for `fetched` candidates; infinite where not possible."""
        gross = self.fetched(way, fetched, rows=rows, taking_part=taking_part)
        if gross > self.fetch_limit:
            return float("inf")
        if way is Way.BYTES:
            return self.byte_scan(rows=rows, taking_part=taking_part) + gross * self.byte_fetch_us
        return rows * self.code_us + gross * self.fetch_us

    def scan(self, *, rows: int, taking_part: int) -> float:
        """Return the microseconds of an exact scan."""
        scattered = rows > self.cached_rows and 2 * taking_part < rows
        return taking_part * (self.scattered_us if scattered else self.scan_us) + rows * self.skip_us

    def way(self, k: int, *, rows: int, taking_part: int, coarse: Sequence[Way]) -> Way:
        """Return how to search a segment.

        Args:
            k: how many matches are asked for.
            rows: how many rows the segment has.
            taking_part: how many of them may be found, at least 1.
            coarse: which of `Way.BYTES` and `Way.CODES` are open to it; none where nothing may be missed.
        """
        costs = {
            Way.SCAN: self.scan(rows=rows, taking_part=taking_part),
            Way.CHOSEN: taking_part * self.score_us,
        }
        lonely = taking_part < self.lonely_rows
        # Bytes that the cache holds are as quick as codes, and a hundred times as close.
        in_vain = self.in_vain_rows if rows > self.cached_rows else self.lonely_rows
        for way in coarse:
            if way is Way.CODES and taking_part < in_vain:
                continue
            fetched = self.first_fetch(way, k, rows=rows, taking_part=taking_part)
            costs[way] = self.estimates(way, fetched, rows=rows, taking_part=taking_part)
            costs[way] += 2 * self.wanted(way, k) * self.score_us
            if way is Way.CODES and lonely:
                costs[way] += self.byte_scan(rows=rows, taking_part=taking_part // 8)
        return min(costs, key=lambda way: costs[way])
