"""`bench recovery` as a whole, and its result in words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from echo.bench.recovery.run import recover
from echo.bench.recovery.soak import soak
from echo.experiments.provenance import code_commit, machine_facts

DAMAGE = ("acknowledged_lost", "half_visible", "wrong_neighbours", "unrecoverable")
_SOAK_DAMAGE = ("lost_writes", "wrong_neighbours", "deadlocks", "errors")


def measure_recovery(
    kills: int,
    seed: int,
    soak_seconds: float,
    progress: Callable[[str], None],
    keep: str | Path | None = None,
) -> dict[str, Any]:
    """Kill banks, let processes write to one at once, and return what was counted.

    Args:
        kills: how many deaths; 0 for none.
        seed: of all that is drawn.
        soak_seconds: how long processes work on one bank at once; 0 for not at all.
        progress: is told how far the work has come, and of each damage.
        keep: folder, made if need be, in which damaged banks are left; None for none.

    Returns:
        ``kills``, and of these ``acknowledged_lost``, ``half_visible``, ``wrong_neighbours`` and
        ``unrecoverable``; the same ``by_work``, ``soak`` where asked for, and whether all is ``sound``.
    """
    if keep is not None:
        Path(keep).mkdir(parents=True, exist_ok=True)
    result: dict[str, Any] = {"machine": machine_facts(), "commit": code_commit()}
    result |= recover(kills, seed, progress, None if keep is None else Path(keep)).as_json()
    sound = not any(result[name] for name in DAMAGE)
    if soak_seconds > 0.0:
        result["soak"] = soak(soak_seconds, seed, progress).as_json()
        sound = sound and not any(result["soak"][name] for name in _SOAK_DAMAGE)
    return {**result, "sound": sound}


def written(result: dict[str, Any]) -> str:
    """Return a result as lines of text, at most 80 columns wide."""
    columns = ("kills", *DAMAGE)
    head = f"{'killed at':<12}{'kills':>7}{'lost':>7}{'half':>7}{'wrong':>7}{'broken':>8}"
    rows = [(kind, tally) for kind, tally in result["by_work"].items()] + [("all", result)]
    lines = [head]
    for kind, tally in rows:
        kills, lost, half, wrong, broken = (tally[name] for name in columns)
        lines.append(f"{kind:<12}{kills:>7}{lost:>7}{half:>7}{wrong:>7}{broken:>8}")
    timed, called = result["by_time"], result["by_call"]
    lines.append(f"seed {result['seed']}: {timed} killed at some microsecond, {called} before a call")
    if "soak" in result:
        told = result["soak"]
        lines.append(
            f"{told['writers']} writers and {told['readers']} readers for {told['seconds']:g} s: "
            f"{told['changes']:,} changes, {told['recalls']:,} recalls;"
        )
        lines.append(
            f"lost {told['lost_writes']}, wrong {told['wrong_neighbours']}, deadlocks {told['deadlocks']}, "
            f"errors {told['errors']}; longest change {told['longest_change_ms']:.0f} ms"
        )
    return "\n".join(lines)
