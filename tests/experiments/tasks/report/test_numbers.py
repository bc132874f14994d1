from __future__ import annotations

import json

import numpy as np
import pytest

from csd.axes import AXES
from echo.experiments.results import ResultsError
from echo.experiments.spec import UsageError
from echo.experiments.tasks.records import Tally
from echo.experiments.tasks.report.ablation import measure_ablation
from echo.experiments.tasks.report.as_json import numbers_json
from echo.experiments.tasks.report.cells import Cells, windows
from echo.experiments.tasks.report.failures import main_cause, measure_failures
from echo.experiments.tasks.report.learning import measure_curves, smooth
from echo.experiments.tasks.report.milestones import first_held, measure_folder_memory
from echo.experiments.tasks.report.numbers import measure
from echo.experiments.tasks.report.reading import Unscored, read_experiment
from echo.experiments.tasks.report.sources import measure_sources
from echo.experiments.tasks.report.spending import (
    measure_negative_transfer,
    measure_retries,
    measure_spending,
)
from echo.experiments.tasks.report.success import measure_success
from tests.experiments.tasks.report.fakes import (
    fake_experiment,
    fake_ladder,
    make_episode,
    make_run,
    marked,
    write_folder,
)

HALF = "+-" * 15
ALL = "+" * 30
NONE = "-" * 30
LATE = "-" * 10 + "+" * 20


def success_of(*runs, unscored=()):
    return measure_success(Cells.from_runs(runs, unscored))


def test_a_cell_is_the_mean_over_runs_of_the_first_ten_and_thirty_episodes():
    cell = success_of(marked("echo", "bed", 0, LATE), marked("echo", "bed", 1, ALL)).table["echo"]["bed"]
    assert (cell.at10, cell.at30) == (0.5, pytest.approx((2 / 3 + 1) / 2))
    assert (cell.runs, cell.unscored) == (2, 0)
    assert cell.low10 == 0.0
    assert cell.high10 == 1.0


def test_equal_runs_have_an_interval_without_width_and_a_single_run_has_none():
    two = success_of(marked("echo", "bed", 0, HALF), marked("echo", "bed", 1, HALF)).table["echo"]["bed"]
    assert (two.low30, two.at30, two.high30) == (0.5, 0.5, 0.5)
    one = success_of(marked("echo", "bed", 0, HALF)).table["echo"]["bed"]
    assert (one.low30, one.at30, one.high30) == (None, 0.5, None)


def test_unscored_runs_are_counted_and_never_zero():
    missing = [
        Unscored(name="mp5.bed.r01", reason="died"),
        Unscored(name="echo--without-struct.bed.r00", reason="not played"),
    ]
    found = success_of(marked("mp5", "bed", 0, ALL), marked("echo", "bed", 0, ALL), unscored=missing)
    assert found.table["mp5"]["bed"].at30 == 1.0
    assert (found.table["mp5"]["bed"].runs, found.table["mp5"]["bed"].unscored) == (1, 1)
    nothing = found.table["echo/-struct"]["bed"]
    assert (nothing.at10, nothing.at30, nothing.runs, nothing.unscored) == (None, None, 0, 1)
    assert "echo/-struct" not in found.overall


def test_every_task_counts_the_same_however_many_runs_it_has():
    runs = [marked("echo", "bed", number, ALL) for number in range(3)]
    found = success_of(*runs, marked("echo", "furnace", 0, NONE))
    assert found.overall["echo"].at30.value == 0.5
    assert (found.overall["echo"].runs, found.overall["echo"].tasks) == (4, 2)


def test_echos_lead_is_paired_by_task_and_land():
    runs = [
        *(marked("echo", "bed", number, marks) for number, marks in enumerate([ALL, HALF, ALL])),
        *(marked("mp5", "bed", number, marks) for number, marks in enumerate([HALF, NONE])),
    ]
    found = success_of(*runs)
    lead = found.leads["mp5"]
    # Land 2 has no partner; on lands 0 and 1 echo is ahead by one half each.
    assert (lead.difference.value, lead.difference.low, lead.difference.high) == (0.5, 0.5, 0.5)
    assert (lead.pairs, lead.tasks) == (2, 1)
    assert lead.shown
    # Of the four sign patterns of two equal differences, two reach the observed one.
    assert lead.p == 0.5
    # Echo: 1, 1/2, 1 without the land that has no partner; mp5: 1/2, 0: three wins and a tie of four.
    assert lead.improvement.value == 0.875
    assert "echo" not in found.leads


def test_p_values_of_the_comparisons_are_adjusted_together():
    runs = [marked("echo", "bed", number, ALL) for number in range(4)]
    runs += [marked(label, "bed", number, NONE) for label in ("mp5", "direct") for number in range(4)]
    leads = success_of(*runs).leads
    # Two of sixteen sign patterns, times two comparisons.
    assert [(lead.p, lead.p_holm) for lead in leads.values()] == [(0.125, 0.25), (0.125, 0.25)]


def test_a_level_agent_is_not_below_echo():
    found = success_of(*(marked(label, "bed", n, HALF) for label in ("echo", "mp5") for n in range(3)))
    assert not found.leads["mp5"].shown


def test_families_are_told_apart():
    found = success_of(marked("echo", "bed", 0, ALL), marked("echo", "furnace", 0, NONE))
    assert list(found.families) == ["recipe", "utility"]
    assert found.families["recipe"]["echo"].at30.value == 1.0
    assert found.families["utility"]["echo"].at30.value == 0.0


def test_runs_shorter_than_the_window_say_so():
    assert success_of(marked("echo", "bed", 0, "+--")).windows == (3, 3)
    assert windows(12) == (10, 12)


def test_removing_an_axis_is_told_as_a_loss_and_the_heat_map_as_its_worth():
    labels = {"echo": ALL, "echo/-attr": HALF, "echo/only-attr": HALF, "echo/-ical": NONE}
    runs = [marked(label, "bed", n, marks) for label, marks in labels.items() for n in range(2)]
    told = measure_ablation(Cells.from_runs(runs))
    assert told is not None
    assert told.changes["recipe"]["-attr"].difference.value == -0.5
    assert told.changes["recipe"]["only-attr"].difference.value == -0.5
    assert told.changes["all"]["-ical"].difference.value == -1.0
    cell = told.heatmap["recipe"]["attr"]
    assert cell.removed is not None
    assert cell.only is not None
    assert (cell.removed.value, cell.only.value, cell.paper) == (0.5, 0.5, 0.83)
    assert told.heatmap["recipe"]["func"].removed is None
    assert told.agreement.rho is None
    assert told.agreement.reason == "no family has runs of echo and of all five removals"


def losses(order: dict[str, int], task: str, runs: int) -> list:
    """Runs in which removing an axis costs so many of the thirty episodes."""
    made = [marked("echo", task, n, ALL) for n in range(runs)]
    for axis, lost in order.items():
        made += [marked(f"echo/-{axis}", task, n, "-" * lost + "+" * (30 - lost)) for n in range(runs)]
    return made


def test_losses_in_the_papers_order_correlate_fully():
    # The paper's row of recipe: attr .83, struct .37, proc .35, inter .30, func .29.
    order = {"struct": 4, "attr": 5, "proc": 3, "func": 1, "inter": 2}
    told = measure_ablation(Cells.from_runs(losses(order, "bed", 3)))
    assert told is not None
    one = told.agreement
    assert (one.rho, one.low, one.high) == (
        pytest.approx(1), pytest.approx(1), pytest.approx(1),
    )  # fmt: skip
    assert one.cells == 5
    turned = {axis: 6 - lost for axis, lost in order.items()}
    told = measure_ablation(Cells.from_runs(losses(turned, "bed", 1)))
    assert told is not None
    assert (told.agreement.rho, told.agreement.low) == (pytest.approx(-1), None)


def test_equal_losses_have_no_order_and_no_correlation():
    told = measure_ablation(Cells.from_runs(losses({axis.value: 3 for axis in AXES}, "bed", 2)))
    assert told is not None
    assert told.agreement.rho is None
    assert "no order" in str(told.agreement.reason)


def test_there_is_no_ablation_without_variants():
    assert measure_ablation(Cells.from_runs([marked("echo", "bed", 0, ALL)])) is None


def test_a_part_without_axes_makes_no_heat_map():
    runs = [marked(label, "bed", 0, ALL) for label in ("echo", "echo/-verifier")]
    told = measure_ablation(Cells.from_runs(runs))
    assert told is not None
    assert not told.has_axes


def test_curves_average_tasks_and_smooth_over_five_episodes():
    curves = measure_curves(
        Cells.from_runs([marked("echo", "bed", 0, "-+-+-+"), marked("echo", "furnace", 0, "++++++")]), "test"
    )
    assert curves["echo"].raw.mean.tolist() == [0.5, 1.0, 0.5, 1.0, 0.5, 1.0]
    assert curves["echo"].raw.low is None
    rows = smooth(np.array([[0.0, 1.0, 0.0, 1.0, 0.0, 1.0]]))
    assert rows.tolist() == [pytest.approx([1 / 3, 0.5, 0.4, 0.6, 0.5, 2 / 3])]


def test_a_failed_episode_counts_under_what_happened_most():
    assert main_cause(make_episode(False, precheck=2, surprises=1)) == "precheck"
    assert main_cause(make_episode(False, precheck=1, surprises=2)) == "surprise"
    assert main_cause(make_episode(False, precheck=2, surprises=2)) == "precheck"
    rejected = {"transfer": Tally(rejected=2), "pattern": Tally(rejected=1)}
    assert main_cause(make_episode(False, attempts=rejected, surprises=2)) == "verifier"
    assert main_cause(make_episode(False)) == "budget"
    assert main_cause(make_episode(False, ending="stuck")) == "stuck"


def test_shares_of_failures_leave_out_successes():
    episodes = [
        make_episode(True, surprises=9),
        make_episode(False, precheck=1),
        make_episode(False, precheck=1, surprises=3),
        make_episode(False),
    ]
    told = measure_failures([make_run("echo", "bed", 0, episodes)])
    assert (told.episodes, told.failed) == (4, 3)
    assert told.main == {"precheck": 1, "verifier": 0, "surprise": 1, "budget": 1, "stuck": 0}
    assert told.any == {"precheck": 2, "verifier": 0, "surprise": 1, "budget": 3, "stuck": 0}
    assert told.share("precheck") == pytest.approx(1 / 3)
    assert measure_failures([make_run("echo", "bed", 0, episodes[:1])]).share("budget") is None


def test_the_cost_of_a_success_includes_the_failures():
    episodes = [make_episode(True, steps=40, tokens=10), make_episode(False, tokens=20)]
    told = measure_spending([make_run("echo", "bed", 0, episodes, seconds=4.0)])
    assert (told.steps.an_episode, told.steps.a_success) == (70.0, 140.0)
    assert (told.tokens.an_episode, told.tokens.a_success) == (15.0, 30.0)
    assert (told.seconds.an_episode, told.episodes_a_minute) == (2.0, 30.0)
    never = measure_spending([marked("echo", "bed", 0, "--")])
    assert never.steps.a_success is None
    with pytest.raises(ValueError, match="expected at least one run; got none"):
        measure_spending([])


def test_retries_are_avoided_against_the_agent_without_memory_in_the_same_runs():
    def run(label, number, retries):
        return make_run(label, "bed", number, [make_episode(retries=retries)] * 2)

    cells = Cells.from_runs([run("echo", 0, 1), run("direct", 0, 5), run("direct", 1, 9)])
    echo, direct = measure_retries(cells, "echo"), measure_retries(cells, "direct")
    assert echo is not None
    assert direct is not None
    assert echo.avoided is not None
    assert (echo.an_episode.value, echo.avoided.value) == (1.0, 4.0)
    assert (direct.an_episode.value, direct.avoided) == (7.0, None)
    assert measure_retries(cells, "mp5") is None


def test_negative_transfer_counts_failed_episodes_with_their_budget():
    def run(label, *steps):
        return make_run(label, "bed", 0, [make_episode(s < 100, steps=s) for s in steps])

    told = measure_negative_transfer(
        Cells.from_runs([run("echo", 30, 100, 50), run("echo/-ical", 50, 60, 50)])
    )
    assert list(told) == ["all", "recipe"]
    one = told["all"]
    assert (one.pairs, one.worse, one.lost) == (3, pytest.approx(1 / 3), 40.0)
    assert one.gained == 10.0
    assert one.difference.value == pytest.approx(20 / 3)


def test_sources_share_what_was_made_and_new():
    episode = make_episode(
        attempts={"transfer": Tally(tried=4, made=3, new=1), "exploration": Tally(tried=6, made=1, new=1)},
        axes={"func": 1.0},
    )
    silent = make_episode(attempts={"edit": Tally()})
    told = measure_sources([make_run("echo", "bed", 0, [episode, silent])])
    assert list(told.tallies) == ["exploration", "transfer"]
    assert (told.share("transfer", "made"), told.share("transfer", "new")) == (0.75, 0.5)
    assert told.share("edit", "made") == 0
    assert told.axes_tried == {"struct": 0.0, "attr": 0.0, "proc": 0.0, "func": 1.0, "inter": 0.0}
    assert told.axes_made == {}


def test_milestones_count_the_steps_of_all_episodes_of_a_run():
    run = make_run(
        "mfm",
        "diamond",
        0,
        [
            make_episode(False, milestones={"crafting_table": 7}),
            make_episode(False, milestones={"crafting_table": 3, "furnace": 50}),
        ],
        kind="mfm",
    )
    assert first_held(run) == {"crafting_table": 7, "furnace": 150}


def test_a_milestone_that_half_the_runs_never_held_has_no_median():
    def run(number, *held):
        episodes = [make_episode(False, milestones=dict(held))]
        return make_run("mfm", "diamond", number, episodes, kind="mfm")

    told = measure_folder_memory(
        [run(0, ("crafting_table", 4), ("furnace", 60)), run(1, ("crafting_table", 8))]
    )
    assert told.items[0] == "crafting_table"
    assert told.items[-1] == "diamond"
    marks = {mark.item: mark for mark in told.ladders["mfm"].milestones}
    assert (marks["crafting_table"].median, marks["crafting_table"].reached) == (6.0, 2)
    assert (marks["furnace"].median, marks["furnace"].reached) == (None, 1)
    assert (marks["diamond"].median, marks["diamond"].reached) == (None, 0)
    assert told.ladders["mfm"].reached.value == 1.5


def test_skills_are_compared_run_by_run():
    def run(number, steps, installed=None):
        episodes = [make_episode(steps=steps)]
        return make_run("mfm", "bed", number, episodes, kind="mfm", installed=installed)

    told = measure_folder_memory([run(0, 50), run(1, 60), run(0, 30, "shield"), run(2, 5, "shield")])
    (one,) = told.skills
    assert (one.task, one.installed, one.pairs) == ("bed", "shield", 1)
    assert (one.steps_without, one.steps_with, one.difference.value) == (50.0, 30.0, -20.0)
    assert told.ladders == {}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    root = tmp_path_factory.mktemp("results")
    removed = [f"echo/-{axis.value}" for axis in AXES]
    tasks = ["bed", "bridge-eq"]
    runs = fake_experiment("tasks", ["echo", "jarvis-1", "direct", "echo/-ical"], runs=2, tasks=tasks)
    write_folder(root / "tasks", runs[:-1], unscored=[(runs[-1].spec.name, "no land <b>")])
    write_folder(root / "ablate", fake_experiment("ablate", ["echo", *removed], runs=2, tasks=tasks))
    write_folder(root / "continual", fake_experiment("continual", ["echo", "mp5"], runs=2, episodes=31))
    write_folder(root / "mfm", fake_ladder(["direct", "mfm", "mfm/-index"], runs=2, episodes=2))
    return root


def test_the_json_of_a_report_has_the_keys_that_were_promised(folders):
    told = numbers_json(
        measure([read_experiment(folders / kind) for kind in ("continual", "ablate", "mfm", "tasks")])
    )
    json.dumps(told, allow_nan=False)
    keys = {"at10", "at30", "low10", "high10", "low30", "high30", "runs", "unscored"}
    assert set(told["table1"]["echo"]["bed"]) == keys
    assert told["table1"]["echo/-ical"]["bridge-eq"] == {
        **told["table1"]["echo/-ical"]["bridge-eq"], "runs": 1, "unscored": 1, "low30": None,
    }  # fmt: skip
    assert told["continual"]["mp5"]["episodes"] == list(range(1, 32))
    assert {"mean", "low", "high", "smoothed"} <= set(told["continual"]["mp5"])
    assert set(told["ablation"]) == {"recipe", "functional"}
    assert set(told["ablation"]["recipe"]) == {*(f"-{axis.value}" for axis in AXES), "-ical"}
    assert isinstance(told["ablation"]["recipe"]["-struct"], float)
    assert told["heatmap"]["recipe"]["attr"]["paper"] == 0.83
    assert {"rho", "low", "high"} <= set(told["paper_rank_correlation"])
    assert told["paper_rank_correlation"]["cells"] == 10
    assert told["unscored"] == {"echo--without-ical.bridge-eq.r01": "no land <b>"}
    assert list(told["behind"]) == ["tasks", "continual", "mfm"]
    assert told["kinds"] == ["tasks", "continual", "ablate", "mfm"]


def test_one_kind_alone_leaves_the_other_keys_empty(folders):
    told = numbers_json(measure([read_experiment(folders / "continual")]))
    assert (told["table1"], told["ablation"], told["heatmap"]) == ({}, {}, {})
    assert told["paper_rank_correlation"]["rho"] is None
    assert told["costs"]["echo"]["episodes"] == 62


def test_the_same_folders_give_the_same_numbers(folders):
    first = numbers_json(measure([read_experiment(folders / "tasks")]))
    assert numbers_json(measure([read_experiment(folders / "tasks")])) == first


def test_a_run_of_two_experiments_counts_once(folders):
    numbers = measure([read_experiment(folders / "tasks"), read_experiment(folders / "ablate")])
    assert numbers.success is not None
    assert numbers.success.table["echo"]["bed"].runs == 2
    assert numbers.behind["tasks"].spending["echo"].episodes == 2 * 2 * 30


def test_experiments_in_other_circumstances_are_not_put_together(folders, tmp_path):
    other = write_folder(
        tmp_path / "ablate", fake_experiment("ablate", ["echo"], runs=1, tasks=["bed"], seed=7)
    )
    with pytest.raises(ResultsError, match=r"same circumstances \(seed=0 in .*; got seed=7 in"):
        measure([read_experiment(folders / "tasks"), read_experiment(other)])


def test_two_folders_of_one_kind_are_not_put_together(folders):
    with pytest.raises(ResultsError, match="got two of kind 'tasks'"):
        measure([read_experiment(folders / "tasks"), read_experiment(folders / "tasks")])


def test_a_folder_of_failures_alone_says_what_failed(tmp_path):
    runs = fake_experiment("tasks", ["echo"], runs=1, tasks=["bed"])
    folder = write_folder(tmp_path, runs, unscored=[("mp5.bed.r00", "out of memory")])
    (folder / "runs" / f"{runs[0].spec.name}.json").unlink()
    with pytest.raises(UsageError, match=r"1 unscored ones alone, such as mp5.bed.r00: out of memory"):
        read_experiment(folder)


def test_runs_that_were_asked_for_and_never_played_are_named(tmp_path):
    runs = fake_experiment("tasks", ["echo"], runs=1, tasks=["bed"])
    folder = write_folder(tmp_path, runs, unplayed=["mp5--without-patroller.bed.r00"])
    (one,) = read_experiment(folder).unscored
    assert (one.label, one.task, one.reason) == ("mp5/-patroller", "bed", "not played")


@pytest.mark.parametrize(
    ("name", "label"),
    [
        ("echo.bed.r00", "echo"),
        ("echo--1-shot.bed.r00", "echo/1-shot"),
        ("echo--only-func.bed.r00", "echo/only-func"),
        ("voyager--without-self-verification.iron-pickaxe.r03", "voyager/-self-verification"),
    ],
)
def test_the_name_of_a_run_tells_its_competitor(name, label):
    assert Unscored(name=name, reason="").label == label
