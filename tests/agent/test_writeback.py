from __future__ import annotations

from collections.abc import Sequence

import pytest

from csd.axes import Axis
from csd.build import describe
from csd.descriptor import Csd
from csd.episode import Action, Collect, Craft, Episode, Equip, GoTo, Place, Step
from csd.ground import ground
from echo.agent.archive import Failed, NoArchive
from echo.agent.arrangement import Arrangement
from echo.agent.body import Body
from echo.agent.knowledge import Knowledge
from echo.agent.policy import Idea, NoMemory
from echo.agent.threads import UnlockThread
from echo.agent.writeback import Chronicle, Purpose, describe_last
from ical.map import Correspondence, StructureMapping
from ical.task import Assertion, InducedTask
from ical.verify import Finding, Verdict
from tests.agent.toy_world import ToyWorld

PLANKS = Craft(grid=(("log",),))


class Keeping(NoArchive):
    """Keeps what it is handed in lists."""

    keeps_frames = True

    def __init__(self) -> None:
        super().__init__()
        self.episodes: list[Episode] = []
        self.csds: list[Csd] = []
        self.derived: list[tuple[str, ...]] = []
        self.failed: list[Failed] = []
        self.threads: list[UnlockThread] = []

    def write(self, episode: Episode) -> str:
        self.episodes.append(episode)
        return super().write(episode)

    def describe(self, csd: Csd, derived_from: Sequence[str] = ()) -> None:
        self.csds.append(csd)
        self.derived.append(tuple(derived_from))

    def fail(self, failed: Failed) -> None:
        self.failed.append(failed)

    def trace(self, thread: UnlockThread) -> None:
        self.threads.append(thread)


class Remembering(NoMemory):
    def __init__(self) -> None:
        self.remembered: list[Csd] = []

    def remember(self, csd: Csd) -> None:
        self.remembered.append(csd)


class Setting:
    def __init__(self, world: ToyWorld, record: str = "unlocks") -> None:
        assert record in ("unlocks", "all")
        self.known, self.archive, self.policy = Knowledge(), Keeping(), Remembering()
        self.chronicle = Chronicle(
            knowledge=self.known,
            policy=self.policy,
            archive=self.archive,
            picture=world.render,
            source=world.source,
            record="all" if record == "all" else "unlocks",
        )
        self.archive.begin(world.observe())
        self.body = Body(world, self.known, 1_000, self.chronicle.take_in)

    def do(self, *actions: Action, source: str = "collect") -> None:
        assert source in ("collect", "exploration", "edit")
        purpose = Purpose(source="collect" if source == "collect" else "exploration", detail="trying")
        self.chronicle.start(purpose)
        for action in actions:
            self.body.do(action)


def episode_of(world: ToyWorld, *actions: Action) -> Episode:
    steps = []
    for action in actions:
        before = world.observe()
        steps.append(Step(before=before, action=action, outcome=world.act(action)))
    return Episode(id="ep_000007", goal="get", steps=tuple(steps), after=world.observe(), source="toy")


def test_an_unlock_says_when_and_how_it_came_and_where_it_is_kept():
    at = Setting(ToyWorld())
    at.do(GoTo(target=(9, 64, 9)), Collect(block="tree"))
    (unlock,) = at.chronicle.unlocks
    assert (unlock.item, unlock.action, unlock.tick, unlock.verb) == ("log", 1, 40, "collect")
    assert (unlock.source, unlock.detail) == ("collect", "dug tree holding nothing")
    assert unlock.episode == "ep_000001"
    assert unlock.csd == at.archive.csds[-1].id == at.policy.remembered[-1].id


def test_the_hundredth_log_from_one_tree_is_not_described():
    at = Setting(ToyWorld())
    at.do(*[Collect(block="tree")] * 5)
    assert len(at.policy.remembered) == len(at.archive.episodes) == 1


def test_a_block_that_gives_nothing_is_described_once():
    at = Setting(ToyWorld())
    at.do(*[Collect(block="dust")] * 3)
    assert [csd.meta.success for csd in at.policy.remembered] == [False]
    assert at.chronicle.unlocks == []


def test_the_same_block_dug_with_another_tool_shows_something_new():
    at = Setting(ToyWorld(held={"pick": 1}))
    at.do(Collect(block="tree"), Equip(item="pick"), Collect(block="tree"), Collect(block="tree"))
    assert len(at.policy.remembered) == 2


def test_an_episode_holds_the_steps_since_the_decision_and_each_step_once():
    at = Setting(ToyWorld())
    at.do(GoTo(target=(9, 64, 9)))
    at.do(Equip(item=None), Collect(block="tree"), Collect(block="tree"), PLANKS)
    kinds = [[step.action.kind for step in episode.steps] for episode in at.archive.episodes]
    assert kinds == [["equip", "collect"], ["collect", "craft"]]


def test_only_what_is_new_to_the_agent_is_pictured_and_only_at_its_end():
    at = Setting(ToyWorld(held={"pick": 1}))
    at.do(Collect(block="tree"), Equip(item="pick"), Collect(block="tree"))
    new, known = at.archive.episodes
    assert new.after.frame is not None
    assert known.after.frame is None
    assert all(step.before.frame is None for step in (*new.steps, *known.steps))


def test_failed_attempts_become_episodes_only_when_everything_is_recorded():
    for record, count in (("unlocks", 0), ("all", 1)):
        at = Setting(ToyWorld(held={"log": 2}), record)
        at.do(Craft(grid=(("log", "log"),)), source="exploration")
        laid = Arrangement("AA", ("log",))
        outcome = at.body.do(Craft(grid=laid.grid))
        at.chronicle.close_attempt(laid, outcome, at.body.seen)
        assert len(at.archive.episodes) == count
        assert at.chronicle.attempts == {"exploration": {"tried": 1, "made": 0, "new": 0, "rejected": 0}}
        assert at.policy.remembered == []


def test_a_descriptor_of_the_last_step_points_into_the_whole_episode():
    episode = episode_of(ToyWorld(), Collect(block="dust"), Collect(block="tree"), PLANKS)
    csd = describe_last(episode)
    assert csd is not None
    assert csd.meta.product == "plank"
    assert (csd.meta.step, csd.meta.tick) == (0, 0)
    steps = {
        evidence.step
        for axis in ("struct", "proc", "func")
        for one in getattr(csd, axis)
        for evidence in one.evidence
    }
    assert steps == {2}
    assert ground(csd, {episode.id: episode}) == ()


def test_a_descriptor_of_a_single_step_is_the_plain_one():
    episode = episode_of(ToyWorld(), Collect(block="tree"))
    assert describe_last(episode) == describe(episode)


def test_of_a_mere_walk_nothing_is_described():
    assert describe_last(episode_of(ToyWorld(), GoTo(target=(0, 64, 0)))) is None


def test_a_demonstration_is_known_and_remembered_before_the_start_but_nothing_is_held():
    shown = episode_of(ToyWorld(held={"log": 1}), PLANKS)
    at = Setting(ToyWorld())
    at.chronicle.demonstrate(shown)
    assert at.known.items == []
    assert list(at.known.ways) == ["plank"]
    assert at.archive.episodes[0].source == "toy"
    assert at.chronicle.shown == {Arrangement("A", ("log",)): at.policy.remembered[0].id}
    assert at.policy.remembered[0].meta.episodes == ("ep_000001",)


@pytest.mark.parametrize("actions", [(Craft(grid=(("log",),)),), (Collect(block="tree"),)])
def test_an_item_that_came_by_digging_counts_as_collected_whatever_it_was_for(actions):
    at = Setting(ToyWorld(held={"log": 1} if actions[0].kind == "craft" else {}))
    at.do(*actions, source="exploration")
    expected = "exploration" if actions[0].kind == "craft" else "collect"
    assert [one.source for one in at.chronicle.unlocks] == [expected]


def suggestion(*assertions: Assertion) -> Purpose:
    """Return the purpose of laying a log on its own, with what is asserted of it."""
    idea = Idea(
        arrangement=Arrangement("A", ("log",)),
        success=0.25,
        score=0.5,
        source="transfer",
        axes={"func": 1.0},
        exemplars=("csd_0",),
        detail="log for plank in A",
        task=InducedTask(
            goal="craft A with log in the place of plank",
            actions=(PLANKS,),
            needs={"log": 1},
            station=None,
            effects=None,
            assertions=assertions,
            support=(),
            success=0.25,
            source="transfer",
        ),
        mapping=StructureMapping(
            correspondences=(
                Correspondence(base="plank", target="log", axes={Axis.FUNC: 1.0}, statements=()),
            ),
            score=0.75,
            inferences=(),
            unexplained={},
            axes=(Axis.FUNC,),
        ),
    )
    finding = Finding(kind="need_unmet", reason="expected log x1 carried; got x0")
    return Purpose(
        source="transfer",
        detail=idea.detail,
        axes=idea.axes,
        exemplars=idea.exemplars,
        idea=idea,
        verdict=Verdict(findings=(finding,)),
    )


USES_ONE = Assertion(text="log x1 is used up", kind="uses", item="log", amount=1)
USES_TWO = Assertion(text="log x2 is used up", kind="uses", item="log", amount=2)


def test_an_unlock_by_memory_leaves_its_thread_and_links_to_what_it_came_from():
    at = Setting(ToyWorld(held={"log": 1}))
    at.chronicle.turn_to(suggestion(USES_ONE))
    at.body.do(PLANKS)
    (unlock,), (thread,) = at.chronicle.unlocks, at.archive.threads
    assert (unlock.item, unlock.detail) == ("plank", "log for plank in A")
    assert (thread.item, thread.csd, thread.exemplar) == ("plank", unlock.csd, "csd_0")
    assert (thread.goal, thread.success, thread.score) == (
        "craft A with log in the place of plank",
        0.25,
        0.75,
    )
    (pair,) = thread.correspondences
    assert (pair.base, pair.target, pair.axes) == ("plank", "log", {"func": 1.0})
    assert [(one.kind, one.reason) for one in thread.objections] == [
        ("need_unmet", "expected log x1 carried; got x0")
    ]
    assert thread.surprises == ()
    assert at.archive.derived == [("csd_0",)]


def test_an_unlock_that_was_not_suggested_leaves_no_thread_and_no_link():
    at = Setting(ToyWorld(held={"log": 1}))
    at.do(PLANKS, source="exploration")
    assert at.archive.threads == []
    assert at.archive.derived == [()]


def test_what_came_otherwise_than_asserted_is_told_with_the_unlock():
    at = Setting(ToyWorld(held={"log": 1}))
    at.chronicle.turn_to(suggestion(USES_ONE, USES_TWO))
    at.body.do(PLANKS)
    assert at.chronicle.unlocks[0].detail == "log for plank in A; unlike asserted: log x2 is used up"
    assert at.archive.threads[0].surprises == ("log x2 is used up",)
    assert at.archive.failed == []


def test_a_surprise_without_an_unlock_goes_to_the_log():
    at = Setting(ToyWorld(held={"log": 2}))
    at.do(PLANKS, source="exploration")
    at.chronicle.turn_to(suggestion(USES_TWO))
    at.body.do(PLANKS)
    assert [(one.arrangement, one.exemplars, one.surprises) for one in at.archive.failed] == [
        (Arrangement("A", ("log",)), ("csd_0",), ("log x2 is used up",))
    ]


def test_steps_that_lead_to_an_attempt_are_not_derived_from_its_exemplar():
    at = Setting(ToyWorld(held={"table": 1, "log": 1}))
    at.chronicle.turn_to(suggestion(USES_ONE))
    at.body.do(Place(item="table"))
    at.body.do(PLANKS)
    assert at.archive.derived == [(), ("csd_0",)]
