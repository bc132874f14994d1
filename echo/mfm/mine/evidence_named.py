"""The episodes that a procedure or a skill names as its evidence."""

from __future__ import annotations

import ast
import re

_EVIDENCE_LINE = re.compile(r"^\s*(?:evidence|episodes)\s*:(.*)$", re.IGNORECASE | re.MULTILINE)
_EPISODE = re.compile(r"(?:life_\d+/)?ep_\d+", re.ASCII)


def skill_evidence(text: str) -> list[str]:
    r"""Return the episodes that the front matter of a skill names.

    >>> skill_evidence("---\nname: smelt\nevidence: [ep_000001]\n---\nDo this.\n")
    ['ep_000001']
    """
    held = text.replace("\r\n", "\n")
    head = held.split("\n---", 1)[0] if held.removeprefix("\ufeff").startswith("---\n") else ""
    return [name for line in _EVIDENCE_LINE.findall(head) for name in _EPISODE.findall(line)]


def procedure_evidence(text: str) -> tuple[int, list[str]]:
    """Return line and evidence of the literal PROCEDURE of a Python text, without running it.

    Raises:
        SyntaxError: if it is no Python.
        ValueError: if it has no such literal, or its evidence is no list of texts.
    """
    for node in ast.parse(text.removeprefix("\ufeff")).body:
        if isinstance(node, ast.Assign) and [ast.unparse(target) for target in node.targets] == ["PROCEDURE"]:
            held = ast.literal_eval(node.value)
            evidence = held.get("evidence", []) if isinstance(held, dict) else None
            if not isinstance(evidence, list | tuple) or not all(isinstance(one, str) for one in evidence):
                raise ValueError('expected PROCEDURE = {..., "evidence": ["ep_000123"]}')
            return node.lineno, list(evidence)
    raise ValueError("expected PROCEDURE = {...}, a literal, got none")
