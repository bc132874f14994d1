"""Working memory: read and written to the letter, within its budget; notes are added with citations."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from echo.mfm.layout import MfmError
from echo.mfm.mine.check import check_notes
from echo.mfm.mine.remember import remember
from echo.mfm.mine.working import Question, Working, read_working, update_working
from echo.mfm.mine.writable import Mine
from tests.mfm.mine.evidence_samples import evidence

TEXT = """A line before.

## PLAN ##

Get iron.

```
# Subgoal in code
```

# Subgoal
Find a cave.

# Somebody's own section

- [ ] not a question

# Open questions

- [ ] Is there coal?
* [x] Is it deep? Yes [ep_000001].
- plain
not one

# Plan

A second plan.
"""


def test_a_file_is_read_in_sections_and_given_back_to_the_letter():
    working = Working.parse(TEXT)
    assert working.render() == TEXT
    assert working.plan == "Get iron.\n\n```\n# Subgoal in code\n```"
    assert working.subgoal == "Find a cave.\n\n# Somebody's own section\n\n- [ ] not a question"
    assert working.questions == (
        Question(text="Is there coal?", answered=False),
        Question(text="Is it deep? Yes [ep_000001].", answered=True),
        Question(text="plain", answered=False),
    )


@given(
    st.text()
    | st.lists(
        st.sampled_from(["# Plan", "```", "## subgoal", "- [x] a", "# Open questions\r", "b", ""])
    ).map("\n".join)
)
def test_any_text_is_given_back_to_the_letter(text):
    assert Working.parse(text).render() == text


lines = st.lists(st.text("ab #`-[]x.\n", max_size=12), max_size=3).map("\n".join)


@given(held=lines, plan=lines, subgoal=lines, question=st.text("abc ?", min_size=1, max_size=9))
def test_what_is_set_is_read_back_and_the_rest_stays(held, plan, subgoal, question):
    start = Working.parse(held)
    try:
        working = start.with_plan(plan).with_subgoal(subgoal).ask(question)
    except MfmError:
        return
    again = Working.parse(working.render())
    assert again == working
    assert (again.plan, again.subgoal) == (plan.strip(), subgoal.strip())
    assert again.questions[-1] == Question(text=" ".join(question.split()), answered=False)


def test_a_new_one_is_written_the_way_the_page_shows():
    working = (
        Working().with_plan("Get iron.").with_subgoal("Find a cave.").ask("Is there coal?").ask("Is it deep?")
    )
    working = working.answer("Is there coal?", "Yes, at y 72 [ep_000031].")
    assert working.render() == (
        "# Plan\n\nGet iron.\n\n# Subgoal\n\nFind a cave.\n\n# Open questions\n\n"
        "- [x] Is there coal? Yes, at y 72 [ep_000031].\n- [ ] Is it deep?\n"
    )


def test_a_change_of_one_section_leaves_what_a_person_wrote_elsewhere():
    changed = Working.parse(TEXT).with_plan("Dig down.").answer("plain", "no")
    assert changed.render() == TEXT.replace(
        "\nGet iron.\n\n```\n# Subgoal in code\n```\n\n", "\nDig down.\n\n"
    ).replace("- plain\n", "- [x] plain no\n")


@pytest.mark.parametrize("text", ["# Open questions", "a\n## subgoal\nb", "```\nnever closed"])
def test_a_plan_that_would_be_read_as_something_else_is_refused(text):
    with pytest.raises(MfmError, match="expected text without the headings Plan, Subgoal, Open questions"):
        Working.parse("# Plan\n\n# Subgoal\n\nx\n").with_plan(text)


def test_a_question_is_asked_once_and_only_an_open_one_is_answered():
    working = Working().ask("Is  it\ndeep?")
    assert working.ask("Is it deep?") == working
    with pytest.raises(
        MfmError, match=r"expected one of the open questions \(Is it deep\?\), got 'Is it hot"
    ):
        working.answer("Is it hot?", "no")
    with pytest.raises(MfmError, match="expected a question or an answer in words"):
        working.ask(" \n")
    with pytest.raises(MfmError, match=r"open questions \(none\)"):
        working.answer("Is it deep?", "yes").answer("Is it deep?", "yes")


def test_over_budget_the_oldest_answered_questions_go_first_and_the_history_keeps_them(tmp_path):
    def fill(working):
        for name in "abcd":
            working = working.ask(f"{name}?")
        return working.answer("a?", "x" * 40).answer("c?", "x" * 40).with_subgoal("s")

    update_working(tmp_path, fill)
    size = len(read_working(tmp_path).render())
    shorter = update_working(tmp_path, lambda working: working.with_subgoal("s" * 10), budget=size)
    assert [each.text for each in shorter.questions] == ["b?", f"c? {'x' * 40}", "d?"]
    assert read_working(tmp_path) == shorter
    first = Mine(tmp_path).history("working.md")[0]
    assert "a? xxx" in Mine(tmp_path).text_at(first.files["working.md"][1])


def test_what_does_not_fit_is_refused_with_what_to_cut(tmp_path):
    update_working(tmp_path, lambda working: working.with_plan("p"))
    with pytest.raises(
        MfmError, match=r"at most 4,000 characters in mine/working.md, got 4,0\d\d \(Plan 4,0\d\d\)"
    ):
        update_working(tmp_path, lambda working: working.with_plan("p" * 4_000))
    assert read_working(tmp_path).plan == "p"


def test_edits_at_once_all_arrive(tmp_path):
    def work(place):
        for number in range(5):
            update_working(tmp_path, lambda working, number=number: working.ask(f"{place} {number}?"))

    threads = [threading.Thread(target=work, args=(place,)) for place in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(read_working(tmp_path).questions) == 15


@pytest.fixture(scope="module")
def memory(tmp_path_factory):
    return evidence(tmp_path_factory.mktemp("remember") / "memory")


def test_a_note_is_added_with_its_citations_once(memory):
    added = remember(memory, "Digging oak logs\n gave 1 oak_log", cites=["ep_000001", "[ep_000001]"])
    assert added.line == "- Digging oak logs gave 1 oak_log [ep_000001]"
    assert added.checked.verdict == "supported"
    assert remember(memory, "Digging oak logs gave 1 oak_log [ep_000001]").change is None
    wrong = remember(memory, "It gave 9 oak_log [ep_000001]", cites=["ep_000002"], by="person")
    assert wrong.checked.verdict == "contradicted"
    assert Mine(memory).read("notes.md") == (
        "# Notes\n\n- Digging oak logs gave 1 oak_log [ep_000001]\n"
        "- It gave 9 oak_log [ep_000001] [ep_000002]\n"
    )
    assert [each.fault for each in check_notes(memory).findings] == ["contradicted"]
    assert [(each.by, each.why) for each in Mine(memory).history()] == [
        ("agent", "remember: Digging oak logs gave 1 oak_log"),
        ("person", "remember: It gave 9 oak_log [ep_000001]"),
    ]


@pytest.mark.parametrize(
    ("text", "cites", "message"),
    [
        ("It falls", [], "expected a note that cites the episodes"),
        ("It falls", ["ep_000099"], "got ep_000099, which it does not have"),
        ("It falls [life_1/ep_000001]", [], "got life_1/ep_000001, which it does not have"),
        ("It falls [ep_1]", ["ep_000001"], r"got \[ep_1\]"),
        ("It falls", ["1"], "expected an episode such as 'ep_000123'"),
        (" \n ", ["ep_000001"], "expected a note of 1 to 2,000 letters"),
        ("x" * 2001, ["ep_000001"], "got 2,001"),
        ("\ud800", ["ep_000001"], "expected a note|expected whole characters"),
    ],
)
def test_a_note_without_evidence_is_refused_and_nothing_is_written(memory, text, cites, message):
    before = Mine(memory).history()
    with pytest.raises(MfmError, match=message):
        remember(memory, text, cites=cites)
    assert Mine(memory).history() == before


def test_a_note_behind_a_last_line_without_end_gets_a_line_of_its_own(tmp_path):
    root = evidence(tmp_path / "memory")
    Mine(root).write("GUIDE.md", "# Guide\r\n\r\nlast", by="person", why="t")
    remember(root, "It falls", cites=["ep_000003"], path="GUIDE.md")
    assert Mine(root).read("GUIDE.md") == "# Guide\r\n\r\nlast\r\n- It falls [ep_000003]\r\n"


@pytest.mark.parametrize(
    ("text", "path", "message"),
    [
        ("It falls <!-- always", "notes.md", "marks of comments or code that would hide what follows"),
        ("It --> falls", "notes.md", "marks of comments or code"),
        ("``` it falls", "notes.md", "marks of comments or code"),
        ("It falls", "procedures/p.py", r"expected a Markdown file of notes, .* got 'procedures/p.py'"),
        ("It falls", "data.json", "expected a Markdown file of notes"),
        ("It falls", "skills/smelt/SKILL.md", "expected a Markdown file of notes"),
    ],
)
def test_a_note_hides_nothing_and_stands_in_notes_alone(memory, text, path, message):
    before = Mine(memory).sizes()
    with pytest.raises(MfmError, match=message):
        remember(memory, text, cites=["ep_000001"], path=path)
    assert Mine(memory).sizes() == before
