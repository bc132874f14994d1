"""Files that are written all or nothing: a reader, also after a kill or a power cut, finds them whole."""

from __future__ import annotations

import os
import platform
import threading
from pathlib import Path


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader, also after a kill or a power cut, finds the old or the new one whole."""
    unfinished = _write_unfinished(path, data)
    try:
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise
    _keep_names(path.parent)


def write_once(path: Path, data: bytes) -> bool:
    """Write a file as `write_atomically` does, but only if there is none; return whether it was written.

    Of several processes that try at once, on several machines too, one writes and the others see its file
    whole. (Not so where the file system has no hard links: there the last one wins.)
    """
    unfinished = _write_unfinished(path, data)
    try:
        path.hardlink_to(unfinished)
    except FileExistsError:
        return False
    except OSError:
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    _keep_names(path.parent)
    return True


def _write_unfinished(path: Path, data: bytes) -> Path:
    """Write `data` beside `path`, safe from a power cut, and return where; the folder is made if absent.

    Raises:
        OSError: if it cannot be written, with the name of `path`; nothing is left then.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    # The thread's number is its own on this machine, and other machines may share the disk.
    unfinished = path.with_name(f".{path.name}.{platform.node()}.{threading.get_native_id()}.unfinished")
    try:
        with unfinished.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise OSError(error.errno, error.strerror, str(path)) from error
    return unfinished


def _keep_names(folder: Path) -> None:
    """Let new names in `folder` outlast a power cut."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
