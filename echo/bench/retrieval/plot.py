"""One picture of the results: time over size, recall, and memory at the largest size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from echo.bench.retrieval.engines import ECHO
from echo.experiments.drawing import LIGHT, spread

if TYPE_CHECKING:
    from matplotlib.axes import Axes

GOOD_RECALL = 0.95
"""Below this a mark is hollow."""

COLOURS: dict[str, str] = {
    ECHO: "#e4572e",
    "faiss-flat": "#3f88c5",
    "numpy": "#8d99ae",
    "lancedb": "#2a9d8f",
    "lancedb-ivf-rq": "#7cc4b8",
    "chroma": "#9b5de5",
    "milvus-flat": "#b08968",
    "milvus-hnsw": "#d7b899",
    "bow": "#c9a227",
}


def write_plot(results: Mapping[str, Any], path: Path) -> None:
    """Write the picture as PNG, 1,800 pixels wide."""
    from matplotlib.figure import Figure

    rows = {
        int(size): {name: one for name, one in row.items() if "weighted" in one}
        for size, row in results["sizes"].items()
    }
    rows = {size: rows[size] for size in sorted(rows) if rows[size]}
    figure = Figure(figsize=(12, 5.4))
    figure.patch.set_facecolor(LIGHT.paper)
    left, right = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
    if rows:
        if len(rows) > 1:
            _times_by_size(left, rows)
        else:
            _times(left, rows[max(rows)], max(rows))
        _memory(right, rows[max(rows)], max(rows))
    machine = results["machine"]
    figure.text(
        0.008, 0.015,
        f"{results['embeddings']} embeddings, five axes, top {results['k']}, one thread, "
        f"{machine['processor']}; hollow: recall below .95",
        color="#5b6673", fontsize=8.5,
    )  # fmt: skip
    several = len(rows) > 1
    figure.subplots_adjust(
        left=0.062 if several else 0.105,
        right=0.975,
        top=0.9,
        bottom=0.15,
        wspace=0.72 if several else 0.32,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=150, metadata={"Software": None})


def _times_by_size(axes: Axes, rows: Mapping[int, Mapping[str, Any]]) -> None:
    """Draw p50 of the weighted search over size, each line named at its end."""
    _quiet(axes, "Weighted search over five axes, p50 in ms")
    sizes = list(rows)
    ends: dict[str, tuple[int, float]] = {}
    for name, colour in COLOURS.items():
        points = [(size, rows[size][name]["weighted"]) for size in sizes if name in rows[size]]
        if not points:
            continue
        ours = name == ECHO
        x, y = [size for size, _ in points], [found["p50_ms"] for _, found in points]
        axes.plot(x, y, color=colour, linewidth=2.8 if ours else 1.6, zorder=3 if ours else 2)
        for size, found in points:
            fill = colour if _good(found) else LIGHT.paper
            axes.plot(
                [size], [found["p50_ms"]], "o", color=colour, zorder=4, markersize=8 if ours else 6,
                markerfacecolor=fill,
            )  # fmt: skip
        ends[name] = (x[-1], y[-1])
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(sizes[0] / 1.6, sizes[-1] * 1.6)
    axes.set_xticks(sizes, [_short(size) for size in sizes])
    axes.minorticks_off()
    axes.yaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axes.set_xlabel("records")
    _name_ends(axes, ends, sizes[-1])


def _name_ends(axes: Axes, ends: Mapping[str, tuple[int, float]], largest: int) -> None:
    """Write each engine's name to the right, led to from its last point, without overlaps."""
    low, high = axes.get_ylim()
    heights = [math.log10(y) for _, y in ends.values()]
    places = spread(heights, 0.056 * math.log10(high / low))
    # Spreading only raises: half of it is taken back, so that no label is far from its line.
    lift = (sum(places) - sum(heights)) / len(places)
    for (name, (x, y)), place in zip(ends.items(), places, strict=True):
        height = 10 ** (place - lift)
        axes.plot(
            [x, largest * 1.6], [y, height], color=COLOURS[name], linewidth=0.8, alpha=0.45,
            linestyle=(0, (2, 2)), clip_on=False, zorder=1,
        )  # fmt: skip
        size = "" if x == largest else f" at {_short(x)}"
        axes.annotate(
            f"{name}  {_ms(y)}{size}", (largest * 1.6, height), xytext=(6, 0), textcoords="offset points",
            color=COLOURS[name], va="center", fontsize=9.5, annotation_clip=False,
            weight="bold" if name == ECHO else "normal",
        )  # fmt: skip
    axes.set_ylim(low, high)


def _times(axes: Axes, row: Mapping[str, Any], size: int) -> None:
    """Draw p50 of the weighted search at one size, fastest first, with the recall."""
    _quiet(axes, f"Weighted search over five axes at {size:,} records, p50 in ms")
    names = sorted(
        (name for name in COLOURS if name in row), key=lambda name: row[name]["weighted"]["p50_ms"]
    )
    axes.set_xscale("log")
    for place, name in enumerate(names):
        found = row[name]["weighted"]
        fill = COLOURS[name] if _good(found) else LIGHT.paper
        axes.barh(place, found["p50_ms"], 0.6, color=fill, edgecolor=COLOURS[name], linewidth=1.4)
        recall = "no recall" if found["recall"] is None else f"recall {found['recall']:.3f}"
        told = f"  {_ms(found['p50_ms'])}, {recall}"
        axes.text(found["p50_ms"], place, told, color=LIGHT.ink, va="center", fontsize=9)
    times = [row[name]["weighted"]["p50_ms"] for name in names]
    low, high = min(times) / 2, max(times)
    # The text beside the longest bar takes a quarter of the width.
    axes.set_xlim(low, high * (high / low) ** 0.36)
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axes.minorticks_off()
    _rows(axes, names)


def _memory(axes: Axes, row: Mapping[str, Any], size: int) -> None:
    """Draw resident memory of the process that answers, the anonymous part solid."""
    _quiet(axes, f"Memory at {size:,} records, MB")
    names = sorted(filter(row.__contains__, COLOURS), key=lambda name: row[name]["rss_mb"])
    for place, name in enumerate(names):
        rss, anonymous = row[name]["rss_mb"], row[name]["anonymous_mb"]
        axes.barh(place, rss, 0.6, color=COLOURS[name], alpha=0.3)
        axes.barh(place, anonymous, 0.6, color=COLOURS[name])
        axes.text(rss, place, f"  {rss:,.0f}", color=LIGHT.ink, va="center", fontsize=9)
    axes.set_xlim(0, 1.18 * max(row[name]["rss_mb"] for name in names))
    axes.xaxis.set_major_formatter(lambda value, _: f"{value:,g}")
    axes.locator_params(axis="x", nbins=6)
    axes.set_xlabel("solid: anonymous, pale: file pages", fontsize=9.5)
    _rows(axes, names)


def _rows(axes: Axes, names: Sequence[str]) -> None:
    """Name the bars; a few of them are no thicker than many."""
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 6) - 0.4, -0.6)
    axes.grid(axis="y", visible=False)


def _good(found: Mapping[str, Any]) -> bool:
    return found["recall"] is not None and found["recall"] >= GOOD_RECALL


def _quiet(axes: Axes, title: str) -> None:
    axes.set_title(title, loc="left", fontsize=11.5, color=LIGHT.ink, pad=12)
    axes.grid(color=LIGHT.faint, linewidth=0.7)
    axes.set_axisbelow(True)
    for side, spine in axes.spines.items():
        spine.set_visible(side in ("left", "bottom"))
        spine.set_color(LIGHT.faint)
    axes.tick_params(colors=LIGHT.ink, length=0)
    axes.xaxis.label.set_color(LIGHT.ink)


def _short(size: int) -> str:
    for unit, letter in ((1_000_000, "M"), (1_000, "k")):
        if size >= unit and size % (unit // 10) == 0:
            return f"{size / unit:g}{letter}"
    return f"{size:,}"


def _ms(value: float) -> str:
    return f"{value:,.0f} ms" if value >= 10 else f"{value:.1f} ms"
