"""Let a model live in a world with a memory, turn by turn, and write every turn down.

Source: MFM's harness. A standing brief, then each turn a block with [STATE], [RECENT] and [MAP]; the direct
agent gets neither of the latter. Differs in that commands are JSON objects in the model's reply instead of
shell commands, so that a model without a shell can be used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from csd.chat import Message, Model, ModelError, Reply, prompt_digest
from csd.episode import Observation
from echo.mfm.consolidation.batches import Consolidator
from echo.mfm.episodic.recorder import Recorder
from echo.mfm.layout import earlier_lives
from echo.mfm.mine.writable import Mine
from echo.mfm.options import memory_options
from echo.mfm.procedural.session import World
from echo.mfm.query.ask import ask
from echo.mfm.query.lines import text_line
from echo.mfm.query.question import Question
from echo.mfm.spatial.map_block import map_block
from echo.mfm.turns.acting import Acted, Hands
from echo.mfm.turns.block import block, state_block
from echo.mfm.turns.brief import CHARACTERS, standing_brief
from echo.mfm.turns.commands import commands
from echo.mfm.turns.record import Call, Turn, read_turns, write_brief, write_turn
from echo.mfm.turns.tools import Tool, allowed_tools


@dataclass(frozen=True, kw_only=True)
class Milestone:
    """A step on the way that the inventory shows. Source: MFM's milestones as inventory predicates."""

    name: str
    item: str
    count: int = 1


@dataclass(frozen=True, kw_only=True)
class TurnSettings:
    """How an agent lives."""

    goal: str
    direct: bool = False
    """Whether it has no memory of episodes: no [RECENT], no [MAP], no tools that read episodes."""
    calls: int = 6
    """Questions to the model a turn, at most."""
    recent: int = 8
    """Episodes told in [RECENT]."""
    map_characters: int = 1_500
    block_characters: int = 6_000
    brief_characters: int = CHARACTERS
    batch: int = 10
    """Episodes after which the memory is consolidated."""
    milestones: tuple[Milestone, ...] = ()


class Harness:
    """One agent in one world. For one thread."""

    def __init__(
        self,
        recorder: Recorder,
        world: World,
        model: Model,
        tools: Sequence[Tool],
        settings: TurnSettings,
    ) -> None:
        """Take over a world; the memory is the recorder's folder.

        Args:
            recorder: Records what is done; a first observation is recorded where its memory is empty.
            world: Where to act.
            model: Who decides.
            tools: What the memory can be asked; those that its options switch off are left out.
            settings: How to live.

        Raises:
            MfmError: if the memory's options are unreadable.
        """
        self.root = recorder.root
        options = memory_options(self.root)
        self._recorder, self._world, self._model, self._settings = recorder, world, model, settings
        self._tools = allowed_tools(tools, options, direct=settings.direct)
        self._told = options.index and not settings.direct
        self._consolidator = Consolidator(self.root, every=settings.batch) if options.consolidation else None
        earlier = read_turns(self.root)
        self._last = earlier.turns[-1] if earlier.turns else None
        self._number = max((turn.turn for turn in earlier.turns), default=0)
        self._life = 1 + max(earlier_lives(self.root), default=0)
        self._reached = {
            name for turn in earlier.turns if turn.life == self._life for name in turn.milestones
        }
        self._briefs = set(earlier.briefs)
        if recorder.empty:
            recorder.initial(world.observe(frame=True))

    def take_turn(self) -> Turn:
        """Ask the model, carry out what it says, write the turn down and return it.

        A model that fails or says nothing usable is a turn with a `failure`.

        Raises:
            MfmError: if the memory cannot be read or written.
            OSError: if the disk refuses.
        """
        before = self._world.observe()
        brief = standing_brief(self.root, self._tools, characters=self._settings.brief_characters)
        moment = self._block(before)
        head = [Message(role="system", text=brief), Message(role="user", text=moment)]
        mine = Mine(self.root, read_only=True)
        changes = len(mine.history())
        acted, calls, failure = self._converse(head)
        after = self._world.observe()
        self._recorder.flush()
        self._number += 1
        turn = Turn(
            turn=self._number,
            life=self._life,
            first_step=before.step,
            last_step=after.step,
            at=(before.position[0], before.position[2]),
            model=self._model.name,
            brief=hashlib.sha256(brief.encode()).hexdigest(),
            block=moment,
            plan=acted.plan,
            destinations=tuple(acted.destinations),
            calls=tuple(calls),
            commands=tuple(acted.done),
            changed=tuple(sorted({path for change in mine.history()[changes:] for path in change.files})),
            viewed=tuple(acted.viewed),
            episodes=tuple(acted.episodes),
            milestones=tuple(self._new_milestones(after)),
            failure=failure,
        )
        if turn.brief not in self._briefs:
            write_brief(self.root, turn.brief, brief)
            self._briefs.add(turn.brief)
        write_turn(self.root, turn)
        self._last = turn
        if self._consolidator is not None:
            self._consolidator.recorded(len(acted.episodes))
        return turn

    def _converse(self, head: list[Message]) -> tuple[Acted, list[Call], str | None]:
        """Ask until something was done in the world, the agent ends the turn, or no call is left."""
        hands = Hands(self._world, self._recorder, self._tools, self._settings.goal)
        acted, calls, said = Acted(turn=self._number + 1), list[Call](), list(head)
        while not acted.over and len(calls) < self._settings.calls:
            try:
                reply = self._model(said)
            except ModelError as error:
                return acted, calls, f"the model did not answer: {error}"
            calls.append(_call(said, reply))
            found = commands(reply.text, hands.verbs)
            if not found:
                return acted, calls, "the model's reply holds no command"
            begin = len(acted.done)
            acted.images.clear()
            hands.carry_out(found, acted)
            answers = "\n".join(f"{done.command}\n-> {done.output}" for done in acted.done[begin:])
            said += [
                Message(role="assistant", text=reply.text),
                Message(role="user", text=answers, images=tuple(acted.images)),
            ]
        return acted, calls, None

    def _block(self, seen: Observation) -> str:
        parts = [state_block(seen, self._settings.goal), self._last_turn()]
        if self._told:
            parts += [self._recent(), self._map(seen)]
        return block(tuple(parts), self._settings.block_characters)

    def _last_turn(self) -> str:
        if self._last is None:
            return ""
        told = [f"{done.command}\n-> {done.output}" for done in self._last.commands]
        failed = [] if self._last.failure is None else [f"failure: {self._last.failure}"]
        return "\n".join(["[LAST TURN]", *told, *failed])

    def _recent(self) -> str:
        found = ask(self.root, Question(last=self._settings.recent)).found
        return "\n".join(["[RECENT]", *(text_line(one.row, one.note) for one in found)])

    def _map(self, seen: Observation) -> str:
        x, _, z = seen.position
        return map_block(self.root, x, z, budget_characters=self._settings.map_characters)

    def _new_milestones(self, seen: Observation) -> list[str]:
        held = [
            each.name
            for each in self._settings.milestones
            if each.name not in self._reached and seen.count(each.item) >= each.count
        ]
        self._reached |= set(held)
        return held


def _call(messages: Sequence[Message], reply: Reply) -> Call:
    return Call(
        prompt_digest=prompt_digest(messages),
        completion=reply.text,
        prompt_tokens=reply.prompt_tokens,
        completion_tokens=reply.completion_tokens,
        money=reply.money,
        seed=reply.seed,
    )
