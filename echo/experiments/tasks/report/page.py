"""The report of task runs as one HTML page that asks nothing of the network."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape

from echo.experiments.model_bill import bill_section
from echo.experiments.report_page import counted, fact_list, page, ranges, section, table, tile_row
from echo.experiments.tasks.records import TaskRun
from echo.experiments.tasks.report.drawing import Drawing, figure_of
from echo.experiments.tasks.report.numbers import Numbers
from echo.experiments.tasks.report.paper import load_paper
from echo.experiments.tasks.report.reading import Experiment
from echo.experiments.tasks.report.samples import sample_name
from echo.experiments.tasks.report.sections import (
    ablation_sections,
    behind_sections,
    folder_sections,
    learning_sections,
    success_sections,
)
from echo.experiments.tasks.report.verdict import tell
from echo.experiments.tasks.report.wording import TITLES, named


def render_report(numbers: Numbers, drawings: Mapping[str, Drawing], samples: tuple[TaskRun, ...]) -> str:
    """Return the page.

    Args:
        numbers: Every number.
        drawings: Figures by name.
        samples: Runs that have a page of their own under ``samples/``.
    """
    figures = {name: figure_of(one) for name, one in drawings.items()}
    parts = [_head(numbers), _tiles(numbers), _verdict(numbers), *success_sections(numbers, figures)]
    for sections in (learning_sections, ablation_sections, folder_sections, behind_sections):
        parts += sections(numbers, figures)
    parts += [bill_section(numbers.bills), _unscored(numbers), _samples(samples)]
    parts.append(_provenance(numbers, drawings))
    kinds = ", ".join(TITLES[kind] for kind in numbers.kinds)
    return page(f"Report: {kinds}", "\n".join(part for part in parts if part))


def _head(numbers: Numbers) -> str:
    first = numbers.runs[0].spec
    agents = sum("/" not in label for label in numbers.labels)
    variants = len(numbers.labels) - agents
    names = "real names" if first.invented_names is None else f"invented names (seed {first.invented_names})"
    reasoner = (
        "Reasoner: one set of rules for all agents (no language model)."
        if first.reasoner == "rule"
        else f"Reasoner: {escape(first.reasoner)}."
    )
    lines = "".join(
        f"<p>{escape(TITLES[one.kind].capitalize())}: {_played(one)}.</p>" for one in numbers.experiments
    )
    return (
        f"<header>\n<h1>{escape('; '.join(TITLES[kind] for kind in numbers.kinds).capitalize())}</h1>\n"
        f"<p>{counted(agents, 'agent')}, {counted(variants, 'variant')}, {names}. {reasoner} "
        f"They differ in what they remember.</p>\n{lines}\n{_warnings(numbers)}\n</header>"
    )


def _played(experiment: Experiment) -> str:
    """Return how many runs, episodes and lands an experiment has, and its seed."""
    lands = sorted({run.spec.run for run in experiment.runs})
    first = experiment.runs[0].spec
    return (
        f"{counted(len(experiment.runs), 'run')} of {counted(first.episodes, 'episode')}, "
        f"{counted(len(lands), 'land')} ({ranges(lands)}), seed {first.seed}"
    )


def _warnings(numbers: Numbers) -> str:
    said = []
    if len(numbers.commits) > 1:
        listed = ", ".join(escape(commit[:20]) for commit in numbers.commits)
        said.append(f"These runs were made by more than one state of the code: {listed}.")
    versions = {tuple(sorted(run.versions.items())) for run in numbers.runs}
    if len(versions) > 1:
        said.append(f"These runs were made with {len(versions)} different sets of package versions.")
    if numbers.unscored:
        said.append(
            f"{counted(len(numbers.unscored), 'run')} asked for without a result: named below, counted in no "
            f"mean, and never as 0."
        )
    if numbers.success is not None and numbers.success.windows != (10, 30):
        ten, thirty = numbers.success.windows
        said.append(f"Runs are shorter than 30 episodes: success is told over the first {ten} and {thirty}.")
    return "".join(f'<p class="warn">{text}</p>' for text in said)


def _tiles(numbers: Numbers) -> str:
    tiles: list[tuple[str, str]] = []
    success = numbers.success
    if success is not None and "echo" in success.overall:
        mean = success.overall["echo"]
        tiles.append(
            (f"{100 * mean.at30.value:.1f}&nbsp;%", f"success of echo, first {success.windows[1]} episodes")
        )
        rivals = {label: lead for label, lead in success.leads.items() if not label.startswith("echo/")}
        if rivals:
            best = max(rivals, key=lambda label: success.overall[label].at30.value)
            lead = rivals[best].difference.value
            tiles.append((f"{100 * lead:+.1f}", f"points against {best}, the best other agent"))
    if numbers.ablation is not None and numbers.ablation.agreement.rho is not None:
        tiles.append((f"{numbers.ablation.agreement.rho:+.2f}", "rank correlation with the paper's heat map"))
    if numbers.continual:
        label = "echo" if "echo" in numbers.continual else next(iter(numbers.continual))
        end = float(numbers.continual[label].smoothed.mean[-1])
        tiles.append((f"{100 * end:.0f}&nbsp;%", f"success of {label} at the end of mixed episodes"))
    seconds = sum(run.timing.wall_seconds for run in numbers.runs)
    episodes = sum(len(run.episodes) for run in numbers.runs)
    if seconds:
        tiles.append((f"{60 * episodes / seconds:,.0f}", "episodes a minute in one process"))
    return tile_row(tiles)


def _verdict(numbers: Numbers) -> str:
    told = tell(numbers)
    return section("What it says", "", told) if told else ""


def _unscored(numbers: Numbers) -> str:
    if not numbers.unscored:
        return ""
    rows = [
        [f"<code>{escape(one.name)}</code>", f'<span class="wrap">{escape(one.reason)}</span>']
        for one in numbers.unscored
    ]
    return section("Runs without a result", "In no mean above.", table(["run", "why"], rows))


def _samples(runs: tuple[TaskRun, ...]) -> str:
    if not runs:
        return ""
    paper = load_paper()
    by_label: dict[str, list[str]] = {}
    for run in runs:
        skills = f" with {paper.title(run.spec.installed)}" if run.spec.installed else ""
        link = (
            f'<a href="samples/{escape(sample_name(run))}">{escape(paper.title(run.spec.task) + skills)}</a>'
        )
        by_label.setdefault(run.spec.competitor.label, []).append(link)
    rows = [
        [named(label), f'<span class="wrap">{" ".join(links)}</span>'] for label, links in by_label.items()
    ]
    return section(
        "Sample episodes", "Run 0 of each agent, episode by episode.", table(["agent", "tasks"], rows)
    )


def _provenance(numbers: Numbers, drawings: Mapping[str, Drawing]) -> str:
    first = numbers.runs[0]
    wall = sum(run.timing.wall_seconds for run in numbers.runs)
    facts = {
        "command": "; ".join(numbers.commands),
        "code": ", ".join(numbers.commits),
        "versions": ", ".join(f"{name} {value}" for name, value in first.versions.items()),
        "machine": ", ".join(f"{name} {value}" for name, value in first.machine.items()),
        "time": f"{wall:,.0f} s over {counted(len(numbers.runs), 'run')}",
        "reasoner": "rules, no language model" if first.spec.reasoner == "rule" else first.spec.reasoner,
        "seeds": ", ".join(f"{one.kind} {one.runs[0].spec.seed}" for one in numbers.experiments),
        "task files": ", ".join(
            dict.fromkeys(one.runs[0].spec.task_digest[:16] for one in numbers.experiments)
        ),
    }
    files = " ".join(f'<a href="{name}.csv">{name}.csv</a>' for name in drawings)
    return section("How this was made", "", fact_list(facts), f'<p class="files">Numbers: {files}</p>')
