"""A data folder on disk: written whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from finetune.examples.recorded import ExamplesError
from finetune.whole_folder import whole_folder

CARD_JSON = "card.json"
CARD_TEXT = "card.md"
EPISODES = "episodes.jsonl"
IMAGES = "images"


def check_free(folder: Path) -> None:
    """Raise unless `folder` is absent or empty.

    Raises:
        ExamplesError: if there is something in it, or it is no folder.
    """
    if not os.path.lexists(folder):
        return
    if not folder.is_dir():
        raise ExamplesError(f"expected a folder for the data at {folder}; got a file. Name another place.")
    held = sorted(each.name for each in folder.iterdir())
    if held:
        raise ExamplesError(
            f"expected an empty or new folder for the data; got {folder}, which holds {', '.join(held[:5])}"
            f"{', ...' if len(held) > 5 else ''}. Name another folder, or remove that one yourself."
        )


def write_folder(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` (name below `folder`, with '/', -> content) so that all of them are there, or none.

    Raises:
        ExamplesError: if there is something in the folder, now or once all is written.
        OSError: if the disk refuses, such as when it is full; nothing is left behind then.
    """
    check_free(folder)
    try:
        with whole_folder(folder) as unfinished:
            for name, data in files.items():
                _write(unfinished / name, data)
            # Whoever filled it meanwhile keeps it.
            check_free(folder)
    except OSError as error:
        raise OSError(error.errno, error.strerror, str(folder)) from error


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
