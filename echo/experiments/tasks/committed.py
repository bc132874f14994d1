"""Results of many runs in one small file: what happened, exactly, without what each run says of its machine.

A packed file is JSON lines under xz. The first line tells the circumstances, the runs, and with what they
were made; each further line is one column, with a list of values a run, one an episode (null for a run in
which no episode has one). Columns compress several times better than records, because values of one kind
resemble each other.

Kept is all of `TaskRun` but `timing.started`, in the place of which every run has the earliest start, and
fractions of `timing.wall_seconds` below a millisecond. Versions, commit, machine and command are kept once
for all runs that share them.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from csd.descriptor import canonical_json
from echo.experiments.results import ResultsError
from echo.experiments.spec import FORMAT, FileRecord, UsageError
from echo.experiments.tasks.competitors import Competitor
from echo.experiments.tasks.packed_columns import Column, columns_of, flat, record
from echo.experiments.tasks.records import Kind, RunSpec, TaskRun
from echo.experiments.tasks.results import TaskResults, claim, note_unscored, read_folder, write_run
from echo.experiments.whole_files import write_atomically

SUFFIX = ".jsonl.xz"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)*")
"""What a run may be called: its name becomes that of a file."""

_MADE = ("versions", "commit", "machine", "command")
"""Fields of a run that are kept once for all runs that share them."""


class PackedRun(FileRecord):
    """What the head says of one run."""

    competitor: Competitor
    task: str
    run: int
    installed: str | None = None
    made: Annotated[int, Field(ge=0)]
    """Which of the head's `made` it was."""
    wall_seconds: float


class Head(FileRecord):
    """First line of a packed file."""

    format: Literal[1] = 1
    kind: Kind
    circumstances: dict[str, Any]
    """As `RunSpec.circumstances` tells them."""
    expected: tuple[str, ...]
    unscored: dict[str, str]
    made: tuple[dict[str, Any], ...]
    """Versions, commit, machine and command; each combination once, in the order first met."""
    started: str
    """Earliest start of a run, UTC, ISO 8601."""
    runs: tuple[PackedRun, ...]
    digest: str
    """Sha256 over the result digests of all runs, in order."""


@dataclass(frozen=True, kw_only=True)
class Packed:
    """A packed file that was written."""

    path: Path
    bytes: int
    results: TaskResults


def read_results(place: Path) -> TaskResults:
    """Read a results folder, or a file into which one was packed.

    Raises:
        UsageError: as `read_folder`.
        ResultsError: as `read_folder` and `read_packed`.
    """
    return read_packed(place) if is_packed(place) else read_folder(place)


def is_packed(place: Path) -> bool:
    """Return whether `place` is called as a packed file is, and is no folder."""
    return place.name.endswith(SUFFIX) and not place.is_dir()


def pack_folder(folder: Path, path: Path) -> Packed:
    """Write everything that a results folder holds into one file.

    Raises:
        UsageError: if the folder holds no finished run, or `path` is not called ``*.jsonl.xz``.
        ResultsError: as `read_folder`.
    """
    if not path.name.endswith(SUFFIX):
        raise UsageError(f"expected a file called *{SUFFIX}; got {path}. Change --out.")
    results = read_folder(folder)
    if not results.runs:
        raise UsageError(f"expected finished runs in {folder}; got failed ones alone. Run the command again.")
    data = pack(results)
    write_atomically(path, data)
    return Packed(path=path, bytes=len(data), results=results)


def unpack_file(path: Path, folder: Path) -> TaskResults:
    """Write the runs of a packed file into a results folder of their own, and return them.

    Raises:
        UsageError: if the folder holds results already.
        ResultsError: as `read_packed`.
    """
    results = read_packed(path)
    if folder.exists() and any((folder / "runs").glob("*.json")):
        raise UsageError(f"expected a folder without results; got some in {folder}. Change --out.")
    claim(folder, results.circumstances, results.expected)
    for run in results.runs:
        write_run(folder, run)
    for name, reason in results.unscored.items():
        note_unscored(folder, name, reason)
    return results


def read_packed(path: Path) -> TaskResults:
    """Read a packed file.

    Raises:
        ResultsError: if it is missing, damaged, of another version, or not what was packed.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ResultsError(f"expected a packed file; got {error.strerror or error} at {path}.") from error
    return unpack(data, str(path))


def pack(results: TaskResults) -> bytes:
    """Return the content of a packed file; equal results give equal content before compression."""
    made: dict[str, int] = {}
    rows = []
    for run in results.runs:
        told = canonical_json(run.model_dump(mode="json", include=set(_MADE)))
        rows.append(
            PackedRun(
                competitor=run.spec.competitor,
                task=run.spec.task,
                run=run.spec.run,
                installed=run.spec.installed,
                made=made.setdefault(told, len(made)),
                wall_seconds=round(run.timing.wall_seconds, 3),
            )
        )
    head = Head(
        kind=results.kind,
        circumstances=dict(results.circumstances),
        expected=results.expected,
        unscored=dict(results.unscored),
        made=tuple(json.loads(told) for told in made),
        started=min(run.timing.started for run in results.runs),
        runs=tuple(rows),
        digest=_digest(results.runs),
    )
    columns = columns_of([[flat(episode) for episode in run.episodes] for run in results.runs])
    lines = [head.model_dump_json(), *(canonical_json({name: columns[name]}) for name in sorted(columns))]
    text = "".join(f"{line}\n" for line in lines).encode()
    # A dictionary larger than the text only takes memory, and the time to clear it.
    dictionary = min(max(len(text), 4096), 1 << 26)
    strongest = {"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME, "dict_size": dictionary}
    return lzma.compress(text, filters=[strongest])


def unpack(data: bytes, where: str) -> TaskResults:
    """Return the results in the content of a packed file.

    Raises:
        ResultsError: if it is damaged, of another version, or not what was packed.
    """
    try:
        told, *rest = map(json.loads, _decompressed(data).decode().splitlines())
        found = told.get("format")
        columns: dict[str, list[Column]] = {name: runs for line in rest for name, runs in line.items()}
    except (lzma.LZMAError, EOFError, ValueError, AttributeError, RecursionError) as error:
        raise ResultsError(
            f"expected packed results; got unreadable content in {where} ({error}). "
            f"Pack them anew with: echo-memory results pack DIR --out {where}"
        ) from error
    if found != FORMAT:
        raise ResultsError(
            f"expected packed results of format {FORMAT}; got {found!r} in {where}. Read them with the "
            f"version of echo-memory that packed them."
        )
    try:
        head = Head.model_validate(told)
        runs = tuple(_run(head, number, columns) for number in range(len(head.runs)))
    except (ValidationError, LookupError, TypeError) as error:
        raise ResultsError(f"expected packed runs of tasks; got others in {where} ({error}).") from error
    _check_head(head, runs, where)
    if _digest(runs) != head.digest:
        raise ResultsError(
            f"expected what was packed; got other episodes in {where}: the file was altered. "
            f"Pack the results anew."
        )
    return TaskResults(
        kind=head.kind,
        circumstances=head.circumstances,
        expected=head.expected,
        runs=runs,
        unscored=head.unscored,
    )


def _decompressed(data: bytes) -> bytes:
    """Return the text of a packed file.

    Raises:
        LZMAError: if it is no xz file.
        ValueError: if it is cut off, or something follows it.
    """
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ)
    text = reader.decompress(data)
    if not reader.eof:
        raise ValueError("it is cut off")
    if reader.unused_data:
        raise ValueError("something follows its end")
    return text


def _check_head(head: Head, runs: Sequence[TaskRun], where: str) -> None:
    """Check what no digest is over: names become files, and circumstances those of every run.

    Raises:
        ResultsError: if there are no runs, they are not those of the head, or a name is none of a run.
    """
    alike = all(run.spec.circumstances == head.circumstances for run in runs)
    if not runs or not alike or head.kind != head.circumstances.get("kind"):
        raise ResultsError(
            f"expected packed runs in the circumstances told with them; got others or none in {where}. "
            f"Pack the results anew."
        )
    for name in (*head.expected, *head.unscored, *(run.spec.name for run in runs)):
        if not _NAME.fullmatch(name):
            raise ResultsError(f"expected names of runs; got {name!r} in {where}. Pack the results anew.")


def _run(head: Head, number: int, columns: Mapping[str, Sequence[Column]]) -> TaskRun:
    """Return the run with this number in the order packed."""
    row = head.runs[number]
    played = row.model_dump(include={"competitor", "task", "run", "installed"})
    spec = RunSpec.model_validate({**head.circumstances, **played})
    own = {name: values[number] for name, values in columns.items()}
    episodes = [
        record({name: values[episode] for name, values in own.items() if values is not None})
        for episode in range(spec.episodes)
    ]
    return TaskRun.model_validate(
        {
            **{name: head.made[row.made][name] for name in _MADE},
            "spec": spec,
            "spec_digest": spec.digest,
            "episodes": tuple(episodes),
            "timing": {"wall_seconds": row.wall_seconds, "started": head.started},
        }
    )


def _digest(runs: Iterable[TaskRun]) -> str:
    return hashlib.sha256("".join(run.result_digest for run in runs).encode()).hexdigest()
