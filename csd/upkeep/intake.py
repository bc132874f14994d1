"""Take an archive into a bank, in one transaction, by rules that say what happens where both differ.

Equal ids are equal content, so only what hangs on a descriptor can differ:

- vectors, the state (valid from, superseded) and the credit of an axis: `on_conflict` decides. 'keep' leaves
  what the bank has, 'theirs' puts what the archive has in its place, 'refuse' changes nothing at all.
- filings, tags and links: both sides' are kept; of two times of one filing, and of first recording, the
  earlier stays. Never a conflict.
- failures: each that the archive has more often than the bank is added.

Nothing is ever added up, so taking the same archive twice is taking it once. What the archive does not
mention stays as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

from csd.caches import embeddings_file
from csd.embed import embed_descriptors, identity_for
from csd.encode import Encoder
from csd.encode_store import EmbeddingStore
from csd.store.errors import BankError, explained
from csd.store.file import Identity, connect, identity_of, make_file, transaction
from csd.upkeep.archive import read_header, read_lines, sync_folder
from csd.upkeep.cache_files import drop_caches
from csd.upkeep.lines import CsdLine, Header, draft_of
from csd.upkeep.merge import Merge, Rule
from csd.upkeep.tally import Imported, imported

Progress = Callable[[int, int], None]
"""Called with how many descriptors are done, and how many there are."""

_CHUNK = 64


class _Undo(Exception):
    """Ends a dry run, so that its transaction is rolled back."""


def import_archive(
    archive: str | Path,
    path: str | Path,
    *,
    on_conflict: Literal["keep", "theirs", "refuse"] = "refuse",
    encoder: Encoder | None = None,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Take `archive` into the bank at `path`, which is made if there is none: all of it or nothing.

    Others cannot write to the bank until the end; banks that are open on it must be opened again where
    vectors were replaced.

    Args:
        archive: what `csd.upkeep.exchange.export_bank` wrote, compressed or not.
        path: the bank.
        on_conflict: see the module.
        encoder: embeds the texts anew where the archive's vectors are of another encoder than the bank's
            (it must be the bank's); None refuses such an archive. A new bank gets this encoder's vectors.
        dry_run: whether to count only. Conflicts are then counted under every rule.
        progress: told after each descriptor.

    Raises:
        BankError: on an archive that is damaged, altered, cut off or of another encoder, a conflict under
            'refuse', or a failing disk; nothing was changed then.
        ValueError: on another rule.
    """
    if on_conflict not in ("keep", "theirs", "refuse"):
        raise ValueError(f"expected a rule out of keep, theirs, refuse; got {on_conflict!r}.")
    archive, path = Path(archive), Path(path)
    identity = _identity(archive, path, encoder)
    anew = None if identity == _said(read_header(archive)) else encoder
    with _store(anew, path) as store:
        if store is not None and not dry_run:
            _embed_ahead(archive, store)
        rule: Rule = "keep" if dry_run and on_conflict == "refuse" else on_conflict
        with (
            _target(path, identity, dry_run=dry_run) as bank,
            closing(connect(bank, identity)) as connection,
            suppress(_Undo),
            transaction(connection, str(path)),
        ):
            merge = Merge(connection, str(path), archive, rule=rule, encoder=store)
            _take(merge, archive, progress)
            if dry_run:
                raise _Undo
            if merge.revalued:
                drop_caches(path)
    return imported(merge.found, dry_run=dry_run)


def _take(merge: Merge, archive: Path, progress: Progress | None) -> None:
    total = 0
    for number, line in read_lines(archive):
        if isinstance(line, Header):
            total = line.counts.descriptors
        merge.take(number, line)
        if progress is not None and isinstance(line, CsdLine):
            progress(merge.found.seen["descriptors"], total)
    merge.finish()


def _identity(archive: Path, path: Path, encoder: Encoder | None) -> Identity:
    """Return what the bank's vectors are, or are to be, made with."""
    said = _said(read_header(archive))
    if path.exists():
        with closing(connect(path, None)) as connection, explained(str(path)):
            held = identity_of(connection)
    else:
        held = said if encoder is None else identity_for(encoder)
    if held != said and (encoder is None or identity_for(encoder) != held):
        raise BankError(
            f"expected vectors of {held.encoder!r} (dimension {held.dimension}, wording {held.rendering}) in "
            f"{archive}, as the bank at {path} has them; got those of {said.encoder!r} (dimension "
            f"{said.dimension}, wording {said.rendering}). Import it with --reembed, which embeds the "
            f"texts anew. Nothing was changed."
        )
    return held


def _said(header: Header) -> Identity:
    made_with = header.encoder
    return Identity(encoder=made_with.name, dimension=made_with.dimension, rendering=made_with.rendering)


@contextmanager
def _store(encoder: Encoder | None, path: Path) -> Iterator[EmbeddingStore | None]:
    if encoder is None:
        yield None
        return
    with closing(EmbeddingStore(encoder, embeddings_file(path))) as store:
        yield store


def _embed_ahead(archive: Path, store: EmbeddingStore) -> None:
    """Embed all texts of an archive before the bank is locked; what is done survives a kill."""
    csds = (
        draft_of(archive, number, line).csd
        for number, line in read_lines(archive)
        if isinstance(line, CsdLine)
    )
    while chunk := list(islice(csds, _CHUNK)):
        embed_descriptors(chunk, store)


@contextmanager
def _target(path: Path, identity: Identity, *, dry_run: bool) -> Iterator[Path | None]:
    """Give the bank to write to; a new one is put in its place whole, after the block."""
    if path.exists() or dry_run:
        yield path if path.exists() else None
        return
    if not path.parent.is_dir():
        raise BankError(f"expected a folder at {path.parent} to make the bank {path.name} in; got none.")
    try:
        with TemporaryDirectory(dir=path.parent, prefix=f".{path.name}.") as beside:
            draft = Path(beside) / "draft"
            make_file(draft, identity)
            yield draft
            path.hardlink_to(draft)
            sync_folder(path.parent)
    except OSError as error:
        raise BankError(
            f"expected a place at {path} where a bank can be made; got {error}. Nothing was changed: check "
            f"the folder and its free space, or import once more if a bank was made there meanwhile."
        ) from error
