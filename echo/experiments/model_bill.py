"""What a language model decided over the runs of one competitor, and its bill, as reports show them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

from echo.experiments.reasoner import Reasoning
from echo.experiments.report_page import section, table
from echo.models.bills import Bill

NOTE = (
    "Sums over all runs. A decision is the model&rsquo;s where it had an idea at hand; else the explorer "
    "chose, as the model&rsquo;s latest answer was of no use after all repairs, nothing new was to be asked "
    "about, or no question was left. Answers out of a cache cost nothing anew; a price or count that is not "
    "known is left out and said."
)


@dataclass(frozen=True, kw_only=True)
class ModelBill:
    """Sums over lives or episodes; decisions are ideas + fallbacks + resting + spent, as in `Reasoning`."""

    decisions: int
    ideas: int
    fallbacks: int
    resting: int
    spent: int
    tried: int
    worked: int
    new: int
    rounds: int
    unusable: int
    cost: Bill


def bill_of(reasonings: Iterable[Reasoning]) -> ModelBill | None:
    """Return what a model decided and cost in all; None where no model took part."""
    told = tuple(reasonings)
    if not told:
        return None
    cost = sum((Bill.of(answer.reply) for one in told for answer in one.answers), start=Bill())
    return ModelBill(
        decisions=sum(one.decisions for one in told),
        ideas=sum(one.ideas for one in told),
        fallbacks=sum(one.fallbacks for one in told),
        resting=sum(one.resting for one in told),
        spent=sum(one.spent for one in told),
        tried=sum(one.tried for one in told),
        worked=sum(one.worked for one in told),
        new=sum(one.new for one in told),
        rounds=sum(one.rounds for one in told),
        unusable=sum(one.unusable for one in told),
        cost=cost,
    )


def bills_json(bills: Mapping[str, ModelBill]) -> dict[str, Any]:
    """Return each competitor's bill as a JSON object."""
    return {label: asdict(one) for label, one in bills.items()}


def bill_section(bills: Mapping[str, ModelBill]) -> str:
    """Return the bills of competitors by label, as a section of a page; '' where no model took part."""
    if not bills:
        return ""
    header = [
        "agent", "decisions", "by the model", "answer of no use", "nothing to ask", "no question left",
        "ideas tried", "worked", "new", *_HEADER,
    ]  # fmt: skip
    rows = [
        [escape(label), *(f"{number:,}" for number in _decided(one)), *map(escape, cost_cells(one))]
        for label, one in bills.items()
    ]
    return section("What the model decided, and its bill", NOTE, table(header, rows))


def _decided(one: ModelBill) -> Sequence[int]:
    return (
        one.decisions, one.ideas, one.fallbacks, one.resting, one.spent, one.tried, one.worked, one.new,
    )  # fmt: skip


_HEADER = ("answers", "tokens read", "tokens written", "money", "seconds")


def cost_cells(one: ModelBill) -> tuple[str, str, str, str, str]:
    """Return answers, tokens read and written, money and seconds as text; a sum that lacks some says so.

    >>> cost_cells(ModelBill(**dict.fromkeys(("decisions", "ideas", "fallbacks", "resting", "spent", "tried",
    ...     "worked", "new", "rounds", "unusable"), 0), cost=Bill(answered=2, prompt_tokens=900, unpriced=2)))
    ('2', '900', '0', 'not known', '0.0')
    """
    cost = one.cost
    anew = cost.answered - cost.cached
    answers = f"{cost.answered:,} ({cost.cached:,} cached)" if cost.cached else f"{cost.answered:,}"
    return (
        answers,
        _known(f"{cost.prompt_tokens:,}", cost.uncounted, anew),
        _known(f"{cost.completion_tokens:,}", cost.uncounted, anew),
        _known(f"{cost.money:.4g}", cost.unpriced, anew),
        f"{cost.seconds:,.1f}",
    )


def _known(told: str, unknown: int, answers: int) -> str:
    """Return a sum; a lower bound where some answers do not tell theirs."""
    if not unknown:
        return told
    return "not known" if unknown == answers else f"at least {told}"
