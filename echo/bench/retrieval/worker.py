"""One engine, one task, one process: run by `echo.bench.retrieval.run` as ``python -m``, never by hand.

Prints lines of progress; the result goes to a file.
"""

from __future__ import annotations

import importlib
import json
import os
import pickle
import sys
from pathlib import Path
from typing import Any

from echo.bench.retrieval.engines import entrant, open_engine
from echo.bench.retrieval.measure import as_json, ask, fill


def main(task: str, name: str, folder: Path, given: Path, result: Path) -> None:
    """Do one task.

    Args:
        task: 'fill' or 'ask'.
        name: of the engine.
        folder: of its files.
        given: pickled by `run`: for fill (data, extra batch); for ask (questions, k, dimension).
        result: where the measurement is written, as JSON.
    """
    # One processor for every engine alike, whatever threads it starts.
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    for module in entrant(name).modules:
        importlib.import_module(module)
    with given.open("rb") as file:
        held: Any = pickle.load(file)
    if task == "fill":
        data, extra = held
        measured = as_json(fill(lambda: open_engine(name, folder, data.dimension), data, extra, _say))
    else:
        questions, k, dimension = held
        measured = as_json(ask(lambda: open_engine(name, folder, dimension), questions, k, _say))
    result.write_text(json.dumps(measured), encoding="utf-8")


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], *(Path(argument) for argument in sys.argv[3:6]))
