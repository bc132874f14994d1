"""One round with a model: bounded repair, self-verification, recovery, and every answer kept."""

from __future__ import annotations

import pytest

from csd.chat import ModelError, Reply, ScriptedModel, prompt_digest
from ical.asking.calls import Asker
from ical.asking.round import Bounds, induce, recover
from tests.ical.asking.samples import here, known, task, verdicts, written
from tests.ical.experience import COBBLE

QUIET = Bounds(verifies=False)


def asked(*replies, bounds=QUIET, situation=None):
    model = ScriptedModel(replies)
    asker = Asker(model)
    return induce(asker, known(), situation or here(), bounds), asker, model


def test_a_good_answer_takes_one_question():
    found, asker, model = asked(written(task()))
    assert [one.task.goal for one in found.usable] == ["a pickaxe of cobblestone"]
    assert (found.repaired, found.reason) == (0, None)
    assert [call.purpose for call in asker.calls] == ["induce"]
    assert model.asked[0] == found.asked


def test_the_question_holds_scene_situation_and_example():
    _, _, model = asked(written(task()))
    text = model.asked[0][-1].text
    assert known().text in text
    assert "carried: cobblestone x3, stick x2" in text
    assert "amber_chip" in text


def test_a_bad_answer_is_mended_with_its_findings():
    found, asker, model = asked(written(task([["diamond"]])), written(task()))
    assert found.repaired == 1
    assert len(found.usable) == 1
    assert [call.purpose for call in asker.calls] == ["induce", "repair"]
    repair = model.asked[1]
    assert repair[-2].role == "assistant"
    assert "expected names that were seen before; got 'diamond'" in repair[-1].text


def test_repair_is_bounded_and_the_reason_told():
    found, asker, _ = asked("no", "no", "no", bounds=Bounds(repairs=2, verifies=False))
    assert found.usable == ()
    assert found.repaired == 2
    assert "expected a JSON object; got 'no'" in found.reason
    assert [call.usable for call in asker.calls] == [False, False, False]


def test_every_answer_is_kept_with_digest_and_cost_also_a_bad_one():
    kept = []
    model = ScriptedModel(["garbage", written(task())])
    induce(Asker(model, kept.append), known(), here(), QUIET)
    assert [call.reply.text for call in kept] == ["garbage", written(task())]
    assert [call.prompt_digest for call in kept] == [prompt_digest(one) for one in model.asked]
    assert kept[0].findings
    assert kept[0].reply.seed == 0


def test_an_answer_cut_off_is_named_so():
    class Cut(ScriptedModel):
        def __call__(self, messages, /, *, schema=None):
            reply = super().__call__(messages, schema=schema)
            return Reply(text=reply.text, cut=True)

    model = Cut([written(task())[:50], "nothing"])
    found = induce(Asker(model), known(), here(), QUIET)
    assert found.usable == ()
    assert "expected an answer that ends" in model.asked[1][-1].text


def test_a_model_that_doubts_its_task_withdraws_it():
    found, asker, model = asked(written(task()), verdicts(False), bounds=Bounds())
    assert found.usable == ()
    assert found.reason == "the model doubts each of its tasks"
    assert found.considered[0].verdict.findings[-1].kind == "doubted"
    assert [call.purpose for call in asker.calls] == ["induce", "verify"]
    assert "asserted: cobblestone x3 is carried" in model.asked[1][-1].text


def test_a_verdict_that_cannot_be_read_leaves_its_task_unjudged():
    found, asker, _ = asked(written(task()), "looks good", bounds=Bounds())
    assert found.considered[0].passes is None
    assert len(found.usable) == 1
    assert asker.calls[1].usable is False
    assert asker.calls[1].findings


def test_only_usable_tasks_are_put_to_the_question_and_numbered_so():
    bad, good = task([["diamond"]]), task()
    found, _, model = asked(written(bad, good), verdicts(True), bounds=Bounds())
    assert [one.passes for one in found.considered] == [None, True]
    assert "diamond" not in model.asked[1][-1].text.split("These tasks are proposed:")[1]


def test_a_verdict_copied_from_the_prompt_judges_nothing():
    found, asker, model = asked(
        written(task()), '{"verdicts":[{"task":1,"passes":true,"why":"a few words"}]}', bounds=Bounds()
    )
    assert model.asked[1][-1].text.count('{"verdicts":[{"task":1,"passes":true,"why":"a few words"}]}') == 1
    assert found.considered[0].passes is None
    assert asker.calls[1].usable is False
    assert asker.calls[1].findings == (
        "expected a reason of its own for task 1; got the prompt's 'a few words'",
    )


@pytest.mark.parametrize(
    ("said", "passes"),
    [
        ('{"verdicts":[{"task":1,"passes":false},{"task":1,"passes":true}]}', False),
        ('{"verdicts":[{"task":7,"passes":false}]}', None),
        ('{"verdicts":[{"task":true,"passes":false}]}', None),
        ('{"verdicts":[{"task":1,"passes":"no"}]}', None),
        ('{"verdicts":"fine"}', None),
        ('{"passes":false}', False),
    ],
)
def test_verdicts_of_the_wrong_shape_judge_nothing(said, passes):
    found, _, _ = asked(written(task()), said, bounds=Bounds())
    assert found.considered[0].passes is passes


def test_a_failed_task_is_told_with_its_outcome_and_mended():
    first, _, _ = asked(written(task([[COBBLE]])))
    model = ScriptedModel([written(task())])
    failed = first.usable[0].task
    found = recover(Asker(model), known(), here(vain=(("A", (COBBLE,)),)), failed, "it gave nothing", QUIET)
    assert len(found.usable) == 1
    text = model.asked[0][-1].text
    assert '[{"do":"craft","grid":[["cobblestone"]]}]' in text
    assert "it gave nothing" in text


def test_to_do_the_failed_thing_again_is_no_mending():
    first, _, _ = asked(written(task([[COBBLE]])))
    model = ScriptedModel([written(task([[COBBLE]]))] * 2)
    found = recover(
        Asker(model), known(), here(vain=(("A", (COBBLE,)),)), first.usable[0].task, "nothing", QUIET
    )
    assert found.usable == ()
    assert "not tried in vain" in found.reason


def test_a_model_that_does_not_answer_is_an_error():
    with pytest.raises(ModelError, match="Script further"):
        asked()


def test_bounds_out_of_range_are_refused():
    with pytest.raises(ValueError, match="expected tasks >= 1"):
        Bounds(tasks=0)
