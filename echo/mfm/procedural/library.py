"""The procedures of one memory: saved, versioned, and with how their runs went."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.folder import MemoryFolder
from echo.mfm.layout import INDEX, PROCEDURES, MfmError, life_number
from echo.mfm.mine.change import Author
from echo.mfm.mine.writable import Mine
from echo.mfm.options import require
from echo.mfm.procedural.format import Procedure, ProcedureError, parse_procedure, procedure_flaws
from echo.mfm.procedural.runs import RunLine, Statistics, read_runs, statistics_of
from echo.mfm.procedural.source import Flaw, is_name

_ENDING = ".py"


@dataclass(frozen=True, kw_only=True)
class Version:
    """One state of the file of a procedure."""

    number: int
    """1 for the first text saved under this name; 0 where the text never went through the history."""
    digest: str
    """SHA-256 of the text, in hex."""

    def __str__(self) -> str:
        """Return such as 'v2 (1a2b3c4d)'."""
        return f"{f'v{self.number}' if self.number else 'unsaved'} ({self.digest[:8]})"


@dataclass(frozen=True, kw_only=True)
class Saved:
    """A procedure of the library."""

    procedure: Procedure
    version: Version


class Library:
    """The procedures in mine/procedures/ of one memory. Holds nothing open."""

    def __init__(self, root: Path | str) -> None:
        """Look at the memory at `root`.

        Raises:
            MfmError: if there is no such folder, procedures are switched off, or its options are unreadable.
        """
        self.root = Path(root)
        require_folder(self.root)
        require(self.root, "procedures")
        self._mine = Mine(self.root, read_only=True)

    def names(self) -> list[str]:
        """Return the names of all procedures, sorted; files that are none of ours are left out."""
        files = (path.removeprefix(f"{PROCEDURES}/") for path in self._mine.paths(PROCEDURES))
        found = (file.removesuffix(_ENDING) for file in files if file.endswith(_ENDING))
        return sorted(name for name in found if is_name(name))

    def text(self, name: str) -> str:
        """Return the file of the procedure `name`, sound or not.

        Raises:
            ProcedureError: if there is none.
            MfmError: if the file cannot be read as text.
        """
        if not is_name(name) or self._mine.kind(path_of(name)) != "file":
            known = ", ".join(self.names()) or "none at all"
            raise ProcedureError(
                f"expected a procedure of {self.root}, got {name!r}; there are: {known}. "
                f"Save it first, or name one of these."
            )
        return self._mine.read(path_of(name))

    def load(self, name: str) -> Saved:
        """Return the procedure `name`, read but not run.

        Raises:
            ProcedureError: if there is none, or its file has flaws; all are named.
            MfmError: if the file cannot be read as text.
        """
        text = self.text(name)
        return Saved(procedure=parse_procedure(text, name), version=self.version(name, text))

    def flaws(self, name: str) -> tuple[Flaw, ...]:
        """Return what is wrong with the procedure `name`, evidence that is missing included; empty if sound.

        Raises:
            ProcedureError: if there is none.
        """
        try:
            text = self.text(name)
        except ProcedureError:
            raise
        except MfmError as error:
            return (Flaw(line=0, text=str(error)),)
        found = procedure_flaws(text, name)
        return found or tuple(self._evidence_flaws(parse_procedure(text, name)))

    def save(self, name: str, text: str, *, by: Author, why: str) -> Saved:
        """Write the procedure `name`, replacing an earlier version, and return it.

        A text equal to the one in place changes nothing.

        Args:
            name: Its name, also that of its file.
            text: The whole file, see `echo.mfm.procedural.format`.
            by: 'agent', 'person' or 'consolidation'.
            why: The reason, for the history.

        Raises:
            ProcedureError: if the text has flaws; nothing is written then.
            MfmError: if the memory refuses to write there.
        """
        procedure = parse_procedure(text, name)
        path = path_of(name)
        if not self._mine.exists(path) or self._mine.read(path) != text:
            Mine(self.root).write(path, text, by=by, why=why)
        return Saved(procedure=procedure, version=self.version(name, text))

    def version(self, name: str, text: str) -> Version:
        """Return which version of the procedure `name` the file `text` is."""
        digest = digest_of(text)
        return Version(number=dict(self._numbers(name)).get(digest, 0), digest=digest)

    def versions(self, name: str) -> list[Version]:
        """Return all versions that were ever saved under this name, the first one first."""
        return [Version(number=number, digest=digest) for digest, number in self._numbers(name)]

    def version_text(self, version: Version) -> str:
        """Return the file of an earlier version.

        Raises:
            MfmError: if the history does not hold it.
        """
        return self._mine.text_at(version.digest)

    def statistics(self, name: str) -> Statistics:
        """Return how the runs of the procedure `name` went; of none where it was never run.

        Raises:
            OSError: if the log of runs cannot be read.
        """
        return statistics_of([run for run in read_runs(self.root).runs if run.name == name])

    def all_statistics(self) -> dict[str, Statistics]:
        """Return how the runs of every procedure that was ever run went, by name, in order of the first run.

        Raises:
            OSError: if the log of runs cannot be read.
        """
        runs: dict[str, list[RunLine]] = {}
        for run in read_runs(self.root).runs:
            runs.setdefault(run.name, []).append(run)
        return {name: statistics_of(those) for name, those in runs.items()}

    def _evidence_flaws(self, procedure: Procedure) -> Iterator[Flaw]:
        """Yield a flaw for every episode of the evidence that the memory does not hold."""
        if not (self.root / INDEX).is_file():
            return
        folder = MemoryFolder(self.root)
        for cited in procedure.evidence:
            life, _, episode = cited.rpartition("/")
            if folder.place(episode, life_number(life) if life else None) is None:
                yield Flaw(line=0, text=f"expected an episode of this memory in evidence, got {cited!r}.")

    def _numbers(self, name: str) -> list[tuple[str, int]]:
        """Return each digest once with its number, in order of first saving."""
        path = path_of(name)
        digests = [change.files[path][1] for change in self._mine.history(path) if path in change.files]
        first = dict.fromkeys(digest for digest in digests if digest is not None)
        return [(digest, number) for number, digest in enumerate(first, 1)]


def require_folder(root: Path) -> None:
    """Refuse a memory that is not there, so that a mistyped path is not taken for an empty one.

    Raises:
        MfmError: if `root` is no folder.
    """
    if not root.is_dir():
        raise MfmError(f"expected a memory folder at {root}, got none. Make it, or name another one.")


def path_of(name: str) -> str:
    """Return the file of the procedure `name` within mine/."""
    return f"{PROCEDURES}/{name}{_ENDING}"


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text as UTF-8, in hex; lone surrogates count as they are."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
