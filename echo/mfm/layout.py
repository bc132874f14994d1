"""Names, ids and JSON of a memory folder in the MFM layout. Standard library only, so it loads in no time.

```
<root>/index.jsonl                                   one line an episode
<root>/episodes/ep_000001/observation/image.png      seen before the first step (no file without a frame)
<root>/episodes/ep_000001/state/state.json           the same moment in words and numbers
<root>/episodes/ep_000001/action.json                what was done
<root>/episodes/ep_000001/outcome.json               what came of it
<root>/episodes/ep_000001/attachment/NAME            whatever else belongs to it
<root>/episodes/ep_000001/steps.json                 ours: full records, index row, digests of the rest
<root>/mine/                                         what the agent writes: notes, digest, plan, procedures
<root>/previous/index.jsonl                          the rows of all earlier lives, with `life`
<root>/previous/life_1/                              an earlier life, laid out like <root>
<root>/history/                                      ours: what mine/ was before each change
<root>/runs.jsonl                                    ours: how each run of a procedure went
<root>/turns.jsonl                                   ours: the turns of a model-driven agent
<root>/options.json                                  ours: which of the five memories are switched off
<root>/cache/                                        ours: derived from the rest, may be deleted
<root>/mended/                                       bytes and folders set aside when the memory was opened
<root>/.lock                                         held by the one writer of episodes
```
"""

from __future__ import annotations

import json
import os
import re
from numbers import Integral, Real
from pathlib import Path
from typing import Any

from echo.mfm.regular import MOST_JSON_BYTES, read_regular

INDEX = "index.jsonl"
EPISODES = "episodes"
MENDED = "mended"
LOCK = ".lock"
MINE = "mine"
PREVIOUS = "previous"
HISTORY = "history"
RUNS = "runs.jsonl"
TURNS = "turns.jsonl"
OPTIONS = "options.json"
CACHE = "cache"
PART = ".part"
"""Ending of a folder that is still being written; its name starts with a dot."""

IMAGE = "observation/image.png"
STATE = "state/state.json"
ACTION = "action.json"
OUTCOME = "outcome.json"
STEPS = "steps.json"
ATTACHMENT = "attachment"

NOTES = "notes.md"
"""In mine/: facts and lessons, each with the episodes that show it."""
GUIDE = "GUIDE.md"
"""In mine/: what to do when, for a reader who is new to the world."""
DIGEST = "digest.md"
"""In mine/: what consolidation wrote last."""
WORKING = "working.md"
"""In mine/: plan, subgoal and open questions."""
PROCEDURES = "procedures"
REFLEXES = "reflexes"
SKILLS = "skills"

FORMAT = "echo-mfm-steps/1"
"""Format marker of steps.json."""

Row = dict[str, Any]
"""One line of the index. Ours hold exactly `ROW_KEYS`; lines of other tools may hold more."""

ROW_KEYS = (
    "action_kind",
    "attachment",
    "first_step",
    "gui_open",
    "id",
    "image",
    "kind",
    "last_step",
    "observation_hash",
    "path",
    "summary",
    "tags",
    "x",
    "y",
    "z",
)

MOST_COUNTED = 10**12
"""Numbers of episodes up to here count for the next id; larger ones are another tool's."""

_ID = re.compile(r"ep_(\d{6,18})", re.ASCII)
_LIFE = re.compile(r"life_(\d{1,9})", re.ASCII)


class MfmError(ValueError):
    """A memory folder does not hold what it should; the text says where and what to do."""


def episode_id(number: int) -> str:
    """Return the id of the `number`-th episode; 0 is the initial state.

    >>> episode_id(12)
    'ep_000012'
    """
    return f"ep_{number:06d}"


def episode_number(name: str) -> int | None:
    """Return the number in an episode id, or None where `name` is not one.

    >>> episode_number("ep_000012"), episode_number("ep_12"), episode_number("../ep_000012")
    (12, None, None)
    """
    found = _ID.fullmatch(name)
    return None if found is None or episode_id(int(found[1])) != name else int(found[1])


def life_name(number: int) -> str:
    """Return the folder name of the `number`-th life, from 1, within previous/.

    >>> life_name(2)
    'life_2'
    """
    return f"life_{number}"


def life_number(name: str) -> int | None:
    """Return the number in the name of an earlier life, or None where `name` is not one.

    >>> life_number("life_2"), life_number("life_02"), life_number("life_")
    (2, None, None)
    """
    found = _LIFE.fullmatch(name)
    return None if found is None or life_name(int(found[1])) != name else int(found[1])


def earlier_lives(root: Path) -> list[int]:
    """Return the numbers of the earlier lives of the memory at `root`, the first one first.

    Raises:
        MfmError: if their folder cannot be looked into.
    """
    try:
        names = [entry.name for entry in (root / PREVIOUS).iterdir()]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise MfmError(
            f"expected a folder of earlier lives at {root / PREVIOUS}, got {told_error(error)} "
            f"Put that right; echo-memory doctor looks at the whole memory."
        ) from error
    return sorted(number for number in map(life_number, names) if number is not None)


def episode_path(root: Path, name: str) -> Path:
    """Return the folder of episode `name`, which need not exist.

    Raises:
        ValueError: if `name` is not an episode id (this also keeps paths such as '../x' out).
    """
    if episode_number(name) is None:
        raise ValueError(
            f"expected an episode id such as 'ep_000012', got {name!r} for the memory {root}. "
            f"Take one from its {INDEX}."
        )
    return root / EPISODES / name


def frame_name(place: int) -> str:
    """Return the file, within an episode folder, of the picture before step `place` (from 0).

    >>> frame_name(0), frame_name(2)
    ('observation/image.png', 'observation/image_0002.png')
    """
    return IMAGE if place == 0 else f"observation/image_{place:04d}.png"


def to_line(value: Any, *, sort_keys: bool = True) -> bytes:
    r"""Return `value` as one line of JSON: ', ' and ': ' between, ASCII escapes, a line feed at the end.

    Lone surrogates are written as escapes and come back as they were; two halves of one character,
    written side by side, come back as that character. numpy numbers become plain ones.

    Raises:
        ValueError: on NaN, an infinity, or an integer too long for Python to print.
        TypeError: on a type that JSON does not have.

    >>> to_line({"b": "é", "a": 1})
    b'{"a": 1, "b": "\\u00e9"}\n'
    """
    try:
        text = json.dumps(value, sort_keys=sort_keys, allow_nan=False, default=_plain_number)
    except ValueError as error:
        raise ValueError(
            f"expected finite numbers of at most 4,300 digits in an episode, got something else ({error}). "
            f"Mend the observation or outcome that holds it; nothing was written."
        ) from error
    return text.encode("ascii") + b"\n"


def read_json(path: Path) -> Any:
    """Read one JSON file of an episode.

    Raises:
        MfmError: if it is missing, no file, larger than 256 MiB, cannot be opened, or is not JSON.
    """
    try:
        return json.loads(read_regular(path, MOST_JSON_BYTES))
    except (FileNotFoundError, NotADirectoryError):
        raise MfmError(
            f"expected a file at {path}, got none. Restore the episode folder from a copy, "
            f"or read only the episodes that the index lists."
        ) from None
    except OSError as error:
        raise MfmError(
            f"expected a readable JSON file at {path}, got {told_error(error)} "
            f"Restore it from a copy; the rest of the memory stays usable."
        ) from error
    except (ValueError, RecursionError) as error:
        raise MfmError(
            f"expected JSON in {path}, got something unreadable ({error}). "
            f"Restore this file from a copy; the rest of the memory stays usable."
        ) from error


def no_index(index: Path | str, error: OSError) -> MfmError:
    """Return the error to raise where an index could not be opened."""
    if isinstance(error, FileNotFoundError | NotADirectoryError):
        return MfmError(
            f"expected the index of a memory at {index}, got no file. "
            f"Name the folder that holds {INDEX}, or record into it first."
        )
    return MfmError(
        f"expected the index of a memory at {index}, got {told_error(error)} "
        f"Make it a file that can be read; echo-memory doctor looks at the whole folder."
    )


def told_error(error: OSError) -> str:
    """Return what the system refused, without its number, ending in a full stop."""
    return f"{(error.strerror or str(error)).rstrip('.')}."


def is_file_name(name: Any) -> bool:
    """Whether `name` is the name of a file within an episode folder, such as 'observation/image.png'.

    >>> is_file_name("state/state.json"), is_file_name("../x"), is_file_name("/x"), is_file_name("")
    (True, False, False, False)
    """
    if not isinstance(name, str) or "\0" in name:
        return False
    parts = name.split("/")
    try:
        return all(part not in ("", ".", "..") and len(os.fsencode(part)) <= 255 for part in parts)
    except UnicodeEncodeError:
        return False


def memory_of_earlier_life(root: Path) -> Path | None:
    """Return the memory whose previous/ `root` lies in, links followed; None for one that goes on."""
    place = Path(os.path.realpath(root))
    homes = [folder.parent for folder in (place, *place.parents) if folder.name == PREVIOUS]
    return next(
        (home for home in homes if any(os.path.lexists(home / name) for name in (INDEX, EPISODES))), None
    )


def refuse_earlier_life(root: Path) -> None:
    """Refuse to write where an earlier life lies.

    Raises:
        MfmError: if `root` lies within previous/ of a memory.
    """
    home = memory_of_earlier_life(root)
    if home is not None:
        raise MfmError(
            f"expected a memory that goes on, got {root}, which lies among the earlier lives of {home}. "
            f"Earlier lives are only read; write to {home}."
        )


def _plain_number(value: Any) -> int | float:
    if isinstance(value, Integral):
        return int(value)
    if isinstance(value, Real):
        return float(value)
    raise TypeError(
        f"expected text, numbers, lists and mappings in an episode, got {value!r} of type "
        f"{type(value).__name__}. Turn it into one of these before recording."
    )
