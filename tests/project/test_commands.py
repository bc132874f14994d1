"""The documentation and the command line name the same commands, and what is shown can be typed."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import pytest
import typer.main

from echo.cli.app import app

ROOT = Path(__file__).resolve().parents[2]

PAGES = (
    "README.md",
    "Makefile",
    "CHANGELOG.md",
    *(f"docs/{path.name}" for path in (ROOT / "docs").glob("*.md")),
)

ROOT_COMMAND = typer.main.get_command(app)


def leaves(command: object = ROOT_COMMAND, name: str = "echo-memory") -> Iterator[tuple[str, object]]:
    inner = getattr(command, "commands", None)
    if inner is None:
        yield name, command
        return
    for word, child in inner.items():
        yield from leaves(child, f"{name} {word}")


COMMANDS = dict(leaves())


def sections() -> dict[str, str]:
    text = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    parts = re.split(r"^## (echo-memory .+)$", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def shown(page: str) -> list[str]:
    """Return the command lines that `page` shows, placeholders of make replaced."""
    text = (ROOT / page).read_text(encoding="utf-8").replace("$(BIN)/", "").replace("$(DEMO)", "runs/demo")
    lines = (line.strip() for line in text.splitlines())
    return [line for line in lines if re.match(r"echo-memory [a-z]", line)]


def parse(line: str) -> None:
    """Parse a command line as the program would, without running it."""
    words = shlex.split(line, comments=True)[1:]
    name, command = "echo-memory", ROOT_COMMAND
    while words and words[0] in getattr(command, "commands", {}):
        name, command = f"{name} {words[0]}", command.commands[words.pop(0)]
    assert name in COMMANDS, f"no such command: {line}"
    command.make_context(name, words)


def test_every_command_has_a_section_and_every_section_a_command():
    assert sorted(sections()) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_section_lists_exactly_the_options_of_its_command(name: str):
    listed = re.findall(r"^\| `(--[a-z-]+)`", sections()[name], flags=re.MULTILINE)
    real = [
        max(option.opts, key=len)
        for option in COMMANDS[name].params
        if option.param_type_name == "option" and "--help" not in option.opts
    ]
    assert sorted(listed) == sorted(real)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_answer_in_json(name: str):
    assert any("--json" in option.opts for option in COMMANDS[name].params)


@pytest.mark.parametrize("page", PAGES)
def test_every_command_line_that_a_page_shows_is_understood(page: str):
    for line in shown(page):
        parse(line)


def test_the_readme_shows_the_main_job_its_report_and_the_thread_behind_an_item():
    words = {" ".join(line.split()[:2]) for line in shown("README.md")}
    assert {"echo-memory run", "echo-memory report", "echo-memory why"} <= words


def test_a_shown_command_with_a_wrong_option_would_be_noticed():
    with pytest.raises(Exception, match=r"(?i)no such option.*--sedes"):
        parse("echo-memory run unlock --sedes 0-9")
