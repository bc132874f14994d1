from __future__ import annotations

import json
import re

import pytest

from tests.cli.bank_samples import call, failed_dig, make_bank, stone_pickaxe, told, write
from tests.csd.descriptors import wooden_pickaxe

WOOD, STONE, DIG = wooden_pickaxe().id, stone_pickaxe().id, failed_dig().id


@pytest.fixture(scope="module")
def bank(tmp_path_factory):
    return make_bank(tmp_path_factory.mktemp("memory") / "bank.sqlite")


def ids(*words):
    return [one["id"] for one in told("recall", *words)["results"]]


def test_texts_are_asked_on_their_axes_and_answered_with_cosines(bank):
    found = told("recall", "--bank", bank, "--func", "cobblestone plays head; stick plays handle")["results"]
    assert [one["id"] for one in found] == [STONE, WOOD]
    assert found[0]["cosines"]["func"] == pytest.approx(1.0, abs=1e-3)
    assert [axis for axis, cosine in found[0]["cosines"].items() if cosine is None] == [
        "struct",
        "attr",
        "proc",
        "inter",
    ]
    assert found[0]["score"] == found[0]["cosines"]["func"]
    assert found[0]["correspondences"] is None


def test_a_folder_with_a_bank_in_it_is_a_bank(bank):
    assert ids("--bank", bank.parent, "--struct", "AAA/.B./.B.") == ids(
        "--bank", bank, "--struct", "AAA/.B./.B."
    )


def test_a_descriptor_of_the_bank_recalls_others_but_not_itself(bank):
    assert ids("--bank", bank, "--like", WOOD, "-k", "2") == [STONE, DIG]
    assert ids("--bank", bank, "--like", WOOD, "-k", "0") == []


def test_a_descriptor_in_a_file_recalls_itself_too(bank, tmp_path):
    assert ids("--bank", bank, "--csd", write(tmp_path / "one.json", wooden_pickaxe())) == [WOOD, STONE, DIG]


def test_an_item_recalls_what_resembles_all_that_is_known_of_it(bank):
    found = ids("--bank", bank, "--item", "cobblestone", "--axes", "func")
    assert found == [STONE, WOOD]


def test_of_an_item_nobody_mentions_nothing_is_recalled(bank):
    done = call("recall", "--bank", bank, "--item", "amethyst")
    assert (done.exit_code, done.stdout) == (
        0,
        "nothing recalled: nothing in the bank fits the query and its conditions\n",
    )


def test_who_asks_for_none_is_not_told_that_nothing_fits(bank):
    done = call("recall", "--bank", bank, "--func", "handle", "-k", "0")
    assert (done.exit_code, done.stdout) == (0, "nothing recalled: -k 0 asks for none\n")


def test_a_mapping_tells_what_corresponds(bank):
    (found,) = told("recall", "--bank", bank, "--like", STONE, "--map", "--success")["results"]
    pairs = {one["from"]: one["to"] for one in found["correspondences"]}
    assert pairs["oak_planks"] == "cobblestone"
    assert pairs["wooden_pickaxe"] == "stone_pickaxe"
    assert 0 < found["mapping_score"] <= 1


def test_a_masked_axis_gets_no_cosine_and_maps_nothing(bank):
    (found,) = told("recall", "--bank", bank, "--like", STONE, "--map", "--axes", "-func,-struct")["results"]
    assert found["cosines"]["func"] is None
    assert found["cosines"]["struct"] is None
    assert all(set(one["axes"]) <= {"attr", "proc", "inter"} for one in found["correspondences"])


def test_weights_decide_what_counts(bank):
    words = ("recall", "--bank", bank, "--like", STONE, "--weights", "struct=2,func=1")
    (found,) = told(*words)["results"]
    by_hand = (2 * found["cosines"]["struct"] + found["cosines"]["func"]) / 3
    assert found["score"] == pytest.approx(by_hand)
    assert found["cosines"]["proc"] is None
    assert told(*words)["weights"] == {"struct": 2.0, "attr": 0.0, "proc": 0.0, "func": 1.0, "inter": 0.0}


@pytest.mark.parametrize(
    ("condition", "kept"),
    [
        (["--success"], [STONE, WOOD]),
        (["--failed"], [DIG]),
        (["--task", "make a stone_pickaxe"], [STONE]),
        (["--verb", "mine", "--verb", "craft"], [STONE, DIG, WOOD]),
        (["--product", "wooden_pickaxe"], [WOOD]),
        (["--biome", "forest"], [DIG, WOOD]),
        (["--tag", "tools"], [WOOD]),
        (["--tag", "tools", "--tag", "toys"], []),
        (["--agent", "ada"], [STONE, WOOD]),
        (["--life", "first"], [WOOD]),
        (["--world", "test-2"], [STONE]),
        (["--steps", "50:200"], [DIG]),
        (["--steps", "50:"], [STONE, DIG]),
        (["--steps", ":50"], [WOOD]),
        (["--recorded", "2026-01-01:"], [STONE, DIG, WOOD]),
        (["--recorded", "2026-01-01T00:00:00Z:2999-01-02T10:30"], [STONE, DIG, WOOD]),
        (["--recorded", ":2026-01-01T12:30:00+02:00"], []),
        (["--near", "98,50,2"], [STONE]),
        (["--as-of", "100"], [DIG, WOOD]),
    ],
)
def test_conditions_choose_before_the_best_are_chosen(bank, condition, kept):
    texts = ("--struct", "pickaxe", "--attr", "stone")
    assert sorted(ids("--bank", bank, *texts, *condition)) == sorted(kept)
    assert len(ids("--bank", bank, *texts, *condition, "-k", "1")) == min(1, len(kept))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "expected one query out of"),
        (["--item", "a", "--like", WOOD], "got --like and --item"),
        (["--struct", " "], "expected words after --struct"),
        (["--struct", "a", "--map"], "leave out --map"),
        (["--struct", "a", "--weights", "func=1"], "expected weight on an axis that is asked (struct)"),
        (["--item", "a", "--weights", "func"], "expected --weights as 'struct=2,func=1'"),
        (["--item", "a", "--weights", "func=nan"], "got 'func=nan'"),
        (["--item", "a", "--weights", "func=-1"], "got 'func=-1'"),
        (["--item", "a", "--weights", "func=1,func=2"], "each once"),
        (["--item", "a", "--weights", "func=0"], "at least one axis with weight"),
        (["--item", "a", "--axes", "fnuc"], "--axes: expected 'all', axes to keep"),
        (["--item", "a", "--steps", "5"], "expected --steps as '100:200'"),
        (["--item", "a", "--steps", "9:5"], "expected --steps as '100:200'"),
        (["--item", "a", "--recorded", "yesterday:"], "expected --recorded as 'FROM:BEFORE'"),
        (["--item", "a", "--near", "1,2"], "expected --near as 'x,z,radius'"),
        (["--item", "a", "--near", "1,2,inf"], "expected --near as 'x,z,radius'"),
        (["--item", "a", "-k", "-1"], "-k"),
        (["--item", "a", "--encoder", "word2vec"], "word2vec"),
    ],
)
def test_wrong_use_ends_with_2_and_says_what_was_expected(bank, words, said):
    done = call("recall", "--bank", bank, *words)
    assert (done.exit_code, done.stdout) == (2, "")
    assert said in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--like", "csd_0000000000000000"], "It was never added, or has been removed"),
        (["--csd", "missing.json"], "expected a file of descriptors at missing.json; got none"),
        (["--struct", "a", "--encoder", "minilm-int8"], "hashing-256"),
    ],
)
def test_a_failure_ends_with_1(bank, words, said):
    done = call("recall", "--bank", bank, *words)
    assert (done.exit_code, done.stdout) == (1, "")
    assert said in " ".join(done.stderr.split())


def test_where_no_bank_is_none_is_made(tmp_path):
    done = call("recall", "--bank", tmp_path / "none.sqlite", "--struct", "a")
    assert done.exit_code == 1
    assert "expected a memory bank at" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_the_table_and_the_evidence_fit_eighty_columns(bank):
    done = call("recall", "--bank", bank, "--like", WOOD, "--map")
    lines = done.stdout.splitlines()
    assert lines[0].split() == ["score", "struct", "attr", "proc", "func", "inter", "mapped", "id"]
    assert re.fullmatch(rf"1( +(-|\d\.\d{{3}})){{7}} +{STONE}", lines[1].strip())
    assert f"1  {STONE}  make a stone_pickaxe: reached, step 200, plains" in lines
    assert any(
        line.startswith("   maps    oak_planks") or "cobblestone -> oak_planks" in line for line in lines
    )
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in done.stdout


def test_control_characters_in_a_memory_do_not_reach_the_terminal(tmp_path):
    bad = wooden_pickaxe().model_dump(mode="json")
    bad["meta"]["task"] = "make\x1b[2J\u202e it"
    bad["func"][0]["subject"] = "a\x1b]0;b\x07"
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(bad))
    bank = tmp_path / "bank.sqlite"
    assert call("csd", "add", file, "--bank", bank, "--encoder", "hashing-256").exit_code == 0
    done = call("recall", "--bank", bank, "--func", "plays head")
    assert "make\\x1b[2J\\u202e it: reached" in done.stdout
    assert "\x1b" not in done.stdout
    assert "\x07" not in done.stdout
