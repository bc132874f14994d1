"""How our modules import each other and heavy libraries. The floors are checked by import-linter."""

from __future__ import annotations

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

from echo.mfm.procedural.source import IMPORTS
from tests.project.sources import HEAVY, PACKAGES, ROOT, imports, our_files


def is_package(module: str) -> bool:
    return (ROOT / Path(*module.split(".")) / "__init__.py").is_file()


def is_module(module: str) -> bool:
    return (ROOT / Path(*module.split("."))).with_suffix(".py").is_file() or is_package(module)


def test_our_code_imports_names_from_the_defining_file_and_never_through_a_package():
    through_doors = [
        f"{found.importer}:{found.line}: from {found.module} import {found.name}"
        for path in our_files()
        if path.name != "__init__.py"
        for found in imports(path)
        if found.module.split(".")[0] in PACKAGES
        and is_package(found.module)
        and not (found.name and is_module(f"{found.module}.{found.name}"))
    ]
    assert through_doors == []


SUBCLASSES = (Path("finetune/training/trainer.py"),)
"""Extend classes of a heavy library, which must be there when the module is; the only ones that may.

Everything else imports them where it begins to need them, which is checked below for each package."""


def light_files() -> list[Path]:
    return [path for path in our_files() if path.relative_to(ROOT) not in SUBCLASSES]


def test_what_may_be_heavy_is_there_and_extends_a_heavy_class():
    for file in SUBCLASSES:
        heavy = {
            found.name for found in imports(ROOT / file) if found.module.split(".")[0] in HEAVY and found.name
        }
        bases = {
            ast.unparse(base)
            for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8")))
            if isinstance(node, ast.ClassDef)
            for base in node.bases
        }
        assert bases & heavy, file


def test_heavy_libraries_are_imported_only_inside_what_needs_them():
    eager = [
        f"{found.importer}:{found.line}: {found.module}"
        for path in light_files()
        for found in imports(path)
        if found.eager and found.module.split(".")[0] in HEAVY
    ]
    assert eager == []


@pytest.mark.parametrize("library", HEAVY)
def test_a_heavy_library_has_at_most_two_files_that_know_it(library: str):
    knowing = {
        str(found.importer)
        for path in our_files()
        if path.relative_to(ROOT).parts[0] != "finetune"
        for found in imports(path)
        if found.module.split(".")[0] == library
    }
    assert len(knowing) <= 2, sorted(knowing)


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_every_module_of_a_package_loads_no_heavy_library(package: str):
    modules = [
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in light_files()
        if path.relative_to(ROOT).parts[0] == package and path.name != "__main__.py"
    ]
    script = (
        "import importlib, json, sys\n"
        f"for name in {modules!r}: importlib.import_module(name)\n"
        f"print(json.dumps([name for name in {HEAVY!r} if name in sys.modules]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert json.loads(done.stdout) == []


LEARNERS = ("csd", "ical", "finetune", "echo/mfm", "echo/agent", "echo/baselines")
"""Folders of what learns; import-linter forbids them the rules of a world, this their back doors."""


DATA = {
    "csd": ("minilm", "prompts"),
    "ical": ("prompts",),
    "finetune": ("prompts", "finetune"),
}
"""Folder of what learns -> folders of ``data`` that it may open, none where it is not named: the tokenizer,
and our own texts and settings, which `tests/project/test_prompts.py` searches for names of the game."""

SANDBOX = (Path("echo/mfm/procedural/child.py"), Path("echo/mfm/procedural/lockdown.py"))
"""Import by name, out of a fixed list of standard modules, in a process that has none of our packages."""


@pytest.mark.parametrize("folder", LEARNERS)
def test_what_learns_opens_no_data_but_tokenizer_and_prompts_and_imports_nothing_by_name(folder: str):
    calls = [
        (path.relative_to(ROOT), node)
        for path in our_files()
        if path.is_relative_to(ROOT / folder) and path != ROOT / "csd" / "resources.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]
    opened = [ast.literal_eval(call.args[0]) for _, call in calls if called(call) == "data_file"]
    assert set(opened) <= set(DATA.get(folder, ()))
    by_name = [path for path, call in calls if called(call) in ("import_module", "__import__")]
    assert [path for path in by_name if path not in SANDBOX] == []


def called(call: ast.Call) -> str:
    """Return the last name of what is called, such as 'data_file' of `resources.data_file(...)`."""
    return ast.unparse(call.func).rpartition(".")[2]


def test_what_a_script_may_import_is_of_the_standard_library():
    assert {name.partition(".")[0] for name in IMPORTS} <= sys.stdlib_module_names
