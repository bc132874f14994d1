"""A memory of 64 episodes and two earlier lives, written for the golden files: each edge of the format once.

`python -m tests.mfm.query.sample_memory FOLDER` writes it for a look.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from pathlib import Path
from typing import Any

Row = dict[str, Any]

KINDS = ("collect", "craft", "go_to", "place")
ITEMS = ("oak_log", "oak_planks", "stick", "cobblestone")

HUNDRED = "A wolf stood behind the birch; the shelter of planks lies to the north of the third hill. " * 3
NOTE_219, NOTE_220, NOTE_221 = HUNDRED[:219], HUNDRED[:219] + "!", HUNDRED[:219] + "!?"
BLANK_AT_CUT = "x" * 214 + "   " + "y" * 10
"""Folded, its 215th character is a blank and 225 remain."""
BLANK_BEFORE_DOTS = "z" * 216 + " " + "w" * 8
"""Cut at 217 characters, a blank would stand before the dots."""


def png(red: int, green: int, blue: int, *, side: int = 8) -> bytes:
    """Return a PNG whose left half has one colour and whose right half is black."""
    line = b"\0" + bytes((red, green, blue)) * (side // 2) + bytes(3) * (side - side // 2)

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", side, side, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", head)
        + chunk(b"IDAT", zlib.compress(line * side))
        + chunk(b"IEND", b"")
    )


def row(number: int, **changed: Any) -> Row:
    """Return the row of the `number`-th episode."""
    name = f"ep_{number:06d}"
    item = ITEMS[number % 4]
    return {
        "action_kind": KINDS[number % 4],
        "attachment": None,
        "first_step": 10 * number - 9,
        "gui_open": None,
        "id": name,
        "image": None,
        "kind": "episode",
        "last_step": 10 * number,
        "observation_hash": f"{number:016x}",
        "path": f"episodes/{name}",
        "summary": f"get {item}: {KINDS[number % 4]} ok, +{number} {item}",
        "tags": ["inventory_changed", *(["damage"] if number % 7 == 0 else [])],
        "x": number + 0.5,
        "y": 64.0,
        "z": -2.0 * number,
        **changed,
    }


def outcome(number: int, *notes: str) -> Row:
    """Return outcome.json of the `number`-th episode."""
    item = ITEMS[number % 4]
    return {"events": [f"got:{item}"], "inventory_delta": {item: number}, "moved": 1.25, "notes": list(notes)}


SPECIAL_ROWS: dict[int, Row] = {
    0: {
        "action_kind": None, "first_step": 0, "last_step": 0, "kind": "initial", "tags": ["initial"],
        "summary": "initial state", "x": 0.0, "z": 0.0, "image": "episodes/ep_000000/observation/image.png",
    },
    5: {"image": "episodes/ep_000005/observation/image.png"},
    6: {"image": "episodes/ep_000006/observation/image.png"},
    10: dict.fromkeys(("action_kind", "first_step", "last_step", "summary", "tags", "x", "y", "z", "path")),
    11: {"first_step": None},
    12: {"x": None},
    13: {"tags": []},
    14: {"summary": None},
    23: {"note": "Its own note,  as it is: " + "long " * 50},
    24: {"note": ""},
    25: {"note": None},
    26: {"summary": "Grün, 漢字 und 🌲: größer"},
    27: {"summary": "half a tree \ud83c and on"},
    28: {"perception": "two sheep on the left"},
    29: {"effect": "the door is open"},
    30: {"perception": "a chest", "effect": "3 more oak_log", "tags": ["note", "milestone", "stuck"]},
    31: {"attachment": "episodes/ep_000031/attachment/page.txt"},
    32: {"x": 0.25, "z": 0.35},
    33: {"x": -0.05, "z": 2.5},
    34: {"x": 0.05, "z": 0.15},
    35: {"x": -0.04, "z": 1e6},
    36: {"x": 7, "z": -7},
    42: {"first_step": 10**30, "last_step": 10**30 + 5, "x": 10**309},
    43: {"summary": "bell \x07 and \x1b[31mred\x1b[0m\nsecond line\ttab"},
    44: {"summary": "100%_done [a-z]* ^$ \\d \"quoted\"", "action_kind": "100%"},
    45: {"summary": "İstanbul STRAẞE ΑΣ"},
    47: {"first_step": "470", "x": "47", "tags": "damage", "summary": 47, "action_kind": ["mine"]},
    48: {"first_step": 471.5, "last_step": 480.0, "tags": ["a,b", "damage"]},
}  # fmt: skip
"""What differs in a row, by number."""

NOTES: dict[int, tuple[str, ...]] = {
    3: ("The wolf is grey.", "Not the first."),
    15: (NOTE_219,),
    16: (NOTE_220,),
    17: (NOTE_221,),
    18: ("  tabs\tand\n\nlines   folded \u2003 too ",),
    19: (BLANK_AT_CUT,),
    20: ("",),
    21: (BLANK_BEFORE_DOTS,),
    22: ("", "second"),
    23: ("not shown",),
    24: ("from the outcome",),
    25: ("shown, though the line says null",),
    26: ("Höhle im Süden",),
    27: ("half \ud83c note",),
    30: ("chest by the river",),
    44: ("50% _ is a wildcard elsewhere",),
}
"""Notes in outcome.json, by number."""

FRAMES = {0: png(10, 20, 30), 5: png(200, 30, 30), 6: png(200, 30, 30), 7: png(30, 30, 200)}


def write_memory(root: Path) -> None:
    """Write the memory into the new folder `root`."""
    root.mkdir(parents=True)
    lines = [_written(root, number) for number in range(64)]
    (root / "index.jsonl").write_bytes(b"".join(lines))
    (root / "view.png").write_bytes(png(200, 30, 30))
    (root / "other.png").write_bytes(png(0, 250, 0, side=16))
    (root / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nno more")
    earlier = [line for life in (1, 2) for line in _write_life(root, life)]
    (root / "previous" / "index.jsonl").write_bytes(b"".join(earlier))


def _written(root: Path, number: int) -> bytes:
    made = row(number, **SPECIAL_ROWS.get(number, {}))
    _write_files(root / "episodes" / made["id"], number)
    if number == 13:
        del made["tags"]
    if number == 40:
        # Another tool's line: its own order and separators, characters as they are, more keys.
        told = {
            "id": made["id"],
            "path": made["path"],
            "summary": "fremd: Ötzi",
            "score": 0.5,
            "extra": {"a": [1]},
        }
        return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    if number == 41:
        return json.dumps({**made, "note": "compact"}, separators=(",", ":")).encode() + b"\n"
    line = json.dumps(made, sort_keys=True).encode()
    return line + (b"\r\n" if number == 46 else b"\n")


def _write_files(folder: Path, number: int) -> None:
    if number == 37:
        return
    (folder / "state").mkdir(parents=True)
    state = {"inventory": {ITEMS[number % 4]: number}, "pos": {"x": 0.0, "yaw": 1.0}, "step": 10 * number}
    _write(folder / "state" / "state.json", {**state, "mobs": {"Wolf" if number == 39 else "sheep": 1}})
    if number in FRAMES:
        (folder / "observation").mkdir()
        (folder / "observation" / "image.png").write_bytes(FRAMES[number])
    if number == 0:
        return
    _write(
        folder / "action.json",
        {"entry": {"action": KINDS[number % 4], "repeat": 1}, "plan": f"plan {number}"},
    )
    if number == 31:
        (folder / "attachment").mkdir()
        (folder / "attachment" / "page.txt").write_text("sealed letter", encoding="utf-8")
    if number == 38:
        (folder / "outcome.json").write_bytes(b'{"notes": ["torn at')
    elif number == 39:
        told = {"notes": ["Ärger mit dem WOLF"], "events": []}
        (folder / "outcome.json").write_bytes(json.dumps(told, ensure_ascii=False).encode() + b"\xff")
    elif number != 36:
        _write(folder / "outcome.json", outcome(number, *NOTES.get(number, ())))


def _write_life(root: Path, life: int) -> list[bytes]:
    """Write an earlier life; return its lines of previous/index.jsonl."""
    home = root / "previous" / f"life_{life}"
    numbers = range(3 + life)
    own, joined = [], []
    for number in numbers:
        changed = {
            "summary": f"life {life}: {KINDS[number % 4]}",
            "image": f"episodes/ep_{number:06d}/observation/image.png",
        }
        made = row(number, **changed, **({"first_step": 0, "last_step": 0} if number == 0 else {}))
        _write_files(home / "episodes" / made["id"], number)
        (home / "episodes" / made["id"] / "observation").mkdir(exist_ok=True)
        (home / "episodes" / made["id"] / "observation" / "image.png").write_bytes(
            png(90 * life, 0, 40 * number)
        )
        own.append(json.dumps(made, sort_keys=True).encode() + b"\n")
        before = f"previous/life_{life}/"
        moved = {"path": before + made["path"], "image": before + made["image"], "life": life}
        joined.append(json.dumps({**made, **moved}, sort_keys=True).encode() + b"\n")
    (home / "index.jsonl").write_bytes(b"".join(own))
    return joined


def _write(path: Path, value: Any) -> None:
    path.write_bytes(json.dumps(value, sort_keys=True).encode() + b"\n")


if __name__ == "__main__":
    write_memory(Path(sys.argv[1]))
