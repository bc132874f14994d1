from __future__ import annotations

import json

import pytest

from csd.bank import Bank
from csd.encode import HashingEncoder
from csd.store.where import Where
from echo.mfm.episodic.recorder import Recorder
from tests.cli.bank_samples import call, failed_dig, make_bank, stone_pickaxe, told, write
from tests.csd.descriptors import digging, wooden_pickaxe
from tests.csd.other_encoder import ReversedEncoder
from tests.csd.released_samples import BOWL
from tests.mfm.episodic.sample_steps import collect_log, seen

WOOD, STONE, DIG = wooden_pickaxe().id, stone_pickaxe().id, failed_dig().id
HASHING = ("--encoder", "hashing-256")


@pytest.fixture
def bank(tmp_path):
    return make_bank(tmp_path / "bank.sqlite")


def opened(path):
    return Bank.open(path, HashingEncoder(), create=False)


def as_json(*csds):
    return [csd.model_dump(mode="json") for csd in csds]


def test_adding_makes_a_missing_bank_and_says_so(tmp_path):
    file = write(tmp_path / "one.json", wooden_pickaxe())
    done = call("csd", "add", file, "--bank", tmp_path / "new.sqlite", *HASHING)
    assert done.exit_code == 0
    assert done.stdout == f"added {WOOD}  make a wooden_pickaxe\n"
    assert f"made the bank {tmp_path}/new.sqlite for hashing-256" in done.stderr
    assert call("csd", "add", file, "--bank", tmp_path / "new.sqlite").stdout.startswith(f"held  {WOOD}")


@pytest.mark.parametrize("form", ["list", "lines", "pretty list", "lines with gaps"])
def test_a_file_may_hold_a_list_or_one_a_line(tmp_path, form):
    two = as_json(wooden_pickaxe(), stone_pickaxe())
    text = {
        "list": json.dumps(two),
        "lines": "\n".join(map(json.dumps, two)),
        "pretty list": json.dumps(two, indent=2),
        "lines with gaps": "\ufeff" + "\r\n\n".join(map(json.dumps, two)) + "\n\n",
    }[form]
    file = tmp_path / "two"
    file.write_text(text, newline="")
    assert told("csd", "add", file, "--bank", tmp_path / "new.sqlite", *HASHING)["added"] == [WOOD, STONE]


def test_one_descriptor_may_be_spread_over_lines_and_come_from_standard_input(tmp_path):
    text = json.dumps(as_json(wooden_pickaxe())[0], indent=2)
    found = told("csd", "add", "-", "--bank", tmp_path / "new.sqlite", *HASHING, stdin=text)
    assert found["added"] == [WOOD]


def test_it_is_filed_as_the_options_say(bank, tmp_path):
    file = write(tmp_path / "one.json", digging("dirt"))
    words = ("--agent", "bo", "--life", "second", "--tag", "a", "--tag", "b", "--derived-from", DIG)
    call("csd", "add", file, "--bank", bank, *words)
    with opened(bank) as memory:
        asked = Where(agent="bo", life="second", tags=("a", "b"))
        assert [one.id for one in memory.recall(digging("dirt"), k=5, where=asked)] == [digging("dirt").id]
        assert memory.links(DIG) == [(digging("dirt").id, "derived_from", DIG)]


def test_one_mistake_adds_nothing_and_is_told_by_line_and_field(bank, tmp_path):
    good, bad = as_json(digging("dirt"), digging("sand"))
    bad["attr"][0]["predicate"] = "tastes"
    del bad["meta"]["step"]
    file = tmp_path / "two.jsonl"
    file.write_text(f"{json.dumps(good)}\n\n{json.dumps(bad)}\n")
    done = call("csd", "add", file, "--bank", bank)
    assert (done.exit_code, done.stdout) == (1, "")
    assert f"expected a descriptor in {file}, line 3; got meta.step: Field required" in done.stderr
    with opened(bank) as memory:
        assert len(memory) == 3


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "got Expecting value at line 1, column 1"),
        ('{"meta": ', "at line 1, column 10"),
        ('{\n"a" 1}', "at line 2, column 5"),
        ('{"a": 1}\n{"b" 1}\n', "got Expecting ':' delimiter at line 2, column 6"),
        ("[1]", "record 1 of 1; got int"),
        ('{"meta": {}, "meta": {}}', "the key 'meta' twice in one object"),
        ('{"meta": "\\ud800"}', "got half a surrogate pair, '\\ud800', after"),
        ('{"format": NaN}', "format: "),
        ('{"a\\u001b[2J": 1}', r"got meta: Field required; a\x1b[2J: Extra inputs are not permitted"),
        ('"text"', "got str. A descriptor is an object"),
        ("[" * 100_000, "expected JSON in"),
    ],
)
def test_what_is_no_descriptor_is_refused(tmp_path, text, said):
    file = tmp_path / "bad.json"
    file.write_text(text)
    done = call("csd", "add", file, "--bank", tmp_path / "new.sqlite", *HASHING)
    assert (done.exit_code, done.stdout) == (1, "")
    assert said in done.stderr
    assert not (tmp_path / "new.sqlite").exists()


def test_a_predicate_of_another_axis_is_told_by_its_place(bank, tmp_path):
    (bad,) = as_json(digging("sand"))
    bad["attr"][0]["predicate"] = "plays"
    file = tmp_path / "one.json"
    file.write_text(json.dumps(bad))
    assert "attr[0]: expected a predicate out of colour" in call("csd", "add", file, "--bank", bank).stderr


def test_bytes_that_are_no_text_are_told_by_offset(bank, tmp_path):
    file = tmp_path / "latin.json"
    file.write_bytes(b'{"a": "\xe9"}')
    assert "got byte 0xe9 at offset 7" in call("csd", "add", file, "--bank", bank).stderr


def test_a_memory_file_as_echo_released_it_becomes_descriptors(tmp_path):
    file = tmp_path / "csd_data.json"
    file.write_text(json.dumps({"crafting_bowl": BOWL, "again": {**BOWL, "task_id": "again"}}))
    found = told("csd", "add", file, "--bank", tmp_path / "new.sqlite", *HASHING)
    assert len(found["added"]) == 2
    shown = told("csd", "show", found["added"][0], "--bank", tmp_path / "new.sqlite")
    assert shown["descriptor"]["meta"]["builder"] == "released/1"
    assert "bowl uses up spruce planks x3" in shown["texts"]["proc"]


def test_a_released_entry_that_does_not_say_how_it_ended_needs_an_option(tmp_path):
    file = tmp_path / "csd_data.json"
    file.write_text(json.dumps({**BOWL, "Inter": {**BOWL["Inter"], "hist": BOWL["Inter"]["hist"][:-1]}}))
    words = ("csd", "add", file, "--bank", tmp_path / "new.sqlite", *HASHING)
    refused = call(*words)
    assert refused.exit_code == 1
    assert "State it with --success or --failed" in refused.stderr
    assert len(told(*words, "--failed")["added"]) == 1


def test_a_bank_of_an_encoder_not_known_here_is_shown_but_not_added_to(tmp_path):
    file = write(tmp_path / "one.json", digging("dirt"))
    with Bank.open(tmp_path / "bank.sqlite", ReversedEncoder()) as memory:
        memory.add(wooden_pickaxe())
    assert told("csd", "show", WOOD, "--bank", tmp_path)["id"] == WOOD
    assert told("recall", "--like", WOOD, "--bank", tmp_path)["results"] == []
    done = call("csd", "add", file, "--bank", tmp_path)
    assert done.exit_code == 1
    assert f"got one filled by {ReversedEncoder().name}. Use it from Python" in done.stderr


def test_derived_from_is_for_one_descriptor(bank, tmp_path):
    file = write(tmp_path / "two.jsonl", digging("dirt"), digging("sand"))
    done = call("csd", "add", file, "--bank", bank, "--derived-from", DIG)
    assert done.exit_code == 2
    assert "expected one descriptor with --derived-from; got 2" in done.stderr


def test_a_shown_descriptor_fits_eighty_columns_and_names_its_evidence(bank):
    done = call("csd", "show", WOOD, "--bank", bank, "--versions", "--links")
    lines = done.stdout.splitlines()
    assert lines[0] == WOOD
    assert "-  oak planks plays head  [ep_000001 step 0 outcome: seen]" in lines
    assert f"  {STONE} derived_from {WOOD}" in lines
    assert f"* {WOOD}  steps 0 to now" in lines
    assert max(map(len, lines)) <= 80


def test_the_json_of_a_descriptor_can_be_added_again(bank, tmp_path):
    shown = told("csd", "show", WOOD, "--bank", bank)
    file = tmp_path / "again.json"
    file.write_text(json.dumps(shown["descriptor"]))
    assert told("csd", "add", file, "--bank", bank) == {"bank": str(bank), "added": [], "held": [WOOD]}


def test_a_graph_is_printed_as_a_file_for_other_programs(bank):
    import io

    import networkx

    data = json.loads(call("csd", "show", WOOD, "--bank", bank, "--graph", "node-link").stdout)
    assert "thing:oak_planks" in [node["id"] for node in data["nodes"]]
    text = call("csd", "show", WOOD, "--bank", bank, "--graph", "graphml").stdout
    read = networkx.read_graphml(io.BytesIO(text.encode()))
    assert "thing:oak_planks" in read
    assert read.number_of_edges() == len(data["edges"])


def test_graphml_is_no_json(bank):
    done = call("csd", "show", WOOD, "--bank", bank, "--graph", "graphml", "--json")
    assert done.exit_code == 2
    assert "GraphML is XML: leave out --json" in done.stderr


def test_removal_tells_what_hangs_on_it_and_needs_a_yes(bank):
    done = call("csd", "rm", WOOD, "--bank", bank)
    assert done.exit_code == 2
    assert f"link goes: {STONE} derived_from {WOOD}" in done.stderr
    assert "expected --yes where nobody can be asked" in done.stderr
    assert told("csd", "rm", WOOD, DIG, WOOD, "--bank", bank, "--yes")["removed"] == [WOOD, DIG]
    with opened(bank) as memory:
        assert memory.ids() == [STONE]


@pytest.mark.parametrize(("typed", "code", "left"), [("y\n", 0, 2), ("n\n", 1, 3), ("\n", 1, 3), ("", 1, 3)])
def test_at_a_terminal_it_asks_first(bank, typed, code, left):
    done = call("csd", "rm", WOOD, "--bank", bank, typed=typed)
    assert done.exit_code == code
    assert "Forget 1 descriptor? [y/N]" in done.stderr
    assert "Forget" not in done.stdout
    with opened(bank) as memory:
        assert len(memory) == left


def test_one_unknown_id_removes_nothing(bank):
    done = call("csd", "rm", WOOD, "csd_0000000000000000", "--bank", bank, "--yes")
    assert done.exit_code == 1
    with opened(bank) as memory:
        assert len(memory) == 3


def test_a_damaged_record_can_be_removed(bank):
    import sqlite3

    with sqlite3.connect(bank) as connection:
        connection.execute("UPDATE csd SET record = 'torn' WHERE id = ?", (DIG,))
    done = call("csd", "rm", DIG, "--bank", bank, "--yes")
    assert (done.exit_code, done.stdout) == (0, "removed 1 descriptor\n")
    assert f"{DIG}  its record is damaged" in done.stderr


def test_a_correction_takes_the_place_of_the_old_one(bank, tmp_path):
    file = write(tmp_path / "better.json", digging("stone", step=70))
    done = call("csd", "supersede", DIG, file, "--bank", bank)
    new = digging("stone", step=70).id
    assert done.stdout == f"{DIG} is superseded by {new} from step 70\n"
    assert [one["id"] for one in told("csd", "show", new, "--bank", bank)["versions"]] == [DIG, new]
    shown = call("csd", "show", DIG, "--bank", bank, "--versions").stdout
    assert f"* {DIG}  steps 50 to 70, by {new}" in shown


def test_a_correction_from_before_the_old_one_held_is_wrong_use(bank, tmp_path):
    file = write(tmp_path / "better.json", digging("stone", step=70))
    done = call("csd", "supersede", DIG, file, "--bank", bank, "--at-step", "10")
    assert done.exit_code == 2
    assert "expected at_step >= 50" in done.stderr


def test_what_is_superseded_already_is_not_superseded_twice(bank, tmp_path):
    first = write(tmp_path / "a.json", digging("stone", step=70))
    second = write(tmp_path / "b.json", digging("stone", step=80))
    call("csd", "supersede", DIG, first, "--bank", bank)
    done = call("csd", "supersede", DIG, second, "--bank", bank)
    assert done.exit_code == 1
    assert f"Supersede the current one: echo-memory csd show {DIG} --versions --bank {bank}" in done.stderr


def test_adding_none_says_so(tmp_path, bank):
    file = tmp_path / "none.json"
    file.write_text("[]\n")
    done = call("csd", "add", file, "--bank", bank)
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == f"nothing added: {file} holds no descriptors\n"


def test_the_episodes_of_a_memory_folder_are_described_into_its_bank(tmp_path):
    with Recorder.open(tmp_path, source="test") as recorder:
        recorder.initial(seen(0))
        recorder.write(goal="wood", steps=[collect_log(0)], after=seen(1, oak_log=1))
    done = call("csd", "add", tmp_path, "--bank", tmp_path, *HASHING, "--json")
    assert done.exit_code == 0, done.output
    (added,) = json.loads(done.stdout)["added"]
    assert "left out 1 of 2 episodes, such as ep_000000" in done.stderr
    shown = call("csd", "show", added, "--bank", tmp_path)
    assert "ep_000001" in shown.stdout
