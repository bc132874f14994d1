"""Which report some results folders get: of unlocking runs, of task runs together, or of two compared."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

from echo.experiments.results import EXPERIMENT_FILE, ResultsError
from echo.experiments.spec import UsageError
from echo.experiments.tasks.committed import is_packed, read_packed
from echo.experiments.tasks.report.reading import KINDS

Way = Literal["unlock", "together", "compare"]


def choose_way(folders: Sequence[Path]) -> Way:
    """Return which report `folders` get.

    One folder of unlocking runs gets that of its kind. Task runs of one folder, or of several that hold
    different kinds of experiments, are reported together; two folders of one kind are compared.

    Raises:
        UsageError: if a folder holds no results, or the folders cannot stand in one report.
        ResultsError: if a folder cannot be read, or is of another kind than any report.
    """
    if len(dict.fromkeys(folder.resolve() for folder in folders)) < len(folders):
        raise UsageError("expected different folders; got one of them twice. Name each once.")
    kinds = [folder_kind(folder) for folder in folders]
    if "unlock" in kinds:
        if len(folders) > 1:
            raise UsageError(
                f"expected one folder of unlocking runs, or folders of task runs; got "
                f"{', '.join(f'{kind} in {folder}' for kind, folder in zip(kinds, folders, strict=True))}. "
                f"Make a report of each."
            )
        return "unlock"
    if len(folders) == 2 and kinds[0] == kinds[1]:
        return "compare"
    return "together"


def folder_kind(folder: Path) -> str:
    """Return which kind of experiment a results folder, or a packed file, holds: 'unlock' or one of tasks.

    Raises:
        UsageError: if it holds no results.
        ResultsError: if what it holds cannot be read, or is of a kind that no report knows.
    """
    if is_packed(folder):
        return read_packed(folder).kind
    path = folder / EXPERIMENT_FILE
    if path.is_file():
        found = _read(path).get("kind", "unlock")
    else:
        results = sorted((folder / "runs").glob("*.json"))
        if not results:
            raise UsageError(
                f"expected a results folder with runs/*.json; got none in {folder}. "
                f"Make one with: echo-memory run unlock --out {folder}, or run tasks, ablate, ..."
            )
        spec = _read(results[0]).get("spec")
        found = spec.get("kind", "unlock") if isinstance(spec, dict) else "unlock"
    if found != "unlock" and found not in KINDS:
        raise ResultsError(
            f"expected an experiment of kind unlock, {', '.join(KINDS)}; got {found!r} in {folder}. Read it "
            f"with the version of echo-memory that wrote it."
        )
    return str(found)


def _read(path: Path) -> dict[str, Any]:
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise ResultsError(
            f"expected JSON; got unreadable content in {path} ({error}). Delete that file and run the same "
            f"command again."
        ) from error
    if not isinstance(content, dict):
        raise ResultsError(
            f"expected a JSON object; got {type(content).__name__} in {path}. Delete that file."
        )
    return content
