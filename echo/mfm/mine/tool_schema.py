"""Commands and parameters of the file tool, as data: for checking them and for telling a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

TOP = "/memories"
"""What the agent calls the writable part of the memory."""

_Type = Literal["string", "integer", "range"]


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One parameter of a command."""

    name: str
    type: _Type
    about: str
    required: bool = True

    @property
    def what(self) -> str:
        """Its type in words."""
        return {"string": "text", "integer": "an integer", "range": "a list of two integers"}[self.type]

    def fits(self, value: Any) -> bool:
        """Return whether `value` has its type."""
        if self.type == "range":
            return isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_integer, value))
        return _is_integer(value) if self.type == "integer" else isinstance(value, str)

    def schema(self) -> dict[str, Any]:
        """Return its JSON schema."""
        if self.type == "range":
            held: dict[str, Any] = {"type": "array", "items": {"type": "integer"}}
            return {**held, "minItems": 2, "maxItems": 2, "description": self.about}
        return {"type": self.type, "description": self.about}


_PATH = Parameter(name="path", type="string", about=f"Absolute path, such as {TOP}/notes.md.")

COMMANDS: Mapping[str, tuple[Parameter, ...]] = {
    "view": (
        _PATH,
        Parameter(
            name="view_range",
            type="range",
            about="First and last line to show of a file, from 1; -1 is the last line. For `view`.",
            required=False,
        ),
    ),
    "create": (
        _PATH,
        Parameter(name="file_text", type="string", about="The whole text of the new file. For `create`."),
    ),
    "str_replace": (
        _PATH,
        Parameter(name="old_str", type="string", about="Text that occurs exactly once. For `str_replace`."),
        Parameter(
            name="new_str",
            type="string",
            about="What takes its place; left out: nothing does. For `str_replace`.",
            required=False,
        ),
    ),
    "insert": (
        _PATH,
        Parameter(
            name="insert_line",
            type="integer",
            about="The line behind which the text goes; 0 for the beginning. For `insert`.",
        ),
        Parameter(name="insert_text", type="string", about="The text to insert. For `insert`."),
    ),
    "delete": (_PATH,),
    "rename": (
        Parameter(name="old_path", type="string", about="What to rename or move. For `rename`."),
        Parameter(name="new_path", type="string", about="Its new path, where nothing is. For `rename`."),
    ),
}
"""Command -> its parameters, in the order of the documentation."""


def tool_schema() -> dict[str, Any]:
    """Return the tool as a model is told of it: name, description, JSON schema of its input."""
    properties: dict[str, Any] = {
        "command": {"type": "string", "enum": list(COMMANDS), "description": "What to do."}
    }
    for parameters in COMMANDS.values():
        for parameter in parameters:
            properties.setdefault(parameter.name, parameter.schema())
    return {
        "name": "memory",
        "description": (
            f"Read and write your own notes, plan and procedures in {TOP}. view shows a file or a folder; "
            "create makes a new file; str_replace and insert edit one; delete and rename work on files and "
            "folders. Cite the episodes that show a fact, such as [ep_000123]."
        ),
        "input_schema": {"type": "object", "properties": properties, "required": ["command"]},
    }


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
