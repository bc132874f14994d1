from __future__ import annotations

import sys
from pathlib import Path

import pytest

from csd.axes import AXES
from echo.experiments.results import ResultsError
from echo.experiments.tasks.committed import pack
from echo.experiments.tasks.loading import load_task, task_names
from echo.experiments.tasks.results import TaskResults
from echo.experiments.tasks.table_texts import TABLES, Committed
from echo.experiments.tasks.tables import MarkError, fill, filled_pages, find_marks, main
from tests.experiments.tasks.fake_runs import make_run, make_spec

PAGE = "# Title\n\n<!-- table: tasks -->\nold\n<!-- end -->\nbetween\n<!-- table: success -->\n<!-- end -->\n"


def commit(root: Path, name: str, *runs) -> None:
    """Pack `runs` as they are committed."""
    results = TaskResults(
        kind=runs[0].spec.kind,
        circumstances=runs[0].spec.circumstances,
        expected=tuple(run.spec.name for run in runs),
        runs=runs,
        unscored={},
    )
    path = root / "data" / "results" / f"{name}.jsonl.xz"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(pack(results))


def cell(agent, task, *reached_from, **changes):
    """Return a run of four episodes for each number, which reaches its goal from that episode on."""
    return [
        make_run(make_spec(agent, task, run, **{"episodes": 4, **changes}), reached_from=first)
        for run, first in enumerate(reached_from)
    ]


@pytest.fixture
def committed(tmp_path) -> Committed:
    """Results in which every number of a table can be worked out."""
    commit(
        tmp_path,
        "tasks",
        *cell("echo", "bed", 0, 2),
        *cell("echo", "smelt-eq", 1, 1),
        *cell("mp5", "bed", 4, 3),
        *cell("mp5", "smelt-eq", 1, 1),
    )
    removals = [run for axis in AXES for run in cell(f"echo/-{axis.value}", "bed", 2, 4, kind="ablate")]
    commit(tmp_path, "ablate", *cell("echo", "bed", 0, 2, kind="ablate"), *removals)
    commit(tmp_path, "continual", *cell("echo", "mixed", 0, 4, kind="continual"))
    commit(tmp_path, "tasks-invented", *cell("echo", "bed", 2, 4, invented_names=7))
    return Committed(tmp_path / "data" / "results")


def rows(text):
    return [
        [cell.strip() for cell in line.strip("|").split("|")] for line in text.splitlines() if "|" in line
    ]


def test_the_tasks_stand_in_the_order_of_all_tables_with_their_budgets():
    told = rows(TABLES["tasks"](Committed(Path("none"))))[2:]
    assert [row[0].strip("`") for row in told] == list(task_names())
    assert [row[3] for row in told] == [str(load_task(name).steps) for name in task_names()]
    assert not any("{" in row[2] for row in told)


def test_table_1_tells_both_windows_and_the_mean(committed):
    # Of four episodes both windows are all four: (100 + 50) / 2 and (75 + 75) / 2, and their mean.
    assert rows(TABLES["success"](committed)) == [
        ["agent", "Bed", "SmeltEq", "mean"],
        ["---"] * 4,
        ["`echo`", "75/75", "75/75", "75/75"],
        *([f"`echo/-{axis}`", "25/25", "-", "25/25"] for axis in ("struct", "attr", "proc", "func", "inter")),
        ["`mp5`", "12.5/12.5", "75/75", "43.8/43.8"],
    ]


def test_the_lead_over_an_agent_is_in_points(committed):
    told = rows(TABLES["leads"](committed))
    assert told[-1][0] == "`mp5`"
    assert told[-1][1].startswith("+31.2 (")  # (62.5 + 0) / 2
    assert told[-1][-1] == "4"


def test_families_are_told_apart(committed):
    told = rows(TABLES["families"](committed))
    assert told[0] == ["agent", "recipe", "functional"]
    assert told[-1][1].startswith("12.5 (")
    assert told[-1][2].startswith("75 (")


def test_the_ablation_tells_what_a_removal_changes(committed):
    told = rows(TABLES["ablation"](committed))
    assert told[2][0] == "`echo/-struct`"
    assert told[2][1].startswith("-50.0 (")
    assert "no rank correlation with the paper's heat map: " in TABLES["ablation"](committed)


def test_the_heat_map_shows_the_paper_beside_it(committed):
    told = rows(TABLES["heatmap"](committed))
    assert told[0][1:] == ["struct", "attr", "proc", "func", "inter"]
    assert told[2][2].startswith("+50.0 (")
    assert told[2][2].endswith("(0.83)")


def test_mixed_episodes_are_told_along_their_course(committed):
    assert rows(TABLES["continual"](committed))[2] == ["`echo`", "50", "50", "2"]


def test_table_1_under_invented_names_has_the_mean_over_the_same_tasks_under_real_ones_beside_it(committed):
    # Invented: (50 + 0) / 2; real, in bed alone: (100 + 50) / 2.
    assert rows(TABLES["invented"](committed)) == [
        ["agent", "Bed", "mean", "mean, real names"],
        ["---"] * 4,
        ["`echo`", "25/25", "25/25", "75/75"],
    ]


def test_an_agent_without_runs_under_real_names_has_a_dash_there(committed):
    root = committed.folder.parents[1]
    commit(root, "tasks-invented", *cell("vista", "bed", 2, 4, invented_names=7))
    assert rows(TABLES["invented"](Committed(committed.folder)))[2] == ["`vista`", "25/25", "25/25", "-"]


def test_a_page_says_where_no_results_under_invented_names_are_committed(committed, tmp_path):
    (committed.folder / "tasks-invented.jsonl.xz").unlink()
    (tmp_path / "README.md").write_text("<!-- table: invented -->\n<!-- end -->\n")
    (page,) = filled_pages(tmp_path).values()
    assert page == (
        "<!-- table: invented -->\n"
        "*No results under invented names are committed (`tasks-invented.jsonl.xz`).*\n"
        "<!-- end -->\n"
    )


def test_sources_are_shares_of_all_new_items(committed):
    told = rows(TABLES["sources"](committed))
    assert told[0] == ["agent", "exploration", "episodes"]
    assert told[2][:2] == ["`echo`", "100"]


def test_costs_are_those_of_an_episode_and_of_a_success(committed):
    # Echo takes 5 steps an episode; of its 16 episodes 4 + 2 + 3 + 3 succeed: 16 * 5 / 12. Runs that stand
    # in both files count once.
    told = {row[0]: row[1:] for row in rows(TABLES["costs"](committed))}
    assert told["`echo`"] == ["5", "7", "5", "160"]
    assert told["`mp5`"] == ["5", "11", "5", "160"]  # 0 + 1 + 3 + 3


def test_transfer_is_compared_with_the_same_runs_without_it(committed):
    commit(committed.folder.parents[1], "tasks", *cell("echo", "bed", 0, 2), *cell("echo/-ical", "bed", 1, 1))
    told = rows(TABLES["negative-transfer"](committed))
    assert told[0][0] == "tasks"
    assert told[2][:2] == ["all", "8"]


def test_a_table_without_its_results_says_which_file_is_missing(committed):
    for name in ("milestones", "skills"):
        with pytest.raises(ResultsError, match=r"expected .*mfm\.jsonl\.xz; got none for a table"):
            TABLES[name](committed)
    with pytest.raises(ResultsError, match=r"expected one of .*tasks\.jsonl\.xz.*results pack"):
        TABLES["success"](Committed(committed.folder / "none"))


def test_only_what_stands_between_marks_is_replaced():
    assert fill(PAGE, {"tasks": "A\n", "success": "B\n"}) == PAGE.replace("old\n", "A\n").replace(
        "success -->\n", "success -->\nB\n"
    )
    assert fill("no marks\n", {}) == "no marks\n"


def test_filling_twice_changes_nothing():
    once = fill(PAGE, {"tasks": "A\n", "success": "B\n"})
    assert fill(once, {"tasks": "A\n", "success": "B\n"}) == once


@pytest.mark.parametrize(
    ("page", "said"),
    [
        ("<!-- table: taks -->\n<!-- end -->\n", r"got 'taks'\. Did you mean tasks\?"),
        ("<!-- table: tasks -->\n", "the table 'tasks'; got the end of the page"),
        ("a\n<!-- end -->\n", "by turns; got another in line 2"),
        ("<!-- table: tasks -->\n<!-- table: tasks -->\n<!-- end -->\n", "by turns; got another in line 2"),
    ],
)
def test_marks_that_do_not_pair_or_name_nothing_are_told(page, said):
    with pytest.raises(MarkError, match=said):
        find_marks(page)


def run_main(monkeypatch, root, *words):
    monkeypatch.setattr(sys, "argv", ["tables", "--root", str(root), *words])
    return main()


def test_the_command_names_pages_that_differ_and_writes_them(committed, tmp_path, monkeypatch, capsys):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text(PAGE)
    (tmp_path / "docs" / "other.md").write_text("no table\n")
    assert run_main(monkeypatch, tmp_path) == 1
    assert capsys.readouterr().out == f"differs: {tmp_path / 'README.md'}\n"
    assert (tmp_path / "README.md").read_text() == PAGE
    assert run_main(monkeypatch, tmp_path, "--write") == 0
    written = (tmp_path / "README.md").read_text()
    assert "| `echo` | 75/75 |" in written
    assert written == filled_pages(tmp_path)[tmp_path / "README.md"]
    assert run_main(monkeypatch, tmp_path) == 0


def test_the_command_tells_the_page_with_a_wrong_mark(tmp_path, monkeypatch, capsys):
    (tmp_path / "README.md").write_text("<!-- table: tasks -->\n")
    assert run_main(monkeypatch, tmp_path) == 1
    assert "README.md" in capsys.readouterr().err
