from __future__ import annotations

import pytest

from csd.bank import Bank
from csd.encode import HashingEncoder
from echo.agent.archive import BANK_FILE, Failed, FolderArchive
from echo.agent.arrangement import Arrangement
from echo.agent.threads import THREADS_FILE, Corresponding, ThreadError, UnlockThread, read_threads
from tests.experiments.fakes import describe


def thread(item: str) -> UnlockThread:
    return UnlockThread(
        item=item,
        csd="csd_1",
        exemplar="csd_0",
        goal="craft A with log in the place of plank",
        success=0.25,
        score=0.5,
        correspondences=(Corresponding(base="plank", target="log", axes={"func": 1.0}),),
        objections=(),
        surprises=(),
    )


def archive(folder) -> FolderArchive:
    return FolderArchive(folder, source="toy", encoder=HashingEncoder())


def test_threads_come_back_as_they_were_in_order(tmp_path):
    with archive(tmp_path) as kept:
        kept.trace(thread("pick"))
        kept.trace(thread("axe"))
    assert read_threads(tmp_path) == {"pick": thread("pick"), "axe": thread("axe")}
    with archive(tmp_path) as kept:
        kept.trace(thread("hoe"))
    assert list(read_threads(tmp_path)) == ["pick", "axe", "hoe"]


def test_a_thread_is_on_disk_before_the_next_one(tmp_path):
    with archive(tmp_path) as kept:
        kept.trace(thread("pick"))
        assert list(read_threads(tmp_path)) == ["pick"]


def test_a_memory_without_suggestions_has_no_threads(tmp_path):
    with archive(tmp_path):
        pass
    assert not (tmp_path / THREADS_FILE).exists()
    assert read_threads(tmp_path) == {}


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"format":1,"item":"a', "Invalid JSON"),
        ("", "Invalid JSON"),
        (thread("axe").model_dump_json().replace('"format":1', '"format":2'), "Input should be 1 for format"),
        (thread("axe").model_dump_json().replace('"goal"', '"aim"'), "Field required for goal"),
    ],
)
def test_a_torn_or_foreign_line_is_named(tmp_path, line, told):
    (tmp_path / THREADS_FILE).write_text(f"{thread('pick').model_dump_json()}\n{line}\n")
    with pytest.raises(ThreadError, match=f"{told}.* line 2"):
        read_threads(tmp_path)


def test_a_file_that_is_no_text_is_refused(tmp_path):
    (tmp_path / THREADS_FILE).write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ThreadError, match="expected threads as lines of JSON"):
        read_threads(tmp_path)


def test_a_descriptor_is_linked_to_what_it_was_carried_over_from(tmp_path):
    old, new = describe("oak_log", 0, "ep_000001"), describe("oak_planks", 1, "ep_000002")
    with archive(tmp_path) as kept:
        kept.describe(old)
        kept.describe(new, (old.id,))
    with Bank.open(tmp_path / BANK_FILE, HashingEncoder()) as bank:
        assert bank.links(new.id) == [(new.id, "derived_from", old.id)]


def test_a_surprise_is_logged_under_a_key_of_its_own(tmp_path):
    laid = Arrangement("A", ("log",))
    with archive(tmp_path) as kept:
        kept.fail(Failed(arrangement=laid, step=3, exemplars=("csd_0",), surprises=("log x2 is used up",)))
    with Bank.open(tmp_path / BANK_FILE, HashingEncoder()) as bank:
        (logged,) = bank.failures()
        assert (logged.key, logged.step, logged.used) == ("surprise: A of log", 3, ("csd_0",))
        assert logged.conditions == {"station": None, "surprises": ["log x2 is used up"]}
        assert not bank.has_failed("A of log", {"station": None})
