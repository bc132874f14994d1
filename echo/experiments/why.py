"""Why an item was unlocked: the thread from it back to the first experiences it came from.

An unlock names the descriptors it was induced from; each of these describes an earlier unlock or a
demonstration, which names its own. The thread follows these names through the run's result, its memory bank
and its episode files, and says what it could not find instead of leaving it out.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from csd.axes import AXES
from csd.bank import Bank
from csd.descriptor import Csd
from csd.encode import load_encoder
from csd.render import render_axis
from csd.score import cosines
from csd.store.errors import BankError
from csd.store.file import stored_identity
from csd.store.schema import BANK_FILE
from csd.wording import read_amount
from echo.agent.threads import ThreadError, UnlockThread, read_threads
from echo.experiments.demonstrate import SOURCE as DEMONSTRATION
from echo.experiments.results import (
    ResultsError,
    RunResult,
    UnlockRecord,
    memory_folder,
    read_result,
    run_file,
)
from echo.experiments.spec import UsageError
from echo.experiments.thread import Played, SeenIn, Thread, roles_in, tell_episode
from echo.experiments.trial import ENCODER_NAMES
from echo.mfm.episodic.reader import read_episode
from echo.mfm.layout import MfmError, episode_path
from ical.cases import case_of


def find_run(run: str, folder: Path) -> tuple[RunResult, Path]:
    """Return a result and the results folder it lies in.

    Args:
        run: Path of a result file, or name of a run in `folder`.
        folder: Results folder, used for names only.

    Raises:
        UsageError: if there is no such run.
        ResultsError: if its file cannot be read.
    """
    path = Path(run)
    if path.suffix == ".json" and path.is_file():
        return read_result(path), path.resolve().parent.parent
    path = run_file(folder, run)
    if path.is_file():
        return read_result(path), folder
    names = [found.stem for found in sorted((folder / "runs").glob("*.json"))]
    there = ", ".join(names[:8]) + (", ..." if len(names) > 8 else "") if names else "no runs at all"
    raise UsageError(
        f"expected a result file or the name of a run; got {run!r}, and {folder} holds {there}. "
        f"Give --run one of these names, or --out the right folder."
    )


def trace_unlock(item: str, result: RunResult, folder: Path) -> Thread:
    """Return the thread behind the unlock of `item` (its real or its shown name) in a run.

    Raises:
        UsageError: if the run did not unlock it.
        ResultsError: if the run's memory bank or its file of threads is damaged.
    """
    found = next((unlock for unlock in result.unlocks if item in (unlock.item, unlock.shown)), None)
    if found is None:
        near = difflib.get_close_matches(item, [unlock.item for unlock in result.unlocks], 3)
        hint = f"Near it: {', '.join(near)}." if near else "See the unlocks in the result file."
        raise UsageError(
            f"expected an item out of the {len(result.unlocks)} that {result.spec.name} unlocked; "
            f"got {item!r}. {hint}"
        )
    memory = memory_folder(folder, result.spec.name)
    try:
        kept = read_threads(memory)
    except ThreadError as error:
        raise ResultsError(str(error)) from error
    with _open_bank(memory, result.spec.encoder) as bank:
        thread = _Tracer(result=result, memory=memory, bank=bank, kept=kept).from_unlock(found)
    if bank is None:
        thread = replace(thread, missing=(*thread.missing, _without_bank(result, memory)))
    return thread


@contextmanager
def _open_bank(memory: Path, encoder: str) -> Iterator[Bank | None]:
    """Open a run's memory bank, None where there is none; whatever lies there is read and never changed.

    Raises:
        ResultsError: if it is damaged, no bank, or was filled by another encoder.
    """
    path = memory / BANK_FILE
    if not path.exists():
        yield None
        return
    try:
        # Opening makes tables where a file has none, so what is no bank is turned away before.
        _check_bank(path)
        with Bank.open(path, load_encoder(ENCODER_NAMES[encoder]), create=False) as bank:
            yield bank
    except BankError as error:
        raise ResultsError(str(error)) from error


def _check_bank(path: Path) -> None:
    """Raise where the file at `path` is no filled bank, without writing to it.

    Raises:
        ResultsError: if it is empty or says nothing of how it was made.
        BankError: if it is no bank, of another format or damaged.
    """
    advice = "Restore the file from a copy, or play the run again into another folder with --out."
    if path.is_file() and path.stat().st_size == 0:
        raise ResultsError(f"expected an undamaged bank at {path}; got an empty file (0 bytes). {advice}")
    try:
        stored_identity(path)
    except (KeyError, ValueError) as error:
        raise ResultsError(
            f"expected an undamaged bank at {path}; got one that does not say what made it ({error!r}). "
            f"{advice}"
        ) from error


def _without_bank(result: RunResult, memory: Path) -> str:
    """Return why a run has no memory bank: it kept none, or the file is gone."""
    if result.spec.record == "none":
        return f"no memory at {memory}: run with --record unlocks to keep descriptors and episodes"
    return f"{BANK_FILE} is missing from {memory}, where the run kept it: put it back from a copy"


class _Tracer:
    """Follows one thread, remembering which experiences it has unfolded."""

    def __init__(
        self, *, result: RunResult, memory: Path, bank: Bank | None, kept: Mapping[str, UnlockThread]
    ) -> None:
        self._memory = memory
        self._bank = bank
        self._kept = kept
        self._by_csd = {unlock.csd: unlock for unlock in result.unlocks if unlock.csd is not None}
        self._by_shown = {unlock.shown: unlock for unlock in result.unlocks}
        self._told: dict[str, None] = {}

    def from_unlock(self, unlock: UnlockRecord) -> Thread:
        """Return the thread that begins with an unlock of the run."""
        thread = Thread(
            item=unlock.item,
            action=unlock.action,
            source=unlock.source,
            detail=unlock.detail,
            axes=dict(unlock.axes),
            csd=unlock.csd,
            statements={},
            cosines={},
        )
        if f"item {unlock.item}" in self._told:
            return replace(thread, repeated=True)
        self._told[f"item {unlock.item}"] = None
        csd = self._get(unlock.csd)
        names = [unlock.episode] if unlock.episode is not None else []
        names += [name for name in (csd.meta.episodes if csd else ()) if name not in names]
        parents = tuple(
            replace(self._from_csd(id), cosines=self._cosines(unlock.csd, id)) for id in unlock.exemplars
        )
        return replace(self._carried(self._described(thread, csd, names), unlock.shown), parents=parents)

    def _carried(self, thread: Thread, shown: str) -> Thread:
        """Return `thread` with how it was carried over, where the run kept that."""
        kept = self._kept.get(shown)
        if kept is None:
            return thread
        exemplar = self._get(kept.exemplar)
        roles = roles_in(case_of(exemplar, kept.exemplar)) if exemplar is not None else {}
        played = [
            Played(base=one.base, target=one.target, role=roles.get(one.base), axes=dict(one.axes))
            for one in kept.correspondences
        ]
        return replace(
            thread,
            correspondences=tuple(sorted(played, key=lambda one: one.role is None)),
            objections=tuple(one.reason for one in kept.objections),
            surprises=kept.surprises,
        )

    def _cosines(self, id: str | None, exemplar: str) -> dict[str, float | None]:
        """Return the cosine of two descriptors on each axis, from the bank's vectors."""
        if id is None or self._bank is None or id not in self._bank or exemplar not in self._bank:
            return {}
        own, other = self._bank.vectors(id), self._bank.vectors(exemplar)
        return {
            axis.value: float(cosines(own[axis][None, :], other[axis])[0])
            if axis in own and axis in other
            else None
            for axis in AXES
        }

    def _from_csd(self, id: str) -> Thread:
        """Return the thread that begins with a descriptor: an unlock's, or one from before the run."""
        unlock = self._by_csd.get(id)
        if unlock is not None:
            return self.from_unlock(unlock)
        csd = self._get(id)
        if csd is None:
            gone = f"{id} is not in the run's memory bank" if self._bank is not None else ""
            note = (gone,) if gone else ()
            return _thread("unknown", "unknown", id, note)
        shown = csd.meta.product or csd.meta.task
        kind = DEMONSTRATION if self._demonstrated(csd) else "experience"
        thread = _thread(shown, kind, id)
        if id in self._told:
            return replace(thread, repeated=True)
        self._told[id] = None
        return self._described(replace(thread, detail=csd.meta.task), csd, list(csd.meta.episodes))

    def _described(self, thread: Thread, csd: Csd | None, episodes: list[str]) -> Thread:
        """Return `thread` with what its descriptor and its episodes tell."""
        seen = tuple(self._see(name) for name in episodes)
        missing = [f"{one.id} is not among the run's episodes" for one in seen if one.path is None]
        if thread.csd is not None and csd is None and self._bank is not None:
            missing.append(f"{thread.csd} is not in the run's memory bank")
        if csd is None:
            return replace(thread, episodes=seen, missing=tuple(missing))
        texts = {axis.value: render_axis(csd, axis) for axis in AXES}
        statements = {
            axis: tuple(_in_words(line) for line in text.split("; ")) for axis, text in texts.items() if text
        }
        needs = self._needs(csd, given=thread.source == DEMONSTRATION)
        return replace(thread, statements=statements, episodes=seen, needs=needs, missing=tuple(missing))

    def _needs(self, csd: Csd, *, given: bool) -> tuple[str, ...]:
        """Return what the product was made of, each with how it had come: by the run, or `given` to it."""
        told = []
        for statement in csd.proc:
            if statement.predicate != "consumes":
                continue
            used = str(statement.value)
            if given:
                told.append(f"{used} (given for the demonstration)")
                continue
            amount = read_amount(used)
            earlier = self._by_shown.get(amount[0] if amount else used)
            told.append(f"{used} (action {earlier.action:,}, {earlier.source})" if earlier else used)
        return tuple(dict.fromkeys(told))

    def _demonstrated(self, csd: Csd) -> bool:
        """Return whether a descriptor tells of demonstrations alone."""
        if csd.meta.world == DEMONSTRATION:
            return True
        try:
            sources = [read_episode(self._memory, name).source for name in csd.meta.episodes]
        except (MfmError, ValueError):
            return False
        return bool(sources) and all(source == DEMONSTRATION for source in sources)

    def _get(self, id: str | None) -> Csd | None:
        """Return a descriptor of the bank, None where there is no such one."""
        return self._bank.get(id) if id is not None and self._bank is not None and id in self._bank else None

    def _see(self, name: str) -> SeenIn:
        """Return what an episode on disk tells."""
        try:
            episode = read_episode(self._memory, name)
        except (MfmError, ValueError):
            return SeenIn(id=name, told="not on disk", path=None)
        return SeenIn(id=name, told=tell_episode(episode), path=str(episode_path(self._memory, name)))


def _in_words(line: str) -> str:
    """Return a statement as a reader would say it; the text that is embedded stays as it is."""
    ending = " was made at none"
    return line.removesuffix(ending) + " was made by hand" if line.endswith(ending) else line


def _thread(item: str, source: str, csd: str, missing: tuple[str, ...] = ()) -> Thread:
    """Return the thread of what happened before the run."""
    return Thread(
        item=item,
        action=None,
        source=source,
        axes={},
        csd=csd,
        statements={},
        cosines={},
        missing=missing,
    )
