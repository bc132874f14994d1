"""Any sequence of work, housekeeping and lost caches leaves a bank in a file equal to the plain model."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

from hypothesis import assume
from hypothesis import strategies as st
from hypothesis.stateful import rule

from csd.axes import AXES, Axis
from csd.bank import Bank
from csd.caches import cache_folder
from csd.descriptor import Csd
from csd.encode import HashingEncoder
from csd.protocol import DescriptorBank
from csd.render import render_axis
from csd.store.ledger import Credit
from csd.vectors.sizes import Sizes
from tests.csd.descriptors import digging
from tests.csd.test_bank_model import BLOCKS, KNOWN, AgainstModel, run

SIZES = Sizes(
    segment_rows=4,
    code_rows=2,
    candidates=3,
    candidates_per_match=1,
    publish_rows=2,
    small_rows=2,
    scan_us=50.0,
)
"""So small that a handful of descriptors make segments with codes, tombstones and mergers."""

CACHES = ("vectors", "words.db")


class HousekeptAgainstModel(AgainstModel):
    """A bank whose caches are published, merged, lost and damaged between all changes."""

    def __init__(self) -> None:
        super().__init__()
        self.links: set[tuple[str, str, str]] = set()
        self.credit: Counter[tuple[str, bool]] = Counter()

    @staticmethod
    def open_bank(folder: Path) -> DescriptorBank:
        return Bank.open(folder / "bank.db", HashingEncoder(), durable=False, sizes=SIZES)

    @property
    def file(self) -> Bank:
        assert isinstance(self.bank, Bank)
        return self.bank

    @rule(csd=KNOWN)
    def remove(self, csd: Csd) -> None:
        super().remove(csd)
        self.links = {link for link in self.links if csd.id not in (link[0], link[2])}
        for success in (True, False):
            self.credit.pop((csd.id, success), None)

    @rule()
    def compact(self) -> None:
        self.file.compact()

    @rule()
    def rebuild(self) -> None:
        before = self.file.index_digest()
        self.file.rebuild()
        assert self.file.index_digest() == before

    @rule(name=st.sampled_from(CACHES), closed=st.booleans())
    def lose_a_cache(self, name: str, closed: bool) -> None:
        if closed:
            self.bank.close()
        lost = cache_folder(self.folder / "bank.db") / name
        if lost.is_dir():
            # Whatever is being published meanwhile may stay.
            shutil.rmtree(lost, ignore_errors=True)
        else:
            lost.unlink(missing_ok=True)
        if closed:
            self.bank = type(self).open_bank(self.folder)

    @rule(data=st.data(), share=st.floats(0.0, 1.0), byte=st.none() | st.integers(0, 255))
    def damage_a_cache(self, data: st.DataObject, share: float, byte: int | None) -> None:
        self.bank.close()
        files = sorted(path for path in cache_folder(self.folder / "bank.db").rglob("*") if path.is_file())
        if files:
            chosen = data.draw(st.sampled_from(files))
            content = bytearray(chosen.read_bytes())
            place = int(share * len(content))
            if byte is None:
                del content[place:]
            elif place < len(content) and chosen.name == "state.json":
                # Bytes of vectors are not checked at every opening; `doctor` does that.
                content[place] = byte
            chosen.write_bytes(bytes(content))
        self.bank = type(self).open_bank(self.folder)

    @rule(block=BLOCKS, other=BLOCKS)
    def link(self, block: str, other: str) -> None:
        source, target = digging(block).id, digging(other).id
        assume(source in self.model and target in self.model and source != target)
        self.file.link(source, "contradicts", target)
        self.links.add((source, "contradicts", target))

    @rule(block=BLOCKS, success=st.booleans())
    def use(self, block: str, success: bool) -> None:
        id = digging(block).id
        assume(id in self.model)
        self.file.credit(id, {Axis.ATTR: 0.5}, success=success)
        self.credit[id, success] += 1

    @rule(block=BLOCKS)
    def cue(self, block: str) -> None:
        current = {version.id for id in self.model.ids() for version in self.model.versions(id)
                   if version.superseded_at is None}  # fmt: skip
        found = [hit.id for hit in self.file.cue(block, k=99)]
        said = {id: " ".join(render_axis(self.model.get(id), axis) for axis in AXES) for id in current}
        named = block.replace("_", " ")
        assert sorted(found) == sorted(id for id in current if named in said[id] or block in said[id])

    @rule(block=BLOCKS)
    def neighbours_of_a_name(self, block: str) -> None:
        expected = [id for id in self.model.ids() if f'"{block}"' in self.model.get(id).canonical()]
        assert self.file.mentioning(f"thing:{block}") == expected

    def teardown(self) -> None:
        for id in self.model.ids():
            known = [link for link in self.file.links(id) if link[1] == "contradicts"]
            assert known == sorted(link for link in self.links if id in (link[0], link[2]))
            expected = Credit(successes=0.5 * self.credit[id, True], failures=0.5 * self.credit[id, False])
            assert self.file.credits(id)[Axis.ATTR] == expected
        super().teardown()


def test_a_bank_with_caches_that_come_and_go_answers_as_the_model_does() -> None:
    run(HousekeptAgainstModel, 25)
