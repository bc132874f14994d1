"""Our own modules as syntax trees, for the rules that are about how we import."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

PACKAGES = ("csd", "ical", "echo", "finetune")

HEAVY = (
    "torch",
    "transformers",
    "peft",
    "sentence_transformers",
    "faiss",
    "onnxruntime",
    "tokenizers",
    "matplotlib",
    "mcp",
    "plotly",
    "ray",
)
"""Libraries that cost a tenth of a second or more, or much memory, to import."""


@dataclass(frozen=True, kw_only=True)
class Import:
    """One imported module or name."""

    importer: Path
    """Relative to the checkout."""
    line: int
    module: str
    name: str | None
    """The name taken out of `module`, None for a plain import."""
    eager: bool
    """Whether importing the file executes it."""


def our_files() -> list[Path]:
    """Return every module of our packages, sorted."""
    return [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def imports(path: Path) -> Iterator[Import]:
    """Yield the imports of the module at `path`, as written; not those for the type checker."""
    yield from _walk(ast.parse(path.read_text(encoding="utf-8")), path.relative_to(ROOT), eager=True)


def _walk(node: ast.AST, path: Path, *, eager: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import):
            for alias in child.names:
                yield Import(importer=path, line=child.lineno, module=alias.name, name=None, eager=eager)
        elif isinstance(child, ast.ImportFrom):
            for alias in child.names:
                module = child.module or ""
                yield Import(importer=path, line=child.lineno, module=module, name=alias.name, eager=eager)
        elif isinstance(child, ast.If) and "TYPE_CHECKING" in ast.dump(child.test):
            # What stands under else is executed.
            yield from _walk(ast.Module(body=child.orelse, type_ignores=[]), path, eager=eager)
        else:
            inside = isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda)
            yield from _walk(child, path, eager=eager and not inside)
