"""The file tool of a model-driven agent: six commands on the writable part of one memory folder.

Commands, parameters and answers are those of Anthropic's memory tool (type memory_20250818), as its
documentation gives them; where that is silent, as the published Python helper does it. Differences, each
so that nothing is lost: lines end at a line feed only, and text that is not edited stays as it was to
the byte; an inserted text keeps its blank lines; overlapping occurrences count as several; a folder's
size is that of the files in it; a folder with links or hidden files in it is not deleted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from echo.mfm.layout import PROCEDURES, REFLEXES, MfmError
from echo.mfm.mine.change import Author
from echo.mfm.mine.filetext import MAX_LINES, insert_at, listing, numbered, replaced_once, shown_lines
from echo.mfm.mine.paths import names_of, normal
from echo.mfm.mine.tool_schema import COMMANDS, TOP
from echo.mfm.mine.writable import Mine
from echo.mfm.options import memory_options


@dataclass(frozen=True, kw_only=True)
class ToolAnswer:
    """What the agent is told."""

    text: str
    is_error: bool


class ToolRefusal(MfmError):
    """A command cannot be carried out; the text is the whole answer."""


class FileTool:
    """Carries out commands on the files of one memory. No command raises: an agent reads what went wrong."""

    def __init__(self, root: Path | str, *, by: Author = "agent") -> None:
        """Work on the writable part of the memory in the folder `root`.

        Args:
            root: The memory folder.
            by: Who is named in the history.
        """
        self._mine, self._by = Mine(root), by

    def run(self, command: Mapping[str, Any]) -> str:
        """Carry out one command and return what the agent is told, errors included."""
        return self.answer(command).text

    def answer(self, command: Mapping[str, Any]) -> ToolAnswer:
        """Carry out one command, such as {"command": "view", "path": "/memories"}, and say how it went."""
        try:
            return ToolAnswer(text=self._run(command), is_error=False)
        except ToolRefusal as refusal:
            text = str(refusal)
        except (MfmError, OSError) as error:
            text = f"Error: {error}"
        # A path or text of the command may hold half a character, which no answer can carry.
        return ToolAnswer(text=text.encode("utf-8", "backslashreplace").decode(), is_error=True)

    def _run(self, command: Mapping[str, Any]) -> str:
        name = command.get("command") if isinstance(command, Mapping) else None
        if not isinstance(name, str) or name not in COMMANDS:
            known = ", ".join(COMMANDS)
            raise ToolRefusal(f"Error: Unknown command: {name!s:.80}. It should be one of {known}.")
        given = _parameters(name, command)
        match name:
            case "view":
                return self._view(given["path"], given.get("view_range"))
            case "create":
                return self._create(given["path"], given["file_text"])
            case "str_replace":
                return self._replace(given["path"], given["old_str"], given.get("new_str") or "")
            case "insert":
                return self._insert(given["path"], given["insert_line"], given["insert_text"])
            case "delete":
                return self._delete(given["path"])
            case _:
                return self._rename(given["old_path"], given["new_path"])

    def _view(self, path: str, view_range: list[int] | None) -> str:
        inside = self._inside(path)
        kind = self._mine.kind(inside)
        if kind is None and inside:
            raise ToolRefusal(f"The path {path} does not exist. Please provide a valid path.")
        if kind == "file":
            return self._view_file(path, inside, view_range)
        hidden = self._switched_off()
        sizes = {
            name: size
            for name, size in self._mine.sizes(inside).items()
            if names_of(name)[0].casefold() not in hidden
        }
        return listing(path.rstrip("/"), inside, sizes)

    def _view_file(self, path: str, inside: str, view_range: list[int] | None) -> str:
        lines = self._mine.read(inside).split("\n")
        if len(lines) > MAX_LINES:
            raise ToolRefusal(f"File {path} exceeds maximum line limit of {MAX_LINES:,} lines.")
        first, last = shown_lines(view_range, len(lines))
        if first > last:
            raise ToolRefusal(
                f"Error: Invalid `view_range` parameter: {view_range}. It should be within the range of "
                f"lines of the file: [1, {len(lines)}], the first not behind the second; -1 is the last one."
            )
        body = numbered(lines[first - 1 : last], first)
        return f"Here's the content of {path} with line numbers:\n{body}"

    def _create(self, path: str, text: str) -> str:
        inside = self._inside(path)
        with self._mine.batch(by=self._by, why=f"create {path}"):
            if self._mine.exists(inside):
                raise ToolRefusal(f"Error: File {path} already exists")
            self._mine.write(inside, text)
        return f"File created successfully at: {path}"

    def _replace(self, path: str, old: str, new: str) -> str:
        inside = self._inside(path)
        with self._mine.batch(by=self._by, why=f"str_replace in {path}"):
            if self._mine.kind(inside) != "file":
                raise ToolRefusal(f"Error: The path {path} does not exist. Please provide a valid path.")
            edit = replaced_once(self._mine.read(inside), old, new)
            if not edit.lines:
                raise ToolRefusal(
                    f"No replacement was performed, old_str `{old}` did not appear verbatim in {path}."
                )
            if len(edit.lines) > 1:
                raise ToolRefusal(
                    f"No replacement was performed. Multiple occurrences of old_str `{old}` in lines: "
                    f"{', '.join(map(str, edit.lines))}. Please ensure it is unique"
                )
            self._mine.write(inside, edit.text)
        return (
            "The memory file has been edited. Here is the snippet showing the change (with line numbers):\n"
            + edit.snippet
        )

    def _insert(self, path: str, line: int, text: str) -> str:
        inside = self._inside(path)
        with self._mine.batch(by=self._by, why=f"insert into {path}"):
            if self._mine.kind(inside) != "file":
                raise ToolRefusal(f"Error: The path {path} does not exist")
            held = self._mine.read(inside)
            most = held.count("\n") + (not held.endswith("\n") and held != "")
            if not 0 <= line <= most:
                raise ToolRefusal(
                    f"Error: Invalid `insert_line` parameter: {line}. "
                    f"It should be within the range of lines of the file: [0, {most}]"
                )
            self._mine.write(inside, insert_at(held, line, text))
        return f"The file {path} has been edited."

    def _delete(self, path: str) -> str:
        inside = self._inside(path)
        if not inside:
            raise ToolRefusal(f"Error: Cannot delete the {TOP} directory itself")
        with self._mine.batch(by=self._by, why=f"delete {path}"):
            if not self._mine.exists(inside):
                raise ToolRefusal(f"Error: The path {path} does not exist")
            self._mine.delete(inside)
        return f"Successfully deleted {path}"

    def _rename(self, old: str, new: str) -> str:
        source, target = self._inside(old), self._inside(new)
        if not source:
            raise ToolRefusal(f"Error: Cannot rename the {TOP} directory itself")
        with self._mine.batch(by=self._by, why=f"rename {old} to {new}"):
            if not self._mine.exists(source):
                raise ToolRefusal(f"Error: The path {old} does not exist")
            if self._mine.exists(target):
                raise ToolRefusal(f"Error: The destination {new} already exists")
            self._mine.rename(source, target)
        return f"Successfully renamed {old} to {new}"

    def _inside(self, path: str) -> str:
        """Return `path`, which starts with /memories, relative to mine/."""
        if path != TOP and not path.startswith(f"{TOP}/"):
            raise ToolRefusal(f"Error: Path must start with {TOP}, got: {path}")
        inside = normal(path[len(TOP) :].lstrip("/"))
        top = inside.split("/")[0].casefold()
        if top in self._switched_off():
            raise ToolRefusal(
                f"Error: {TOP}/{top} cannot be used: procedures are switched off in this memory."
            )
        return inside

    def _switched_off(self) -> tuple[str, ...]:
        return () if memory_options(self._mine.root).procedures else (PROCEDURES, REFLEXES)


def _whole(value: Any) -> Any:
    """Return 2.0 as 2, which some clients send; anything else as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _parameters(name: str, command: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters of a command, whose types were looked at; unknown ones are left out."""
    given: dict[str, Any] = {}
    for parameter in COMMANDS[name]:
        value = command.get(parameter.name)
        if value is None:
            if parameter.required:
                raise ToolRefusal(f"Error: Missing required parameter `{parameter.name}` of {name}.")
            continue
        value = [_whole(part) for part in value] if isinstance(value, list) else _whole(value)
        if not parameter.fits(value):
            raise ToolRefusal(
                f"Error: Invalid `{parameter.name}` parameter: {value!r:.80}. It should be {parameter.what}."
            )
        given[parameter.name] = value
    return given
