"""An episode in words, for an encoder of texts. Standard library only."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from echo.mfm.evidence.kept import Work
from echo.mfm.evidence.references import number
from echo.mfm.layout import ACTION, EPISODES, OUTCOME, MfmError, Row, read_json

LONGEST = 1_500
"""Characters; an encoder of sentences sees about 256 tokens."""

_ENDS = ("code", "message")
"""Keys of an action that tell how it ended."""


def episode_text(row: Row, action: Mapping[str, Any], outcome: Mapping[str, Any]) -> str:
    """Return what an episode is about: summary, notes, what was done, what it brought, what happened.

    Args:
        row: Its line of the index.
        action: Its action.json, as far as it can be read.
        outcome: Its outcome.json, as far as it can be read.

    >>> episode_text({"summary": "wood: collect ok"}, {}, {"inventory_delta": {"oak_log": 1}})
    'wood: collect ok. +1 oak log'
    """
    parts = [_words(row.get("summary")), *_texts(row.get("note")), *_texts(outcome.get("notes"))]
    plan = _words(action.get("plan"))
    parts += [plan] if plan and plan not in parts[0] else []
    parts += [*_deeds(action.get("entry")), *_changes(outcome.get("inventory_delta"))]
    parts += _texts(outcome.get("events"))
    text = ". ".join(dict.fromkeys(part for part in parts if part))
    return text[:LONGEST].encode("utf-8", "replace").decode()


def _words(value: object) -> str:
    return " ".join(value.replace("_", " ").split()) if isinstance(value, str) else ""


def _texts(value: object) -> list[str]:
    return [_words(each) for each in (value if isinstance(value, list) else [value])]


def _deeds(entry: object) -> Iterator[str]:
    """Yield each action with the names in it, without numbers, and how it failed where it did."""
    if not isinstance(entry, dict):
        return
    named = [_words(entry.get("procedure")), _words(entry.get("action"))]
    yield from named
    items = entry.get("items")
    for item in items if isinstance(items, list) else []:
        if isinstance(item, dict):
            deed = {key: each for key, each in item.items() if key not in _ENDS}
            yield " ".join([_words(item.get("kind")), *_names(deed), *_failure(item)]).strip()


def _failure(item: Mapping[str, Any]) -> list[str]:
    """Return how an action ended, where it did not do what it was for."""
    code, message = (_words(item.get(key)) for key in _ENDS)
    return [f"{code}: {message}" if message else code] if code not in ("", "ok") else []


def _names(value: object, depth: int = 0) -> list[str]:
    if isinstance(value, str):
        return [_words(value)]
    inner: list[object] = []
    if isinstance(value, dict):
        inner = [each for key, each in value.items() if key != "kind"]
    elif isinstance(value, list):
        inner = value
    if depth > 4:
        return []
    return list(dict.fromkeys(name for each in inner for name in _names(each, depth + 1)))


def _changes(delta: object) -> Iterator[str]:
    if isinstance(delta, dict):
        for item, change in delta.items():
            if number(change) is not None:
                yield f"{change:+} {_words(item)}"


def _document(folder: Path, name: str) -> Mapping[str, Any]:
    if not (folder / name).exists():
        # Another tool may not write it; the summary still tells something.
        return {}
    held = read_json(folder / name)
    if not isinstance(held, dict):
        raise MfmError(f"expected a JSON object in {folder / name}, got {type(held).__name__}. Restore it.")
    return held


def _text(base: Path, row: Row) -> bytes | None:
    path = row.get("path")
    inside = PurePosixPath(path if isinstance(path, str) else f"{EPISODES}/{row['id']}")
    if inside.is_absolute() or ".." in inside.parts or "\0" in str(inside):
        raise MfmError(f"expected a folder within the memory for {row['id']!r}, got {path!r}. Restore it.")
    folder = base / inside
    text = episode_text(row, _document(folder, ACTION), _document(folder, OUTCOME))
    return text.encode() if text.strip() else None


TEXTS = Work(name="texts", version=2, value=_text)
