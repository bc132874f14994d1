"""Grounding of released entries, which carry no episode: does the entry bear itself out?

The history is the entry's only record of what happened. What is said to have been handled must occur in it,
what is said at all must occur somewhere in it or among what was seen, its amounts must add up, and, where the
reader has made a thing itself, agree with what that took.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from csd.claims import Claim, mentions, names_in, plain_name, read_claims
from csd.descriptor import Csd
from csd.ground import Problem
from csd.released import ReleasedEntry
from csd.wording import read_amount

HANDLED = re.compile(r"\bslots?\b|\b(?:loaded|inserted|laid|equipped|holding|held)\b", re.IGNORECASE)
"""Words of a structure text that say something was put where it lies, and not merely found there."""

_SENTENCE = re.compile(r"(?<=[.;!?])\s+")


@dataclass(frozen=True, kw_only=True, slots=True)
class Rate:
    """What one making of a product was seen to take and give."""

    product: str
    """Plain name, as are the others."""
    yields: int
    consumes: tuple[tuple[str, int], ...]


def rates_of(csds: Iterable[Csd]) -> tuple[Rate, ...]:
    """Return the rates that grounded descriptors of crafts and smelts hold, in their order, each once."""
    rates: dict[Rate, None] = {}
    for csd in csds:
        product = csd.meta.product
        if product is None or csd.meta.verb not in ("craft", "smelt"):
            continue
        own = [statement for statement in csd.proc if statement.subject == product]
        yields = [statement.value for statement in own if statement.predicate == "yields"]
        used = [read_amount(str(statement.value)) for statement in own if statement.predicate == "consumes"]
        if yields and isinstance(yields[0], int):
            consumes = tuple((plain_name(amount[0]), amount[1]) for amount in used if amount is not None)
            rates[Rate(product=plain_name(product), yields=yields[0], consumes=consumes)] = None
    return tuple(rates)


def ground_released(entry: ReleasedEntry, rates: Iterable[Rate] = ()) -> tuple[Problem, ...]:
    """Check a released entry against itself and against known rates.

    Args:
        entry: what `csd.released` read.
        rates: what makings were seen to take, from one's own grounded descriptors; none are assumed.

    Returns:
        The problems by field; empty when the entry bears itself out.
    """
    if not entry.inter.hist:
        reason = "expected a history of what was done; got none. Without one an entry cannot be checked."
        return (Problem(where="inter.hist", reason=reason, excerpt=entry.inter.summary or entry.meta.task),)
    history = "\n".join(entry.inter.hist)
    known = _known_names(entry)
    told = [claim for line in entry.inter.hist for claim in read_claims(line, known)]
    return (
        *_unhandled(entry, history),
        *_unknown(entry, known),
        *_overspent(told),
        *_at_odds(entry, told, known),
        *_against_rates(entry, known, tuple(rates)),
    )


def _known_names(entry: ReleasedEntry) -> tuple[str, ...]:
    """Plain names of all that was done with or seen, by the entry's history, task, objects and attributes."""
    names = [plain_name(name) for name in (*entry.meta.observed_objects, *entry.attr)]
    for line in (*entry.inter.hist, entry.meta.task):
        names += names_in(line)
        names += [amount.name for claim in read_claims(line, names) for amount in claim.amounts]
    return tuple(dict.fromkeys(names))


def _unhandled(entry: ReleasedEntry, history: str) -> Iterator[Problem]:
    names = dict.fromkeys((*entry.meta.observed_objects, *entry.attr, *entry.func))
    for key, text in entry.struct.items():
        for sentence in _SENTENCE.split(text):
            if not HANDLED.search(sentence):
                continue
            missing = [name for name in (*names, *names_in(sentence)) if mentions(sentence, name)]
            missing = [name for name in dict.fromkeys(missing) if not mentions(history, name)]
            if missing:
                reason = (
                    f"expected what was put in place to occur in the history; got {', '.join(missing)}, "
                    f"which no line of it mentions. Describe what was seen, or refuse the entry."
                )
                yield Problem(where=f"struct.{key}", reason=reason, excerpt=sentence)


def _unknown(entry: ReleasedEntry, known: tuple[str, ...]) -> Iterator[Problem]:
    texts = {f"struct.{key}": text for key, text in entry.struct.items()}
    texts |= {f"proc.{key}": text for key, text in entry.proc.items()}
    texts |= {"inter.detailed": entry.inter.detailed, "inter.summary": entry.inter.summary}
    claimed = {where: (text, names_in(text)) for where, text in texts.items()}
    for where in [where for where in texts if not where.startswith("struct.")]:
        amounts = [amount.name for claim in read_claims(texts[where], known) for amount in claim.amounts]
        claimed[where] = (texts[where], tuple(dict.fromkeys((*claimed[where][1], *amounts))))
    claimed |= {f"func.{name}": (text, (plain_name(name),)) for name, text in entry.func.items()}
    for where, (text, names) in claimed.items():
        missing = [name for name in names if name not in known]
        if missing:
            reason = (
                f"expected things that the history, the objects or the attributes name; got "
                f"{', '.join(missing)}. Leave out what was neither seen nor done."
            )
            yield Problem(where=where, reason=reason, excerpt=text)


def _overspent(told: list[Claim]) -> Iterator[Problem]:
    """Find uses of more than the history brought in; what it never brought in may have been carried."""
    carried: dict[str, int] = {}
    for claim in told:
        for name, count in claim.of("used").items():
            if name in carried and count > carried[name]:
                reason = (
                    f"expected at most the {carried[name]} {name} that the history had brought in by then; "
                    f"got {count} used. Correct the amounts."
                )
                yield Problem(where="inter.hist", reason=reason, excerpt=claim.text)
            if name in carried:
                carried[name] = max(0, carried[name] - count)
        for name, count in (*claim.of("won").items(), *claim.of("made").items()):
            carried[name] = carried.get(name, 0) + count


def _at_odds(entry: ReleasedEntry, told: list[Claim], known: tuple[str, ...]) -> Iterator[Problem]:
    """Find makings of which the texts and the history state different amounts."""
    history = _made(told)
    for where, claim in _claims(entry, known):
        for name, counts in _made([claim]).items():
            if name in history and not set(counts) <= {*history[name], sum(history[name])}:
                reason = (
                    f"expected the amount of {name} that the history states ({_words(history[name])}); "
                    f"got {_words(counts)}. Keep one of the two."
                )
                yield Problem(where=where, reason=reason, excerpt=claim.text)
    ratios: dict[tuple[str, str], tuple[float, str]] = {}
    for where, claim in (*(("inter.hist", claim) for claim in told), *_claims(entry, known)):
        for pair, ratio in _ratios(claim).items():
            first, text = ratios.setdefault(pair, (ratio, claim.text))
            if ratio != first:
                reason = (
                    f"expected {pair[0]} from {pair[1]} at one rate ({first:g} by {text!r}); got {ratio:g}. "
                    f"Correct the amounts."
                )
                yield Problem(where=where, reason=reason, excerpt=claim.text)


def _made(claims: Iterable[Claim]) -> dict[str, list[int]]:
    counts: dict[str, list[int]] = {}
    for claim in claims:
        for name, count in claim.of("made").items():
            counts.setdefault(name, []).append(count)
    return counts


def _ratios(claim: Claim) -> dict[tuple[str, str], float]:
    """How many of the one thing made a clause claims for each piece of each thing used."""
    made, used = claim.of("made"), claim.of("used")
    if len(made) != 1:
        return {}
    ((product, count),) = made.items()
    return {
        (product, name): count / number for name, number in used.items() if number > 0 and name != product
    }


def _claims(entry: ReleasedEntry, known: tuple[str, ...]) -> Iterator[tuple[str, Claim]]:
    texts = {f"proc.{key}": text for key, text in entry.proc.items()} | {
        "inter.detailed": entry.inter.detailed
    }
    for where, text in texts.items():
        for claim in read_claims(text, known):
            yield where, claim


def _against_rates(
    entry: ReleasedEntry, known: tuple[str, ...], rates: tuple[Rate, ...]
) -> Iterator[Problem]:
    told = (("inter.hist", claim) for line in entry.inter.hist for claim in read_claims(line, known))
    for where, claim in (*told, *_claims(entry, known)):
        for (product, name), ratio in _ratios(claim).items():
            seen = [
                rate.yields / count
                for rate in rates
                if rate.product == product
                for item, count in rate.consumes
                if item == name
            ]
            if seen and ratio not in seen:
                reason = (
                    f"expected {_words(seen)} {product} for each {name}, as seen; "
                    f"got {ratio:g}. Correct the amounts or refuse the entry."
                )
                yield Problem(where=where, reason=reason, excerpt=claim.text)


def _words(numbers: Iterable[float]) -> str:
    return " or ".join(f"{number:g}" for number in dict.fromkeys(numbers))
