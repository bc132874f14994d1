"""Results as text: one table of searches and one of everything else for each size, 80 columns wide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from echo.bench.retrieval.asking import KINDS
from echo.bench.retrieval.bars import judge

WIDTH = 80
BUSY = 1.5
"""Runnable processes, over a minute, from which on others took part of the time; ours is one."""

COLUMNS: tuple[tuple[str, str, int], ...] = (
    ("add_per_s", "add/s", 7),
    ("batch_per_s", "batch/s", 8),
    ("delete_ms", "del ms", 7),
    ("build_s", "build s", 8),
    ("open_ms", "open ms", 8),
    ("rss_mb", "RSS MB", 7),
    ("anonymous_mb", "anon MB", 8),
    ("disk_mb", "disk MB", 8),
)

_BARS = f"{'bar':9}{'records':>10} {'':33}{'measured':>9}{'bar':>11} off by"


def tell(results: Mapping[str, Any]) -> str:
    """Return all tables, what was not run and why, the bars, and with what it was measured."""
    lines = []
    for size, row in sorted(results["sizes"].items(), key=lambda item: int(item[0])):
        lines.append(f"{int(size):,} records, {results['embeddings']} embeddings")
        if any("not_run" not in one for one in row.values()):
            lines += _searches(row, results["k"]) + _costs(row)
        lines += [*_left_out(row), ""]
    verdicts = judge(results)
    about = [one for one in verdicts if one.size is None or str(one.size) in results["sizes"]]
    lines += _cue(results)
    lines += [_BARS, *(verdict.line() for verdict in about)]
    if len(about) < len(verdicts):
        lines.append(f"{len(verdicts) - len(about)} more bars are about sizes that were not asked for")
    lines += ["", *_machine(results)]
    return "\n".join(line.rstrip() for line in lines)


def _searches(row: Mapping[str, Any], k: int) -> list[str]:
    kinds = ("weighted, 5 axes", "one axis", "filtered ~10 %")
    lines = [f"{'':14}" + "".join(f"{kind:>22}" for kind in kinds)]
    lines.append(f"{'':14}" + 3 * f"{'p50 ms':>8}{'p95':>7}{f'R@{k}':>7}")
    for name, one in row.items():
        if "not_run" not in one:
            lines.append(f"{name:14}" + "".join(_search(one[kind]) for kind in KINDS))
    return lines


def _search(found: Mapping[str, Any]) -> str:
    recall = "-" if found["recall"] is None else f"{found['recall']:.3f}"
    return f"{_number(found['p50_ms']):>8}{_number(found['p95_ms']):>7}{recall:>7}"


def _costs(row: Mapping[str, Any]) -> list[str]:
    lines = ["", f"{'':14}" + "".join(f"{head:>{width}}" for _, head, width in COLUMNS)]
    for name, one in row.items():
        if "not_run" not in one:
            lines.append(f"{name:14}" + "".join(f"{_number(one[key]):>{width}}" for key, _, width in COLUMNS))
    return lines


def _left_out(row: Mapping[str, Any]) -> list[str]:
    return [f"{name:14} not run: {one['not_run']}"[:WIDTH] for name, one in row.items() if "not_run" in one]


def _cue(results: Mapping[str, Any]) -> list[str]:
    found = results.get("cue")
    if not found:
        return []
    lines = ["cue search, whole process, ms (p50)", f"{'rows':>10}{'echo-memory cue':>18}{'ripgrep':>10}"]
    for rows, one in found.items():
        told = [_number(one[key]) if key in one else "-" for key in ("echo_ms", "ripgrep_ms")]
        lines.append(f"{int(rows):>10,}{told[0]:>18}{told[1]:>10}")
        reasons = [one[key] for key in ("not_run", "ripgrep_not_run") if key in one]
        lines += [f"{'':10}  not run: {reason}"[:WIDTH] for reason in reasons]
    return [*lines, ""]


def _machine(results: Mapping[str, Any]) -> list[str]:
    machine = results["machine"]
    versions = machine["versions"]
    shown = [f"{name} {versions[name]}" for name in versions if name not in ("echo-memory", "gymnasium")]
    lines = [
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gb']} GB, "
        f"{machine['system']} {machine['kernel']}",
        f"commit {_short_commit(machine['commit'])}, seed {results['seed']}, one thread, "
        f"{results['queries']} questions",
    ]
    loads = [one["load"] for row in results["sizes"].values() for one in row.values() if "load" in one]
    if loads and max(loads) > BUSY:
        lines.append(f"the machine was busy with other work (load up to {max(loads):.1f}): read ratios")
    if "real" in results:
        lines.append(f"real: {results['real']['distinct']:,} distinct descriptors")
    line = ""
    for word in shown:
        if line and len(line) + len(word) + 2 > WIDTH:
            lines.append(line + ",")
            line = ""
        line += (", " if line else "") + word
    return [*lines, line]


def _short_commit(commit: str | None) -> str:
    digits, plus, changes = (commit or "unknown").partition("+")
    return digits[:12] + plus + changes


def _number(value: float) -> str:
    if value >= 1000:
        return f"{value:,.0f}" if value < 100_000 else f"{value / 1000:,.0f}k"
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
