"""The standing brief: what a model-driven agent is told once, before every turn the same.

Source: MFM gives its agents a brief of 12 KB (action and procedure reference, knowledge sections,
rules). Ours is put together from what the memory holds, so that it never names what is not there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import MISSING, fields
from pathlib import Path
from typing import get_args

from csd.episode import Action
from echo.mfm.layout import DIGEST, GUIDE, NOTES, WORKING, MfmError
from echo.mfm.mine.writable import Mine
from echo.mfm.options import memory_options
from echo.mfm.procedural.atoms import atoms
from echo.mfm.procedural.library import Library
from echo.mfm.procedural.runs import Statistics
from echo.mfm.turns.tools import Tool

CHARACTERS = 12_000
"""Length of a brief, in characters, as published."""

KNOWLEDGE = (WORKING, GUIDE, DIGEST, NOTES)
"""Files of mine/ that are told, in this order, while there is room."""

_TURN = """\
# How a turn goes
You are told [STATE], then answer with JSON objects, one command each, on lines of their own; prose between
them is not read. Commands are carried out in order. What only asks is answered and you go on; after an act or
a run the turn ends. At the first surprise the rest of the turn is dropped and you are told what happened."""

_COMMANDS = """\
# Commands
{"plan": "in your words", "destination": [x, z]}   say it before you act; destination where you head for one
{"act": {"kind": "collect", "block": "NAME"}, "repeat": 3}   an action, again while it succeeds
{"look": true}   see the current view"""

_END = '{"end": true}   end the turn without an act'

_RUNNING = """\
{"run": "NAME", "args": {...}}   a saved procedure
{"reflex": "NAME", "given": {...}}   a saved function, JSON in and out"""

_RULES = """\
# Rules
- Names of items and blocks are those you have seen. Nothing tells you recipes; what works is found by trying.
- Every note cites the episodes that show it, as [ep_000012].
- Episodes are never changed. /memories is yours to write.
- Keep /memories/working.md short: plan, subgoal, open questions.
- Before you try again what failed, look at why it failed."""


def standing_brief(root: Path, tools: Sequence[Tool], *, characters: int = CHARACTERS) -> str:
    """Return the brief for the memory at `root`.

    The reference comes whole; knowledge fills what room is left, cut at the end of a line.

    Args:
        root: The memory folder; what its options switch off is not named.
        tools: The tools that the agent has.
        characters: Length of the brief, where the reference alone is no longer.

    Raises:
        MfmError: if options.json, a file of mine/ or a procedure is unreadable.
    """
    procedures = memory_options(root).procedures
    commands = "\n".join([_COMMANDS, *([_RUNNING] if procedures else []), _END])
    parts = [_TURN, commands, _tools(tools), _actions()]
    if procedures:
        parts.append(_procedures(root))
    parts.append(_RULES)
    text = "\n\n".join(parts)
    return text + _knowledge(root, characters - len(text))


def _tools(tools: Sequence[Tool]) -> str:
    return "\n".join(["# Tools", *(f'{{"{each.name}": {each.usage}}}   {each.about}' for each in tools)])


def _actions() -> str:
    kinds: Sequence[type] = get_args(Action)
    return "\n".join(["# Actions", *(_action(kind) for kind in kinds)])


def _action(kind: type) -> str:
    named = {each.name: each for each in fields(kind)}
    told = [f'"kind": "{named.pop("kind").default}"']
    for name, each in named.items():
        told.append(f'"{name}": ...' if each.default is MISSING else f'"{name}": {_value(each.default)}')
    return f"{{{', '.join(told)}}}   {(kind.__doc__ or '').splitlines()[0]}"


def _value(default: object) -> str:
    return "null" if default is None else f'"{default}"' if isinstance(default, str) else str(default)


def _procedures(root: Path) -> str:
    library = Library(root)
    lines = ["# Procedures", "Atoms, for scripts in /memories/procedures/NAME.py:"]
    lines += [f"  {atom.call}   {atom.about}" for atom in atoms()]
    lines.append("Saved:")
    names, run = library.names(), library.all_statistics()
    for name in names:
        try:
            about = library.load(name).procedure.about
        except MfmError as error:
            lines.append(f"  {name}   cannot be read: {str(error).splitlines()[0]}")
            continue
        kept = run.get(name, Statistics())
        lines.append(f"  {name}   {about} ({kept.successes} of {kept.runs} runs succeeded)")
    return "\n".join(lines if names else [*lines, "  none yet"])


def _knowledge(root: Path, room: int) -> str:
    mine = Mine(root, read_only=True)
    told = ""
    for name in KNOWLEDGE:
        if not mine.exists(name) or not (held := mine.read(name).strip()):
            continue
        head = f"\n\n# /memories/{name}\n"
        left = room - len(told) - len(head)
        if left < 80:
            told += f"\n(/memories/{name} was left out: view it)"
            continue
        told += head + (
            held if len(held) <= left else f"{held[: left - 40].rsplit(chr(10), 1)[0]}\n(cut: view it)"
        )
    return told
