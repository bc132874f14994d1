"""A tuning and its evaluation in one small file, to be committed: of what it was made, and what came of it.

The file is one JSON object under xz. ``python -m finetune.evaluation.packed`` makes it of the folders of
data, training and evaluation, which must belong together.
"""

from __future__ import annotations

import argparse
import csv
import lzma
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Literal, TypeVar

from pydantic import ValidationError

from csd.descriptor import Record
from csd.vectors.files import replace
from finetune.evaluation.errors import EvaluationError
from finetune.evaluation.records import EVALUATION, Evaluation
from finetune.examples.card import Card
from finetune.examples.folder import CARD_JSON
from finetune.training.records import CURVE_TABLE, RUN, RunRecord

SUFFIX = ".json.xz"

Kind = TypeVar("Kind", bound=Record)


class Tuning(Record):
    """A model that was taught, measured before and after."""

    format: Literal[1] = 1
    evaluation: Evaluation
    run: RunRecord
    curve: tuple[dict[str, float], ...]
    """A line for each step with what was measured there, as `finetune.training.curve.curve` gives them."""
    card: Card
    """Of the data."""


def gather(data: Path, trained: Path, evaluated: Path) -> Tuning:
    """Read what belongs to one tuning.

    Args:
        data: folder from `echo-memory finetune examples`.
        trained: folder from `echo-memory finetune train`.
        evaluated: folder from `echo-memory finetune evaluate`.

    Raises:
        EvaluationError: if a file is missing or unreadable, or they are not of the same data and adapter.
    """
    card = _record(data / CARD_JSON, Card)
    run = _record(trained / RUN, RunRecord)
    evaluation = _record(evaluated / EVALUATION, Evaluation)
    adapter = evaluation.made.told.get("model", {}).get("adapter")
    train = card.splits["train"].sha256 if "train" in card.splits else None
    for what, wanted, found in (
        (f"rows in {trained / RUN} to be those of {data}", train, run.begun.asked.train.sha256),
        (f"rows in {evaluated / EVALUATION} to be those of {data}", card.digest, evaluation.made.card),
        (f"the adapter of {trained} in {evaluated / EVALUATION}", run.ended.adapter_sha256, adapter),
    ):
        if wanted != found:
            raise EvaluationError(f"expected {what} ({wanted}); got {found}. Name folders of one tuning.")
    return Tuning(evaluation=evaluation, run=run, curve=_curve(trained / CURVE_TABLE), card=card)


def pack(tuning: Tuning) -> bytes:
    """Return the content of a file; equal tunings give equal content."""
    return lzma.compress(tuning.model_dump_json().encode(), preset=9 | lzma.PRESET_EXTREME)


def read_tuning(path: Path) -> Tuning:
    """Read a packed file.

    Raises:
        EvaluationError: if it is missing, damaged, or holds something else.
    """
    try:
        return Tuning.model_validate_json(lzma.decompress(path.read_bytes()))
    except (OSError, lzma.LZMAError, EOFError, ValidationError) as error:
        raise EvaluationError(
            f"expected a packed tuning in {path}; got: {error}. Make it with: "
            f"python -m finetune.evaluation.packed --data DIR --trained DIR --evaluated DIR --out {path}"
        ) from error


def _record(path: Path, kind: type[Kind]) -> Kind:
    try:
        return kind.model_validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise EvaluationError(f"expected a {kind.__name__} in {path}; got: {error}.") from error


def _curve(path: Path) -> tuple[dict[str, float], ...]:
    try:
        with path.open(encoding="utf-8", newline="") as file:
            return tuple(
                {name: float(value) for name, value in line.items() if value} for line in csv.DictReader(file)
            )
    except (OSError, ValueError, TypeError) as error:
        raise EvaluationError(f"expected the course of the loss in {path}; got: {error}.") from error


def main(words: Sequence[str] | None = None) -> int:
    """Write the file; 1 where that cannot be."""
    parser = argparse.ArgumentParser(
        prog="python -m finetune.evaluation.packed", description=(__doc__ or "").splitlines()[0]
    )
    for name in ("data", "trained", "evaluated"):
        parser.add_argument(f"--{name}", type=Path, required=True, metavar="DIR")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help=f"called *{SUFFIX}")
    asked = parser.parse_args(words)
    try:
        if not asked.out.name.endswith(SUFFIX):
            raise EvaluationError(f"expected a file called *{SUFFIX}; got {asked.out}. Change --out.")
        content = pack(gather(asked.data, asked.trained, asked.evaluated))
        replace(asked.out, content)
    except (EvaluationError, OSError) as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    sys.stdout.write(f"{asked.out}: {len(content):,} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
