'''The file of a procedure, read without running any of it.

```python
"""Make planks from a log."""

PROCEDURE = {
    "name": "make_planks",
    "about": "Make planks from a log.",
    "parameters": {"log": {"default": "oak_log", "about": "which log"}},
    "needs": {"inventory": {"{log}": 1}},
    "expects": {"gained": {"oak_planks": 4}},
    "evidence": ["ep_000012"],
}


def run(seen, log="oak_log"):
    yield craft([[log]])
```

PROCEDURE is a literal. `run` is a generator: it yields actions, alone or with what is expected of them,
and gets back what came of each (`came = yield collect(log), {"gained": {log: 1}}`).
'''

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from echo.mfm.layout import MfmError, episode_number, life_number
from echo.mfm.procedural.atoms import ATOM_NAMES
from echo.mfm.procedural.conditions import ConditionError, Conditions, check_conditions, placeholders
from echo.mfm.procedural.source import (
    Flaw,
    argument_names,
    assigns,
    find_imports,
    first_computed,
    function_of,
    is_name,
    is_plain,
    key_lines,
    short,
    tree_of,
    yields,
)

_KEYS = ("name", "about", "parameters", "needs", "expects", "evidence")


class ProcedureError(MfmError):
    """A procedure or reflex is not what it should be; the text says where and what to do."""


@dataclass(frozen=True, kw_only=True)
class Parameter:
    """One argument that a procedure takes."""

    name: str
    default: Any = None
    """A JSON value."""
    required: bool = False
    """Whether it must be given, having no default."""
    about: str = ""


@dataclass(frozen=True, kw_only=True)
class Procedure:
    """What the file of a procedure says about itself."""

    name: str
    about: str
    text: str
    """The whole file."""
    parameters: tuple[Parameter, ...] = ()
    needs: Conditions = field(default_factory=dict)
    """What must hold before it is run."""
    expects: Conditions = field(default_factory=dict)
    """What must hold after it has run, for the run to be a success."""
    evidence: tuple[str, ...] = ()
    """Ids of the episodes it was learned from, such as 'ep_000012' or 'life_2/ep_000012'."""
    imports: tuple[str, ...] = ()
    """Modules it imports, out of `IMPORTS`."""

    def arguments(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return all arguments of a run, in order of declaration.

        Raises:
            ProcedureError: if one is unknown, missing, or no JSON value.
        """
        known = [parameter.name for parameter in self.parameters]
        for name, value in given.items():
            if name not in known:
                raise ProcedureError(
                    f"expected arguments out of {', '.join(known) or '(none)'} for the procedure "
                    f"{self.name}, got {name!r}. See `procedures show {self.name}`."
                )
            if not is_plain(value):
                raise ProcedureError(f"expected a JSON value for {name} of {self.name}, got {short(value)}.")
        for parameter in self.parameters:
            if parameter.required and parameter.name not in given:
                raise ProcedureError(
                    f"expected a value for {parameter.name} of the procedure {self.name}, got none. "
                    f"It has no default; give it."
                )
        return {each.name: given.get(each.name, each.default) for each in self.parameters}


def parse_procedure(text: str, name: str) -> Procedure:
    """Return what the procedure `name` says about itself.

    Raises:
        ProcedureError: if it has flaws; all are named.
    """
    reading = _Reading(text, name)
    if reading.flaws:
        raise ProcedureError(
            f"expected a procedure in {name}.py, got a file with {_counted(len(reading.flaws), 'flaw')}. "
            f"Mend and save it again.\n" + "\n".join(f"  {flaw}" for flaw in reading.flaws)
        )
    return reading.procedure()


def procedure_flaws(text: str, name: str) -> tuple[Flaw, ...]:
    """Return everything wrong with the file of the procedure `name`, in order of lines."""
    return tuple(_Reading(text, name).flaws)


class _Reading:
    """One file, read: its parts and its flaws."""

    def __init__(self, text: str, name: str) -> None:
        self.flaws: list[Flaw] = []
        self._text, self._name = text, name
        self._held: dict[str, Any] = {}
        self._lines: dict[str, int] = {}
        self._parameters: tuple[Parameter, ...] = ()
        self._imports: tuple[str, ...] = ()
        tree = tree_of(text, name, self.flaws)
        if tree is not None:
            self._read(tree)
        self.flaws.sort(key=lambda flaw: flaw.line)

    def procedure(self) -> Procedure:
        held = self._held
        return Procedure(
            name=self._name,
            about=held["about"],
            text=self._text,
            parameters=self._parameters,
            needs=held["needs"],
            expects=held["expects"],
            evidence=tuple(held["evidence"]),
            imports=self._imports,
        )

    def _flaw(self, line: int, text: str) -> None:
        self.flaws.append(Flaw(line=line, text=text))

    def _read(self, tree: ast.Module) -> None:
        if not ast.get_docstring(tree):
            self._flaw(1, "expected a docstring that says what the procedure is for, got none. Write one.")
        self._imports = find_imports(tree, self.flaws)
        self._read_literal(tree)
        for key in _KEYS:
            if key in self._held:
                getattr(self, f"_check_{key}")(self._held[key], self._lines.get(key, self._lines[""]))
        self._check_run(tree)

    def _read_literal(self, tree: ast.Module) -> None:
        found = [node for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign)]
        found = [node for node in found if assigns(node, "PROCEDURE")]
        if not found or found[-1].value is None:
            self._flaw(
                0, "expected PROCEDURE = {...} at the top level, got none. Write it after the docstring."
            )
            return
        node = found[-1].value
        if len(found) > 1:
            self._flaw(found[-1].lineno, "expected PROCEDURE once, got it twice. Keep one.")
        try:
            held = ast.literal_eval(node)
        except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
            line = first_computed(node)
            self._flaw(line, "expected PROCEDURE to be a literal, got something computed. Write values only.")
            return
        if not isinstance(held, dict):
            self._flaw(node.lineno, f"expected PROCEDURE to be {{...}}, got {short(held)}.")
            return
        self._lines = {"": node.lineno, **key_lines(node)}
        missing = [key for key in _KEYS if key not in held]
        unknown = [key for key in held if key not in _KEYS]
        for key in unknown:
            line = self._lines.get(key, node.lineno)
            self._flaw(line, f"expected the keys {', '.join(_KEYS)}, got {short(key)}. Take it out.")
        if missing:
            self._flaw(
                node.lineno, f"expected the keys {', '.join(_KEYS)}, got none called {', '.join(missing)}."
            )
        self._held = held

    def _check_name(self, value: Any, line: int) -> None:
        if value != self._name:
            self._flaw(line, f"expected name to be that of the file, {self._name!r}, got {short(value)}.")
        if not is_name(self._name):
            self._flaw(
                line, f"expected a name of small letters, digits and _ (at most 64), got {self._name!r}."
            )

    def _check_about(self, value: Any, line: int) -> None:
        if not isinstance(value, str) or not value.strip() or "\n" in value:
            self._flaw(line, f"expected about to be one line of text, got {short(value)}.")

    def _check_parameters(self, value: Any, line: int) -> None:
        if not isinstance(value, dict):
            self._flaw(line, f"expected parameters to be {{name: {{'default': ...}}}}, got {short(value)}.")
            return
        found = []
        for name, says in value.items():
            if not isinstance(name, str) or not is_name(name) or name in ATOM_NAMES or name == "seen":
                self._flaw(
                    line, f"expected a name for a parameter that is no atom and not seen, got {short(name)}."
                )
            elif not isinstance(says, dict) or set(says) - {"default", "about"}:
                self._flaw(line, f"expected {name} to say default, about or both, got {short(says)}.")
            elif not is_plain(says.get("default")):
                self._flaw(
                    line, f"expected a JSON value as the default of {name}, got {short(says['default'])}."
                )
            else:
                found.append(
                    Parameter(
                        name=name,
                        default=says.get("default"),
                        required="default" not in says,
                        about=str(says.get("about", "")),
                    )
                )
        self._parameters = tuple(found)

    def _check_needs(self, value: Any, line: int) -> None:
        self._check_conditions("needs", value, line)

    def _check_expects(self, value: Any, line: int) -> None:
        self._check_conditions("expects", value, line)

    def _check_conditions(self, key: str, value: Any, line: int) -> None:
        try:
            check_conditions(value, before=key == "needs", unfilled=True)
        except ConditionError as error:
            self._flaw(line, f"in {key}: {error}")
            return
        known = self._held.get("parameters")
        if not isinstance(known, dict):
            return  # Named already.
        for name in placeholders(value):
            if name not in known:
                self._flaw(
                    line, f"in {key}: expected a parameter in braces, got '{{{name}}}', which is none."
                )

    def _check_evidence(self, value: Any, line: int) -> None:
        if not isinstance(value, list | tuple):
            self._flaw(line, f"expected evidence to be a list of episode ids, got {short(value)}.")
            return
        for each in value:
            if not isinstance(each, str) or not _is_citation(each):
                self._flaw(
                    line, f"expected an episode id such as 'ep_000012' in evidence, got {short(each)}."
                )

    def _check_run(self, tree: ast.Module) -> None:
        found = function_of(tree, "run")
        if found is None:
            self._flaw(0, "expected a generator `def run(seen, ...)`, got none. Write one.")
            return
        if not yields(found):
            self._flaw(found.lineno, "expected run to be a generator, got no yield in it. Yield its actions.")
        names = argument_names(found)
        if names is None:
            self._flaw(found.lineno, "expected run to name its parameters, got *args or **arguments.")
            return
        if not isinstance(self._held.get("parameters"), dict):
            return  # Named already.
        declared = [parameter.name for parameter in self._parameters]
        if names[:1] != ["seen"] or sorted(names[1:]) != sorted(declared):
            wanted = ", ".join(["seen", *declared])
            self._flaw(
                found.lineno, f"expected `def run({wanted})` as parameters say, got ({', '.join(names)})."
            )


def _is_citation(text: str) -> bool:
    life, slash, episode = text.rpartition("/")
    return episode_number(episode) is not None and (not slash or life_number(life) is not None)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
