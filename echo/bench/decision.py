"""What one decision costs with a large memory: choosing an idea, carrying it over, verifying it; and recall.

Run as ``python -m echo.bench.decision --json``. The memory is made of descriptors from real runs. With names
invented anew for each run no two share an item, as if ten worlds were remembered: that is the hard case. With
real names (``--one-world``) the runs repeat one world's items, as a long life in it would.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count

import numpy as np

from csd.axes import AXES
from csd.bank import Bank
from csd.descriptor import Csd
from csd.encode import CachedEncoder, load_encoder
from echo.agent.arrangement import Arrangement
from echo.agent.attempt import check
from echo.agent.knowledge import Knowledge
from echo.agent.policy import NoMemory, Prospects
from echo.agent.transfer import TransferPolicy
from echo.agent.unlock import play
from echo.experiments.demonstrate import record_demonstrations
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.world import MinecraftWorld
from ical.cases import case_of
from ical.profile import AxisProfiles
from ical.query import Mentions, query_for
from ical.retrieve import Stages, retrieve

STEPS = 1_500
"""Counted actions of each run that descriptors are taken from; about 200 come of it."""
EXEMPLARS = 3
"""How many a recall returns."""


class _Keeping(NoMemory):
    """Keeps the descriptors that a life hands over."""

    def __init__(self) -> None:
        self.csds: list[Csd] = []

    def remember(self, csd: Csd) -> None:
        self.csds.append(csd)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Timed:
    """Milliseconds of each part of the decisions made."""

    suggest: list[float]
    """Choosing among all slots and items."""
    carry: list[float]
    """Mapping and task of what was chosen."""
    verify: list[float]


def measure_decision(
    csds: int = 2000,
    decisions: int = 200,
    encoder: str = "minilm-int8",
    *,
    steps: int = STEPS,
    invented: bool = True,
) -> dict[str, float]:
    """Fill one memory and one bank, then decide and recall.

    Every decision ends in a failure, which the next one has to take into account, as in a life.

    Args:
        csds: descriptors remembered, at least 1.
        decisions: how many decisions, and how many recalls, at most: fewer where no idea is left.
        encoder: of the bank, see `csd.encode.load_encoder`.
        steps: counted actions of each run that descriptors are taken from.
        invented: whether each run has item names of its own.

    Returns:
        ``csds``, ``items``, ``slots``, ``decisions``, ``recalls``; and in milliseconds
        ``decision_median`` and ``decision_p95`` (suggest, task and verification together),
        ``suggest_median``, ``carry_median``, ``verify_median``, ``retrieve_median`` and ``retrieve_p95``
        (with correspondences, every text embedded before) and ``retrieve_first_median`` (its texts not
        embedded before).

    Raises:
        EncodeError: if the encoder is unknown or cannot be loaded.
        ValueError: if there was nothing to decide or to recall.
    """
    remembered = gather(csds, steps, invented=invented)
    policy = TransferPolicy(AxisProfiles(AXES))
    for csd in remembered:
        policy.remember(csd)
    items = items_in(remembered)
    timed = _decide(policy, items, decisions)
    whole = [sum(parts) for parts in zip(timed.suggest, timed.carry, timed.verify, strict=True)]
    table = policy.inducer.table
    figures = {
        "csds": len(remembered),
        "items": len(items),
        "slots": len(table.slots),
        "decisions": len(whole),
        "decision_median": _percentile(whole, 50),
        "decision_p95": _percentile(whole, 95),
        "suggest_median": _percentile(timed.suggest, 50),
        "carry_median": _percentile(timed.carry, 50),
        "verify_median": _percentile(timed.verify, 50),
    }
    return figures | _recall(remembered, items, decisions, encoder)


def gather(csds: int, steps: int, *, invented: bool = True) -> list[Csd]:
    """Return the first `csds` descriptors of runs of `steps` actions, in names of their own if `invented`."""
    found: list[Csd] = []
    for seed in count():
        if len(found) >= csds:
            break
        found += descriptors_of(seed, steps, invented=invented)
    return found[:csds]


def descriptors_of(seed: int, steps: int, *, invented: bool = True) -> list[Csd]:
    """Return the descriptors of the run of `seed`, in names of its own if `invented`, oldest first."""
    kept, names = _Keeping(), seed if invented else None
    play(
        world=MinecraftWorld(WorldOptions(seed=seed, max_steps=steps, invented_names=names)),
        agent="edits",
        axes=AXES,
        steps=steps,
        seed=seed,
        demonstrations=record_demonstrations(2, seed, names),
        memory=None,
        encoder="hashing-256",
        progress=None,
        policy=kept,
    )
    return kept.csds


def items_in(csds: Sequence[Csd]) -> list[str]:
    """Return what was gained or laid in `csds`, in order of first mention."""
    cases = (case_of(csd, "") for csd in csds)
    return list(dict.fromkeys(name for case in cases for name in (*case.fillers, case.product or "") if name))


def _decide(policy: TransferPolicy, items: Sequence[str], decisions: int) -> _Timed:
    """Decide until `decisions` ideas were verified, letting each of them fail."""
    timed = _Timed(suggest=[], carry=[], verify=[])
    known = Knowledge(items=list(items), index={item: n for n, item in enumerate(items)})
    known.offers.update({"a table": "grid3", "an oven": "smelt"})
    prospects = Prospects(
        items=items,
        held=dict.fromkeys(items, 9),
        prices=dict.fromkeys(items, 1.0),
        offers=tuple(known.offers.values()),
        ways=len(items),
    )
    policy.suggest(prospects)  # The first one builds what later ones only bring up to date.
    for _ in range(decisions):
        started = time.perf_counter()
        idea = policy.suggest(prospects)
        chosen = time.perf_counter()
        if idea is None:
            break
        idea = policy.carried_over(idea, None)
        carried = time.perf_counter()
        if idea.task is not None:
            check(idea.task, prospects.held, known)
        verified = time.perf_counter()
        timed.suggest.append((chosen - started) * 1e3)
        timed.carry.append((carried - chosen) * 1e3)
        timed.verify.append((verified - carried) * 1e3)
        policy.judged(idea, worked=False, new=False)
        policy.failed(idea.arrangement)
        _note(known, idea.arrangement)
    return timed


def _note(known: Knowledge, failed: Arrangement) -> None:
    if failed.smelts:
        known.smelted[failed.fillers[0]] = None
    else:
        known.grids[failed] = None


def _recall(csds: Sequence[Csd], items: Sequence[str], recalls: int, encoder: str) -> dict[str, float]:
    """Recall exemplars for items spread over the memory, twice each."""
    mentions = Mentions(csds)
    with Bank.open(None, CachedEncoder(load_encoder(encoder))) as bank:
        bank.add_many(csds)
        asked = list(_spread(items, recalls))
        bank.rebuild()
        first = [_time_recall(item, bank, mentions) for item in asked]
        again = [_time_recall(item, bank, mentions) for item in asked]
    return {
        "recalls": len(again),
        "retrieve_median": _percentile(again, 50),
        "retrieve_p95": _percentile(again, 95),
        "retrieve_first_median": _percentile(first, 50),
    }


def _time_recall(item: str, bank: Bank, mentions: Mentions) -> float:
    started = time.perf_counter()
    retrieve(query_for(item, mentions), bank, k=EXEMPLARS, stages=Stages(known=mentions))
    return (time.perf_counter() - started) * 1e3


def _spread(items: Sequence[str], wanted: int) -> Iterator[str]:
    """Yield at most `wanted` of `items`, evenly spread, in their order."""
    number = min(wanted, len(items))
    for n in range(number):
        yield items[n * len(items) // number]


def _percentile(milliseconds: Sequence[float], percent: float) -> float:
    if not milliseconds:
        raise ValueError(
            "expected at least one decision and one recall to measure; got none. Ask for more descriptors."
        )
    return float(np.percentile(milliseconds, percent))


def main(arguments: Sequence[str]) -> None:
    """Measure 2,000 descriptors and print: one JSON object with ``--json``, else a line a figure."""
    parser = argparse.ArgumentParser(
        prog="python -m echo.bench.decision",
        description="What one decision and one recall cost with 2,000 descriptors remembered.",
        epilog="Example: OPENBLAS_NUM_THREADS=1 python -m echo.bench.decision --one-world --json",
    )
    parser.add_argument("--one-world", action="store_true", help="real names: the runs share their items")
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    asked = parser.parse_args(arguments)
    measured = measure_decision(invented=not asked.one_world)
    figures = {name: round(value, 2) for name, value in measured.items()}
    if asked.json:
        sys.stdout.write(json.dumps(figures) + "\n")
    else:
        sys.stdout.writelines(f"{name} {value}\n" for name, value in figures.items())


if __name__ == "__main__":
    main(sys.argv[1:])
