"""The tool that tells why a run came to have something."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from echo.serve.banks import refuse_to_rewrite
from echo.serve.reply import Arguments, MemoryTool, Refused, Reply

if TYPE_CHECKING:
    from echo.experiments.thread import Thread


class WhyUnlocked(Arguments):
    """Something a run came to have."""

    item: str
    """Item the run unlocked, such as stone_pickaxe."""


class Why:
    """The tool `why` of the memory folder of a run."""

    def __init__(self, root: Path, *, read_only: bool = False) -> None:
        """Look at the memory at `root`; with `read_only` a bank that opening would rewrite is refused."""
        self._root = root
        self._read_only = read_only

    def tools(self) -> list[MemoryTool]:
        """Return it."""
        return [
            MemoryTool(
                name="why",
                title="Why it was unlocked",
                about=_ABOUT_WHY,
                arguments=WhyUnlocked,
                call=self.why,
            ),
        ]

    def why(self, asked: WhyUnlocked) -> Reply:
        """Return the thread from an unlock back to the experiences it came from.

        Raises:
            Refused: if this folder is no run's memory, or its bank would have to be rewritten.
            UsageError: if the run did not unlock the item.
            ResultsError: if the run's files are damaged.
        """
        from csd.store.schema import BANK_FILE
        from echo.experiments.results import memory_folder, read_result, run_file
        from echo.experiments.thread import thread_json
        from echo.experiments.why import trace_unlock

        memory = self._root.resolve()
        folder, name = memory.parent.parent, memory.name
        file = run_file(folder, name)
        if memory_folder(folder, name) != memory or not file.is_file():
            raise Refused(
                f"expected the memory of a recorded run, RESULTS/memories/NAME with RESULTS/runs/NAME.json; "
                f"got {self._root}, with no result at {file}. Use query and inspect instead, or serve the "
                f"memory of a run: echo-memory run unlock --record unlocks."
            )
        if self._read_only and (memory / BANK_FILE).is_file():
            refuse_to_rewrite(memory / BANK_FILE)
        thread = trace_unlock(asked.item, read_result(file), folder)
        data = {"run": name, "item": asked.item, "thread": thread_json(thread)}
        return Reply(text="\n".join(_tell(thread)), data=data)


def _tell(thread: Thread, depth: int = 0) -> list[str]:
    """Return a thread as indented lines, the newest experience first."""
    margin = "  " * depth
    when = "before the run" if thread.action is None else f"action {thread.action:,}"
    if thread.repeated:
        return [f"{margin}{thread.item}: told above"]
    lines = [f"{margin}{thread.item}  ({when}, {thread.source}) {thread.detail}".rstrip()]
    told: list[str] = []
    if thread.axes:
        told.append("credit: " + ", ".join(f"{axis} {share:.0%}" for axis, share in thread.axes.items()))
    told += [f"carried over: {one.told()}" for one in thread.correspondences]
    told += [f"objection before the attempt: {one}" for one in thread.objections or ()]
    told += [f"unlike asserted: {one}" for one in thread.surprises]
    if thread.csd is not None:
        told.append(f"described by {thread.csd}")
        told += [f"{axis}: {'; '.join(said)}" for axis, said in thread.statements.items()]
    told += [f"seen in [{one.id}]: {one.told}" for one in thread.episodes]
    if thread.needs:
        told.append("made of: " + "; ".join(thread.needs))
    told += list(thread.missing)
    lines += [f"{margin}  {line}" for line in told]
    for parent in thread.parents:
        lines += _tell(parent, depth + 1)
    return lines


_ABOUT_WHY = (
    "Tell why a run came to have an item: from the unlock back through descriptors, what was carried over "
    "from which exemplar, and the episodes that show it. Works on the memory folder of a recorded run."
)
