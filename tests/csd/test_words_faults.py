from __future__ import annotations

import hashlib
import logging
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from csd.store.feed import Change
from csd.words.words import Ahead, Words
from tests.csd.descriptors import digging, playing, wooden_pickaxe
from tests.csd.words_feed import FakeBank

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bank() -> FakeBank:
    bank = FakeBank()
    for csd in (digging("sand"), playing("coal", "fuel"), wooden_pickaxe()):
        bank.add(csd)
    return bank


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "bank.sqlite.cache" / "words.db"


def digest(bank: FakeBank, path: Path | None) -> str:
    with Words(path) as words:
        words.refresh(bank)
        return words.digest()


def test_a_file_is_made_once_and_followed_from_then_on(bank: FakeBank, path: Path) -> None:
    whole = digest(bank, path)
    assert bank.read == 3
    assert digest(bank, path) == whole == digest(bank.copy(), None)
    assert bank.read == 3
    bank.add(digging("clay"))
    bank.remove(1)
    bank.retire(2)
    assert digest(bank, path) == digest(bank.copy(), None)
    assert bank.read == 4


def test_a_file_of_another_history_epoch_or_a_forgotten_mark_is_made_again(
    bank: FakeBank, path: Path
) -> None:
    other = bank.copy()
    other.remove(1)
    bank.remove(2)
    digest(bank, path)
    assert digest(other, path) == digest(other.copy(), None)
    other.epoch = "second"
    other.history.append(Change(sequence=5, kind="remove", row=2))
    other.chains.append("5")
    del other.records[2]
    assert digest(other, path) == digest(other.copy(), None)
    other.remove(3)
    other.add(digging("clay"))
    other.forgotten = 7
    assert digest(other, path) == digest(other.copy(), None)


def test_superseded_ones_are_known_where_history_was_forgotten(bank: FakeBank) -> None:
    bank.retire(1)
    bank.forgotten = len(bank.history)
    with Words(None) as words:
        words.refresh(bank)
        assert words.cue("sand", limit=5) == []
        assert [hit.row for hit in words.cue("sand", limit=5, rows=[1])] == [1]


@pytest.mark.parametrize("keep", [0, 1, 50, 4_000, 9_000, 20_000])
def test_a_file_cut_anywhere_is_made_again(bank: FakeBank, path: Path, keep: int) -> None:
    whole = digest(bank, path)
    content = path.read_bytes()
    assert len(content) > 20_000
    path.write_bytes(content[:keep])
    with Words(path) as words:
        words.refresh(bank)
        assert [hit.row for hit in words.cue("coal", limit=5)] == [2]
        assert words.mentioning("thing:sand") == [1]
        assert words.digest() == whole


@pytest.mark.parametrize("place", range(0, 90_000, 8_192))
def test_an_overwritten_page_is_never_an_error_for_who_asks(bank: FakeBank, path: Path, place: int) -> None:
    whole = digest(bank, path)
    content = bytearray(path.read_bytes())
    size = len(content[place : place + 8_192])
    content[place : place + 8_192] = hashlib.shake_256(str(place).encode()).digest(size)
    path.write_bytes(content)
    with Words(path) as words:
        words.refresh(bank)
        words.cue("coal", limit=5)
        words.mentioning("thing:sand")
        words.neighbours("thing:coal", 2)
        assert words.check(bank) != [] or words.digest() == whole


def test_other_files_and_formats_are_replaced(bank: FakeBank, path: Path) -> None:
    whole = digest(bank, path)
    with sqlite3.connect(path) as other:
        other.execute("PRAGMA user_version = 7")
    assert digest(bank, path) == whole
    path.write_text("not a database, but a text that is long enough to be taken for one" * 99)
    assert digest(bank, path) == whole
    path.unlink()
    sqlite3.connect(path).execute("CREATE TABLE mine (a)").connection.close()
    assert digest(bank, path) == whole


def test_a_deleted_folder_is_made_again_while_it_is_in_use(bank: FakeBank, path: Path) -> None:
    with Words(path) as words:
        words.refresh(bank)
        for file in path.parent.iterdir():
            file.unlink()
        path.parent.rmdir()
        bank.add(digging("clay"))
        words.refresh(bank)
        assert path.is_file()
        assert [hit.row for hit in words.cue("clay", limit=5)] == [4]


def test_where_no_file_can_be_kept_the_words_stay_in_memory_and_the_log_says_so(
    bank: FakeBank, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "bank.sqlite.cache").write_text("a file where a folder is due")
    with Words(tmp_path / "bank.sqlite.cache" / "words.db") as words:
        words.refresh(bank)
        assert [hit.row for hit in words.cue("coal", limit=5)] == [2]
        bank.remove(2)
        words.refresh(bank)
        assert words.in_memory
        assert words.cue("coal", limit=5) == []
    assert len([record for record in caplog.records if record.levelno == logging.WARNING]) == 1
    assert "expected a words file that can be written" in caplog.text


def test_a_full_disk_leaves_the_old_file_and_the_words_in_memory(bank: FakeBank, path: Path) -> None:
    digest(bank, path)
    size = path.stat().st_size
    # In a child, for the limit holds for the whole process.
    script = f"""
import resource, signal
from pathlib import Path
from csd.words.words import Words
from tests.csd.descriptors import digging
from tests.csd.words_feed import FakeBank
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))
bank = FakeBank(epoch="other")
for n in range(900):
    bank.add(digging(f"sand{{n}}"))
words = Words(Path({str(path)!r}))
words.refresh(bank)
print(words.in_memory, [hit.row for hit in words.cue("sand7", limit=5)])
"""
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True)
    assert done.stdout == "True [8]\n", done.stderr
    assert path.stat().st_size == size
    assert digest(bank, path) == digest(bank.copy(), None)


def test_an_unreadable_record_is_left_out_named_and_can_be_removed(bank: FakeBank) -> None:
    row = bank.put("csd_0000000000000000", '{"damaged": true}')
    other = bank.put(digging("tin").id, digging("tin").canonical().replace("tin", "lead"))
    with Words(None) as words:
        words.refresh(bank)
        assert words.cue("lead", limit=5) == []
        told = words.check(bank)
        assert [line.partition(" has no words")[0] for line in told] == [
            "row 4 (csd_0000000000000000)",
            f"row 5 ({digging('tin').id})",
        ]
        assert "damaged or altered" in told[1]
        bank.remove(row)
        bank.remove(other)
        words.refresh(bank)
        assert words.check(bank) == []


def test_a_removed_record_is_taken_out_though_it_can_be_read_no_more(bank: FakeBank, path: Path) -> None:
    digest(bank, path)
    bank.put("csd_1", "damaged since")
    bank.remove(2)
    with Words(path) as words:
        words.refresh(bank)
        assert words.cue("coal", limit=5) == []


def test_check_names_what_disagrees(bank: FakeBank, path: Path) -> None:
    with Words(path) as words:
        assert words.check(bank) == []
        words.refresh(bank)
        assert words.check(bank) == []
    names = {row: f"row {row} ({text.id})" for row, text in bank.records.items()}
    faults = {
        "UPDATE cue SET attr = 'x' WHERE rowid = 1": f"{names[1]} has another text than its record",
        "DELETE FROM edge WHERE row = 2": f"{names[2]} has other edges than its record",
        "DELETE FROM held WHERE row = 3": f"{names[3]} has no words",
        "UPDATE held SET retired = 1 WHERE row = 1": f"{names[1]} is current in the bank only",
        "INSERT INTO held VALUES (9, 'csd_9', 0, NULL)": "row 9 (csd_9) is not in the bank",
        "UPDATE mark SET sequence = 99": "the words are ahead of the bank: change 99, the bank has 3",
        "UPDATE mark SET epoch = 'x'": "the words belong to another history of the bank (change 3 of it)",
    }
    content = path.read_bytes()
    for sql, told in faults.items():
        path.write_bytes(content)
        with sqlite3.connect(path) as run:
            run.execute(sql)
        run.close()
        assert Words(path).check(bank) == [told]
    path.write_bytes(content[:30_000])
    assert "torn" in Words(path).check(bank)[0] or "not one" in Words(path).check(bank)[0]


def test_being_behind_is_no_fault(bank: FakeBank, path: Path) -> None:
    digest(bank, path)
    bank.add(digging("clay"))
    bank.remove(1)
    assert Words(path).check(bank) == []


def test_words_that_another_process_brought_further_are_left_alone_unless_insisted(
    bank: FakeBank, path: Path
) -> None:
    earlier = bank.copy()
    bank.add(digging("clay"))
    newest = digest(bank, path)
    with Words(path) as words, pytest.raises(Ahead):
        words.refresh(earlier, insist=False)
    assert earlier.read == 0
    assert digest(earlier, path) == digest(earlier.copy(), None) != newest


def test_many_who_refresh_at_once_see_their_own_moment_or_a_later_one(bank: FakeBank, path: Path) -> None:
    moments = []
    for number in range(12):
        bank.add(digging(f"stone{number}"))
        moments.append(bank.copy())
    wrong: list[object] = []

    def follow(own: list[FakeBank]) -> None:
        with Words(path) as words:
            for moment in own:
                words.refresh(moment)
                newest = len(moment.records) - 4
                if not words.cue(f"stone{newest}", limit=1):
                    wrong.append(newest)

    threads = [threading.Thread(target=follow, args=(moments[start::3],)) for start in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert digest(bank, path) == digest(bank.copy(), None)
