"""Write the file of a procedure from actions that were done: consolidation and demonstrations use it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from csd.episode import Action, action_to_json
from echo.mfm.procedural.conditions import CONDITIONS, Conditions
from echo.mfm.procedural.format import ProcedureError, parse_procedure

Given = Action | Mapping[str, Any] | tuple[Action | Mapping[str, Any], Conditions]
"""An action, as a record or as JSON, alone or with what is expected of it."""

_WIDTH = 100
_INDENT = "    "


def procedure_text(
    name: str,
    *,
    about: str,
    actions: Sequence[Given],
    parameters: Mapping[str, Any] | None = None,
    needs: Conditions | None = None,
    expects: Conditions | None = None,
    evidence: Sequence[str] = (),
) -> str:
    '''Return the file of a procedure that does `actions` in order.

    Like actions side by side become a loop. Wherever a value in an action, an expectation, `needs` or
    `expects` equals the default of a parameter (and is of its type), the parameter stands there instead; so
    does the number of rounds of a loop. Of two parameters with the same default the first is taken.

    Args:
        name: Of the procedure, also that of its file.
        about: What it is for, in one line.
        actions: At least one.
        parameters: Name -> default.
        needs: What must hold before.
        expects: What must hold afterwards.
        evidence: Ids of the episodes it was learned from.

    Raises:
        ProcedureError: if the result would have flaws, such as a wrong name or no action.

    >>> print(procedure_text("dig", about="Dig logs.", actions=[{"kind": "collect", "block": "oak_log"}] * 3,
    ...                      parameters={"log": "oak_log", "count": 3}, evidence=["ep_000004"]))
    """Dig logs."""
    <BLANKLINE>
    PROCEDURE = {
        "name": "dig",
        "about": "Dig logs.",
        "parameters": {"log": {"default": "oak_log"}, "count": {"default": 3}},
        "needs": {},
        "expects": {},
        "evidence": ["ep_000004"],
    }
    <BLANKLINE>
    <BLANKLINE>
    def run(seen, log="oak_log", count=3):
        for _ in range(count):
            yield collect(log)
    <BLANKLINE>
    '''
    if not actions:
        raise ProcedureError(f"expected at least one action for {name}, got none. Name what it does.")
    defaults = dict(parameters or {})
    head = {
        "name": name,
        "about": about,
        "parameters": {parameter: {"default": default} for parameter, default in defaults.items()},
        "needs": _parametrised(needs or {}, defaults),
        "expects": _parametrised(expects or {}, defaults),
        "evidence": list(evidence),
    }
    lines = [_docstring(about), "", "PROCEDURE = {"]
    for key, value in head.items():
        lines += _entry(key, value, 1)
    signature = ", ".join(["seen", *(f"{each}={literal(default)}" for each, default in defaults.items())])
    lines += ["}", "", "", f"def run({signature}):", *_body(actions, defaults)]
    text = "\n".join(lines) + "\n"
    parse_procedure(text, name)
    return text


def literal(value: Any) -> str:
    r"""Return `value` as Python source, texts in double quotes and ASCII only.

    >>> literal({"a": [1, None, "é\""]})
    '{"a": [1, None, "\\xe9\\""]}'
    """
    if isinstance(value, str):
        shown = ascii(value)
        inner = shown[1:-1]
        if shown[0] == "'":
            inner = inner.replace("\\'", "'").replace('"', '\\"')
        else:
            inner = inner.replace('"', '\\"')
        return f'"{inner}"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{literal(key)}: {literal(each)}" for key, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(literal, value)) + "]"
    return repr(value)


def _docstring(about: str) -> str:
    inner = about.replace("\\", "\\\\").replace('"', '\\"')
    return f'"""{inner}"""' if about.isascii() and about.isprintable() else f'"""{literal(about)[1:-1]}"""'


def _entry(key: str, value: Any, depth: int) -> Iterator[str]:
    """Yield the lines of one entry of a mapping, broken up where it does not fit on one."""
    indent = _INDENT * depth
    line = f"{indent}{literal(key)}: {literal(value)},"
    if len(line) <= _WIDTH or not value or not isinstance(value, Mapping | list):
        yield line
    elif isinstance(value, Mapping):
        yield f"{indent}{literal(key)}: {{"
        for inner, each in value.items():
            yield from _entry(inner, each, depth + 1)
        yield f"{indent}}},"
    else:
        yield f"{indent}{literal(key)}: ["
        for each in value:
            yield f"{indent}{_INDENT}{literal(each)},"
        yield f"{indent}],"


def _body(actions: Sequence[Given], defaults: Mapping[str, Any]) -> Iterator[str]:
    for line, same in groupby(_yielded(given, defaults) for given in actions):
        times = len(list(same))
        if times == 1:
            yield f"{_INDENT}{line}"
        else:
            rounds = _name_of(times, defaults) or str(times)
            yield f"{_INDENT}for _ in range({rounds}):"
            yield f"{_INDENT * 2}{line}"


def _yielded(given: Given, defaults: Mapping[str, Any]) -> str:
    action, expected = given if isinstance(given, tuple) else (given, None)
    held = dict(action) if isinstance(action, Mapping) else action_to_json(action)
    kind = held.pop("kind", None)
    words = ", ".join(_arguments(str(kind), held, defaults))
    tail = "" if expected is None else f", {_expression(expected, defaults)}"
    return f"yield {kind}({words}){tail}"


def _arguments(kind: str, held: Mapping[str, Any], defaults: Mapping[str, Any]) -> Iterator[str]:
    """Yield the arguments of an atom: the first by place, others by name; left out where they are usual."""
    usual = _USUAL.get(kind, {})
    for place, (name, value) in enumerate(held.items()):
        if name in usual and usual[name] == value:
            continue
        word = _expression(value, defaults)
        yield word if place == 0 or (kind == "smelt" and place == 1) else f"{name}={word}"


_USUAL: dict[str, dict[str, Any]] = {
    "place": {"target": None},
    "drop": {"amount": 1},
    "wait_until": {"ticks": 20},
}


def _name_of(value: Any, defaults: Mapping[str, Any]) -> str | None:
    for name, default in defaults.items():
        if type(default) is type(value) and default == value and value is not None:
            return name
    return None


def _expression(value: Any, defaults: Mapping[str, Any]) -> str:
    """Return Python source for `value`, with parameters in place of their defaults."""
    name = _name_of(value, defaults)
    if name is not None:
        return name
    if isinstance(value, Mapping):
        keys = [literal(key) if key in CONDITIONS else _expression(key, defaults) for key in value]
        values = [_expression(each, defaults) for each in value.values()]
        return "{" + ", ".join(f"{key}: {each}" for key, each in zip(keys, values, strict=True)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_expression(each, defaults) for each in value) + "]"
    return literal(value)


def _parametrised(value: Any, defaults: Mapping[str, Any]) -> Any:
    """Return `value` with "{parameter}" in place of defaults, keys included."""
    name = _name_of(value, defaults)
    if name is not None:
        return f"{{{name}}}"
    if isinstance(value, Mapping):
        return {
            key if key in CONDITIONS else _parametrised(key, defaults): _parametrised(each, defaults)
            for key, each in value.items()
        }
    if isinstance(value, list | tuple):
        return [_parametrised(each, defaults) for each in value]
    return value
