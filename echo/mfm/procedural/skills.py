"""Skills and procedures taken over from another memory.

A skill is a folder mine/skills/NAME/ with a SKILL.md: what it is for and how it goes, in words, with whatever
files belong to it. The episodes it cites stay behind, so that in the new memory it says where they are
instead: "[ep_000012]" becomes "(from runs/iron: ep_000012)".
"""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from pathlib import Path

from echo.mfm.layout import SKILLS, MfmError
from echo.mfm.mine.change import Author
from echo.mfm.mine.citations import citations
from echo.mfm.mine.writable import Mine
from echo.mfm.procedural.format import Procedure, ProcedureError, parse_procedure
from echo.mfm.procedural.library import Library, path_of
from echo.mfm.procedural.source import assigns

SKILL = "SKILL.md"

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class Skill:
    """One skill of a memory."""

    name: str
    about: str
    """`description` of its front matter, else its first line that is no heading; may be empty."""
    text: str
    """SKILL.md."""
    files: tuple[str, ...]
    """All its files, relative to its folder, sorted."""


@dataclass(frozen=True, kw_only=True)
class Installed:
    """What was taken over."""

    paths: tuple[str, ...]
    """Files written, relative to mine/, in order."""
    cited: tuple[str, ...]
    """Episodes of the other memory that the files name, in order, each once."""


def skill_names(root: Path | str) -> list[str]:
    """Return the names of all skills of the memory at `root`, sorted."""
    parts = (path.split("/") for path in Mine(root, read_only=True).paths(SKILLS))
    return sorted(
        part[1] for part in parts if len(part) == 3 and part[2] == SKILL and _NAME.fullmatch(part[1])
    )


def read_skill(root: Path | str, name: str) -> Skill:
    """Return the skill `name`.

    Raises:
        MfmError: if there is none, or SKILL.md is no text.
    """
    known = skill_names(root)
    if name not in known:
        raise MfmError(
            f"expected a skill of {root}, got {name!r}; there are: {', '.join(known) or 'none at all'}."
        )
    mine, folder = Mine(root, read_only=True), f"{SKILLS}/{name}"
    text = mine.read(f"{folder}/{SKILL}")
    files = tuple(path.removeprefix(f"{folder}/") for path in mine.paths(folder))
    return Skill(name=name, about=_about(text), text=text, files=files)


def install_skill(
    root: Path | str, name: str, *, source: Path | str, where: str | None = None, by: Author = "person"
) -> Installed:
    """Take a skill with all its files over from another memory, as one change.

    Args:
        root: The memory that gets it.
        name: Of the skill.
        source: The memory that has it.
        where: What its citations say it is from; the name of the folder `source` where None.
        by: Who does it.

    Raises:
        MfmError: if the other memory has no such skill, this one has another of that name, or a file is no
            text; nothing is changed then.
    """
    skill, folder = read_skill(source, name), f"{SKILLS}/{name}"
    other, mine = Mine(source, read_only=True), Mine(root)
    where = _place(source, where)
    texts = {f"{folder}/{file}": other.read(f"{folder}/{file}") for file in skill.files}
    told = {path: uncited(text, where) for path, text in texts.items()}
    _check_free(mine, told, f"the skill {name}")
    _write_all(mine, told, by=by, why=f"skill {name} from {where}")
    cited = dict.fromkeys(each.name for text in texts.values() for each in citations(text))
    return Installed(paths=tuple(told), cited=tuple(cited))


def install_procedure(
    root: Path | str, name: str, *, source: Path | str, where: str | None = None, by: Author = "person"
) -> Installed:
    """Take a procedure over from another memory; its evidence becomes a comment.

    Arguments are those of `install_skill`.

    Raises:
        ProcedureError: if the other memory has no such procedure, or it has flaws.
        MfmError: if procedures are switched off in either, or this one has another of that name; nothing is
            changed then.
    """
    library, other = Library(root), Library(source)
    procedure = other.load(name).procedure
    where = _place(source, where)
    text = without_evidence(procedure, where)
    _check_free(Mine(root), {path_of(name): text}, f"the procedure {name}")
    library.save(name, text, by=by, why=f"procedure {name} from {where}")
    return Installed(paths=(path_of(name),), cited=procedure.evidence)


def uncited(text: str, where: str) -> str:
    """Return `text` with citations turned into words that say where the episodes are.

    >>> uncited("Sand falls [ep_000012, ep_000013]. See [map].", "runs/iron")
    'Sand falls (from runs/iron: ep_000012, ep_000013). See [map].'
    """
    spans = {(each.start, each.end): None for each in citations(text)}
    for start, end in sorted(spans, reverse=True):
        text = f"{text[:start]}(from {where}: {text[start + 1 : end - 1]}){text[end:]}"
    return text


def without_evidence(procedure: Procedure, where: str) -> str:
    """Return the file of a procedure with no evidence, and a comment that says where it is.

    Raises:
        ProcedureError: if the result would have flaws.
    """
    if not procedure.evidence:
        return procedure.text
    # As Python counts lines: not at form feeds and the like, at which `splitlines` would break.
    lines = procedure.text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    statement, node = _evidence(ast.parse(procedure.text))
    first, last = node.lineno - 1, (node.end_lineno or node.lineno) - 1
    head = lines[first].encode()[: node.col_offset].decode()
    tail = lines[last].encode()[node.end_col_offset :].decode()
    note = f"# Evidence from {where}: {', '.join(procedure.evidence)}"
    kept = [*lines[:statement], note, *lines[statement:first], f"{head}[]{tail}", *lines[last + 1 :]]
    text = "\n".join(kept)
    parse_procedure(text, procedure.name)
    return text


def _evidence(tree: ast.Module) -> tuple[int, ast.expr]:
    """Return the place of the line at which PROCEDURE begins, and the value of its evidence."""
    for node in tree.body:
        if not isinstance(node, ast.Assign | ast.AnnAssign) or not assigns(node, "PROCEDURE"):
            continue
        if isinstance(node.value, ast.Dict):
            for key, value in zip(node.value.keys, node.value.values, strict=True):
                if isinstance(key, ast.Constant) and key.value == "evidence":
                    return node.lineno - 1, value
    raise ProcedureError("expected evidence in PROCEDURE, got none. Check the procedure first.")


def _check_free(mine: Mine, files: dict[str, str], what: str) -> None:
    for path, text in files.items():
        if mine.exists(path) and mine.read(path) != text:
            raise MfmError(
                f"expected no other {path} in {mine.root} for {what}, but there is one. "
                f"Delete or rename that first."
            )


def _write_all(mine: Mine, files: dict[str, str], *, by: Author, why: str) -> None:
    with mine.batch(by=by, why=why):
        for path, text in files.items():
            mine.write(path, text)


def _place(source: Path | str, where: str | None) -> str:
    """Return how another memory is named in a text: on one line, without brackets."""
    named = Path(source).resolve().name if where is None else where
    return " ".join(named.translate(str.maketrans("[]()", "    ")).split()) or "another memory"


def _about(text: str) -> str:
    lines = [line.strip() for line in text.split("\n")]
    if lines[0] == "---" and "---" in lines[1:]:
        end = lines.index("---", 1)
        for line in lines[1:end]:
            if line.startswith("description:"):
                return line.removeprefix("description:").strip().strip("\"'")
        lines = lines[end + 1 :]
    return next((line for line in lines if line and not line.startswith("#")), "")
