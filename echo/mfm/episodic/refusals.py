"""What is refused before anything is written, and in which words."""

from __future__ import annotations

from collections.abc import Sequence

from csd.episode import Observation, Step
from echo.mfm.codec import Mismatch
from echo.mfm.episodic.checked import check
from echo.mfm.episodic.documents import Entry
from echo.mfm.episodic.frames import check_frame

NO_TAGS = "-"
"""What stands for the tags of an episode without any in a line of a query, so that none may be called so."""

_CURES = {
    "goal": "Write it as text.",
    "notes": "Write each as text.",
    "tags": "Write each as text.",
    "cause": "Tell it in the types of Cause, with arguments that JSON has.",
    "code": "Take the nearest of these and tell the rest in the message of the outcome.",
    "action": "Record the nearest of these and tell in a note what it was.",
    "kind": "Leave it as it is; each action has its own.",
}
"""What to do, by the field of an episode, or that of its steps."""
_ANY_CURE = "Give it as that field of csd.episode says."


def check_entry(entry: Entry, source: str) -> None:
    """Refuse an episode that a reader would refuse, or that its line in a query would not tell clearly.

    Frames are not looked at.

    Raises:
        ValueError: with what was expected, what was found, where, and what to do.
    """
    try:
        check(str, source)
    except Mismatch as mismatch:
        raise ValueError(f"expected text as the source of an episode, got {mismatch.got}. Name it.") from None
    try:
        check(Entry, entry)
    except Mismatch as mismatch:
        raise ValueError(_told(mismatch, len(entry.steps))) from None
    _check_tags(entry.tags)


def check_step(
    step: Step, after: Observation, *, goal: str, notes: Sequence[str], tags: Sequence[str]
) -> None:
    """Refuse what could not be recorded as (a part of) an episode.

    Raises:
        ValueError: with what was expected, what was found, where, and what to do; also on a frame of a wrong
            shape.
    """
    entry = Entry(
        goal=goal, steps=(step,), after=after, notes=as_texts("notes", notes), tags=as_texts("tags", tags)
    )
    check_entry(entry, "")
    for seen in (step.before, after):
        if seen.frame is not None:
            check_frame(seen.frame)


def as_texts(name: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return several texts as a tuple; one text, which is a sequence too, is refused.

    Raises:
        ValueError: then.
    """
    if isinstance(texts, str):
        raise ValueError(
            f"expected a list of texts as {name} of an episode, got the text {texts!r}. Put it in brackets."
        )
    return tuple(texts)


def _check_tags(tags: Sequence[str]) -> None:
    for tag in tags:
        if not tag or tag == NO_TAGS or tag != tag.strip() or "," in tag or not tag.isprintable():
            raise ValueError(
                f"expected a tag of printable characters without a comma and without blanks at its ends, "
                f"other than {NO_TAGS!r}, got {tag!r} in the tags of an episode, which a query shows as "
                f"'tags=a,b'. Name it otherwise; nothing was written."
            )


def _told(mismatch: Mismatch, steps: int) -> str:
    path = mismatch.path[::-1]
    where = ".".join(path) or "the top"
    if len(path) > 1 and path[0] == "steps":
        step = f"step {int(path[1]) + 1} of {steps}"
        where = f"{'.'.join(path[2:])} of {step}" if path[2:] else step
    cure = next((_CURES[key] for key in (*path[:1], *path[-1:]) if key in _CURES), _ANY_CURE)
    return (
        f"expected {mismatch.expected}, got {mismatch.got} at {where} in an episode. {cure} "
        f"Nothing was written."
    )
