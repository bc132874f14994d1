"""Lessons by a model: shown a batch, believed as far as the episodes it cites bear it out."""

import sys

import pytest

from echo.mfm.consolidation.command_writer import CommandWriter
from echo.mfm.consolidation.consolidate import consolidate
from echo.mfm.consolidation.evidence import read_evidence
from echo.mfm.consolidation.journal import read_journal
from echo.mfm.consolidation.undoing import undo_last
from echo.mfm.consolidation.writer import BATCH, WriterFailed, ask_writer
from echo.mfm.mine.check import check_notes
from echo.mfm.mine.writable import Mine
from tests.mfm.consolidation.small_lives import Life, lines_of, mine_texts, stick_episodes

GOOD = "- Planks from one log are enough for sticks twice [ep_000001, ep_000002]."


class Scripted:
    """Answers with what it was given, one text a prompt, and keeps the prompts."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.prompts: list[str] = []

    def __call__(self, prompt: str) -> str:
        self.prompts.append(prompt)
        if not self.answers:
            raise WriterFailed("out of words")
        return self.answers.pop(0)


def asked(root, writer):
    return consolidate(root, writer=writer).asked


def test_the_prompt_shows_each_episode_with_conditions_and_outcome(tmp_path):
    life = Life(tmp_path)
    life.held = "stone_axe"
    life.log().planks().end()
    writer = Scripted(GOOD)
    asked(tmp_path, writer)
    (prompt,) = writer.prompts
    assert (
        "\n[ep_000001] collect oak_log holding stone_axe at (0, 64, 0) -> ok, +1 oak_log; "
        "craft A of oak_log holding stone_axe at (0, 64, 0) -> ok, -1 oak_log +4 oak_planks\n" in prompt
    )


def test_claims_are_written_beside_those_of_the_rules_and_pass_the_check(tmp_path):
    stick_episodes(tmp_path, 2)
    done = consolidate(
        tmp_path, writer=Scripted(f"Here you are:\n\n{GOOD}\n2) Logs: near (2, 2) [ep_000001]\n")
    )
    assert done.change == 1
    lines = lines_of(tmp_path, "notes.md")
    assert lines[-2:] == [
        "- Planks from one log are enough for sticks twice [ep_000001, ep_000002]",
        "- Logs: near (2, 2) [ep_000001]",
    ]
    assert lines[0].startswith("- digging with an empty hand")
    assert check_notes(tmp_path).findings == ()


@pytest.mark.parametrize(
    ("claim", "reason"),
    [
        ("- Sticks are useful.", "cites no episode"),
        ("- Sticks are useful [ep_000009].", "cites ep_000009, which it was not shown"),
        ("- Sticks are useful [ep_000001] [life_1/ep_000001].", "cites life_1/ep_000001, which"),
        ("- Logs gave 7 oak_planks [ep_000001].", "does not hold: says gain of 7 oak_planks, but ep_000001"),
        (f"- {'x' * 500} [ep_000001]", "has 500 letters, expected 1 to 400"),
        ("- [ep_000001]", "has 0 letters"),
    ],
)
def test_what_the_episodes_do_not_bear_out_is_dropped_with_the_reason_and_kept_in_the_log(
    tmp_path, claim, reason
):
    stick_episodes(tmp_path, 2)
    told = asked(tmp_path, Scripted(f"{claim}\n{GOOD}"))
    ((dropped, why),) = told.dropped
    assert dropped == claim.removeprefix("- ")
    assert why.startswith(reason)
    assert [found.line for found in told.kept] == [GOOD.removesuffix(".")]
    (entry,) = read_journal(tmp_path, Mine(tmp_path).history()).entries
    assert entry.writer["dropped"] == [[dropped, why]]
    assert entry.writer["completions"] == [f"{claim}\n{GOOD}"]
    assert len(entry.writer["prompts"][0]) == 64


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        ("", "expected lessons as bullets, got nothing"),
        (" \n", "expected lessons as bullets, got nothing"),
        ("I cannot help with that.", "expected lessons as bullets, got no bullet in 24 letters"),
        ("- Trust me.", "expected at least one lesson that its episodes bear out, got none of 1"),
        ('```json\n{"lessons": []}\n```', "expected lessons as bullets, got no bullet in 27 letters"),
    ],
)
def test_a_failure_has_a_reason_and_the_rules_are_written_all_the_same(tmp_path, answer, failure):
    stick_episodes(tmp_path, 3)
    consolidate(tmp_path, writer=Scripted(answer))
    with_model = mine_texts(tmp_path)
    undo_last(tmp_path)
    done = consolidate(tmp_path, writer=Scripted(answer))
    assert done.asked.failure == failure
    assert done.asked.through is None
    undo_last(tmp_path)
    consolidate(tmp_path)
    assert mine_texts(tmp_path) == with_model


def test_a_model_is_not_asked_twice_about_the_same_episodes(tmp_path):
    life = stick_episodes(tmp_path, 2)
    writer = Scripted(GOOD, "- Stone stays where it is [ep_000003]")
    asked(tmp_path, writer)
    assert asked(tmp_path, writer) is None
    life.dig("stone").end()
    asked(tmp_path, writer)
    assert len(writer.prompts) == 2
    assert "[ep_000003]" in writer.prompts[1]
    assert "[ep_000002]" not in writer.prompts[1].split("Episodes:")[1]
    assert lines_of(tmp_path, "notes.md")[-2:] == [
        GOOD.removesuffix("."),
        "- Stone stays where it is [ep_000003]",
    ]


def test_after_a_failure_and_after_an_undo_it_is_asked_again(tmp_path):
    stick_episodes(tmp_path, 2)
    assert asked(tmp_path, Scripted()).failure == "out of words"
    assert asked(tmp_path, Scripted(GOOD)).failure is None
    undo_last(tmp_path)
    assert asked(tmp_path, Scripted(GOOD)).failure is None


def test_batches_before_a_failure_count(tmp_path):
    life = Life(tmp_path)
    for _ in range(BATCH + 3):
        life.log().end()
    told = ask_writer(tmp_path, read_evidence(tmp_path), (), Scripted("- Logs: fine [ep_000001]"))
    assert (told.through, told.failure) == (f"ep_{BATCH:06d}", "out of words")
    assert [found.line for found in told.kept] == ["- Logs: fine [ep_000001]"]


def test_a_dry_run_asks_but_keeps_no_record(tmp_path):
    stick_episodes(tmp_path, 2)
    done = consolidate(tmp_path, dry_run=True, writer=Scripted(GOOD))
    assert "+" + GOOD.removesuffix(".") in done.diff
    assert asked(tmp_path, Scripted(GOOD)) is not None


def program(body: str) -> str:
    return f'"{sys.executable}" -c "{body}"'


def test_a_program_gets_the_prompt_and_its_output_is_the_completion():
    writer = CommandWriter(command=program("import sys; print(sys.stdin.read().upper())"))
    assert writer("stöne\n") == "STÖNE\n\n"


@pytest.mark.parametrize(
    ("command", "seconds", "reason"),
    [
        (program("import time; time.sleep(30)"), 0.3, "within 0.3 s, got none"),
        (
            program("import sys; sys.exit('no model')"),
            30.0,
            r"expected exit code 0 of .*, got 1 \(no model\)",
        ),
        (program("import sys; sys.stdout.buffer.write(bytes([255]))"), 30.0, "expected UTF-8"),
        ("/no/such/program", 30.0, "expected to start /no/such/program, got no such program"),
        ("'", 30.0, 'expected a command, got "\'"'),
        ("", 30.0, "expected a command, got an empty text"),
    ],
)
def test_a_program_that_gives_nothing_says_why(command, seconds, reason):
    with pytest.raises(WriterFailed, match=reason):
        CommandWriter(command=command, seconds=seconds)("p")
