"""What measured numbers depend on besides the code."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from echo.experiments.provenance import code_commit, machine_facts, package_versions

_PACKAGES = ("lancedb", "pyarrow", "chromadb", "pymilvus", "milvus-lite")


def machine() -> dict[str, Any]:
    """Return what the numbers depend on besides the code: processor, kernel, versions, commit."""
    versions = dict(package_versions())
    for name in _PACKAGES:
        try:
            versions[name] = version(name)
        except PackageNotFoundError:
            continue
    pages = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {
        **machine_facts(),
        "kernel": platform.release(),
        "memory_gb": round(pages / 1e9, 1),
        "threads": 1,
        "versions": versions,
        "commit": code_commit(),
    }
