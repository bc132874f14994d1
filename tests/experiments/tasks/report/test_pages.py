from __future__ import annotations

import csv
import io
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from csd.axes import AXES
from echo.experiments.figures import AXIS_COLOURS
from echo.experiments.tasks.report.comparing_page import write_comparison
from echo.experiments.tasks.report.draw_success import draw_table1
from echo.experiments.tasks.report.drawing import (
    CAUSE_COLOURS,
    COLOURS,
    MARKERS,
    TASK_SOURCE_COLOURS,
    text_on,
)
from echo.experiments.tasks.report.failures import CAUSES
from echo.experiments.tasks.report.figures import rows_shown
from echo.experiments.tasks.report.learning import Band, LearningCurve
from echo.experiments.tasks.report.numbers import measure
from echo.experiments.tasks.report.reading import read_experiment
from echo.experiments.tasks.report.sources import SOURCES
from echo.experiments.tasks.report.tables import continual_table
from echo.experiments.tasks.report.verdict import tell
from echo.experiments.tasks.report.writing import write_task_report
from tests.experiments.tasks.report.fakes import fake_experiment, fake_ladder, make_run, marked, write_folder

TASKS = ["bed", "bridge-eq", "weapon-set", "furnace"]


@pytest.fixture(scope="module")
def folders(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("results")
    runs = fake_experiment(
        "tasks", ["echo", "jarvis-1", "direct", "echo/-ical", "mp5/-patroller"], runs=2, tasks=TASKS
    )
    last = runs[-1].spec.name
    write_folder(root / "tasks", runs[:-1], unscored=[(last, "ValueError: <script>alert(1)</script>")])
    labels = ["echo", *(f"echo/-{axis.value}" for axis in AXES)]
    write_folder(root / "ablate", fake_experiment("ablate", labels, runs=2, tasks=TASKS))
    write_folder(root / "continual", fake_experiment("continual", ["echo", "mp5"], runs=2, episodes=31))
    write_folder(root / "mfm", fake_ladder(["direct", "mfm", "mfm/-index"], runs=2, episodes=2))
    return root


@pytest.fixture(scope="module")
def together(folders) -> Path:
    kinds = [folders / kind for kind in ("tasks", "ablate", "continual", "mfm")]
    return write_task_report(kinds, folders / "together").page


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.text: list[str] = []
        self.tables: list[list[int]] = []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]
        if tag == "table":
            self.tables.append([])
        if tag == "tr":
            self.tables[-1].append(0)
        if tag in ("td", "th"):
            self.tables[-1][-1] += 1
        if tag not in ("meta", "img", "br"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]

    def handle_data(self, data):
        self.text.append(data)


def read(page: Path) -> Reader:
    reader = Reader()
    reader.feed(page.read_text())
    assert reader.open == []
    return reader


def text_of(page: Path) -> str:
    return " ".join(" ".join(read(page).text).split())


def test_the_page_is_well_formed_and_every_row_has_its_tables_width(together):
    for rows in read(together).tables:
        assert len(set(rows)) == 1
        assert len(rows) > 1


def test_the_page_asks_nothing_of_the_network(together):
    page = together.read_text()
    assert not re.search(r"https?://(?!www\.w3\.org/)", page)
    assert not re.search(r"url\((?!#)|@import|<script|<link", page)


def test_links_lead_to_files_that_were_written(together):
    links = [link for link in read(together).links if not link.startswith("#")]
    assert links
    for link in links:
        assert (together.parent / link).is_file(), link


def test_figures_are_written_as_png_and_csv_with_a_row_of_headings(together):
    names = {path.stem for path in together.parent.glob("*.png")}
    assert names == {
        "table1", "overall", "curves", "families", "continual", "ablation", "heatmap", "ladder", "failures",
        "costs", "sources",
    }  # fmt: skip
    for name in sorted(names):
        assert (together.parent / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name
        rows = list(csv.DictReader(io.StringIO((together.parent / f"{name}.csv").read_text())))
        assert rows, name
        assert None not in rows[0], name


def test_the_csv_of_table_1_leaves_unscored_cells_empty(tmp_path):
    missing = [("mp5.bed.r00", "no land")]
    folder = write_folder(tmp_path, [marked("echo", "bed", 0, "+" * 30)], unscored=missing)
    success = measure([read_experiment(folder)]).success
    assert success is not None
    rows = list(csv.DictReader(io.StringIO(draw_table1(success).csv().decode())))
    assert [(row["agent"], row["at30"], row["unscored"]) for row in rows] == [
        ("echo", "1.0", "0"),
        ("mp5", "", "1"),
    ]


def test_what_files_say_is_escaped(together):
    assert "<script>" not in together.read_text()
    assert "ValueError: <script>alert(1)</script>" in text_of(together)


def test_every_kind_of_experiment_has_its_sections(together):
    text = text_of(together)
    for title in ("Table 1: success by task", "Success over episodes", "Continual learning", "Ablation",
                  "Tasks and axes", "Milestones", "Components of the folder memory",
                  "Skills from another task", "Why episodes failed", "What it costs", "Retries",
                  "Where transfer cost steps", "Where new items come from", "Runs without a result",
                  "Sample episodes"):  # fmt: skip
        assert title in text


def test_the_page_says_what_it_was_made_with(together):
    text = text_of(together)
    for words in ("no language model", "seed 0", "0123456789abcdef", "echo-memory 0.1.0",
                  "echo-memory run tasks --size quick", "real names"):  # fmt: skip
        assert words in text


def test_the_papers_figures_stand_in_columns_of_their_own(together):
    page = together.read_text()
    assert '<i class="paper">62.5 / 92.5</i>' in page
    assert not re.search(r"<td>[^<]*<i class=\"paper\">[^<]*</i>[^<]+</td>", page)


def verdict_on(tmp_path, *runs) -> str:
    numbers = measure([read_experiment(write_folder(tmp_path, runs))])
    return re.sub(r"<[^>]+>", "", tell(numbers))


def test_the_verdict_says_where_echo_is_not_above(tmp_path):
    worse = [marked("echo", "bed", n, "-" * 30) for n in range(2)]
    better = [marked("jarvis-1", "bed", n, "+" * 30) for n in range(2)]
    level = [marked("mp5", "bed", n, "-" * 30) for n in range(2)]
    text = verdict_on(tmp_path, *worse, *better, *level)
    assert "echo is NOT shown to be above jarvis-1: it is below (-100.0 -100.0 to -100.0 points" in text
    assert "echo is NOT shown to be above mp5: it is level" in text
    assert "Recipe: echo is NOT shown to be above jarvis-1" in text
    assert "above every other agent" not in text


def test_single_runs_show_nothing(tmp_path):
    text = verdict_on(tmp_path, marked("echo", "bed", 0, "+" * 30), marked("mp5", "bed", 0, "-" * 30))
    assert "NOT shown to be above mp5: with single runs there is no interval" in text


def test_echos_own_variants_are_no_other_agents(tmp_path):
    runs = [marked("echo/-ical", "bed", n, "+" * 30) for n in range(2)]
    runs += [marked("echo", "bed", n, "-" * 30) for n in range(2)]
    text = verdict_on(tmp_path, *runs)
    assert "No comparison: these results hold no runs of echo beside another agent." in text


def test_short_runs_without_echo_by_two_states_of_the_code_are_a_report_too(tmp_path):
    runs = [marked("mp5", "bed", n, "+-" * 3, commit=commit) for n, commit in enumerate(["aaaa", "bbbb"])]
    folder = write_folder(tmp_path, runs)
    page = write_task_report([folder], tmp_path / "report").page
    text = text_of(page)
    assert "No comparison: these results hold no runs of echo beside another agent." in text
    assert "Runs are shorter than 30 episodes: success is told over the first 6 and 6." in text
    assert "made by more than one state of the code: aaaa, bbbb" in text
    first = page.read_bytes()
    assert write_task_report([folder], tmp_path / "again").page.read_bytes() == first


def test_axis_variants_are_shown_where_there_is_little_else(folders):
    ablate, tasks = read_experiment(folders / "ablate"), read_experiment(folders / "tasks")
    assert "echo/-struct" in rows_shown(measure([ablate]))
    assert "echo/-struct" not in rows_shown(measure([tasks, ablate]))


def test_a_sample_page_tells_every_episode_of_run_0(together):
    page = together.parent / "samples" / "echo.bed.r00.html"
    reader = read(page)
    assert reader.tables == [[10] * 31]
    assert "echo on Bed" in "".join(reader.text)
    assert reader.links == ["../report.html"]


def test_the_numbers_lie_beside_the_page(together):
    told = json.loads((together.parent / "report.json").read_text())
    assert told["table1"]["echo"]["bed"]["runs"] == 2


def test_figures_have_a_form_for_phones(together):
    page = together.read_text()
    assert page.count('<figure class="wide">') == page.count('<figure class="narrow">') == 11


def test_agents_are_told_apart_by_marker_and_colour():
    assert len(set(MARKERS.values())) == len(MARKERS)
    assert len(set(COLOURS.values())) == len(COLOURS)
    assert len(set(CAUSE_COLOURS.values())) == len(CAUSE_COLOURS)
    assert list(CAUSE_COLOURS) == list(CAUSES)
    assert set(TASK_SOURCE_COLOURS) == set(SOURCES)
    assert len({*TASK_SOURCE_COLOURS.values(), *AXIS_COLOURS.values()}) == len(SOURCES) + len(AXES)
    assert text_on((1.0, 1.0, 1.0)) == "#000000"
    assert text_on((0.2, 0.0, 0.3)) == "#ffffff"


def test_a_comparison_shows_both_sides_and_what_differs(folders, tmp_path):
    runs = fake_experiment("tasks", ["echo", "direct", "vista"], runs=2, tasks=TASKS, invented_names=3)
    other = write_folder(tmp_path / "invented", runs)
    report = write_comparison(folders / "tasks", other, tmp_path / "report")
    text = text_of(report.page)
    assert "invented names None 3" in text
    assert "Only in the first experiment, so not compared: echo/-ical, jarvis-1, mp5/-patroller." in text
    assert "Only in the second experiment, so not compared: vista." in text
    assert "paired by task and land" in text
    assert list(report.numbers["comparison"]) == ["echo", "direct"]
    assert (tmp_path / "report" / "comparison.png").is_file()


def test_an_experiment_compared_with_itself_differs_in_nothing(tmp_path):
    runs = [marked("echo", "bed", n, "+-+") for n in range(2)]
    first, second = write_folder(tmp_path / "a", runs), write_folder(tmp_path / "b", runs)
    report = write_comparison(first, second, tmp_path / "report")
    assert "2 of 2 runs of the same name went exactly alike." in text_of(report.page)
    assert "Nothing: circumstances, code, versions and command are the same." in text_of(report.page)
    assert report.numbers["comparison"]["echo"]["difference"] == {"mean": 0.0, "low": 0.0, "high": 0.0}


def test_ladders_are_compared_by_milestones(tmp_path):
    def folder(name, *held):
        episode = marked("mfm", "diamond", 0, "-").episodes[0]
        episodes = [episode.model_copy(update={"milestones": dict.fromkeys(held, 9)})]
        runs = [make_run("mfm", "diamond", 0, episodes, kind="mfm")]
        return write_folder(tmp_path / name, runs)

    report = write_comparison(
        folder("a", "crafting_table"), folder("b", "crafting_table", "furnace"), tmp_path / "report"
    )
    assert report.numbers["measure"] == "milestones a run"
    assert report.numbers["comparison"]["mfm"]["difference"]["mean"] == 1.0


@pytest.mark.parametrize(
    ("episodes", "parts"),
    [(1, ["1&ndash;1"]), (2, ["1&ndash;1", "2&ndash;2"]), (31, ["1&ndash;10", "11&ndash;20", "21&ndash;31"])],
)
def test_few_mixed_episodes_make_no_empty_part(episodes, parts):
    band = Band(mean=np.zeros(episodes), low=None, high=None)
    page = continual_table({"echo": LearningCurve(raw=band, smoothed=band, runs=1)})
    assert re.findall(r"episodes (\d+&ndash;\d+)", page) == parts
