"""The tools of a memory as a turn harness hands them to an agent: the same ones that a server offers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import PydanticUndefined

from echo.mfm.turns.tools import Told, Tool
from echo.serve.reply import Arguments, MemoryTool, foreseen
from echo.serve.tools import every_tool


def agent_tools(root: Path) -> list[Tool]:
    """Return the tools of the memory at `root`, those that read first.

    Raises:
        MfmError: if there is no memory at `root`.
    """
    return [_tool(each) for each in every_tool(root)]


def _tool(offered: MemoryTool) -> Tool:
    def ask(given: Mapping[str, Any]) -> Told:
        try:
            arguments = offered.arguments.model_validate(given)
            reply = offered.call(arguments)
        except ValidationError as error:
            return Told(text=f"expected {usage(offered.arguments)}; {_wrong(error)}", ok=False)
        except foreseen() as error:
            return Told(text=str(error), ok=False)
        return Told(text=reply.text, images=reply.images, viewed=_viewed(arguments) if reply.images else ())

    return Tool(
        name=offered.name,
        usage=usage(offered.arguments),
        about=offered.about.split(". ")[0].rstrip("."),
        ask=ask,
    )


def usage(arguments: type[Arguments]) -> str:
    """Return how the arguments of a tool are written: the required ones, then the others with their default.

    >>> from echo.serve.tools_evidence import ThenNow
    >>> usage(ThenNow)
    '{"then": ..., "now": null, "question": null}'
    """
    told = [
        f'"{name}": {"..." if field.default is PydanticUndefined else _json(field.default)}'
        for name, field in sorted(arguments.model_fields.items(), key=lambda pair: not pair[1].is_required())
    ]
    return f"{{{', '.join(told)}}}"


def _json(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case str():
            return f'"{value}"'
        case _:
            return str(value)


def _wrong(error: ValidationError) -> str:
    return "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())


def _viewed(arguments: Arguments) -> tuple[str, ...]:
    named = (getattr(arguments, name, None) for name in ("episode", "then", "now"))
    return tuple(name for name in named if isinstance(name, str))
