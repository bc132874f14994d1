"""Which of the five memories a folder uses: the switches of the ablations. Standard library only."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from echo.mfm.layout import OPTIONS, PART, MfmError, read_json, to_line


@dataclass(frozen=True, kw_only=True)
class MemoryOptions:
    """The whole memory, or one with a part of it switched off. Source: MFM's component ablations."""

    frames: bool = True
    """Whether pictures are recorded and can be looked at."""
    index: bool = True
    """Whether episodes can be searched by cue; without it the folder is flat, a list of files in order."""
    procedures: bool = True
    """Whether action scripts and reflexes can be saved and run."""
    consolidation: bool = True
    """Whether episodes are turned into notes and procedures by `consolidate`."""

    @property
    def switched_off(self) -> tuple[str, ...]:
        """Names of what is off, in order of declaration."""
        return tuple(name for name, on in asdict(self).items() if not on)


def memory_options(root: Path) -> MemoryOptions:
    """Return the options of the memory at `root`; a folder that names none uses everything.

    Raises:
        MfmError: if options.json is unreadable or names something unknown.
    """
    path = root / OPTIONS
    if not os.path.lexists(path):
        return MemoryOptions()
    held = read_json(path)
    names = [each.name for each in fields(MemoryOptions)]
    if (
        not isinstance(held, dict)
        or set(held) - set(names)
        or any(type(on) is not bool for on in held.values())
    ):
        raise MfmError(
            f"expected an object with {', '.join(names)}, each true or false, in {path}, "
            f"got {json.dumps(held)[:80]}. Mend the file, or delete it to use the whole memory."
        )
    return MemoryOptions(**held)


def save_options(root: Path, options: MemoryOptions) -> None:
    """Write the options of the memory at `root`, whole or not at all.

    Raises:
        OSError: if the disk refuses.
    """
    part = (root / OPTIONS).with_suffix(PART)
    part.write_bytes(to_line(asdict(options)))
    part.replace(root / OPTIONS)


def require(root: Path, name: str) -> None:
    """Refuse what the memory at `root` has switched off.

    Raises:
        MfmError: if the option `name` is off, or options.json is unreadable.
    """
    if name in memory_options(root).switched_off:
        raise MfmError(
            f"expected a memory with {name}, got {root}, in which {name} {_are(name)} switched off. "
            f"A new life may have {name}: echo-memory begin {root} --new-life --without ..., or none."
        )


def _are(name: str) -> str:
    return "are" if name.endswith("s") else "is"
