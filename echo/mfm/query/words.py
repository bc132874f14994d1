"""Full text: the words of an episode, and plain words as a query for them."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any

TABLE = "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='unicode61 remove_diacritics 2')"
"""Holds the words of episodes by their place in the index."""

MAX_CHARACTERS = 2_000
MAX_WORDS = 64
"""What is asked for is a line, not a document."""

_NAMES = """
    action action_kind after args attachment before block briefing cell code count descended done effect entry
    events first_step flushed food goals gui_open health hotbar id image inventory inventory_delta item
    items kind last_step life light mainhand message milestone_transition mobs moved n next note notes
    observation_hash path perception pitch plan plan_index plan_total pos procedure repeat sky slot step
    steps summary tags target tick ticks turn verified verified_after vitals x y yaw z
"""
KEYS = frozenset(_NAMES.split())
"""Names that the layout gives to the parts of an episode: in every one, so not worth finding."""

_UNSAID = frozenset(("id", "image", "kind", "observation_hash", "path"))
"""Parts of a row that are no words."""


def episode_words(row: Any, documents: Iterable[Any]) -> str:
    r"""Return the texts of an episode, and the names in it that the layout does not give, one a line.

    Args:
        row: Its index row.
        documents: What its JSON files hold.

    >>> episode_words({"id": "ep_000001", "summary": "dig: ok"}, [{"inventory": {"oak_log": 3}}])
    'dig: ok\noak_log'
    """
    said = {name: value for name, value in row.items() if name not in _UNSAID}
    found: dict[str, None] = {}
    for value in (said, *documents):
        found.update(dict.fromkeys(_texts(value)))
    # A NUL would end the text, half a character cannot be stored.
    return "\n".join(found).replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


def expression(text: str) -> str | None:
    """Return the FTS5 query for episodes in which every word of `text` occurs.

    White space separates words; capitals and accents make no difference. A word with a trailing '*' is the
    beginning of words; what is joined by other signs ('oak_log') must stand side by side. Quotes and
    operators mean nothing.

    Returns:
        None where `text` holds no letter or digit.

    Raises:
        ValueError: if `text` is too long or has too many words.

    >>> expression('oak* "LOG" a_b')
    '"oak"* AND "log" AND "a_b"'
    >>> expression(" - ") is None
    True
    """
    words = [word for word in text.replace('"', " ").replace("\0", " ").lower().split() if _findable(word)]
    if len(text) > MAX_CHARACTERS or len(words) > MAX_WORDS:
        raise ValueError(
            f"expected at most {MAX_CHARACTERS} characters and {MAX_WORDS} words to look for, got "
            f"{len(text)} and {len(words)}. Use fewer."
        )
    told = (word.encode("utf-8", "replace").decode("utf-8") for word in words)
    return (
        " AND ".join(f'"{word.rstrip("*")}"*' if word.endswith("*") else f'"{word}"' for word in told) or None
    )


def _findable(word: str) -> bool:
    return any(letter.isalnum() for letter in word)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts within a JSON value and the names that are not `KEYS`, in order."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, list):
            waiting.extend(reversed(one))
        elif isinstance(one, dict):
            for name, held in reversed(one.items()):
                waiting.append(held)
                if name not in KEYS:
                    waiting.append(name)
