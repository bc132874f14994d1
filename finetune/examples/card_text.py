"""The data card as a page to read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from finetune.examples.card import Card, Lengths, SplitCard


def card_text(card: Card) -> str:
    """Return a card as Markdown."""
    return "\n".join([*_head(card), *_splits(card), *_sides(card), *_origin(card)]) + "\n"


def _head(card: Card) -> Iterator[str]:
    yield "# Data card: descriptors written from episodes"
    yield ""
    yield "Each row is a conversation. The prompt tells one recorded episode: the task and the trace of"
    yield "what was seen, done and got back. The last message, the one to learn, is the descriptor that the"
    yield "rules of this project wrote of that episode, in the compact form (`write`); the same after a wrong"
    yield "attempt and what the checks found in it (`repair`); or a refusal, where the episode shows nothing"
    yield "that could be said (`refuse`)."
    yield ""
    yield f"- Digest of the rows: `{card.digest}`"
    yield f"- Seed: {card.seed}; layout: `{card.layout}`; pictures: {card.pictures:,}"
    yield f"- Styles of traces in training: {_names(card.styles)}; in `out_of_template` rows of the test"
    yield f"  alone: {card.unseen_style}"
    yield f"- Tokens counted with: {card.tokenizer or 'no tokenizer was given'}"
    yield ""


def _splits(card: Card) -> Iterator[str]:
    yield "## Rows"
    yield ""
    names = list(card.splits)
    yield from _row(["", *names])
    yield from _row(["---", *["---:"] * len(names)])
    cards = list(card.splits.values())
    yield from _row(["rows", *(f"{each.rows:,}" for each in cards)])
    yield from _row(["of them out of template", *(f"{each.out_of_template:,}" for each in cards)])
    if card.pictures:
        yield from _row(["of them with a picture", *(f"{each.pictured:,}" for each in cards)])
    yield from _row(["episodes", *(f"{each.episodes:,}" for each in cards)])
    for column in ("kind", "style", "family", "fault"):
        yield from _counts(column, cards)
    yield from _row(["characters, median", *(f"{each.characters.median:,}" for each in cards)])
    yield from _row(["characters, 95 %", *(f"{each.characters.ninety_fifth:,}" for each in cards)])
    yield from _row(["characters, most", *(f"{each.characters.most:,}" for each in cards)])
    yield from _row(["answer, characters, median", *(f"{each.answer_characters.median:,}" for each in cards)])
    if any(each.tokens for each in cards):
        for what in ("median", "ninety_fifth", "most", "total"):
            told = what.replace("ninety_fifth", "95 %")
            yield from _row([f"tokens, {told}", *(_length(each.tokens, what) for each in cards)])
    yield ""


def _counts(column: str, cards: list[SplitCard]) -> Iterator[str]:
    tables: list[Mapping[str, int]] = [getattr(each, column) for each in cards]
    for name in sorted(dict.fromkeys(name for table in tables for name in table)):
        yield from _row([f"{column}: {name}", *(f"{table.get(name, 0):,}" for table in tables)])


def _sides(card: Card) -> Iterator[str]:
    yield "## What is held out"
    yield ""
    yield "Item families (the last word of a name) that share the pattern of a grid that worked are one"
    yield "group, joined by '+'. A group stands in one split alone. An episode whose recipes touch groups of"
    yield "two splits is in none."
    yield ""
    for split, groups in card.groups.items():
        told = [name for name in groups if len(name) <= 120] if split != "train" else []
        long = len(groups) - len(told)
        more = f"{long:,} groups" if not told else f", and {long:,} long ones" if long else ""
        yield f"- {split}: {_names(tuple(told))}{more}"
    yield f"- task families held out as a whole: {_names(card.held_tasks) or 'none'}"
    yield f"- task families that the test lacks: {_names(card.only_in_train) or 'none'}"
    yield ""


def _origin(card: Card) -> Iterator[str]:
    yield "## Where it comes from"
    yield ""
    yield from _row(["memory", "episodes", "digest"])
    yield from _row(["---", "---:", "---"])
    for memory in card.memories:
        yield from _row([memory.name, f"{memory.episodes:,}", f"`{memory.sha256[:16]}`"])
    yield ""
    yield "Left out:"
    yield ""
    for reason, left in card.left_out.items():
        yield f"- {left.count:,}: {reason}, such as {' '.join(left.such_as[0].split())[:160]}"
    if not card.left_out:
        yield "- nothing"
    yield ""
    yield f"Made with {', '.join(f'{name} {number}' for name, number in card.versions.items())};"
    yield f"commit {card.commit or 'unknown (no checkout)'}."


def _row(cells: list[str]) -> Iterator[str]:
    yield f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"


def _length(found: Lengths | None, what: str) -> str:
    return "" if found is None else f"{getattr(found, what):,}"


def _names(names: tuple[str, ...]) -> str:
    return ", ".join(names)
