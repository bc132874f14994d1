"""Result files of unlocking runs: one JSON a run, complete enough to repeat it, written all or nothing."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
)

from csd.descriptor import canonical_json
from echo.experiments.circumstances import check_circumstances
from echo.experiments.reasoner import Reasoning
from echo.experiments.spec import FORMAT, FileRecord, UnlockSpec, UsageError
from echo.experiments.whole_files import write_atomically, write_once

Source = Literal["collect", "exploration", "edit", "transfer", "pattern"]

SOURCES: tuple[Source, ...] = ("collect", "exploration", "edit", "transfer", "pattern")
"""Where an unlock came from, in the order of all tables."""

EXPERIMENT_FILE = "experiment.json"

Record = TypeVar("Record", bound=FileRecord)


class ResultsError(ValueError):
    """A result file or folder cannot be read as what it should be."""


class TornFileError(ResultsError):
    """A result file is no JSON at all: cut off, or overwritten with something else."""


class UnlockRecord(FileRecord):
    """The first gain of one item."""

    item: str
    """Real name."""
    shown: str
    """Name as the agent saw it; another one only where names are invented."""
    action: Annotated[int, Field(ge=1)]
    """Counted actions up to and with the one that brought it."""
    tick: Annotated[int, Field(ge=0)]
    """World time in ticks, 20 a second."""
    verb: str
    source: Source
    axes: dict[str, float]
    """Share of credit of each axis; sums to 1 for transfer and pattern, else empty."""
    exemplars: tuple[str, ...]
    """Ids of the CSDs it was induced from."""
    csd: str | None
    """Id of the CSD that describes it."""
    episode: str | None
    """Id of the episode that shows it."""
    detail: str
    """What was done, in words."""


class Timing(FileRecord):
    """How long a run took; differs from machine to machine and counts in no comparison."""

    wall_seconds: Annotated[float, Field(ge=0)]
    decision_ms: tuple[float, float]
    """Median and 95th percentile of one decision, in milliseconds."""
    started: str
    """UTC, ISO 8601."""


class RunResult(FileRecord):
    """One finished run. Two results are equal when the same happened in the same circumstances."""

    format: Literal[1] = 1
    spec: UnlockSpec
    spec_digest: str
    versions: dict[str, str]
    commit: str | None
    """Of the code, with ``+changes`` where files differed from it; None outside a checkout."""
    machine: dict[str, str | int]
    command: str
    unlocks: tuple[UnlockRecord, ...]
    """In the order they happened."""
    actions: Annotated[int, Field(ge=0)]
    """Counted actions taken."""
    ticks: Annotated[int, Field(ge=0)]
    """World time that passed."""
    attempts: dict[str, dict[str, int]]
    """Source -> attempts tried, that made something, that made something new, and ideas that the verifier
    rejected; results written before there was a verifier count none rejected."""
    milestones: dict[str, int | None]
    """Item -> action of its unlock, None where it was not reached."""
    timing: Timing
    reasoning: Reasoning | None = None
    """What a model decided and answered; None where the rule decided."""

    @model_serializer(mode="wrap")
    def _without_nothing(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out the reasoning where there is none: results of before there was one stay the same."""
        told: dict[str, Any] = dump(self)
        if told.get("reasoning", ...) is None:
            del told["reasoning"]
        return told

    @field_validator("attempts")
    @classmethod
    def _counting_rejected(cls, attempts: dict[str, dict[str, int]]) -> dict[str, dict[str, int]]:
        return {
            source: {**counts, "rejected": counts.get("rejected", 0)} for source, counts in attempts.items()
        }

    @property
    def result_digest(self) -> str:
        """Sha256 over what happened: spec, unlocks, actions, ticks, attempts, milestones, answers of a model.

        Left out: timing, machine, versions, commit and command, which say how it came to be run.
        """
        told = {"spec", "unlocks", "actions", "ticks", "attempts", "milestones"}
        happened = self.model_dump(mode="json", include=told)
        if self.reasoning is not None:
            happened["reasoning"] = self.reasoning.happened
        return hashlib.sha256(canonical_json(happened).encode()).hexdigest()

    def __eq__(self, other: object) -> bool:
        """Return whether the same happened."""
        return isinstance(other, RunResult) and self.result_digest == other.result_digest

    def __hash__(self) -> int:
        """Return a hash that agrees with equality."""
        return hash(self.result_digest)


def find_milestones(unlocks: tuple[UnlockRecord, ...], items: tuple[str, ...]) -> dict[str, int | None]:
    """Return the action at which each of `items` was first gained, None where it never was."""
    first: dict[str, int] = {}
    for unlock in unlocks:
        first.setdefault(unlock.item, unlock.action)
    return {item: first.get(item) for item in items}


def run_file(folder: Path, name: str) -> Path:
    """Return where the result of the run `name` lies."""
    return folder / "runs" / f"{name}.json"


def memory_folder(folder: Path, name: str) -> Path:
    """Return where the memory of the run `name` lies, if it was recorded."""
    return folder / "memories" / name


def write_result(folder: Path, result: RunResult) -> Path:
    """Write a result to its place in `folder` and return the path."""
    path = run_file(folder, result.spec.name)
    write_atomically(path, (result.model_dump_json(indent=1) + "\n").encode())
    return path


def read_record(path: Path, record: type[Record]) -> Record:
    """Read a result file as a `record`.

    Raises:
        TornFileError: if it holds no JSON.
        ResultsError: if it is missing, cannot be read, is of another version, or lacks fields of `record`.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ResultsError(f"expected a result file; got nothing at {path}. Name a finished run.") from error
    except (OSError, ValueError, RecursionError) as error:
        kind = ResultsError if isinstance(error, OSError) else TornFileError
        raise kind(
            f"expected a result file as JSON; got unreadable content in {path} ({error}). "
            f"Delete that file and run the same command again: only this run is redone. "
            f"A file that was never a result is to be moved out of the folder."
        ) from error
    if not isinstance(content, dict) or "format" not in content:
        raise ResultsError(
            f"expected a result file, which names its format; got none in {path}: it is no result of a run. "
            f"Move it out of the folder and give the same command again."
        )
    found = content["format"]
    if found != FORMAT:
        raise ResultsError(
            f"expected a result file of format {FORMAT}; got {found!r} in {path}. Read it with the "
            f"version of echo-memory that wrote it, or run into another folder with --out."
        )
    try:
        return record.model_validate_json(json.dumps(content))
    except ValidationError as error:
        where = "; ".join(_fault(one["loc"], one["msg"]) for one in error.errors()[:3])
        raise ResultsError(
            f"expected the fields of a run result; got {where} in {path}. "
            f"Delete that file and run the same command again: only this run is redone."
        ) from error


def _fault(place: Sequence[int | str], said: str) -> str:
    """Return what is wrong at a place in a file; without one it is wrong as a whole."""
    said = said.removeprefix("Value error, ").rstrip(".")
    return f"{'.'.join(map(str, place))}: {said}" if place else f"a fault ({said})"


def read_result(path: Path) -> RunResult:
    """Read one result file of an unlocking run.

    Raises:
        ResultsError: if it is missing, torn, of another version, altered, or not a result.
    """
    result = read_record(path, RunResult)
    if result.spec_digest != result.spec.digest:
        raise ResultsError(
            f"expected the spec digest {result.spec.digest[:12]}; got {result.spec_digest[:12]} in {path}: "
            f"the spec was altered. Delete that file and run the same command again."
        )
    return result


def read_results(folder: Path) -> tuple[RunResult, ...]:
    """Read every result in `folder`, sorted by file name.

    Raises:
        UsageError: if `folder` holds no results.
        ResultsError: if it is of another version, a file in it cannot be read, or a file is not called
            after the run it holds (so that no run can count twice).
    """
    check_folder(folder)
    paths = sorted((folder / "runs").glob("*.json"))
    if not paths:
        raise UsageError(
            f"expected a results folder with runs/*.json; got none in {folder}. "
            f"Make one with: echo-memory run unlock --out {folder}"
        )
    return tuple(_read_named(path) for path in paths)


def _read_named(path: Path) -> RunResult:
    """Read a result that must lie under its run's name.

    Raises:
        ResultsError: as `read_result`, and if the file has another name.
    """
    result = read_result(path)
    check_name(path, result.spec.name)
    return result


def check_name(path: Path, name: str) -> None:
    """Check that a result lies under the name of its run.

    Raises:
        ResultsError: if it has another name.
    """
    if path.stem == name:
        return
    own = path.with_name(f"{name}.json")
    if own.exists():
        advice = f"{own.name} lies beside it, and a run counts once: delete {path.name}."
    else:
        advice = f"Rename it to {own.name}, or move it out of the folder."
    raise ResultsError(
        f"expected the result of the run {path.stem}; got the one of {name} in {path}. {advice}"
    )


def check_folder(folder: Path) -> dict[str, Any] | None:
    """Return what the folder's experiment file says of its runs' circumstances, None without the file.

    Raises:
        ResultsError: if the file is unreadable or of another version.
    """
    path = folder / EXPERIMENT_FILE
    if not path.is_file():
        return None
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        found, circumstances = content["format"], content["circumstances"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise ResultsError(
            f"expected an experiment file with format and circumstances; got unreadable content in {path} "
            f"({error!r}). Delete that file: the next run writes it anew."
        ) from error
    if found != FORMAT or not isinstance(circumstances, dict):
        raise ResultsError(
            f"expected a results folder of format {FORMAT}; got {found!r} in {path}. Read it with the "
            f"version of echo-memory that wrote it, or choose another folder with --out."
        )
    return circumstances


def claim_folder(folder: Path, spec: UnlockSpec) -> None:
    """Make `folder` a results folder for runs in the circumstances of `spec`, or check that it is one.

    Raises:
        UsageError: if its runs were made in other circumstances (budget, shots, names, encoder, ...).
        ResultsError: if it is of another version or unreadable.
    """
    known = check_folder(folder)
    wanted = json.loads(canonical_json(spec.circumstances))
    if known is None:
        content: Mapping[str, Any] = {"format": FORMAT, "kind": "unlock", "circumstances": wanted}
        if write_once(folder / EXPERIMENT_FILE, (json.dumps(content, indent=1) + "\n").encode()):
            return
        known = check_folder(folder) or {}  # Another process was quicker: its word holds.
    check_circumstances(folder, known, wanted)
