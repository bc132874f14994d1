"""Models by name, as the command line and result files call them."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

from csd.chat import Model, ModelError
from echo.models.settings import ModelSettings

__all__ = ["KINDS", "ModelSettings", "model_named"]

KINDS: dict[str, str] = {
    "openai": "openai:MODEL (a server that speaks OpenAI's protocol; OPENAI_BASE_URL, OPENAI_API_KEY)",
    "hf": "hf:PATH[+ADAPTER] (a model folder, with an adapter's; hf:smollm2 is the packaged one)",
    "scripted": "scripted:FILE (answers from a file of JSON lines)",
    "command": "command:PROGRAM ... (a program that reads the question as JSON and writes the answer)",
}


def model_named(text: str, *, settings: ModelSettings | None = None) -> Model:
    """Return the model called `text`, as one of `KINDS`; one on this machine is loaded now.

    Raises:
        ModelError: if the kind is unknown, or the model is not there or lacks a package.
    """
    settings = settings or ModelSettings()
    kind, colon, rest = text.partition(":")
    if not colon or kind not in KINDS or not rest.strip():
        raise _unknown(text, kind)
    match kind:
        case "openai":
            return _server(rest, settings)
        case "hf":
            return _local(rest, settings)
        case "scripted":
            from echo.models.scripted import ScriptedFile

            return ScriptedFile(Path(rest).expanduser())
        case _:
            from echo.models.cache import kept
            from echo.models.program import ProgramModel

            return kept(ProgramModel(rest, settings), settings.cache)


def _server(name: str, settings: ModelSettings) -> Model:
    from echo.models.cache import kept
    from echo.models.openai_server import ServerModel
    from echo.models.together import Together

    # Kept inside, so that answers paid for before another one fails are not lost.
    return Together(kept(ServerModel(name, settings), settings.cache), settings.concurrency)


def _local(rest: str, settings: ModelSettings) -> Model:
    from echo.models.cache import kept
    from echo.models.local import LocalModel

    base, adapter = base_and_adapter(rest)
    local = LocalModel.from_folder(base, adapter, settings)
    # Several batches, which the model sorts by length, so that little of each is padding.
    return kept(local, settings.cache, together=8 * settings.batch)


def base_and_adapter(text: str) -> tuple[str, Path | None]:
    """Split ``PATH[+ADAPTER]`` at its last plus, unless a folder has the whole as its name.

    >>> base_and_adapter("smollm2+runs/first/adapter")
    ('smollm2', PosixPath('runs/first/adapter'))
    """
    base, plus, adapter = text.rpartition("+")
    if not plus or Path(text).expanduser().exists():
        return text, None
    if not base or not adapter:
        raise ModelError(f"expected PATH or PATH+ADAPTER after 'hf:'; got {text!r}.")
    return base, Path(adapter).expanduser()


def _unknown(text: str, kind: str) -> ModelError:
    if kind in KINDS:
        return ModelError(f"expected {KINDS[kind]}; got {text!r}, which names no model.")
    near = get_close_matches(kind.lower(), KINDS, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return ModelError(f"expected a model as {'; '.join(KINDS.values())}; got {text!r}.{hint}")
