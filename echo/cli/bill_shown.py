"""What a model decided in runs and what it cost, in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from echo.cli.plain_text import print_fields

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.console import Console

    from echo.experiments.model_bill import ModelBill


def print_bills(reasoner: str, bills: Mapping[str, ModelBill], console: Console) -> None:
    """Print the reasoner and each competitor's bill; nothing where no model took part."""
    from echo.experiments.model_bill import cost_cells

    if not bills:
        return
    rows = [("model", reasoner)]
    for label, one in bills.items():
        answers, read, written, money, seconds = cost_cells(one)
        told = (
            f"{one.ideas:,} of {one.decisions:,} decisions its own ({one.fallbacks:,} answers of no use, "
            f"{one.resting:,} nothing to ask, {one.spent:,} no question left); {one.tried:,} ideas tried, "
            f"{one.worked:,} worked, {one.new:,} new; {answers} answers, {read} tokens read, {written} "
            f"written, {seconds} s, money {money}"
        )
        rows.append((label, told))
    print_fields(console, rows)
    console.print()
