import pytest

from echo.mfm.layout import MfmError
from echo.mfm.mine.writable import Mine
from echo.mfm.procedural.format import ProcedureError, parse_procedure
from echo.mfm.procedural.library import Library
from echo.mfm.procedural.skills import (
    install_procedure,
    install_skill,
    read_skill,
    skill_names,
    uncited,
    without_evidence,
)

SKILL = (
    '---\nname: smelt\ndescription: "Smelt iron."\n---\n# Smelt\nUse coal [ep_000004, life_1/ep_000002].\n'
)

DIG = '''"""Dig é."""

PROCEDURE = {
    "name": "dig", "about": "Dig é.", "parameters": {}, "needs": {}, "expects": {},
    "evidence": ["ep_000001",
        "ep_000002"], }


def run(seen):
    yield collect("dirt")
'''


@pytest.fixture
def memories(tmp_path):
    for name in ("iron", "wood"):
        (tmp_path / name).mkdir()
    mine = Mine(tmp_path / "iron")
    mine.write("skills/smelt/SKILL.md", SKILL, by="agent", why="")
    mine.write("skills/smelt/more/table.md", "coal 8 [ep_000009]\n", by="agent", why="")
    mine.write("skills/stray.md", "no skill", by="agent", why="")
    mine.write("skills/empty/notes.md", "no skill", by="agent", why="")
    return tmp_path / "iron", tmp_path / "wood"


def test_skills_are_listed_and_read(memories):
    iron, wood = memories
    assert (skill_names(iron), skill_names(wood)) == (["smelt"], [])
    skill = read_skill(iron, "smelt")
    assert (skill.about, skill.text, skill.files) == ("Smelt iron.", SKILL, ("SKILL.md", "more/table.md"))
    for name in ("empty", "../smelt", ""):
        with pytest.raises(MfmError, match="there are: smelt"):
            read_skill(iron, name)


@pytest.mark.parametrize(
    ("text", "about"),
    [
        ("# T\n\nFirst line.\n", "First line."),
        ("", ""),
        ("---\nname: x\n---\nBody\n", "Body"),
        ("---\nopen\n", "---"),
    ],
)
def test_what_a_skill_is_about(memories, text, about):
    Mine(memories[0]).write("skills/smelt/SKILL.md", text, by="agent", why="")
    assert read_skill(memories[0], "smelt").about == about


def test_an_installed_skill_says_where_its_episodes_are(memories):
    iron, wood = memories
    done = install_skill(wood, "smelt", source=iron)
    assert done.paths == ("skills/smelt/SKILL.md", "skills/smelt/more/table.md")
    assert done.cited == ("ep_000004", "life_1/ep_000002", "ep_000009")
    assert read_skill(wood, "smelt").text == SKILL.replace(
        "[ep_000004, life_1/ep_000002]", "(from iron: ep_000004, life_1/ep_000002)"
    )
    (change,) = Mine(wood).history()
    assert change.why == "skill smelt from iron"
    assert install_skill(wood, "smelt", source=iron).paths == done.paths
    assert len(Mine(wood).history()) == 1


def test_a_skill_of_that_name_is_not_overwritten(memories):
    iron, wood = memories
    Mine(wood).write("skills/smelt/more/table.md", "mine", by="agent", why="")
    with pytest.raises(MfmError, match=r"expected no other skills/smelt/more/table\.md"):
        install_skill(wood, "smelt", source=iron)
    assert Mine(wood).paths() == ["skills/smelt/more/table.md"]


def test_a_procedure_is_installed_without_its_evidence(memories):
    iron, wood = memories
    Library(iron).save("dig", DIG, by="agent", why="")
    done = install_procedure(wood, "dig", source=iron, where="runs/[iron]\n")
    assert done.cited == ("ep_000001", "ep_000002")
    held = Library(wood).load("dig").procedure
    assert held.evidence == ()
    assert held.text == DIG.replace('["ep_000001",\n        "ep_000002"]', "[]").replace(
        "PROCEDURE = {", "# Evidence from runs/ iron: ep_000001, ep_000002\nPROCEDURE = {"
    )
    Library(wood).save("dig", held.text.replace("dirt", "sand"), by="agent", why="")
    with pytest.raises(MfmError, match=r"expected no other procedures/dig\.py"):
        install_procedure(wood, "dig", source=iron, where="runs/iron")
    with pytest.raises(ProcedureError, match="there are: dig"):
        install_procedure(wood, "cut", source=iron)


def test_lines_are_counted_as_python_does():
    text = DIG.replace('"""Dig é."""', '"""Dig\x0c\u2028\r\né."""\r# x')
    procedure = parse_procedure(text, "dig")
    assert parse_procedure(without_evidence(procedure, "there"), "dig").evidence == ()


def test_words_in_brackets_that_cite_nothing_stay():
    assert uncited("[map] [ep_1] [ep_000001]", "w") == "[map] [ep_1] (from w: ep_000001)"
