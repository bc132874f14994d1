"""A folder of task results: one JSON a run, a note for each run that failed, and what was asked for in all.

``experiment.json`` names the circumstances that all runs share and every run that is expected;
``runs/NAME.json`` is a finished run, ``unscored/NAME.json`` says why a run has no result.
"""

from __future__ import annotations

import fcntl
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import ValidationError

from csd.descriptor import canonical_json
from echo.experiments.circumstances import check_circumstances, find_differing, tell_circumstances
from echo.experiments.results import (
    EXPERIMENT_FILE,
    ResultsError,
    check_name,
    read_record,
    run_file,
)
from echo.experiments.spec import FORMAT, FileRecord, UsageError
from echo.experiments.tasks.records import Kind, TaskRun
from echo.experiments.whole_files import write_atomically


class ExperimentFile(FileRecord):
    """What the runs of one folder have in common."""

    format: Literal[1] = 1
    kind: Kind
    circumstances: dict[str, Any]
    """As `RunSpec.circumstances` tells them."""
    expected: tuple[str, ...]
    """Names of all runs ever asked for in this folder, in the order asked."""


class UnscoredFile(FileRecord):
    """Why a run has no result."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class TaskResults:
    """Everything a results folder holds."""

    kind: Kind
    circumstances: Mapping[str, Any]
    expected: tuple[str, ...]
    """Names of all runs asked for; those of the results alone where the folder does not say."""
    runs: tuple[TaskRun, ...]
    """Finished, in the order of their names."""
    unscored: Mapping[str, str]
    """Name -> why it has no result; such a run is never counted as zero."""

    @property
    def missing(self) -> tuple[str, ...]:
        """Expected runs that have neither finished nor failed."""
        finished = {run.spec.name for run in self.runs}
        return tuple(name for name in self.expected if name not in finished and name not in self.unscored)


def unscored_file(folder: Path, name: str) -> Path:
    """Return where it is noted that the run `name` failed."""
    return folder / "unscored" / f"{name}.json"


def write_run(folder: Path, run: TaskRun) -> Path:
    """Write a finished run to its place in `folder`, take away a note that it failed, return the path.

    Raises:
        ResultsError: if it cannot be written.
    """
    path = run_file(folder, run.spec.name)
    _write(path, run)
    unscored_file(folder, run.spec.name).unlink(missing_ok=True)
    return path


def note_unscored(folder: Path, name: str, reason: str) -> Path:
    """Note in `folder` that the run `name` failed, and why; return the path; errors as `write_run`."""
    path = unscored_file(folder, name)
    _write(path, UnscoredFile(name=name, reason=reason))
    return path


def read_run(path: Path) -> TaskRun:
    """Read one finished run.

    Raises:
        TornFileError: if the file holds no JSON.
        ResultsError: if it is missing, of another version, altered, or not a run of tasks.
    """
    return read_record(path, TaskRun)


def read_runs(folder: Path) -> tuple[TaskRun, ...]:
    """Return the finished runs in `folder`, in the order of their names; errors as `read_folder`."""
    return read_folder(folder).runs


def read_folder(folder: Path) -> TaskResults:
    """Read all that a results folder holds.

    Raises:
        UsageError: if it holds neither a finished run nor a note of a failed one.
        ResultsError: if a file in it is torn, altered, of another version or under another run's name,
            or if runs in it were made in different circumstances.
    """
    told = read_experiment(folder)
    runs = tuple(_read_named(path) for path in sorted((folder / "runs").glob("*.json")))
    unscored = _read_unscored(folder, {run.spec.name for run in runs})
    if not runs and not unscored:
        raise UsageError(
            f"expected a results folder with runs/*.json; got none in {folder}. "
            f"Make one with: echo-memory run tasks --size quick --out {folder}"
        )
    if told is None and not runs:
        raise ResultsError(
            f"expected {EXPERIMENT_FILE} beside the notes of failed runs; got none in {folder}. "
            f"Run the same command again: it writes the file anew."
        )
    circumstances = told.circumstances if told is not None else dict(runs[0].spec.circumstances)
    _check_alike(folder, circumstances, runs)
    return TaskResults(
        kind=told.kind if told is not None else runs[0].spec.kind,
        circumstances=circumstances,
        expected=told.expected if told is not None else tuple(run.spec.name for run in runs),
        runs=runs,
        unscored=unscored,
    )


def read_experiment(folder: Path) -> ExperimentFile | None:
    """Return what a folder's experiment file says, None where there is none.

    Raises:
        ResultsError: if it is unreadable, of another version, or of an experiment that plays no tasks.
    """
    path = folder / EXPERIMENT_FILE
    if not path.exists():
        return None
    advice = "Delete that file: the next run writes it anew."
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(
            f"expected an experiment file; got unreadable content in {path} ({error}). {advice}"
        ) from error
    if not isinstance(content, dict) or "format" not in content:
        raise ResultsError(f"expected an experiment file with a format; got none in {path}. {advice}")
    found = content["format"]
    if found != FORMAT:
        raise ResultsError(
            f"expected a results folder of format {FORMAT}; got {found!r} in {path}. Read it with the "
            f"version of echo-memory that wrote it, or choose another folder with --out."
        )
    if content.get("kind") == "unlock":
        raise ResultsError(
            f"expected a folder with runs of tasks; got one of 'run unlock' in {path}. "
            f"Choose another folder with --out."
        )
    try:
        return ExperimentFile.model_validate_json(json.dumps(content))
    except ValidationError as error:
        wrong = ", ".join(dict.fromkeys(str(one["loc"][0]) for one in error.errors() if one["loc"]))
        raise ResultsError(
            f"expected an experiment file; got none or wrong values for {wrong} in {path}. {advice}"
        ) from error


def find_circumstances(folder: Path) -> Mapping[str, Any] | None:
    """Return in which circumstances the runs in a folder were made, None where it holds none.

    Without its experiment file a folder is told by its first run that can be read.

    Raises:
        ResultsError: as `read_experiment`.
    """
    told = read_experiment(folder)
    if told is not None:
        return told.circumstances
    for path in sorted((folder / "runs").glob("*.json")):
        try:
            return read_run(path).spec.circumstances
        except ResultsError:
            continue
    return None


def claim(folder: Path, circumstances: Mapping[str, Any], expected: Sequence[str]) -> ExperimentFile:
    """Make `folder` a results folder for runs in `circumstances`, or check that it is one.

    Returns what its experiment file says then. Runs expected earlier stay expected. Processes that claim
    one folder at the same time wait for each other.

    Args:
        folder: Made where it is missing.
        circumstances: As `RunSpec.circumstances` tells them.
        expected: Names of the runs that are to be played.

    Raises:
        UsageError: if runs in it were made in other circumstances, or it cannot be made or written to.
        ResultsError: if its experiment file is unreadable, of another version, or cannot be written.
    """
    wanted = json.loads(canonical_json(dict(circumstances)))
    try:
        (folder / "runs").mkdir(parents=True, exist_ok=True)
        lock = (folder / ".claim").open("w")
    except OSError as error:
        got = "a file" if folder.exists() and not folder.is_dir() else error.strerror or str(error)
        raise UsageError(
            f"expected a folder that can be made and written to at {folder}; got {got}. "
            f"Choose another folder with --out."
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        known = read_experiment(folder)
        if known is not None:
            check_circumstances(folder, known.circumstances, wanted)
        before = known.expected if known is not None else ()
        asked = ExperimentFile(
            kind=wanted["kind"],
            circumstances=wanted,
            expected=tuple(dict.fromkeys((*before, *expected))),
        )
        if asked != known:
            _write(folder / EXPERIMENT_FILE, asked)
    return asked


def set_aside(path: Path) -> Path:
    """Rename a torn result file so that its run can be played again, and return the new path."""
    aside = path.with_name(f"{path.name}.torn")
    number = 1
    while aside.exists():
        number += 1
        aside = path.with_name(f"{path.name}.torn{number}")
    path.rename(aside)
    return aside


def _write(path: Path, record: FileRecord) -> None:
    """Write a file of a results folder.

    Raises:
        ResultsError: if there is no room for it, or it may not be written.
    """
    try:
        write_atomically(path, (record.model_dump_json(indent=1) + "\n").encode())
    except OSError as error:
        raise ResultsError(
            f"expected a disk that takes {path}; got {error.strerror or error}. Finished runs are kept: "
            f"mend that and give the same command, which goes on from there."
        ) from error


def _read_named(path: Path) -> TaskRun:
    """Read a run that must lie under its own name."""
    run = read_run(path)
    check_name(path, run.spec.name)
    return run


def _read_unscored(folder: Path, finished: set[str]) -> dict[str, str]:
    """Return the failed runs with their reasons, in the order of names, without those `finished` since."""
    found: dict[str, str] = {}
    for path in sorted((folder / "unscored").glob("*.json")):
        if path.stem in finished:
            continue
        try:
            found[path.stem] = UnscoredFile.model_validate_json(path.read_bytes()).reason
        except (OSError, ValueError):
            found[path.stem] = f"failed; its reason cannot be read in {path}"
    return found


def _check_alike(folder: Path, circumstances: Mapping[str, Any], runs: Sequence[TaskRun]) -> None:
    """Check that all `runs` were made in `circumstances`.

    Raises:
        ResultsError: if one was not, with its name and what differs.
    """
    for run in runs:
        own = run.spec.circumstances
        differing = find_differing(circumstances, own)
        if differing:
            raise ResultsError(
                f"expected runs in the same circumstances in {folder} "
                f"({tell_circumstances(circumstances, differing)}); got {tell_circumstances(own, differing)} "
                f"in {run.spec.name}.json. Results of two experiments or versions do not mix: move it out of "
                f"the folder, or run into another one with --out."
            )
