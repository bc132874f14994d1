"""Descriptors by a language model: asked, read, looked up in the episode, and asked again where it is wrong.

Source: Echo §3.2 (a model writes the descriptor); differs in that a statement is kept only with evidence, and
that an answer of which nothing is left gives no descriptor rather than an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from csd.build import NotDescribed, decided
from csd.build_proc import told_runs
from csd.by_model.attempt import Attempt, Draft, Written
from csd.by_model.check import check
from csd.by_model.look import LOOK_SCHEMA, read_look
from csd.by_model.picture import picture
from csd.by_model.prompts import VERSION, Shot, conversation, look_conversation
from csd.by_model.shape import compact_schema
from csd.by_model.trace import STYLES
from csd.chat import JsonSchema, Message, Model, ModelError, Reply, answers, prompt_digest
from csd.episode import Episode

TOGETHER = 16
"""Experiences that a model is asked about at once; what it wrote is handed on before the next ones."""

MOST_REFUSALS = 2
"""Questions in a row that a model may leave unanswered before the rest of its batch is given up."""


class Author:
    """Writes descriptors by asking a model."""

    def __init__(
        self,
        model: Model,
        *,
        style: str = "plain",
        constrained: bool = True,
        repairs: int = 2,
        shots: Sequence[Shot] = (),
        sees_frames: bool = False,
    ) -> None:
        """Write with `model`.

        Args:
            model: whatever answers.
            style: how experiences are told, one of `csd.by_model.trace.STYLES`.
            constrained: whether to hold the model to the schema, where it can be.
            repairs: how often it is asked again with what was wrong, 0 or more.
            shots: examples for a model that was not tuned; see `csd.by_model.example`.
            sees_frames: whether it is shown the frame, and asked first what is to be seen there.

        Raises:
            ValueError: on an unknown style or a negative number of repairs.
        """
        if style not in STYLES:
            raise ValueError(f"expected one of the styles {', '.join(STYLES)}; got {style!r}. Pick one.")
        if repairs < 0:
            raise ValueError(f"expected 0 or more repairs; got {repairs}. 0 takes the first answer.")
        self._model, self._style, self._repairs = model, style, repairs
        self._schema = compact_schema() if constrained else None
        self._shots, self._sees_frames = tuple(shots), sees_frames

    @property
    def builder(self) -> str:
        """Name of the model and version of the prompts, as kept in `meta.builder`."""
        return f"{self._model.name} {VERSION}"

    def write(self, episode: Episode, product: str | None = None) -> Written:
        """Describe `episode`, which was for `product` where that is known.

        Whatever goes wrong (no answer, no JSON, nothing shown by the episode) is in what is returned.
        """
        return next(self.write_each([episode], [product]))

    def write_each(
        self, episodes: Sequence[Episode], products: Sequence[str | None] | None = None
    ) -> Iterator[Written]:
        """Describe `episodes`, each for the product in its place, and yield what came of them in their order.

        A model that answers many conversations together is asked about `TOGETHER` of them at once.

        Raises:
            ValueError: if there are products, but not one a episode.
        """
        wanted = [None] * len(episodes) if products is None else list(products)
        if len(wanted) != len(episodes):
            raise ValueError(
                f"expected a product for each of {len(episodes)} episodes; got {len(wanted)}. "
                f"Give None where it is not known."
            )
        for start in range(0, len(episodes), TOGETHER):
            part = slice(start, start + TOGETHER)
            drafts = [_draft(*pair) for pair in zip(episodes[part], wanted[part], strict=True)]
            self._work([draft for draft in drafts if draft.open])
            yield from (draft.written() for draft in drafts)

    def _work(self, drafts: Sequence[Draft]) -> None:
        images = {id(one): self._image(one) for one in drafts}
        self._look([(one, image) for one in drafts if (image := images[id(one)]) is not None])
        for draft in drafts:
            draft.ask(self._question(draft, images[id(draft)]))
        for _ in range(1 + self._repairs):
            still = [draft for draft in drafts if draft.open]
            replies = self._answers([draft.conversation for draft in still], self._schema)
            for draft, reply in zip(still, replies, strict=True):
                self._take(draft, reply)

    def _image(self, draft: Draft) -> bytes | None:
        return picture(draft.episode, draft.product) if self._sees_frames else None

    def _question(self, draft: Draft, image: bytes | None) -> tuple[Message, ...]:
        return conversation(
            draft.episode,
            style=self._style,
            product=draft.product,
            shots=self._shots,
            image=image,
            looked=draft.looked,
        )

    def _take(self, draft: Draft, reply: Reply | ModelError) -> None:
        if isinstance(reply, ModelError):
            draft.fail(str(reply))
            return
        checked = check(
            reply.text,
            draft.episode,
            builder=self.builder,
            product=draft.product,
            asked=draft.asked,
            shots=self._shots,
        )
        draft.take(reply, checked)

    def _look(self, drafts: Sequence[tuple[Draft, bytes]]) -> None:
        """Ask what the pictures show; an answer that cannot be read is kept, and the trace goes without."""
        asked = [look_conversation(image) for _, image in drafts]
        schema = LOOK_SCHEMA if self._schema is not None else None
        for (draft, _), messages, reply in zip(drafts, asked, self._answers(asked, schema), strict=True):
            findings: tuple[str, ...] = ()
            try:
                if isinstance(reply, ModelError):
                    raise reply
                draft.looked = read_look(reply.text, draft.episode, draft.product)
            except (ModelError, ValueError) as error:
                findings = (str(error),)
            given = None if isinstance(reply, ModelError) else reply
            draft.note(Attempt(task="look", prompt=prompt_digest(messages), reply=given, findings=findings))

    def _answers(
        self, conversations: Sequence[tuple[Message, ...]], schema: JsonSchema | None
    ) -> list[Reply | ModelError]:
        """Ask all together; where that fails, one by one, so that one bad question does not cost the rest."""
        if not conversations:
            return []
        try:
            return list(answers(self._model, conversations, schema=schema))
        except ModelError as error:
            return self._one_by_one(conversations, schema) if len(conversations) > 1 else [error]

    def _one_by_one(
        self, conversations: Sequence[tuple[Message, ...]], schema: JsonSchema | None
    ) -> list[Reply | ModelError]:
        found: list[Reply | ModelError] = []
        refusals = 0
        for messages in conversations:
            if refusals >= MOST_REFUSALS:
                found.append(found[-1])
                continue
            try:
                found.append(self._model(messages, schema=schema))
                refusals = 0
            except ModelError as error:
                found.append(error)
                refusals += 1
        return found


def _draft(episode: Episode, product: str | None) -> Draft:
    scene = decided(episode, product)
    if isinstance(scene, NotDescribed):
        return Draft(episode, product, scene.reason)
    if not told_runs(episode):
        reason = (
            f"expected a step that gained, tried or failed at something; got only moves in {episode.id}. "
            f"Leave this episode undescribed."
        )
        return Draft(episode, product, reason)
    return Draft(episode, product)
