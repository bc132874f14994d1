"""What holds for every test: no network, and on a build server the same examples each time."""

from __future__ import annotations

import os

from hypothesis import settings

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["TRANSFORMERS_OFFLINE"] = "1"
# Read by torch when it is first imported: waiting threads must not take the core of the other worker.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

settings.register_profile("here", deadline=None)
settings.register_profile("server", deadline=None, derandomize=True)
settings.load_profile("server" if os.environ.get("CI", "").lower() in ("1", "true") else "here")
