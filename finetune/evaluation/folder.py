"""The folder of an evaluation."""

from __future__ import annotations

from pathlib import Path

from finetune.evaluation.completions import COMPLETIONS
from finetune.evaluation.errors import EvaluationError
from finetune.evaluation.records import EVALUATION


def check_own(folder: Path) -> None:
    """Raise unless `folder` is absent, empty, or holds an evaluation, which may be gone on with.

    Raises:
        EvaluationError: if there is something else in it, or it is no folder.
        OSError: if it cannot be looked into.
    """
    if folder.exists() and not folder.is_dir():
        raise EvaluationError(
            f"expected a folder for the evaluation; got the file {folder}. Name another place."
        )
    held = sorted(each.name for each in folder.iterdir()) if folder.is_dir() else []
    if held and COMPLETIONS not in held and EVALUATION not in held:
        raise EvaluationError(
            f"expected a new or empty folder for the evaluation, or one of an evaluation; got {folder}, "
            f"which holds {', '.join(held[:5])}{', ...' if len(held) > 5 else ''}. Name another folder."
        )
