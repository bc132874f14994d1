from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from csd.by_model.prompts import after_answer
from csd.by_model.shape import compact_schema
from finetune.evaluation.columns import COLUMNS
from finetune.evaluation.completions import Book
from finetune.evaluation.errors import EvaluationError
from finetune.evaluation.evaluating import Plan, evaluate, figures_by, samples
from finetune.evaluation.figures import figures
from finetune.evaluation.picture import COLOURS, SHOWN, draw
from finetune.evaluation.questions import Questions, read_questions
from finetune.evaluation.records import Evaluation, Made
from finetune.evaluation.table import evaluation_text
from tests.finetune.evaluation.evaluation_samples import (
    Answering,
    changed,
    data_folder,
    gold,
    question,
    read_episode,
    subject,
)


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Questions:
    return read_questions(data_folder(tmp_path_factory.mktemp("data") / "data"), read_episode)


def knowing(found: Questions) -> Answering:
    """A model that knows each right answer."""
    return Answering({each.messages[-1].text: each.gold or "" for each in found.questions})


def book() -> Book:
    return Book([], lambda one: None)


def test_every_column_with_questions_is_answered(found: Questions):
    told: list[str] = []
    answered = evaluate(
        Plan(questions=found.questions),
        {"model": subject(knowing(found))},
        book(),
        tell=lambda name, done, of: told.append(name),
    )
    names = ["after", "repaired", "constrained", "out_of_template", "out_of_template_constrained", "repair",
             "refuse"]  # fmt: skip
    assert list(answered) == names == list(dict.fromkeys(told))
    for name, each in answered.items():
        assert figures(each.judged).exact == 1, name
        assert each.unanswered == ()


def test_the_model_before_is_asked_the_same_and_explained_what_descriptors_are(found: Questions):
    before, after = Answering({}), knowing(found)
    before.table = {each.messages[-1].text: "no" for each in found.questions}
    answered = evaluate(
        Plan(questions=found.questions, rows=2),
        {"model": subject(after), "before": subject(before, before=True)},
        book(),
    )
    assert [name for name in answered if name.startswith("before")] == [
        "before", "before_constrained", "before_explained"
    ]  # fmt: skip
    assert figures(answered["before"].judged).valid_json == 0
    assert len(answered["before"].judged) == 2
    # Free, then held to the schema, then held to it with the explanation.
    assert before.schemas == [None] * 2 + [compact_schema()] * 4


def test_rows_are_the_first_of_each_group(found: Questions):
    answered = evaluate(
        Plan(questions=found.questions, rows=3, columns=("after", "out_of_template")),
        {"model": subject(knowing(found))},
        book(),
    )
    assert list(answered) == ["after", "out_of_template"]
    first = [each.name for each in found.questions if each.group == "write"][:3]
    assert [each.question.name for each in answered["after"].judged] == first


def test_a_question_refused_is_told_and_in_no_figure(found: Questions):
    model = knowing(found)
    lost = [each for each in found.questions if each.group == "write"][1]
    del model.table[lost.messages[-1].text]
    answered = evaluate(
        Plan(questions=found.questions, columns=("after",)), {"model": subject(model)}, book()
    )
    assert answered["after"].unanswered == (lost.name,)
    assert figures(answered["after"].judged).exact == 1


def test_no_column_left_is_an_error(found: Questions):
    with pytest.raises(EvaluationError, match="expected questions for a column out of before"):
        evaluate(
            Plan(questions=found.questions, columns=("before", "texts")),
            {"model": subject(knowing(found))},
            book(),
        )


def mending(answers: list[str]) -> tuple[Answering, list[str]]:
    """A model that gives `answers` one after the other, each when told what is wrong with the one before."""
    from csd.by_model.check import check

    asked = question()
    model = Answering({asked.messages[-1].text: answers[0]})
    for wrong, better in pairwise(answers):
        assert asked.episode is not None
        findings = check(wrong, asked.episode, builder="answering", asked=asked.messages).findings
        assert findings
        model.table[after_answer(asked.messages, wrong, findings)[-1].text] = better
    return model, answers


WORSE = changed(gold(), "attr", "burns", [["bowl", True]])


@pytest.mark.parametrize(
    ("answers", "kept"),
    [
        ([gold()], gold()),
        ([WORSE, gold()], gold()),
        (["no", WORSE, gold()], gold()),
        # What is asked for again and comes back worse does not replace what was there.
        ([WORSE, "no", "nothing"], WORSE),
        # Said again as it was: not asked a third time.
        ([WORSE, WORSE], WORSE),
    ],
)
def test_an_answer_with_findings_is_asked_for_again_and_the_best_is_kept(answers: list[str], kept: str):
    model, _ = mending(answers)
    answered = evaluate(
        Plan(questions=[question()], columns=("repaired",)), {"model": subject(model)}, book()
    )
    assert answered["repaired"].judged[0].answer.completion == kept
    assert len(model.asked) == len(answers)


def evaluation(found: Questions) -> Evaluation:
    answered = evaluate(Plan(questions=found.questions), {"model": subject(knowing(found))}, book())
    columns = {name: figures(each.judged) for name, each in answered.items()}
    made = Made(
        model="scripted:a",
        before=None,
        told={"model": {"seed": 0}},
        data=found.digest,
        card=None,
        texts=None,
        rows=None,
        before_rows=None,
        settings={"seed": 0},
        prompt="describe/1",
        commit=None,
        versions={},
        machine={},
    )
    parts = {"styles": figures_by(answered, "style"), "families": figures_by(answered, "family")}
    more = {"helps": {}, "samples": samples(answered), "made": made}
    return Evaluation.model_validate({**columns, **parts, **more})


def test_an_evaluation_is_read_back_as_it_was_written(found: Questions):
    one = evaluation(found)
    assert Evaluation.model_validate_json(one.model_dump_json()) == one
    assert one.before is None
    assert list(one.columns()) == [each.name for each in COLUMNS if each.name in one.columns()]
    styles = one.styles["after"]
    assert one.after is not None
    assert sum(each.rows for each in styles.values()) == one.after.rows
    assert list(styles) == sorted(styles)


def test_the_page_has_a_line_a_figure_and_a_column_each(found: Questions):
    lines = evaluation_text(evaluation(found)).splitlines()
    head = next(line for line in lines if line.startswith("|"))
    assert head.split("|")[2:4] == [" after ", " after, repaired "]
    assert next(line for line in lines if "F1 struct" in line).split("|")[2] == " 1.000 "
    assert "## After, by trace" in lines


def test_the_picture_is_drawn(found: Questions, tmp_path: Path):
    draw(evaluation(found).columns(), tmp_path / "f1.png")
    assert (tmp_path / "f1.png").read_bytes().startswith(b"\x89PNG")
    assert len(COLOURS) == len(SHOWN) == len(dict.fromkeys(COLOURS))
    known = [each.name for each in COLUMNS]
    assert [name for name in SHOWN if name not in known] == []


def test_every_column_has_its_place_in_the_record():
    assert [name for name in Evaluation.model_fields if name in {each.name: 0 for each in COLUMNS}] == [
        each.name for each in COLUMNS
    ]
