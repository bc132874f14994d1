"""A small memory to cite: an initial state, a dug log, crafted planks, a stone dug in vain, a broken tool."""

from dataclasses import replace
from pathlib import Path

from csd.episode import Collect, Craft, Outcome, Step
from echo.mfm.episodic.recorder import Recorder
from tests.mfm.episodic.sample_steps import collect_log, craft_planks, seen


def dig(step: int, block: str, *, held: str | None, events: tuple[str, ...] = (), **gained: int) -> Step:
    return Step(
        before=replace(seen(step), mainhand=held),
        action=Collect(block=block),
        outcome=Outcome(
            code="ok" if gained else "no_drop",
            message="",
            inventory_delta=gained,
            block=block,
            cell=(1, 64, -4),
            events=events,
        ),
    )


def evidence(root: Path) -> Path:
    """Record ep_000000 to ep_000005 and return `root`."""
    with Recorder.open(root, source="s") as recorder:
        recorder.initial(seen(0))
        recorder.write(goal="a log", steps=[collect_log(0)], after=seen(1, oak_log=1))
        recorder.write(goal="planks", steps=[craft_planks(1)], after=seen(2, oak_planks=4))
        recorder.write(goal="stone", steps=[dig(2, "stone", held=None)], after=seen(3))
        steps = [
            dig(3, "stone", held="wooden_pickaxe", cobblestone=1),
            dig(4, "stone", held="wooden_pickaxe", events=("broke:wooden_pickaxe",), cobblestone=1),
        ]
        recorder.write(goal="stone", steps=steps, after=seen(5, cobblestone=2))
        table = Step(
            before=seen(5, oak_planks=4),
            action=Craft(grid=(("oak_planks", "oak_planks"), ("oak_planks", "oak_planks"))),
            outcome=Outcome(
                code="ok", message="", inventory_delta={"crafting_table": 1, "oak_planks": -4}, ticks=2
            ),
        )
        recorder.write(goal="a table", steps=[table], after=seen(6, crafting_table=1))
    return root
