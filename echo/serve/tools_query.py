"""The tool that searches episodes by cue, as `echo-memory query` does."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pydantic import Field, FiniteFloat

from echo.mfm.evidence.hashes import same_screen
from echo.mfm.evidence.pictures import frame_bytes
from echo.mfm.evidence.references import cited
from echo.mfm.evidence.sheet import tiles, write_sheet
from echo.mfm.evidence.similar import similar_pictures, similar_texts
from echo.mfm.layout import Row
from echo.mfm.options import require
from echo.mfm.query.ask import Answer, Found, ask
from echo.mfm.query.lines import text_line
from echo.mfm.query.question import DEFAULT_RADIUS, Question
from echo.serve.encoders import Encoders
from echo.serve.reply import Arguments, MemoryTool, Refused, Reply

MOST = 500
"""Rows that one call may ask for."""

ENCODER = "minilm-int8"
"""What compares texts, as in the command."""

DEFAULT_SIMILAR = 10
"""How many similar ones are told where `limit` does not say."""

USUAL = 100
"""Rows that are told where neither `last` nor `limit` says how many: the newest ones."""


class Querying(Arguments):
    """Cues that an episode must all meet; without any, every episode does."""

    last: int | None = Field(default=None, ge=1, le=MOST)
    """Only the newest so many of those that match."""
    steps: list[int] | None = Field(default=None, min_length=2, max_length=2)
    """Only those that reach into the stretch between these two steps."""
    near: list[FiniteFloat] | None = Field(default=None, min_length=2, max_length=2)
    """[x, z]: only those that began within `radius` blocks of it."""
    radius: FiniteFloat = Field(default=DEFAULT_RADIUS, ge=0)
    """Blocks, for near."""
    tag: str | None = None
    """Only with this tag: initial, inventory_changed, broke, note, damage, stuck, milestone, or others."""
    action: str | None = None
    """Only of this kind of action, such as craft."""
    grep: str | None = None
    """Only where this text occurs in the index line or in action, outcome or state, in any case."""
    text: str | None = None
    """Only where all these words occur."""
    previous: bool = False
    """Search the earlier lives instead of this one."""
    same_screen: str | None = None
    """Only where the screen looked as in this episode, such as ep_000012."""
    similar: str | None = None
    """Of those that match, the most similar in meaning to this text, the best first; `limit` of them."""
    similar_to: str | None = None
    """Of those that match, the ones whose picture looks most like that of this episode, the best first."""
    limit: int | None = Field(default=None, ge=1, le=MOST)
    """Only the first so many of what is left; 10 for similar ones."""
    sheet: bool = False
    """Show the matching frames on one contact sheet with their ids."""

    @property
    def ranked(self) -> bool:
        """Whether likeness orders the answer."""
        return self.similar is not None or self.similar_to is not None

    @property
    def counted_here(self) -> bool:
        """Whether nothing says how many are wanted."""
        return self.last is None and self.limit is None and not self.ranked

    def question(self) -> Question:
        """Return the question that the cues make."""
        told = {
            "steps": None if self.steps is None else tuple(self.steps),
            "near": None if self.near is None else tuple(self.near),
            "radius": self.radius,
            "tag": self.tag,
            "action": self.action,
            "grep": self.grep,
            "text": self.text,
            "previous": self.previous,
            # One more than is told, to know whether there are more; counting all would read all.
            "last": USUAL + 1 if self.counted_here else self.last,
            "limit": None if self.ranked else self.limit,
        }
        return Question(**told)


class Query:
    """The tool `query` of one memory folder."""

    def __init__(self, root: Path, encoders: Encoders) -> None:
        """Look at the memory at `root`; texts are compared by one of `encoders`."""
        self._root = root
        self._encoders = encoders

    def tools(self) -> list[MemoryTool]:
        """Return it."""
        return [
            MemoryTool(
                name="query",
                title="Search episodes",
                about=(
                    "Search what was lived, by cues that must all hold: steps, place, tag, action, text. "
                    "One line an episode, oldest first: id, steps, tags, position, action, summary, note, "
                    "path. Cheap; begin here. Open an episode with inspect."
                ),
                arguments=Querying,
                call=self.query,
                output=_ROWS,
            )
        ]

    def query(self, asked: Querying) -> Reply:
        """Return the episodes that meet the cues, as lines and as rows.

        Raises:
            MfmError: if there is no index, if it or what a sheet needs is switched off, or if the picture
                to compare cannot be read.
            Refused: if the words are too many, or the episode to compare has no frame.
        """
        if asked.sheet:
            require(self._root, "frames")
        try:
            answer = ask(self._root, asked.question(), chosen=self._chosen(asked))
        except ValueError as error:
            raise Refused(str(error)) from error
        more = asked.counted_here and len(answer.found) > USUAL
        found = answer.found[1:] if more else answer.found
        if asked.ranked:
            found = self._most_similar(asked, found)
        rows = [_row(one) for one in found]
        images = (self._sheet(rows),) if asked.sheet and rows else ()
        text = "\n".join(_lines(found, answer, more))
        return Reply(text=text, data={"rows": rows, "more": more}, images=images)

    def _chosen(self, asked: Querying) -> Callable[[Row], bool] | None:
        """Return the condition that a row shows the same screen as an episode, if that is asked."""
        if asked.same_screen is None:
            return None
        held = self._frame_of(asked.same_screen)
        alike = {cited(row): None for row in same_screen(self._root, held, previous=asked.previous)}
        return lambda row: cited(row) in alike

    def _most_similar(self, asked: Querying, found: list[Found]) -> list[Found]:
        """Return the most similar ones of what was found, the best first.

        Raises:
            Refused: if likeness is asked for twice, or the episode to compare with has no frame.
            EncodeError: if the text is blank, or the encoder is missing.
        """
        if asked.similar is not None and asked.similar_to is not None:
            raise Refused("expected similar or similar_to; got both. Ask one way at a time.")
        if asked.similar is not None:
            encoder = self._encoders.named(ENCODER)
            best = similar_texts(
                self._root, asked.similar, limit=sys.maxsize, encoder=encoder, previous=asked.previous
            )
        else:
            held = self._frame_of(asked.similar_to or "")
            best = similar_pictures(self._root, held, limit=sys.maxsize, previous=asked.previous)
        by_name = {cited(one.row): one for one in found}
        ordered = [by_name[name] for name in (cited(one.row) for one in best) if name in by_name]
        return ordered[: DEFAULT_SIMILAR if asked.limit is None else asked.limit]

    def _frame_of(self, episode: str) -> bytes:
        held = frame_bytes(self._root, episode)
        if held is None:
            raise Refused(
                f"expected an episode with a frame to compare with; {episode} has none. Choose another."
            )
        return held

    def _sheet(self, rows: list[Row]) -> bytes:
        with tempfile.TemporaryDirectory(prefix="echo-memory-") as folder:
            out = Path(folder) / "sheet.png"
            write_sheet(out, tiles(self._root, rows))
            return out.read_bytes()


def _row(found: Found) -> dict[str, Any]:
    note = {} if not found.note or "note" in found.row else {"note": found.note}
    return {**found.row, **note}


def _lines(found: list[Found], answer: Answer, more: bool) -> Iterator[str]:
    if more:
        yield f"(the newest {USUAL} of more; narrow the cues, or say how many with last)"
    yield from (text_line(one.row, one.note) for one in found)
    if not found:
        yield "(no matching episodes)"
    if answer.torn:
        places = "place" if answer.torn == 1 else "places"
        yield f"(passed over {answer.torn} {places} of the index that hold no row)"
    yield from (f"(could not read {path})" for path in answer.unread[:5])


_ROWS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "rows": {
            "type": "array",
            "description": "Rows of the index, oldest first, each with its note where it has one.",
            "items": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]},
        },
        "more": {"type": "boolean", "description": "Whether older ones match too."},
    },
    "required": ["rows", "more"],
}
