"""The tools and resources of a memory as a server of the Model Context Protocol, by the official SDK."""

from __future__ import annotations

import difflib
import functools
import logging
from collections.abc import Callable, Sequence
from copy import deepcopy
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from echo.serve.pictures import picture_type
from echo.serve.reply import Arguments, JsonSchema, MemoryTool, Reply, foreseen, whole_json, whole_text
from echo.serve.resources import MemoryResources, ResourceMissing
from echo.serve.tools import every_tool

if TYPE_CHECKING:
    import anyio
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.tools import Tool
    from mcp_types import CallToolResult
    from pydantic import ValidationError

log = logging.getLogger(__name__)

NAME = "echo-memory"

AT_ONCE = 8
"""Calls that work at the same time; more wait. Each may hold a bank and pictures in memory."""

INSTRUCTIONS = """\
The memory of an embodied agent in one folder: episodes it lived (pictures, state, action, outcome), places, \
notes and procedures it wrote.
Start with `query` (cheap: one line an episode) and open what matters with `inspect`, which can show the \
picture seen then, magnified. `recall` finds experience that resembles a text on five axes. Every claim you \
write must cite the episodes that show it, as [ep_000123]; `remember` does that for one lesson. Errors say \
what was expected and what to do: mend the call and go on."""

READ_ONLY = "\nThis server is read-only: nothing can be written through it."


def make_server(
    root: Path, *, read_only: bool = False, tools: Sequence[MemoryTool] | None = None
) -> MCPServer[Any]:
    """Return a server for the memory folder `root`, to be run by a transport.

    Args:
        root: The memory folder.
        read_only: Whether tools that write are left out, and nothing but caches is written by the others.
        tools: What to serve instead of everything, for tests.

    Raises:
        MfmError: if there is no memory at `root`.
    """
    import anyio

    limiter = anyio.CapacityLimiter(AT_ONCE)
    everything = every_tool(root, read_only=read_only) if tools is None else tools
    offered = [tool for tool in everything if not (read_only and tool.writes)]
    resources = MemoryResources(root)
    server: MCPServer[Any] = _server_class()(
        NAME,
        title="Echo memory",
        instructions=INSTRUCTIONS + (READ_ONLY if read_only else ""),
        version=_version(),
        tools=[_bound(tool, limiter) for tool in offered],
        log_level="WARNING",
        memory=resources,
    )
    _offer_resources(server, resources)
    return server


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("echo-memory")
    except PackageNotFoundError:
        return "0"


def _bound(tool: MemoryTool, limiter: anyio.CapacityLimiter) -> Tool:
    """Return `tool` as the SDK holds it: run in a thread, arguments taken as they were sent."""
    from mcp.server.mcpserver.tools import Tool
    from mcp_types import ToolAnnotations

    metadata = _metadata_class()(arg_model=_argument_model(tool.arguments), output_schema=tool.output)
    return Tool(
        fn=_in_thread(tool, limiter),
        name=tool.name,
        title=tool.title,
        description=tool.about,
        parameters=deepcopy(_schema(tool.arguments)),
        fn_metadata=metadata,
        is_async=True,
        context_kwarg=None,
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.writes,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.repeatable,
            open_world_hint=False,
        ),
    )


@functools.cache
def _argument_model(arguments: type[Arguments]) -> Any:
    """Return the arguments of a tool as a class that the SDK takes."""
    from mcp.server.mcpserver.utilities.func_metadata import ArgModelBase
    from pydantic import ConfigDict

    config = ConfigDict(use_attribute_docstrings=False)
    return type(
        arguments.__name__,
        (arguments, ArgModelBase),
        {"model_config": config, "__module__": __name__},
    )


@functools.cache
def _schema(arguments: type[Arguments]) -> JsonSchema:
    """Return the JSON schema of arguments, without the names that pydantic adds to what is named already."""
    schema = arguments.model_json_schema()
    named = {name: dict(held) for name, held in schema.get("properties", {}).items()}
    for held in named.values():
        held.pop("title", None)
    rest = {key: value for key, value in schema.items() if key not in ("title", "description")}
    return {**rest, "properties": named}


def _in_thread(tool: MemoryTool, limiter: anyio.CapacityLimiter) -> Callable[..., Any]:
    """Return an async function that answers calls of `tool`, whose errors are texts for a model."""
    import anyio.to_thread
    from mcp.server.mcpserver.exceptions import ToolError

    async def call(arguments: Arguments) -> CallToolResult:
        try:
            # A cancelled call is finished all the same: a note is written whole or not at all.
            reply = await anyio.to_thread.run_sync(tool.call, arguments, limiter=limiter)
            return _result(reply)
        except foreseen() as error:
            raise ToolError(whole_text(str(error))) from error
        except Exception as error:
            log.exception("tool %s met an unforeseen fault", tool.name)
            raise ToolError(
                f"expected an answer, got an unforeseen fault ({type(error).__name__}). The server's log "
                f"tells more; other calls go on working."
            ) from error

    return call


def _result(reply: Reply) -> CallToolResult:
    """Return an answer as a message holds it."""
    from base64 import b64encode

    from mcp_types import CallToolResult, ImageContent, TextContent

    pictures = [
        ImageContent(type="image", data=b64encode(picture).decode("ascii"), mime_type=picture_type(picture))
        for picture in reply.images
    ]
    return CallToolResult(
        content=[TextContent(type="text", text=whole_text(reply.text)), *pictures],
        structured_content=None if reply.data is None else whole_json(reply.data),
    )


@functools.cache
def _metadata_class() -> Any:
    """Return the SDK's reading of arguments, but as one record, and with texts left as they are."""
    from mcp.server.mcpserver.utilities.func_metadata import FuncMetadata

    class ExactArguments(FuncMetadata):
        """The SDK makes a list of '[1]' wherever a text is not the only type allowed; notes may say that."""

        def validate_arguments(self, arguments_to_validate: dict[str, Any]) -> dict[str, Any]:
            fields = self.arg_model.model_fields
            texts = [name for name, field in fields.items() if str in get_args(field.annotation)]
            others = {name: value for name, value in arguments_to_validate.items() if name not in texts}
            exact = {**arguments_to_validate, **self.pre_parse_json(others)}
            return {"arguments": self.arg_model.model_validate(exact)}

    return ExactArguments


@functools.cache
def _server_class() -> Any:
    """Return the SDK's server with a list of resources that follows the folder."""
    import anyio.to_thread
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import Resource
    from pydantic import ValidationError

    class MemoryServer(MCPServer[Any]):
        """Lists the notes there are now, beside what was registered; says what is wrong with arguments."""

        def __init__(self, name: str, *, memory: MemoryResources, **options: Any) -> None:
            self._memory = memory
            super().__init__(name, **options)

        async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
            try:
                return await super().call_tool(name, arguments, context)
            except ToolError as error:
                # Without the SDK's words before it, the text is what the command line would say.
                if isinstance(error.__cause__, ToolError):
                    raise error.__cause__ from error
                if isinstance(error.__cause__, ValidationError):
                    tool = self._tool_manager.get_tool(name)
                    names = [] if tool is None else list(tool.parameters["properties"])
                    raise ToolError(_wrong_arguments(name, names, error.__cause__)) from error
                raise

        async def list_resources(self) -> list[Resource]:
            notes = await anyio.to_thread.run_sync(self._memory.list_notes)
            return [
                *await super().list_resources(),
                *(
                    Resource(uri=note.uri, name=note.name, title=note.title, mime_type=note.mime_type)
                    for note in notes
                ),
            ]

    return MemoryServer


def _wrong_arguments(tool: str, names: Sequence[str], error: ValidationError) -> str:
    """Return what is wrong with the arguments of a call, each in a few words."""
    told: dict[str, None] = {}
    for each in error.errors(include_url=False, include_context=False):
        where, said = ".".join(map(str, each["loc"][:1])), each["msg"]
        if each["type"] == "extra_forbidden":
            near = difflib.get_close_matches(where, names, 1)
            said = f"there is no such argument{f', {near[0]} is close' if near else ''}"
        elif each["type"] == "missing":
            said = "it must be given"
        else:
            said = f"{said}, got {repr(each['input'])[:80]}"
        told[f"{where}: {said}"] = None
    return whole_text(
        f"expected arguments that {tool} takes; got others. {'; '.join(told)}. "
        f"It takes {', '.join(names) or 'none'}. Nothing was done."
    )


def _offer_resources(server: MCPServer[Any], resources: MemoryResources) -> None:
    """Register what can be read by address."""
    from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

    def told(read: Callable[..., str | bytes]) -> Callable[..., str | bytes]:
        @functools.wraps(read)
        def call(**arguments: str) -> str | bytes:
            try:
                return read(**arguments)
            except ResourceMissing as error:
                raise ResourceNotFoundError(whole_text(str(error))) from error
            except foreseen() as error:
                raise ResourceError(whole_text(str(error))) from error

        return call

    for offer in resources.offers():
        server.resource(
            offer.uri, name=offer.name, title=offer.title, description=offer.about, mime_type=offer.mime_type
        )(told(offer.read))
