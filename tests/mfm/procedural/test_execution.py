import datetime
import json
import re
import time

import pytest

from csd.episode import Collect, Craft, GoTo, Outcome, WaitUntil
from echo.mfm.episodic.reader import read_episode, read_index
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.procedural.execution import EPISODE_STEPS, Execution
from echo.mfm.procedural.format import ProcedureError
from echo.mfm.procedural.library import Library
from echo.mfm.procedural.runs import Surprise, read_runs
from echo.mfm.procedural.sandbox import Limits
from echo.mfm.procedural.session import Budget
from tests.mfm.procedural.small_world import SmallWorld

NOON = datetime.datetime(2026, 1, 1, 12, tzinfo=datetime.UTC)


def save(
    root, body: str, *, name: str = "job", parameters="{}", needs="{}", expects="{}", more: str = ""
) -> None:
    given = "".join(f", {each}" for each in re.findall(r'"(\w+)": \{', parameters))
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    text = (
        f'"""A job."""\n\nPROCEDURE = {{\n    "name": "{name}",\n    "about": "A job.",\n'
        f'    "parameters": {parameters},\n    "needs": {needs},\n    "expects": {expects},\n'
        f'    "evidence": [],\n}}\n{more}\n\ndef run(seen{given}):\n{lines}'
    )
    Library(root).save(name, text, by="agent", why="a test")


def execution(root, world, **how) -> Execution:
    return Execution(root, world, clock=lambda: NOON, **how)


FIRST_LINE = 14
"""Line of the first statement of `run`."""


def test_a_procedure_is_done_step_by_step_and_told_what_came(tmp_path):
    save(
        tmp_path,
        'came = yield collect(log), {"gained": {log: 1}}\n'
        "print(came.ok, came.code, came.ticks, came.count(log), came.seen.vitals.health)\n"
        "for _ in range(came.count(log)):\n"
        "    yield craft([[log]])\n"
        'yield note("ready")',
        parameters='{"log": {"default": "oak_log"}}',
        expects='{"gained": {"oak_planks": 8}}',
    )
    world = SmallWorld(oak_log=1)
    run = execution(tmp_path, world).run("job")
    assert (run.end, run.reason, run.surprise) == ("done", None, None)
    assert run.success
    planks = Craft(grid=(("oak_log",),))
    assert world.actions == [Collect(block="oak_log"), planks, planks]
    assert [step.before.count("oak_log") for step in run.steps] == [1, 2, 1]
    assert run.ticks == 14
    assert run.after.count("oak_planks") == 8
    assert run.notes == ("True ok 10 2 20.0\n", "ready")
    (kept,) = read_runs(tmp_path).runs
    assert (kept.steps, kept.ticks, kept.success, kept.time) == (3, 14, True, NOON)
    assert kept.version == run.version.digest


def test_what_is_needed_is_asked_first_and_nothing_is_done(tmp_path):
    save(
        tmp_path,
        "yield collect(log)",
        parameters='{"log": {"default": "oak_log"}}',
        needs='{"inventory": {"{log}": 2}, "near": ["furnace"], "health_at_least": 5}',
    )
    world = SmallWorld(oak_log=1)
    run = execution(tmp_path, world).run("job")
    assert run.end == "needs"
    assert run.reason == (
        "inventory: expected at least 2 oak_log, got 1; near: expected furnace within reach, got none."
    )
    assert world.actions == []
    assert Library(tmp_path).statistics("job").ends == {"needs": 1}


def test_it_stops_at_the_first_surprise_and_says_so(tmp_path):
    save(tmp_path, 'yield collect("oak_log")\nyield craft([["stick"]])\nyield collect("oak_log")')
    world = SmallWorld()
    run = execution(tmp_path, world).run("job")
    assert run.end == "surprise"
    assert run.surprise == Surprise(
        step=2,
        action={"kind": "craft", "grid": [["stick"]]},
        expected="code: ok",
        seen="no_result (nothing appears)",
        line=FIRST_LINE + 1,
    )
    assert run.reason == "step 2, line 15, craft: expected code: ok, got no_result (nothing appears)."
    assert len(world.actions) == 2
    assert read_runs(tmp_path).runs[0].surprise == run.surprise


@pytest.mark.parametrize(
    ("change", "expected", "seen"),
    [
        ({"lies": {1}}, "inventory: +1 oak_log, as announced", "+0"),
        ({"hurt": {1: 3.0}}, "health: at most 2 health lost", "3 lost, 17 left"),
        (
            {"surprises": {1: Outcome(code="ok", message="dug")}},
            "inventory: collect to change what is carried",
            "no change",
        ),
    ],
)
def test_what_is_not_as_it_should_be_is_a_surprise(tmp_path, change, expected, seen):
    save(tmp_path, 'yield collect("oak_log")')
    world = SmallWorld()
    vars(world).update(change)
    found = execution(tmp_path, world).run("job").surprise
    assert found is not None
    assert (found.step, found.expected, found.seen) == (1, expected, seen)


def test_an_expectation_allows_what_would_be_a_surprise(tmp_path):
    save(
        tmp_path,
        'came = yield craft([["stick"]]), {"code": "any"}\nprint(came.ok, came.code, came.message)\n'
        'yield collect("oak_log"), {"health_lost": 5}',
    )
    world = SmallWorld()
    world.hurt = {2: 4.0}
    run = execution(tmp_path, world).run("job")
    assert run.success
    assert run.notes == ("False no_result nothing appears\n",)


def test_what_is_promised_must_hold_in_the_end(tmp_path):
    save(tmp_path, 'yield collect("dirt")', expects='{"gained": {"oak_log": 1}}')
    run = execution(tmp_path, SmallWorld()).run("job")
    assert run.end == "surprise"
    assert run.surprise == Surprise(step=2, action={}, expected="gained: +1 oak_log", seen="+0")
    assert run.reason == "at the end, gained: expected +1 oak_log, got +0."


def test_arguments_reach_the_script_its_needs_and_its_promises(tmp_path):
    save(
        tmp_path,
        "for _ in range(count):\n    yield collect(block)",
        parameters='{"block": {}, "count": {"default": 1}}',
        expects='{"gained": {"{block}": "{count}"}}',
    )
    assert execution(tmp_path, SmallWorld()).run("job", block="dirt", count=3).after.count("dirt") == 3
    with pytest.raises(ProcedureError, match="expected a value for block"):
        execution(tmp_path, SmallWorld()).run("job")
    with pytest.raises(ProcedureError, match="expected arguments of job that its needs and expects can use"):
        execution(tmp_path, SmallWorld()).run("job", block="dirt", count="many")
    with pytest.raises(ProcedureError, match="expected a procedure"):
        execution(tmp_path, SmallWorld()).run("other")
    assert len(read_runs(tmp_path).runs) == 1


def test_a_watch_waits_until_it_holds(tmp_path):
    save(
        tmp_path,
        "came = yield watch(ticks=100, health_below=15)\nprint(came.code)\n"
        'came = yield watch(ticks=50, y_below=10), {"code": "any"}\nprint(came.code, came.message)\n'
        "yield watch(ticks=20, y_above=70)",
    )
    world = SmallWorld()
    world.hurt = {2: 6.0}
    run = execution(tmp_path, world).run("job")
    assert world.actions == [WaitUntil(ticks=ticks) for ticks in (20, 20, 20, 20, 10, 20)]
    assert run.notes == ("ok\n", "not_met y_below: expected y below 10, got 64\n")
    assert run.end == "surprise"
    assert run.surprise is not None
    assert run.surprise.seen == "not_met (y_above: expected y above 70, got 64)"


def test_a_watch_for_something_else_notices_harm(tmp_path):
    save(tmp_path, "yield watch(ticks=100, y_below=10)")
    world = SmallWorld()
    world.hurt = {2: 6.0}
    found = execution(tmp_path, world).run("job").surprise
    assert found is not None
    assert (found.expected, found.seen) == ("health: at most 2 health lost", "6 lost")
    assert len(world.actions) == 2


def test_what_holds_already_needs_no_waiting(tmp_path):
    save(tmp_path, "yield watch(y_above=10)")
    world = SmallWorld()
    assert execution(tmp_path, world).run("job").success
    assert world.actions == []


def test_closed_loops_go_on_until_they_are_met(tmp_path):
    save(
        tmp_path,
        'yield from collect_until("oak_log", "oak_log", 3)\n'
        'yield from craft_until([["oak_log"]], "oak_planks", 7)\n'
        'yield from ensure_near("crafting_table")\n'
        'yield from ensure_near("crafting_table")\n'
        "yield from walk([[1, 64, 1], [9, 64, 9]])\n"
        'came = yield from go_near("oak_log")\n'
        "print(came.near('crafting_table'), came.seen.position[0])",
    )
    world = SmallWorld(crafting_table=1)
    run = execution(tmp_path, world).run("job")
    assert [action.kind for action in world.actions] == [
        *["collect"] * 3,
        *["craft"] * 2,
        "place",
        *["go_to"] * 3,
    ]
    assert run.notes == ("True 4.5\n",)
    assert world.actions[-1] == GoTo(target=(4, 64, 0))


def test_a_loop_that_cannot_be_met_is_a_surprise(tmp_path):
    save(tmp_path, 'yield from ensure_near("furnace")')
    run = execution(tmp_path, SmallWorld()).run("job")
    assert run.reason == f"step 1, line {FIRST_LINE}, look: expected near: furnace within reach, got none."


def test_a_procedure_calls_another_and_both_are_told(tmp_path):
    save(tmp_path, "yield collect(block)", name="dig", parameters='{"block": {"default": "dirt"}}')
    save(
        tmp_path,
        'came = yield call("dig", block="oak_log")\n'
        'print(came.code, came.inventory_delta, came.count("oak_log"))\n'
        'yield craft([["oak_log"]])',
    )
    run = execution(tmp_path, SmallWorld()).run("job")
    assert run.success
    assert len(run.steps) == 2
    assert run.notes == ("ok {'oak_log': 1} 1\n",)
    told = [(line.name, line.caller, line.steps, dict(line.arguments)) for line in read_runs(tmp_path).runs]
    assert told == [("dig", "job", 1, {"block": "oak_log"}), ("job", None, 2, {})]


def test_a_called_procedure_that_is_surprised_surprises_its_caller(tmp_path):
    save(tmp_path, 'yield craft([["x"]])', name="fail")
    save(tmp_path, 'came = yield call("fail"), {"code": "any"}\nprint(came.code)\nyield call("fail")')
    run = execution(tmp_path, SmallWorld()).run("job")
    assert run.notes == ("surprise\n",)
    assert run.surprise is not None
    assert run.surprise.seen == (
        f"surprise (step 1, line {FIRST_LINE}, craft: expected code: ok, got no_result (nothing appears).)"
    )
    assert [line.end for line in read_runs(tmp_path).runs] == ["surprise", "surprise", "surprise"]


def test_procedures_within_one_another_have_an_end(tmp_path):
    save(tmp_path, 'yield call("job")')
    run = execution(tmp_path, SmallWorld(), budget=Budget(depth=3)).run("job")
    assert run.end == "surprise"
    assert [line.end for line in read_runs(tmp_path).runs] == ["failed", "surprise", "surprise"]
    assert "expected procedures at most 3 deep" in (read_runs(tmp_path).runs[0].reason or "")


@pytest.mark.parametrize(
    ("budget", "said", "steps"),
    [
        (Budget(steps=3), "expected at most 3 actions, got one more, collect.", 3),
        (Budget(ticks=25), "expected at most 25 ticks, 30 are used.", 3),
        (Budget(messages=4), "expected at most 4 yields, got more.", 2),
    ],
)
def test_a_run_has_a_budget(tmp_path, budget, said, steps):
    save(tmp_path, 'while True:\n    yield look()\n    yield collect("oak_log")')
    run = execution(tmp_path, SmallWorld(), budget=budget).run("job")
    assert (run.end, run.reason, len(run.steps)) == ("budget", said, steps)


@pytest.mark.parametrize(
    ("body", "steps"),
    [
        ('while True:\n    for _ in range(3_000_000): pass\n    yield collect("dirt")', None),
        ("while True: pass\nyield look()", 0),
        ("while True: yield note('again')", 0),
    ],
)
def test_a_run_ends_with_its_time_by_the_clock(tmp_path, body, steps):
    save(tmp_path, body)
    begun = time.monotonic()
    limits = Limits(cpu_seconds=60, answer_seconds=60)
    budget = Budget(seconds=0.7, messages=10**9)
    run = execution(tmp_path, SmallWorld(), limits=limits, budget=budget).run("job")
    assert (run.end, run.reason) == ("budget", "expected at most 0.7 s by the clock, they are over.")
    assert steps is None or len(run.steps) == steps
    assert time.monotonic() - begun < 10


def test_waiting_in_a_called_procedure_uses_the_time_of_its_caller(tmp_path):
    save(tmp_path, "while True: pass\nyield look()", name="wait")
    save(tmp_path, 'while True:\n    yield call("wait"), {"code": "any"}')
    run = execution(tmp_path, SmallWorld(), budget=Budget(seconds=0.5)).run("job")
    assert run.end == "budget"
    assert [line.end for line in read_runs(tmp_path).runs] == ["budget", "budget"]


def test_remarks_are_bounded_one_by_one_in_number_and_in_all(tmp_path):
    save(tmp_path, 'for n in range(2): yield note(str(n) * 900_000)\nfor _ in range(3): yield note("short")')
    run = execution(tmp_path, SmallWorld()).run("job")
    assert run.notes[0] == "0" * 473 + "... (cut at 500 characters)"
    assert run.notes[2:] == ("short",) * 3
    save(tmp_path, "for n in range(30):\n    print('x' * 5_000)\n    yield look()\nyield note('short')")
    run = execution(tmp_path, SmallWorld()).run("job")
    assert [len(note) for note in run.notes[:-1]] == [4_000] * 10
    assert run.notes[-1] == "(further notes are left out)"
    save(tmp_path, "for n in range(300): yield note('x')")
    run = execution(tmp_path, SmallWorld()).run("job")
    assert run.notes == ("x",) * 100 + ("(further notes are left out)",)


@pytest.mark.parametrize(
    "body",
    ["yield collect('x' * 9_000)", "yield collect('dirt'), {'gained': {'x' * 9_000: 1}}"],
)
def test_an_action_of_great_length_ends_the_run_and_is_not_kept(tmp_path, body):
    save(tmp_path, body)
    world = SmallWorld()
    run = execution(tmp_path, world).run("job")
    assert (run.end, run.steps, world.actions) == ("failed", (), [])
    assert "expected an action of at most 8,192 bytes of JSON, got 9," in (run.reason or "")
    assert (tmp_path / "runs.jsonl").stat().st_size < 2_000


def test_a_reason_is_no_longer_than_it_may_be(tmp_path):
    save(tmp_path, "yield collect('dirt'), {'code': ['y' * 5_000]}")
    run = execution(tmp_path, SmallWorld()).run("job")
    assert run.end in ("failed", "surprise")
    assert len(run.reason or "") <= 1_000
    assert (tmp_path / "runs.jsonl").stat().st_size < 9_000


def test_the_budget_is_shared_with_what_is_called(tmp_path):
    save(tmp_path, 'for _ in range(3):\n    yield collect("dirt")', name="dig")
    save(tmp_path, 'yield call("dig"), {"code": "any"}\nyield call("dig"), {"code": "any"}')
    run = execution(tmp_path, SmallWorld(), budget=Budget(steps=4)).run("job")
    assert (run.end, len(run.steps)) == ("budget", 4)
    assert [line.end for line in read_runs(tmp_path).runs] == ["done", "budget", "budget"]


def test_a_world_whose_budget_is_spent_ends_the_run(tmp_path):
    save(tmp_path, 'yield collect("dirt")\nyield collect("dirt")')
    world = SmallWorld()
    world.surprises = {2: Outcome(code="budget_spent", message="no more")}
    run = execution(tmp_path, world).run("job")
    assert (run.end, len(run.steps)) == ("budget", 1)


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("yield 3", "job.py, line 14: expected an action, such as collect('oak_log')"),
        ("yield {'kind': 'fly'}", "whose kind is one of go_to"),
        ("yield collect('x'), {'gainde': 1}", "job.py, line 14: expected an expectation out of code"),
        ("yield collect('x'), {'gained': {'x': '{n}'}}", "line 14: expected for gained"),
        ("yield collect('nonsense')", "line 14: the world refused it: expected the name of a block"),
        ("yield collect()", "TypeError: collect takes (block), got no block in line 14"),
        ("yield call('nobody')", "job.py, line 14: expected a procedure of"),
        ("yield look()\n1 / 0", "ZeroDivisionError: division by zero in line 15"),
        ("yield {1}", "expected a JSON value, got a value of type set"),
        ("yield look()\nwhile True: pass", "expected at most 1 s of processor time"),
        ("seen.inventry\nyield look()", "AttributeError: expected one of biome, blocks"),
    ],
)
def test_a_script_that_breaks_is_told_and_kept(tmp_path, body, said):
    save(tmp_path, body)
    run = execution(tmp_path, SmallWorld(), limits=Limits(cpu_seconds=1, answer_seconds=60)).run("job")
    assert run.end == "failed"
    assert said in (run.reason or "")
    assert read_runs(tmp_path).runs[0].end == "failed"


def test_a_run_is_recorded_as_episodes_with_pictures(tmp_path):
    save(tmp_path, 'for _ in range(45):\n    yield collect("dirt")\nyield craft([["dirt"]])')
    world = SmallWorld()
    with Recorder.open(tmp_path, source=world.source, frames="all") as recorder:
        recorder.initial(world.observe(frame=True))
        run = execution(tmp_path, world, recorder=recorder).run("job")
    assert EPISODE_STEPS == 20
    assert run.episodes == ("ep_000001", "ep_000002", "ep_000003")
    episodes = [read_episode(tmp_path, name, frames=True) for name in run.episodes]
    assert [len(episode.steps) for episode in episodes] == [20, 20, 6]
    assert episodes[0].after == episodes[1].steps[0].before
    assert [int(episode.steps[0].before.frame[0, 0, 0]) for episode in episodes] == [0, 20, 40]
    rows = list(read_index(tmp_path))[1:]
    assert [row["tags"][-1] for row in rows] == ["procedure", "procedure", "surprise"]
    outcome = json.loads((tmp_path / "episodes" / "ep_000003" / "outcome.json").read_text())
    assert outcome["notes"][0].startswith("job v1 (")
    assert read_runs(tmp_path).runs[0].episodes == run.episodes


def test_called_procedures_name_the_episodes_that_hold_their_steps(tmp_path):
    save(
        tmp_path, 'for _ in range(count):\n    yield collect("dirt")', name="dig", parameters='{"count": {}}'
    )
    save(tmp_path, 'yield call("dig", count=20)\nyield call("dig", count=2)\nyield call("dig", count=0)')
    world = SmallWorld()
    with Recorder.open(tmp_path, source=world.source) as recorder:
        recorder.initial(world.observe(frame=True))
        execution(tmp_path, world, recorder=recorder).run("job")
    assert [run.episodes for run in read_runs(tmp_path).runs] == [
        ("ep_000001",),
        ("ep_000002",),
        (),
        ("ep_000001", "ep_000002"),
    ]


def test_a_run_that_is_broken_off_is_recorded_too(tmp_path):
    save(tmp_path, 'yield collect("dirt")\nyield collect("dirt")')

    class Broken(SmallWorld):
        def act(self, action):
            if self.actions:
                raise KeyboardInterrupt
            return super().act(action)

    world = Broken()
    with Recorder.open(tmp_path, source=world.source) as recorder:
        recorder.initial(world.observe(frame=True))
        with pytest.raises(KeyboardInterrupt):
            execution(tmp_path, world, recorder=recorder).run("job")
    (kept,) = read_runs(tmp_path).runs
    assert (kept.end, kept.steps, kept.reason) == ("failed", 1, "broken off: KeyboardInterrupt: ")
    assert kept.episodes == ("ep_000001",)


def test_the_version_that_was_run_is_the_one_in_the_log(tmp_path):
    save(tmp_path, 'yield collect("dirt")')
    first = execution(tmp_path, SmallWorld()).run("job")
    save(tmp_path, 'yield collect("stone")')
    second = execution(tmp_path, SmallWorld()).run("job")
    assert (first.version.number, second.version.number) == (1, 2)
    told = Library(tmp_path).statistics("job")
    assert list(told.by_version) == [first.version.digest, second.version.digest]
