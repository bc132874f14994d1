from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from csd.axes import AXES
from csd.build import describe
from csd.by_model.author import MOST_REFUSALS, Author
from csd.by_model.compact import compact
from csd.by_model.example import example_shots
from csd.by_model.kept import attempts_file, kept_attempts
from csd.by_model.prompts import VERSION, conversation
from csd.by_model.shape import compact_schema
from csd.by_model.trace import trace
from csd.chat import JsonSchema, Message, ModelError, Reply, ScriptedModel, prompt_digest
from csd.ground import ground
from tests.csd.sample_episodes import crafted_pickaxe, dug_stone, failed_collect, walked

EPISODE = failed_collect()
RIGHT = compact(describe(EPISODE))


def wrong(**axes):
    value = json.loads(RIGHT)
    return json.dumps({**value, **axes})


class Batching(ScriptedModel):
    """Scripted replies, many at once; remembers how many, and what they were to be held to."""

    def __init__(self, replies: Sequence[str]) -> None:
        super().__init__(replies)
        self.batches: list[int] = []
        self.schemas: list[JsonSchema | None] = []

    def answer_each(
        self, conversations: Sequence[Sequence[Message]], /, *, schema: JsonSchema | None = None
    ) -> list[Reply]:
        self.batches.append(len(conversations))
        self.schemas.append(schema)
        return [self(each, schema=schema) for each in conversations]


class Refusing:
    """A model that answers nothing that speaks of `about`; of all that is asked where that is ''."""

    name = "refusing"

    def __init__(self, about: str, answer: str = RIGHT) -> None:
        self.about, self.answer = about, answer
        self.asked = 0

    def __call__(self, messages: Sequence[Message], /, *, schema: JsonSchema | None = None) -> Reply:
        self.asked += 1
        if self.about in messages[-1].text:
            raise ModelError("expected an answer within 5 s; got none.")
        return Reply(text=self.answer)


def facts(csd):
    return {(axis, one.subject, one.predicate, one.value) for axis in AXES for one in csd.axis(axis)}


def test_a_right_answer_becomes_a_descriptor_that_names_its_writer():
    written = Author(ScriptedModel([RIGHT])).write(EPISODE)
    assert facts(written.csd) == facts(describe(EPISODE))
    assert written.csd.meta.builder == f"scripted {VERSION}"
    assert ground(written.csd, {EPISODE.id: EPISODE}) == ()
    assert (written.reason, written.ungrounded, len(written.attempts)) == (None, (), 1)


@pytest.mark.parametrize(
    ("answer", "mend"),
    [
        (f"Here you are:\n```json\n{RIGHT}\n```", "a fence around it"),
        (str(json.loads(RIGHT)), "Python literal"),
        (f'{{"unrelated":1}}\n{RIGHT}', "took object 2 of 2"),
    ],
)
def test_an_answer_that_is_not_json_by_the_letter_is_read_and_that_is_noted(answer, mend):
    written = Author(ScriptedModel([answer])).write(EPISODE)
    assert written.csd is not None
    assert mend in written.attempts[0].mended


def test_a_whole_descriptor_is_taken_and_its_evidence_looked_up_anew():
    whole = describe(dug_stone())
    pointing = json.loads(whole.canonical())
    for axis in AXES:
        for statement in pointing[axis.value]:
            statement["evidence"] = [{"episode": "elsewhere", "step": 7, "kind": "frame", "detail": ""}]
    written = Author(ScriptedModel([json.dumps(pointing)])).write(dug_stone())
    assert facts(written.csd) == facts(whole)
    assert ground(written.csd, {"ep_000001": dug_stone()}) == ()


def test_the_model_is_shown_what_was_wrong_and_asked_again():
    model = ScriptedModel(["no idea", wrong(attr={"color": []}), RIGHT])
    written = Author(model).write(EPISODE)
    assert written.csd is not None
    assert [bool(one.findings) for one in written.attempts] == [True, True, False]
    system, trace_told, answer, findings = model.asked[2]
    assert (answer.role, findings.role) == ("assistant", "user")
    assert "attr.color: Extra inputs are not permitted" in findings.text
    assert (system, trace_told) == model.asked[0]


def test_a_statement_without_evidence_is_asked_about_and_never_kept():
    lie = wrong(attr={"colour": [["iron_ore", "purple"]]})
    model = ScriptedModel([lie, lie.replace("purple", "pink"), lie.replace("purple", "blue")])
    written = Author(model).write(EPISODE)
    assert facts(written.csd) == facts(describe(EPISODE))
    assert [one.value for one in written.ungrounded] == ["purple"]
    assert "attr.colour [iron_ore, purple]: nothing told shows it" in model.asked[1][-1].text
    assert len(written.attempts) == 3


def test_the_attempt_that_shows_most_is_kept_though_a_later_one_has_no_fault():
    little = json.loads(RIGHT)
    little["inter"] = {}
    written = Author(
        ScriptedModel([wrong(func={"plays": [["iron_ore", "tool"]]}), json.dumps(little)])
    ).write(EPISODE)
    assert facts(written.csd) == facts(describe(EPISODE))


def test_repairs_are_bounded_and_the_failure_says_why():
    model = ScriptedModel(["one", "two", "three", "four"])
    written = Author(model, repairs=2).write(EPISODE)
    assert written.csd is None
    assert len(model.asked) == 3
    assert written.reason is not None
    assert "got none in 3 attempts, at last: expected a JSON object; got 'three'" in written.reason


def test_a_model_that_says_the_same_again_is_not_asked_a_third_time():
    model = ScriptedModel(["no idea"] * 5)
    assert Author(model, repairs=4).write(EPISODE).csd is None
    assert len(model.asked) == 2


@pytest.mark.parametrize("nothing", ["", "{}", '{"meta":{}}', wrong(proc={}, inter={}), "[]"])
def test_there_is_no_empty_descriptor(nothing):
    written = Author(ScriptedModel([nothing] * 3), repairs=0).write(EPISODE)
    assert written.csd is None
    assert written.attempts[0].findings


def test_a_cut_answer_is_told_as_cut():
    written = Author(ScriptedModel([RIGHT[:-10]]), repairs=0).write(EPISODE)
    assert written.csd is None
    assert written.reason.endswith("Let the model write more tokens.")


@pytest.mark.parametrize(
    ("cut", "advice"), [(True, "let the model write more."), (False, "Use another model, or the rules.")]
)
def test_an_answer_that_shows_nothing_is_told_with_whether_it_was_cut(cut: bool, advice: str):
    def model(messages: Sequence[Message], *, schema: JsonSchema | None = None) -> Reply:
        return Reply(text='{"meta":{}}', cut=cut)

    model.name = "m"
    assert Author(model, repairs=0).write(EPISODE).reason.endswith(advice)


def test_the_example_said_again_is_no_description():
    shots = example_shots("plain")
    written = Author(ScriptedModel([shots[0].written]), shots=shots, repairs=0).write(EPISODE)
    assert written.csd is None
    assert "word for word" in written.attempts[0].findings[0]


def test_a_statement_of_the_example_is_named_as_such():
    shots = example_shots("plain")
    answer = wrong(attr={"colour": [["plum_bench", "purple"]]})
    written = Author(ScriptedModel([answer]), shots=shots, repairs=0).write(EPISODE)
    assert "is of the example, not of this experience" in written.attempts[0].findings[0]
    assert "plum_bench" not in written.csd.canonical()


@pytest.mark.parametrize("style", ["plain", "record"])
def test_the_prompt_said_again_is_no_description(style):
    answer = trace(EPISODE, style=style)
    written = Author(ScriptedModel([answer]), style=style, repairs=0).write(EPISODE)
    assert written.csd is None
    assert "what was asked, word for word" in written.attempts[0].findings[0]


@pytest.mark.parametrize("episode", [walked(), replace(walked(), steps=())])
def test_where_nothing_can_be_said_the_model_is_not_asked(episode):
    model = ScriptedModel([])
    written = Author(model).write(episode)
    assert (written.csd, written.attempts, model.asked) == (None, (), [])
    assert written.reason is not None


def test_an_untuned_model_is_told_what_descriptors_are_and_a_tuned_one_is_not():
    short = conversation(EPISODE, style="plain")
    long = conversation(EPISODE, style="plain", shots=example_shots("plain"))
    assert [one.role for one in short] == ["system", "user"]
    assert len(short[0].text) < 120
    assert [one.role for one in long] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert "yielded_to: block -> item that was held when it dropped something" in long[0].text
    assert short[-1] == long[-1]


def test_many_are_asked_together_and_only_the_wrong_ones_again():
    other = replace(crafted_pickaxe(), id="ep_000002")
    model = Batching([RIGHT, "no idea", compact(describe(other))])
    first, second = Author(model, constrained=True).write_each([EPISODE, other])
    assert (first.csd.meta.episodes, second.csd.meta.episodes) == ((EPISODE.id,), ("ep_000002",))
    assert model.batches == [2, 1]
    assert model.schemas[0] == compact_schema()


def test_unconstrained_means_no_schema():
    model = Batching([RIGHT])
    Author(model, constrained=False).write(EPISODE)
    assert model.schemas == [None]


def test_one_question_without_an_answer_does_not_cost_the_others():
    other = replace(crafted_pickaxe(), id="ep_000002")
    first, second = Author(Refusing("craft")).write_each([EPISODE, other])
    assert first.csd is not None
    assert second.csd is None
    assert second.attempts[0].reply is None
    assert "within 5 s" in second.reason


def test_a_model_that_answers_nothing_is_soon_left_alone():
    model = Refusing("")
    found = list(Author(model).write_each([replace(EPISODE, id=f"ep_{n}") for n in range(9)]))
    assert [one.csd for one in found] == [None] * 9
    assert model.asked == 1 + MOST_REFUSALS


def test_products_decide_which_step_is_described():
    model = ScriptedModel([compact(describe(crafted_pickaxe(), "diamond"))])
    (written,) = Author(model).write_each([crafted_pickaxe()], ["diamond"])
    assert written.csd.meta.success is False
    with pytest.raises(ValueError, match="expected a product for each of 1 episodes; got 2"):
        list(Author(model).write_each([EPISODE], [None, None]))


def framed(episode):
    frame = np.zeros((4, 6, 3), dtype=np.uint8)
    steps = tuple(replace(one, before=replace(one.before, frame=frame)) for one in episode.steps)
    return replace(episode, steps=steps)


def test_a_model_that_sees_is_asked_what_is_in_the_frame_and_told_what_of_it_was_in_sight():
    model = ScriptedModel(['{"caption":"A green field.","objects":["Grass block","a dragon"]}', RIGHT])
    written = Author(model, sees_frames=True).write(framed(EPISODE))
    assert written.csd is not None
    assert (written.looked.objects, written.looked.unseen) == (("grass_block",), ("a dragon",))
    assert [one.task for one in written.attempts] == ["look", "write"]
    asked = model.asked[1][-1]
    assert asked.text.endswith("Picture: A green field. In it: grass_block.")
    assert asked.images[0].startswith(b"\x89PNG")


def test_a_look_that_cannot_be_read_is_kept_and_the_trace_goes_without():
    model = ScriptedModel(["I see a dragon", RIGHT])
    written = Author(model, sees_frames=True).write(framed(EPISODE))
    assert (written.csd is None, written.looked) == (False, None)
    assert "expected a JSON object" in written.attempts[0].findings[0]


def test_without_a_frame_a_model_that_sees_is_asked_as_any_other():
    model = ScriptedModel([RIGHT])
    assert Author(model, sees_frames=True).write(EPISODE).csd is not None
    assert model.asked[0][-1].images == ()


def test_every_attempt_is_kept_with_what_was_written_and_what_it_cost(tmp_path):
    model = ScriptedModel(["half \ud83c", RIGHT])
    author = Author(model)
    written = author.write(EPISODE)
    first, second = kept_attempts(written, author.builder)
    assert (first.number, first.completion, first.csd) == (1, "half \\ud83c", None)
    assert first.findings[0].startswith("expected a JSON object")
    assert second.prompt == prompt_digest(model.asked[1])
    assert (second.csd, second.reason, second.money) == (written.csd.id, None, 0.0)
    assert second.statements == len(facts(written.csd))
    json.dumps(first.model_dump(mode="json"), ensure_ascii=False).encode()
    assert attempts_file(tmp_path / "bank.sqlite") == tmp_path / "bank.sqlite.attempts.jsonl"


def test_a_failure_is_kept_with_its_reason():
    author = Author(Refusing(""))
    (only,) = kept_attempts(author.write(EPISODE), author.builder)
    assert (only.completion, only.csd, only.prompt_tokens) == (None, None, None)
    assert "within 5 s" in only.reason


@pytest.mark.parametrize(
    ("settings", "said"), [({"style": "prose"}, "expected one of the styles"), ({"repairs": -1}, "0 or more")]
)
def test_wrong_settings_are_refused(settings, said):
    with pytest.raises(ValueError, match=said):
        Author(ScriptedModel([]), **settings)
