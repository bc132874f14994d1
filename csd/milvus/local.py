"""Milvus in this process: the local edition, over a folder of its own.

The folder belongs to one process at a time. Banks of that process share one server, which stops with the
last of them, so that another process can have the folder.
"""

from __future__ import annotations

import threading
from collections import Counter
from pathlib import Path

from csd.store.errors import BankError

SUFFIX = ".db"
"""pymilvus takes an address with this ending for a local folder."""

_users: Counter[str] = Counter()
_lock = threading.Lock()


def check_folder(path: Path, *, create: bool) -> None:
    """Check that the local edition can have `path`.

    Raises:
        BankError: on another ending, a missing parent folder, a file in its place, or where nothing is
            there and nothing may be made.
    """
    if path.suffix != SUFFIX:
        raise BankError(
            f"expected the address of a Milvus server (http://host:19530) or a local path that ends with "
            f"{SUFFIX}; got {str(path)!r}. Rename it, or add the scheme."
        )
    if not path.parent.is_dir():
        raise BankError(
            f"expected a folder at {path.parent} to make {path.name} in; got none. Make the folder first, "
            f"or check the path."
        )
    if path.exists() and not path.is_dir():
        raise BankError(
            f"expected a folder of milvus-lite 3 at {path}; got a file: a bank of this project in SQLite "
            f"(open it with csd.bank.Bank), or one of an older milvus-lite. The file was left as it is."
        )
    if not create and not path.exists():
        raise BankError(f"expected a local Milvus bank at {path}; got nothing there. Check the path.")


def hold(path: Path) -> str:
    """Start the server of `path`, or join the one that this process runs, and return its address.

    Raises:
        BankError: where milvus-lite is missing, or another process has the folder, or it is damaged.
    """
    try:
        from milvus_lite.server_manager import server_manager_instance as servers
    except ImportError as error:
        raise BankError(
            f"expected the package milvus-lite for the local bank {path}; got none. "
            f"pip install '.[milvus]' in a checkout"
        ) from error
    place = str(path.absolute())
    with _lock:
        address = servers.start_and_get_uri(place)
        if address is None:
            raise BankError(
                f"expected a local Milvus bank at {path} that no other process uses; milvus-lite did not "
                f"start (its reason is in the log). Close the other process, use a Milvus server, or "
                f"restore the folder from a copy."
            )
        _users[place] += 1
    return str(address)


def let_go(path: Path) -> None:
    """Give up one use of the server of `path`; the last one stops it."""
    from milvus_lite.server_manager import server_manager_instance as servers

    place = str(path.absolute())
    with _lock:
        _users[place] -= 1
        if _users[place] <= 0:
            del _users[place]
            servers.release_server(place)
