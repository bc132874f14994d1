"""Lessons by a model: it is shown a batch of episodes and what it says is kept as far as they bear it out.

Any callable from a prompt to a completion will do. What it claims must cite episodes it was shown; what
cites others, none, or is contradicted by what it cites is dropped, with the reason. A model that fails or
says nothing usable is an expected case: the lessons of the rules are written all the same.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Protocol

from echo.mfm.consolidation.attempts import HAND, Attempt
from echo.mfm.consolidation.doing import doing
from echo.mfm.consolidation.evidence import Evidence
from echo.mfm.consolidation.findings import Finding, counted, named
from echo.mfm.consolidation.sections import Section
from echo.mfm.layout import NOTES
from echo.mfm.mine.check import NotesChecker
from echo.mfm.mine.citations import citations

BATCH = 120
"""Episodes in one prompt."""
MOST_CLAIMS = 12
"""Claims asked for, and kept, of one batch."""
MOST_LINES = 60
"""Claims kept in all; the oldest give way."""
_ACTIONS = 12
"""Actions told of one episode."""
_LONGEST = 400
"""Letters of one claim."""

_BULLET = re.compile(r"\s*(?:[-*+\u2022]|\d{1,3}[.)])\s+(?P<claim>\S.*)")
_NAMELESS = re.compile(r"\s*\[[^\[\]\n]*\]")

PROMPT = """\
Below are episodes of an agent's memory, one a line, each with its id in brackets.
Write down at most {most} lessons that will help this agent later: what worked under which conditions, what
did not, what differed between the two, where things are, what to avoid.

Rules:
- One lesson a line, beginning with "- ".
- Behind each lesson the ids of the episodes that show it, such as [ep_000012, ep_000015].
- Only what these episodes show. Nothing you know from elsewhere. No ids but those below.

Episodes:
{episodes}

Lessons:
"""


class WriterFailed(RuntimeError):
    """A model gave no completion; the text says why."""


class Writer(Protocol):
    """A text model."""

    def __call__(self, prompt: str) -> str:
        """Return the completion of `prompt`.

        Raises:
            WriterFailed: if there is none.
        """
        ...


@dataclass(frozen=True, kw_only=True)
class Reading:
    """One completion, read."""

    kept: tuple[Finding, ...]
    dropped: tuple[tuple[str, str], ...]
    """Claim and reason."""
    failure: str | None = None
    """Why there is nothing to keep; None where something was kept."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What came of asking a model about the episodes it had not been shown."""

    prompts: tuple[str, ...]
    """One a batch."""
    completions: tuple[str, ...]
    """Of the batches that were answered, the raw texts."""
    kept: tuple[Finding, ...]
    dropped: tuple[tuple[str, str], ...]
    """Claim and reason."""
    through: str | None
    """The last episode of the batches that were answered usably; None where none was."""
    failure: str | None
    """Why the last batch was not answered usably; the batches before it count."""

    @property
    def section(self) -> Section:
        """The claims as a section of notes.md."""
        return Section(
            name="model",
            heading="## Lessons by a model",
            findings=self.kept,
            most=MOST_LINES,
            grows=True,
        )

    def record(self) -> dict[str, Any]:
        """Return what the log keeps."""
        return {
            "prompts": [
                hashlib.sha256(prompt.encode("utf-8", "surrogatepass")).hexdigest() for prompt in self.prompts
            ],
            "completions": list(self.completions),
            "kept": [finding.line for finding in self.kept],
            "dropped": [list(each) for each in self.dropped],
            "through": self.through,
            "failure": self.failure,
        }


def ask_writer(root: Path, evidence: Evidence, shown: Sequence[str], writer: Writer) -> Asked | None:
    """Show a model the episodes behind the last of `shown`, batch by batch; None where there are none.

    Args:
        root: The memory folder, for checking claims.
        evidence: All attempts.
        shown: Last episodes of the batches it has answered before.
        writer: The model.
    """
    order = {episode: place for place, episode in enumerate(evidence.episodes)}
    done = max((order[episode] for episode in shown if episode in order), default=-1)
    waiting = evidence.episodes[done + 1 :]
    if not waiting:
        return None
    told = {
        episode: episode_line(episode, tuple(held))
        for episode, held in groupby(evidence.attempts, key=lambda attempt: attempt.episode)
    }
    checker = NotesChecker(root)
    prompts: list[str] = []
    completions: list[str] = []
    kept: list[Finding] = []
    dropped: list[tuple[str, str]] = []
    through: str | None = None
    failure: str | None = None
    for start in range(0, len(waiting), BATCH):
        batch = waiting[start : start + BATCH]
        lines = [told[episode] for episode in batch if episode in told]
        prompts.append(PROMPT.format(most=MOST_CLAIMS, episodes="\n".join(lines)))
        try:
            completion = writer(prompts[-1])
        except WriterFailed as error:
            failure = str(error)
            break
        completions.append(completion)
        reading = read_claims(checker, completion, batch)
        kept += reading.kept
        dropped += reading.dropped
        failure = reading.failure
        if failure is not None:
            break
        through = batch[-1]
    return Asked(
        prompts=tuple(prompts),
        completions=tuple(completions),
        kept=_distinct(kept),
        dropped=tuple(dropped),
        through=through,
        failure=failure,
    )


def read_claims(checker: NotesChecker, completion: str, shown: Sequence[str]) -> Reading:
    """Return the claims of a completion that stand, and why the others do not.

    Bullets of any kind and numbered lines are claims; all else is passed over.
    """
    claims = [
        found["claim"].strip() for line in completion.splitlines() if (found := _BULLET.fullmatch(line))
    ]
    if not claims:
        what = "nothing" if not completion.strip() else f"no bullet in {len(completion)} letters"
        return Reading(kept=(), dropped=(), failure=f"expected lessons as bullets, got {what}")
    kept: list[Finding] = []
    dropped: list[tuple[str, str]] = []
    for claim in claims:
        made = _finding(checker, claim, frozenset(shown)) if len(kept) < MOST_CLAIMS else "one too many"
        if isinstance(made, str):
            dropped.append((claim, made))
        else:
            kept.append(made)
    failure = (
        None
        if kept
        else f"expected at least one lesson that its episodes bear out, got none of {len(claims)}"
    )
    return Reading(kept=tuple(kept), dropped=tuple(dropped), failure=failure)


def _finding(checker: NotesChecker, claim: str, shown: frozenset[str]) -> Finding | str:
    """Return the claim as a finding, or the reason why it does not stand."""
    cited = tuple(dict.fromkeys(each.name for each in citations(claim)))
    unknown = [name for name in cited if name not in shown]
    if not cited:
        return "cites no episode"
    if unknown:
        return f"cites {', '.join(unknown[:3])}, which it was not shown"
    words = " ".join(_NAMELESS.sub("", claim).replace("<!--", "").replace("-->", "").split()).rstrip(" .;,:")
    words = "".join(letter if letter.isprintable() else "?" for letter in words)
    if not words or len(words) > _LONGEST:
        return f"has {len(words)} letters, expected 1 to {_LONGEST}"
    subject, colon, rest = words.partition(": ")
    finding = Finding(
        rule="model",
        subject=subject,
        text=f"{rest} [{', '.join(cited)}]" if colon else f"[{', '.join(cited)}]",
        episodes=cited,
    )
    against = [each.detail for each in checker.check(NOTES, finding.line).findings]
    return f"does not hold: {'. '.join(against)}" if against else finding


def _distinct(kept: Sequence[Finding]) -> tuple[Finding, ...]:
    """Return findings with different subjects, the last of two alike."""
    return tuple({finding.subject: finding for finding in kept}.values())


def episode_line(episode: str, attempts: Sequence[Attempt]) -> str:
    """Return one episode as a model is shown it: what was done, with what, and what came of it."""
    parts = [_attempt_words(attempt) for attempt in attempts[:_ACTIONS]]
    left = len(attempts) - _ACTIONS
    return f"[{episode}] " + "; ".join(parts) + (f"; and {counted(left, 'more action')}" if left > 0 else "")


def _attempt_words(attempt: Attempt) -> str:
    words = doing(attempt)
    if attempt.held not in (None, HAND):
        words += f" holding {named(attempt.held)}"
    if attempt.stations:
        words += f" near {', '.join(map(named, attempt.stations))}"
    change = " ".join(f"{count:+d} {named(item)}" for item, count in sorted(attempt.delta.items()))
    place = "" if attempt.position is None else " at ({:.0f}, {:.0f}, {:.0f})".format(*attempt.position)
    hurt = ", was hurt" if attempt.hurt else ""
    # That nothing came of it says the code already.
    told = attempt.message if attempt.code not in ("no_drop", "no_result") else None
    reason = "" if told is None else f', "{named(told.rstrip(chr(46)))}"'
    return f"{words}{place} -> {attempt.code or 'done'}{reason}{f', {change}' if change else ''}{hurt}"
