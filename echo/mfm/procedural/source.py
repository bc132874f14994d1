"""The text of a script, taken apart without running it: names, imports, functions, flaws."""

from __future__ import annotations

import ast
import json
import keyword
import math
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MOST_CHARACTERS = 65_536
"""Longest text of a procedure or reflex."""

IMPORTS = (
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "heapq",
    "itertools",
    "json",
    "math",
    "operator",
    "random",
    "re",
    "statistics",
    "string",
    "textwrap",
    "typing",
)
"""What a procedure or reflex may import, in order of the alphabet; nothing that reads, writes or connects."""

_DEEPEST = 8
_NAME = re.compile(r"[a-z][a-z0-9_]{0,63}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Flaw:
    """Something wrong with a file."""

    line: int
    """1-based; 0 where it concerns the file as a whole."""
    text: str
    """Expected, got, what to do."""

    def __str__(self) -> str:
        """Return 'line N: text'."""
        return f"line {self.line}: {self.text}" if self.line else self.text


def is_name(name: str) -> bool:
    """Return whether a procedure, reflex or parameter may be called so.

    >>> [is_name(name) for name in ("make_planks", "Make", "../up", "class")]
    [True, False, False, False]
    """
    return (
        _NAME.fullmatch(name) is not None and not keyword.iskeyword(name) and not keyword.issoftkeyword(name)
    )


def is_plain(value: Any, deep: int = 0) -> bool:
    """Return whether `value` is a JSON value: finite, with texts as keys, at most 8 levels deep."""
    if value is None or isinstance(value, bool | str):
        return True
    if isinstance(value, int):
        return abs(value) < 10**1000
    if isinstance(value, float):
        return math.isfinite(value)
    if deep >= _DEEPEST:
        return False
    if isinstance(value, list | tuple):
        return all(is_plain(each, deep + 1) for each in value)
    return isinstance(value, dict) and all(
        isinstance(key, str) and is_plain(each, deep + 1) for key, each in value.items()
    )


def reflex_flaws(text: str, name: str) -> tuple[Flaw, ...]:
    """Return everything wrong with the file of the reflex `name`, in order of lines."""
    flaws: list[Flaw] = []
    tree = tree_of(text, name, flaws)
    if tree is not None:
        find_imports(tree, flaws)
        found = function_of(tree, "reflex")
        if found is None:
            flaws.append(Flaw(line=0, text="expected a function `def reflex(given)`, got none. Write one."))
        elif argument_names(found) is None or len(argument_names(found) or ()) != 1:
            flaws.append(Flaw(line=found.lineno, text="expected `def reflex(given)`, got other parameters."))
        elif yields(found):
            flaws.append(Flaw(line=found.lineno, text="expected a reflex to return, got a yield in it."))
    return tuple(sorted(flaws, key=lambda flaw: flaw.line))


def imports_of(text: str) -> tuple[str, ...]:
    """Return the modules that a checked text imports, in order, each once."""
    return find_imports(ast.parse(text), [])


def tree_of(text: str, name: str, flaws: list[Flaw]) -> ast.Module | None:
    """Return the tree of a text, or None where it is no Python; appends what is wrong to `flaws`."""
    if not is_name(name):
        flaws.append(Flaw(line=0, text=f"expected a name of small letters, digits and _, got {short(name)}."))
    if len(text) > MOST_CHARACTERS:
        flaws.append(
            Flaw(
                line=0, text=f"expected at most {MOST_CHARACTERS:,} characters, got {len(text):,}. Split it."
            )
        )
        return None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text, filename=f"{name}.py")
    except SyntaxError as error:
        flaws.append(Flaw(line=error.lineno or 0, text=f"expected Python, got a syntax error: {error.msg}."))
    except (ValueError, RecursionError, MemoryError) as error:
        said = str(error) or type(error).__name__
        flaws.append(Flaw(line=0, text=f"expected Python, got something unreadable: {said}."))
    return None


def find_imports(tree: ast.Module, flaws: list[Flaw]) -> tuple[str, ...]:
    """Return the modules a tree imports, in order; appends those that are not allowed to `flaws`."""
    found: dict[str, None] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""] if node.level == 0 else ["." * node.level]
        else:
            continue
        for name in names:
            if name == "__future__":
                continue
            if name in IMPORTS or name == "collections.abc":
                found[name] = None
            else:
                flaws.append(
                    Flaw(
                        line=node.lineno,
                        text=f"expected imports out of {', '.join(IMPORTS)}, got {short(name)}. Do without.",
                    )
                )
    return tuple(found)


def function_of(tree: ast.Module, name: str) -> ast.FunctionDef | None:
    """Return the function of that name at the top level, the last one of several."""
    found = [node for node in tree.body if isinstance(node, ast.FunctionDef) and node.name == name]
    return found[-1] if found else None


def argument_names(function: ast.FunctionDef) -> list[str] | None:
    """Return the names of its parameters in order, None where it takes *args or **kwargs."""
    given = function.args
    if given.vararg is not None or given.kwarg is not None:
        return None
    return [each.arg for each in (*given.posonlyargs, *given.args, *given.kwonlyargs)]


def yields(function: ast.FunctionDef) -> bool:
    """Return whether it is a generator."""
    return any(isinstance(node, ast.Yield | ast.YieldFrom) for node in _own_nodes(function))


def _own_nodes(function: ast.FunctionDef) -> Iterator[ast.AST]:
    """Yield the nodes of a function, without those of functions and classes within it."""
    waiting: list[ast.AST] = list(function.body)
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            continue
        yield node
        waiting.extend(ast.iter_child_nodes(node))


def assigns(node: ast.Assign | ast.AnnAssign, name: str) -> bool:
    """Return whether a statement assigns to `name`."""
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    return any(isinstance(target, ast.Name) and target.id == name for target in targets)


def key_lines(node: ast.expr) -> dict[str, int]:
    """Return the line of each key of a mapping that is written out."""
    if not isinstance(node, ast.Dict):
        return {}
    return {
        key.value: key.lineno
        for key in node.keys
        if isinstance(key, ast.Constant) and isinstance(key.value, str)
    }


def first_computed(node: ast.expr) -> int:
    """Return the line of the first part of a would-be literal that is none."""
    literal = (
        ast.Constant,
        ast.Dict,
        ast.List,
        ast.Tuple,
        ast.Set,
        ast.UnaryOp,
        ast.expr_context,
        ast.unaryop,
    )
    lines = [
        part.lineno for part in ast.walk(node) if isinstance(part, ast.expr) and not isinstance(part, literal)
    ]
    return min(lines, default=node.lineno)


def short(value: Any) -> str:
    """Return a value as an error shows it, at most 80 characters."""
    try:
        shown = json.dumps(value) if isinstance(value, str) else repr(value)
    except (ValueError, RecursionError):
        shown = f"a {type(value).__name__} too large to show"
    return shown if len(shown) <= 80 else f"{shown[:77]}..."
