"""What the memory engine has to reach, as data, and how far results are from it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

from echo.bench.retrieval.engines import ECHO

Results = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True, slots=True)
class Bar:
    """One number to reach at one size."""

    text: str
    size: int | None
    """None for what is measured apart from sizes."""
    path: tuple[str, ...]
    """Where the number stands among an engine's figures."""
    at_most: float | None = None
    at_least: float | None = None
    unit: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """A bar and what was measured."""

    text: str
    size: int | None
    bar: float
    measured: float | None
    """None where it was not measured."""
    unit: str
    reached: bool | None
    missed_by: float | None
    """How many times worse than the bar, above 1; None where it is reached or not measured."""
    against: str = ""
    """The peer compared with."""
    less_recall: bool = False
    """Whether that peer recalls more, so that being faster counts for nothing."""

    def as_json(self) -> dict[str, object]:
        """Return the verdict as a JSON object."""
        return asdict(self)

    def line(self) -> str:
        """Return one line of text, at most 80 characters."""
        text = f"{self.text}: {self.against}" if self.against else self.text
        size = "" if self.size is None else f"{self.size:,}"
        bar = f"{_short(self.bar)} {self.unit}"
        if self.measured is None:
            return f"{'-':9}{size:>10} {text:33}{'-':>9}{bar:>11}"
        note = (
            "recall" if self.less_recall else "" if self.missed_by is None else f"x {_short(self.missed_by)}"
        )
        state = "reached" if self.reached else "MISSED"
        return f"{state:9}{size:>10} {text:33}{_short(self.measured):>9}{bar:>11} {note}"


def _search(kind: str, size: int, ms: float, text: str) -> tuple[Bar, Bar]:
    return (
        Bar(text=f"{text}, p50", size=size, path=(kind, "p50_ms"), at_most=ms, unit="ms"),
        Bar(text=f"{text}, recall", size=size, path=(kind, "recall"), at_least=0.99),
    )


BARS: tuple[Bar, ...] = (
    *_search("weighted", 10_000, 2.0, "weighted"),
    *_search("weighted", 100_000, 2.5, "weighted"),
    *_search("weighted", 1_000_000, 20.0, "weighted"),
    *_search("filtered", 10_000, 1.0, "filtered"),
    *_search("filtered", 100_000, 6.0, "filtered"),
    *(
        bar
        for size in (10_000, 100_000)
        for bar in (
            Bar(text="batched ingest", size=size, path=("batch_per_s",), at_least=15_000, unit="/s"),
            Bar(text="single durable add", size=size, path=("add_per_s",), at_least=1_500, unit="/s"),
            Bar(text="delete by id", size=size, path=("delete_ms",), at_most=1.0, unit="ms"),
        )
    ),
    Bar(text="open + first query", size=100_000, path=("open_ms",), at_most=100.0, unit="ms"),
    Bar(text="anonymous memory", size=1_000_000, path=("anonymous_mb",), at_most=1_000.0, unit="MB"),
    Bar(text="cue, 3,083 rows", size=None, path=("cue", "3083", "echo_ms"), at_most=40.0, unit="ms"),
    Bar(text="cue, 100,000 rows", size=None, path=("cue", "100000", "echo_ms"), at_most=60.0, unit="ms"),
)

_AS_GOOD = 0.01
"""How much less recall than a peer's still counts as equal."""

_Figures = Mapping[str, Any]
_Chooser = Callable[[str, Mapping[str, Any]], bool]

_RATIOS: tuple[tuple[str, int, float, _Chooser], ...] = (
    ("over exact stores", 10_000, 10.0,
     lambda _, engine: engine["kind"] == "exact" and engine["database"]),
    ("over all exact peers", 10_000, 10.0,
     lambda _, engine: engine["kind"] == "exact"),
    ("over approximate", 10_000, 2.0,
     lambda _, engine: engine["kind"] == "approximate"),
    ("over LanceDB flat", 100_000, 200.0, lambda name, _: name == "lancedb"),
)  # fmt: skip
"""Text, size, bar, which peers: weighted p50 of the fastest of them by ours. The bar says 'peer'; both
readings of it, with and without plain arrays in memory, are shown."""


def judge(results: Results) -> list[Verdict]:
    """Return every bar with what was measured for it."""
    sizes = results["sizes"]
    verdicts = []
    for bar in BARS:
        found: Any = results if bar.size is None else sizes.get(str(bar.size), {}).get(ECHO, {})
        for name in bar.path:
            found = found.get(name) if isinstance(found, Mapping) else None
        verdicts.append(_verdict(bar, found))
    return verdicts + [_ratio(results, *ratio) for ratio in _RATIOS]


def _verdict(bar: Bar, measured: float | None) -> Verdict:
    limit = bar.at_most if bar.at_most is not None else bar.at_least
    assert limit is not None, f"a bar without a limit: {bar.text}"
    reached = missed_by = None
    if measured is not None:
        times = measured / limit if bar.at_most is not None else limit / max(measured, 1e-12)
        reached = times <= 1.0
        missed_by = None if reached else times
    return Verdict(
        text=bar.text,
        size=bar.size,
        bar=limit,
        measured=measured,
        unit=bar.unit,
        reached=reached,
        missed_by=missed_by,
    )


def _ratio(results: Results, text: str, size: int, bar: float, chooses: _Chooser) -> Verdict:
    row = {name: one for name, one in results["sizes"].get(str(size), {}).items() if "weighted" in one}
    ours: _Figures | None = row.get(ECHO)
    peers = {name: one for name, one in row.items() if chooses(name, results["engines"][name])}
    asked = Bar(text=text, size=size, path=(), at_least=bar, unit="x")
    if ours is None or not peers:
        return _verdict(asked, None)
    best = min(peers, key=lambda name: float(peers[name]["weighted"]["p50_ms"]))
    verdict = _verdict(asked, peers[best]["weighted"]["p50_ms"] / ours["weighted"]["p50_ms"])
    worse = ours["weighted"]["recall"] < peers[best]["weighted"]["recall"] - _AS_GOOD
    return Verdict(
        text=text,
        size=size,
        bar=bar,
        measured=verdict.measured,
        unit="x",
        reached=verdict.reached and not worse,
        missed_by=verdict.missed_by,
        against=best,
        less_recall=worse,
    )


def _short(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"
