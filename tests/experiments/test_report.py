from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest

from echo.experiments.drawing import LIGHT, render_svg, spread
from echo.experiments.figures import AXIS_COLOURS, SOURCE_COLOURS, competitor_colours, draw_speedups
from echo.experiments.report import write_report
from echo.experiments.report_html import milliseconds
from echo.experiments.results import write_result
from echo.experiments.spec import UnlockSpec, UsageError, make_grid, parse_variants
from echo.experiments.summary import summarise
from echo.experiments.trial import run_trial
from tests.experiments.fakes import make_run, play_fake


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("results")
    base = UnlockSpec(agent="echo", steps=400, encoder="hashing", record="none")
    for spec in make_grid(base, agents=["edits", "echo"], variants=parse_variants(["-func"]), seeds=[0, 1]):
        run_trial(spec, folder, play_fake, "echo-memory run unlock <&>", lambda *_: None)
    return folder


class Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.links: list[str] = []
        self.images = 0
        self.text: list[str] = []

    def handle_starttag(self, tag, attrs):
        self.links += [value for name, value in attrs if name in ("src", "href", "xlink:href") and value]
        self.images += tag == "img"
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


def test_the_page_is_well_formed_and_asks_nothing_of_the_network(folder):
    page = write_report(folder).page
    reader = read(page)
    assert all(link.startswith(("#", "data:")) for link in reader.links)
    assert not re.search(r"url\((?!#)|@import|<script|<link", page.read_text())


def test_the_page_names_every_competitor_and_escapes_what_it_quotes(folder):
    text = "".join(read(write_report(folder).page).text)
    for words in ("echo[-func]", "edits", "Speed-up of echo", "echo-memory run unlock <&>", "2 seeds (0-1)"):
        assert words in text


def test_the_figures_lie_beside_the_page_and_the_numbers_too(folder):
    report = write_report(folder)
    target = report.page.parent
    assert sorted(path.name for path in target.iterdir()) == [
        "curves.png",
        "report.html",
        "report.json",
        "sources.png",
        "speedup.png",
        "timeline.png",
    ]
    for path in target.glob("*.png"):
        assert path.read_bytes().startswith(b"\x89PNG")
    assert json.loads((target / "report.json").read_text()) == report.numbers


def test_the_same_results_give_the_same_page(folder):
    first = write_report(folder).page.read_bytes()
    assert write_report(folder).page.read_bytes() == first


def test_the_timeline_shows_the_frames_that_the_memory_holds(tmp_path):
    spec = UnlockSpec(agent="echo", steps=150, encoder="hashing")
    run = run_trial(spec, tmp_path, play_fake, "", lambda *_: None)
    assert read(write_report(tmp_path).page).images == len(run.unlocks)


def test_a_run_without_memory_says_how_to_get_frames(folder):
    assert "--record unlocks" in "".join(read(write_report(folder).page).text)


def test_one_run_of_one_agent_without_unlocks_is_a_report_too(tmp_path):
    write_result(tmp_path, make_run(UnlockSpec(agent="none", steps=50)))
    text = "".join(read(write_report(tmp_path).page).text)
    assert "Nothing to compare" in text
    assert "1 agent, 1 seed (0), 50 counted actions a run" in text


def test_an_empty_figure_of_speed_ups_says_why():
    few = [make_run(UnlockSpec.model_validate({"agent": agent}), 3, 9) for agent in ("edits", "echo")]
    drawn = render_svg(draw_speedups(summarise(few)), 4.2, "Speed-up")
    assert "No pair of runs reached 60 or 80 or 100 or 120 items." in drawn
    many = [
        make_run(UnlockSpec.model_validate({"agent": agent}), *range(1, 70)) for agent in ("edits", "echo")
    ]
    assert "No pair" not in render_svg(draw_speedups(summarise(many)), 4.2, "Speed-up")
    alone = render_svg(draw_speedups(summarise(few[1:])), 4.2, "Speed-up")
    assert "no runs of echo beside another agent" in alone


@pytest.mark.parametrize(
    ("value", "told"), [(0.0, "< 0.1 ms"), (0.049, "< 0.1 ms"), (0.05, "0.1 ms"), (12.34, "12.3 ms")]
)
def test_a_short_decision_is_not_told_as_none(value, told):
    assert milliseconds(value) == told


def test_axes_and_sources_look_unlike_each_other():
    def lab(colour: str) -> np.ndarray:
        """CIE L*a*b* under D65, in which a distance of 2 is just seen."""
        value = np.array([int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)])
        linear = np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)
        to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
        xyz = np.array(to_xyz) @ linear / np.array([0.9505, 1.0, 1.089])
        f = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
        return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])

    for axis in AXIS_COLOURS.values():
        for other in (*SOURCE_COLOURS.values(), LIGHT.paper):
            assert np.linalg.norm(lab(axis) - lab(other)) > 20, (axis, other)


def test_an_unknown_run_for_the_timeline_is_refused_with_the_known_ones(folder):
    with pytest.raises(UsageError, match=r"expected a run out of echo-s00, .* got 'echo-s9' for --timeline"):
        write_report(folder, "echo-s9")


def test_names_at_line_ends_keep_their_distance():
    assert spread([5.0, 5.0, 6.0, 30.0], 2.0) == [7.0, 5.0, 9.0, 30.0]


def test_every_competitor_has_a_colour_of_its_own():
    summary = summarise(
        [make_run(UnlockSpec.model_validate({"agent": agent}), 3) for agent in ("bow", "echo")]
    )
    colours = competitor_colours(summary.competitors)
    assert len(set(colours.values())) == 2
