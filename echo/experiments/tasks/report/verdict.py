"""What the numbers say in words, first of all where echo is not above another agent."""

from __future__ import annotations

from html import escape

from echo.experiments.tasks.report.ablation import Ablation
from echo.experiments.tasks.report.cells import ECHO
from echo.experiments.tasks.report.numbers import Numbers
from echo.experiments.tasks.report.success import Lead, Success
from echo.experiments.tasks.report.wording import points

RIVAL = "jarvis-1"
"""The agent with which echo is compared family by family."""


def tell(numbers: Numbers) -> str:
    """Return the verdict as a list, empty where no comparison can be made."""
    said: list[str] = []
    if numbers.success is not None:
        said += _overall(numbers.success) + _families(numbers.success)
    if numbers.ablation is not None and numbers.ablation.has_axes:
        said += _ablation(numbers.ablation)
    return f"<ul>{''.join(f'<li>{text}</li>' for text in said)}</ul>" if said else ""


def _overall(success: Success) -> list[str]:
    """Return what is to say of echo against the other agents over all tasks, its own variants apart."""
    rivals = {label: lead for label, lead in success.leads.items() if not label.startswith(f"{ECHO}/")}
    if not rivals:
        return ["No comparison: these results hold no runs of echo beside another agent."]
    above = [label for label, lead in rivals.items() if lead.shown]
    not_above = {label: lead for label, lead in rivals.items() if not lead.shown}
    said = []
    if above:
        told = "every other agent" if not not_above else ", ".join(map(escape, above))
        said.append(f"Echo is above {told} on mean success, with intervals that exclude zero.")
    said += [_not_above(label, lead) for label, lead in not_above.items()]
    return said


def _families(success: Success) -> list[str]:
    said = []
    for family, leads in success.family_leads.items():
        lead = leads.get(RIVAL)
        if lead is None:
            continue
        if lead.shown:
            said.append(f"{escape(family.capitalize())}: above {RIVAL} by {points(lead.difference)} points.")
        else:
            said.append(f"{escape(family.capitalize())}: {_not_above(RIVAL, lead)}")
    return said


def _not_above(label: str, lead: Lead) -> str:
    if lead.difference.value <= 0:
        why = "it is level" if lead.difference.value == 0 else "it is below"
    elif lead.difference.low is None:
        why = "with single runs there is no interval"
    else:
        why = "the interval holds zero"
    return (
        f'<strong class="not">echo is NOT shown to be above {escape(label)}</strong>: {why} '
        f"({points(lead.difference)} points, {lead.pairs} pairs of runs)."
    )


def _ablation(ablation: Ablation) -> list[str]:
    one = ablation.agreement
    if one.rho is None:
        return [f"No rank correlation with the paper's heat map: {escape(one.reason or '')}."]
    ends = "" if one.low is None or one.high is None else f" ({one.low:+.2f} to {one.high:+.2f})"
    return [
        f"Rank correlation with the paper's heat map: {one.rho:+.2f}{ends}, over {one.cells} of 20 cells."
    ]
