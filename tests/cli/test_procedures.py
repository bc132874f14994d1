"""Saving, checking and running action scripts from the shell, in the Minecraft world."""

from __future__ import annotations

import json

import pytest

from echo.mfm.episodic.reader import read_index
from echo.mfm.mine.writable import Mine
from echo.mfm.options import MemoryOptions, save_options
from echo.mfm.procedural.rendering import procedure_text
from tests.cli.bank_samples import call

PLANKS = procedure_text(
    "planks",
    about="Make planks from logs.",
    actions=[({"kind": "craft", "grid": [["oak_log"]]}, {"gained": {"oak_planks": 4}})] * 2,
    parameters={"log": "oak_log"},
    needs={"inventory": {"oak_log": 1}},
    expects={"gained": {"oak_planks": 8}},
)


@pytest.fixture
def root(tmp_path):
    memory = tmp_path / "memory"
    memory.mkdir()
    (tmp_path / "planks.py").write_text(PLANKS)
    assert call("procedures", "save", str(tmp_path / "planks.py"), "--root", str(memory)).exit_code == 0
    return memory


def ask(root, *words: str):
    return call("procedures", *words, "--root", str(root))


def test_a_saved_procedure_is_listed_shown_and_sound(root):
    assert ask(root, "list").stdout == "planks   v1  never run  Make planks from logs.\n"
    assert PLANKS in ask(root, "show", "planks").stdout
    assert ask(root, "check").stdout == "1 checked, 0 with flaws\n"
    held = json.loads(ask(root, "show", "planks", "--json").stdout)
    assert held["needs"] == {"inventory": {"{log}": 1}}
    assert held["versions"] == [{"version": 1, "digest": held["digest"], "runs": 0, "successes": 0}]


def test_a_run_that_succeeds(root):
    done = ask(root, "run", "planks", "--give", "oak_log=2", "--record")
    assert done.exit_code == 0
    assert done.stdout.splitlines()[:2] == [
        "   1  craft [['oak_log']]  ok  -1 oak_log +4 oak_planks",
        "   2  craft [['oak_log']]  ok  -1 oak_log +4 oak_planks",
    ]
    assert done.stdout.splitlines()[-1] == "  recorded as ep_000001"
    assert [row["id"] for row in read_index(root)] == ["ep_000000", "ep_000001"]
    assert ask(root, "list").stdout == "planks   v1     1 of 1  Make planks from logs.\n"


PICKAXE = '''"""Make a wooden pickaxe from nothing."""

PROCEDURE = {
    "name": "wooden_pickaxe",
    "about": "Make a wooden pickaxe from nothing.",
    "parameters": {"log": {"default": "oak_log"}, "planks": {"default": "oak_planks"}},
    "needs": {"sees": ["{log}"], "health_at_least": 6},
    "expects": {"gained": {"wooden_pickaxe": 1}, "holds": "wooden_pickaxe"},
    "evidence": [],
}


def run(seen, log, planks):
    yield from collect_until(log, log, 3)
    yield from craft_until([[log]], planks, 12)
    yield from craft_until([[planks, planks], [planks, planks]], "crafting_table", 1)
    yield from craft_until([[planks], [planks]], "stick", 4)
    yield from ensure_near("crafting_table")
    yield craft([[planks, planks, planks], [None, "stick", None], [None, "stick", None]])
    yield from ensure_held("wooden_pickaxe")
    yield note("ready to dig stone")
'''


def test_a_pickaxe_is_made_from_nothing_in_a_land(root):
    Mine(root).write("procedures/wooden_pickaxe.py", PICKAXE, by="agent", why="")
    held = json.loads(ask(root, "run", "wooden_pickaxe", "--seed", "5", "--json").stdout)
    kinds = [step["action"]["kind"] for step in held["steps"]]
    assert kinds == [*["collect"] * 3, *["craft"] * 5, "place", "craft", "equip"]
    assert held["inventory"] == {"oak_planks": 3, "stick": 2, "wooden_pickaxe": 1}
    assert held["notes"] == ["ready to dig stone"]


def test_a_run_that_does_not_is_told_and_exits_with_one(root):
    done = ask(root, "run", "planks", "--give", "oak_log=1", "--json")
    assert done.exit_code == 1
    held = json.loads(done.stdout)
    assert (held["success"], held["end"], held["surprise"]["step"]) == (False, "surprise", 2)
    assert held["inventory"] == {"oak_planks": 4}
    done = ask(root, "run", "planks")
    assert done.exit_code == 1
    assert "inventory: expected at least 1 oak_log, got 0." in done.stdout
    assert "ends: needs 1, surprise 1" in ask(root, "show", "planks").stdout


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (("run", "nothing"), 1, "got 'nothing'; there are: planks"),
        (("run", "planks", "--args", '{"size": 1}'), 1, "expected arguments out of log"),
        (("run", "planks", "--args", "[1]"), 2, "expected a JSON object for --args"),
        (("run", "planks", "--args", "{"), 2, "expected JSON for --args"),
        (("run", "planks", "--args", '{"log": NaN}'), 2, "NaN is no JSON"),
        (("run", "planks", "--give", "oak_log"), 2, "expected --give item=count"),
        (("run", "planks", "--give", "oak_log=0"), 2, "expected a count of at least 1"),
        (("run", "planks", "--give", "gold_log=1"), 2, "got 'gold_log' in inventory"),
        (("show", "../planks"), 1, "got '../planks'; there are: planks"),
        (("check", "nothing"), 1, "got 'nothing'; there are: planks"),
        (("reflex", "nothing", "1"), 1, "expected a reflex"),
    ],
)
def test_what_is_wrong_is_said(root, words, code, said):
    done = ask(root, *words)
    assert done.exit_code == code
    assert said in done.stderr


def test_flaws_are_named_with_their_lines(root, tmp_path):
    broken = PLANKS.replace('"needs"', '"need"')
    Mine(root).write("procedures/planks.py", broken, by="agent", why="")
    done = ask(root, "check")
    assert done.exit_code == 1
    assert "procedures/planks.py: line 3: expected the keys" in done.stdout
    assert done.stdout.endswith("1 checked, 1 with flaws\n")
    assert "flawed: see `procedures check`" in ask(root, "list").stdout
    (tmp_path / "planks.py").write_text(broken)
    again = ask(root, "save", str(tmp_path / "planks.py"))
    assert again.exit_code == 1
    assert "got a file with 2 flaws" in again.stderr


def test_a_file_that_is_no_text_cannot_be_saved(root, tmp_path):
    (tmp_path / "bad.py").write_bytes(b"\xff")
    done = ask(root, "save", str(tmp_path / "bad.py"))
    assert (done.exit_code, done.stderr.startswith("error: expected UTF-8 text in")) == (1, True)


def test_a_reflex_answers_from_the_shell(root):
    Mine(root).write("reflexes/twice.py", "def reflex(given):\n    return given * 2\n", by="agent", why="")
    assert ask(root, "reflex", "twice", "21").stdout == "42\n"
    held = json.loads(ask(root, "reflex", "twice", '"a"', "--json").stdout)
    assert (held["ran"], held["value"], held["defences"]["network"]) == (True, "aa", True)
    done = ask(root, "reflex", "twice", "null")
    assert (done.exit_code, "TypeError" in done.stderr) == (1, True)
    assert "reflexes: twice" in ask(root, "list").stdout


def test_control_characters_of_a_script_do_not_reach_the_terminal(root):
    Mine(root).write(
        "reflexes/bad.py", "def reflex(given):\n    raise ValueError('\\x1b[31m')\n", by="agent", why=""
    )
    assert "\x1b" not in ask(root, "reflex", "bad", "1").stderr


def test_a_memory_without_procedures_refuses(root):
    save_options(root, MemoryOptions(procedures=False))
    for words in (("list",), ("run", "planks"), ("reflex", "a", "1"), ("show", "planks"), ("check",)):
        done = ask(root, *words)
        assert (done.exit_code, "procedures are switched off" in done.stderr) == (1, True)


def test_the_atoms_are_listed():
    lines = call("procedures", "atoms").stdout.splitlines()
    assert lines[:3] == [
        "yield ...",
        "  go_to(target)",
        "      Walk until the cell (x, y, z) is within reach.",
    ]
    assert len(json.loads(call("procedures", "atoms", "--json").stdout)["atoms"]) == 28


def test_a_procedure_and_a_skill_are_taken_over(root, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    Mine(root).write("skills/wood/SKILL.md", "Oak first [ep_000003].", by="agent", why="")
    for name, path in (("planks", "procedures/planks.py"), ("wood", "skills/wood/SKILL.md")):
        done = call("procedures", "install", name, "--from", str(root), "--root", str(other))
        assert done.stdout == f"installed {path}\n"
    assert Mine(other).read("skills/wood/SKILL.md") == f"Oak first (from {root}: ep_000003)."
    assert ask(other, "list").stdout.endswith("skills: wood\n")
    done = call("procedures", "install", "nothing", "--from", str(root), "--root", str(other))
    assert (done.exit_code, "got 'nothing'" in done.stderr) == (1, True)


@pytest.mark.parametrize(
    "words",
    [
        ("list",),
        ("list", "--json"),
        ("check",),
        ("show", "planks"),
        ("reflex", "planks", "1"),
        ("run", "planks"),
    ],
)
def test_a_folder_that_is_not_there_is_no_empty_memory(tmp_path, words):
    done = call("procedures", *words, "--root", tmp_path / "nope")
    assert (done.exit_code, done.stdout) == (1, "")
    assert "expected a memory folder at" in done.stderr
    assert not (tmp_path / "nope").exists()


def test_nothing_is_saved_into_a_folder_that_is_not_there(root, tmp_path):
    file = tmp_path / "planks.py"
    file.write_text(Mine(root).read("procedures/planks.py"))
    done = call("procedures", "save", file, "--root", tmp_path / "nope")
    assert (done.exit_code, "expected a memory folder at" in done.stderr) == (1, True)
    assert not (tmp_path / "nope").exists()
