from __future__ import annotations

import os

import pytest

from echo.baselines.memories import MEMORIES
from echo.experiments.spec import UsageError
from echo.experiments.tasks.competitors import Competitor
from echo.experiments.tasks.experiment import load_experiment, make_experiment, read_spec, shipped_specs
from echo.experiments.tasks.loading import task_names


def write(folder, text, name="own.toml"):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", shipped_specs())
def test_every_shipped_spec_is_of_the_kind_and_size_in_its_name(name):
    experiment = load_experiment(name)
    kind, size = name.rsplit("-", 1)
    assert experiment.kind == kind
    assert experiment.about
    if size == "full":
        assert experiment.runs == 40


def test_the_sizes_of_one_kind_differ_in_what_their_files_say_alone():
    quick, standard, full = (load_experiment(f"tasks-{size}") for size in ("quick", "standard", "full"))
    assert [one.label for one in quick.agents] == ["voyager", "mrsteve", "mp5", "jarvis-1", "mfm", "echo"]
    assert (quick.runs, quick.episodes, quick.tasks) == (4, 30, task_names())
    assert (standard.agents, standard.tasks, standard.seed) == (full.agents, full.tasks, full.seed)
    assert {one.agent for one in standard.agents} == set(MEMORIES)


def test_the_ablation_takes_away_and_keeps_each_axis():
    labels = {one.label for one in load_experiment("ablate-quick").agents}
    assert {
        f"echo/{sign}{axis}"
        for axis in ("struct", "attr", "proc", "func", "inter")
        for sign in ("-", "only-")
    } < labels
    assert "echo" in labels


def test_a_spec_tells_its_difference_from_its_base(tmp_path):
    path = write(tmp_path, 'base = "tasks-quick"\nruns = 2\nagents = ["echo/-func"]\n')
    own, base = read_spec(path), load_experiment("tasks-quick")
    assert (own.runs, [one.label for one in own.agents]) == (2, ["echo/-func"])
    assert (own.tasks, own.episodes) == (base.tasks, base.episodes)


def test_a_base_may_be_a_file_beside_it(tmp_path):
    write(tmp_path, 'base = "tasks-quick"\nruns = 2\nepisodes = 5\n', "first.toml")
    own = read_spec(write(tmp_path, 'base = "first.toml"\nepisodes = 7\n'))
    assert (own.runs, own.episodes) == (2, 7)


def test_changes_come_last(tmp_path):
    path = write(tmp_path, 'base = "tasks-quick"\nruns = 2\n')
    own = read_spec(path, {"runs": 3, "agents": ["echo", "mp5", "echo"], "tasks": ["bed", "bed"]})
    assert (own.runs, [one.label for one in own.agents], own.tasks) == (3, ["echo", "mp5"], ("bed",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base = "tasks-quick"\nepisods = 3', r"got 'episods'\. Did you mean episodes\?"),
        ('base = "task-quick"', r"got 'task-quick'\. Did you mean tasks-quick"),
        ('base = 3', r"the name of a spec for 'base'"),
        ('base = "own.toml"', r"a base that ends somewhere; got own\.toml -> own\.toml"),
        ('base = "absent.toml"', r"got No such file or directory at .*absent\.toml"),
        ("runs = [", r"a spec file in TOML; got .* in .*own\.toml"),
        ('base = "tasks-quick"\nruns = 0', r"runs = 0 \(input should be greater than or equal to 1\)"),
        ('base = "tasks-quick"\nepisodes = 0', r"episodes = 0 "),
        ('base = "tasks-quick"\nepisodes = "3"', r"episodes = '3' \(input should be a valid integer\)"),
        ('base = "tasks-quick"\nruns = true', r"runs = True"),
        ('base = "tasks-quick"\nkind = "task"', r"kind = 'task'"),
        ('base = "tasks-quick"\nagents = []', "at least one agent; got none"),
        ('base = "tasks-quick"\nagents = "echo"', r"a list of names for 'agents'; got 'echo'"),
        ('base = "tasks-quick"\nagents = [3]', r"names in 'agents'; got \[3\]"),
        ('base = "tasks-quick"\nagents = ["ehco"]', r"got 'ehco'\. Did you mean echo\?"),
        ('base = "tasks-quick"\nagents = ["echo/-fnuc"]', r"a switch of echo .*Did you mean -func"),
        ('base = "tasks-quick"\nruns = 100000000', r"runs = 100000000 \(input should be less than or equal"),
        ('base = "tasks-quick"\nruns = 1' + "0" * 5_000, "a spec file in TOML; got Exceeds the limit"),
        ("about = " + "[" * 5_000 + "]" * 5_000, "a spec file in TOML; got .*recursion"),
        ('base = "tasks-quick"\nagents = ["ECHO"]', r"got 'ECHO'\. Did you mean echo"),
        ('base = "tasks-quick"\ntasks = ["BED"]', r"got 'BED'\. Did you mean bed"),
        ('base = "tasks-quick"\ntasks = ["bedd"]', r"got 'bedd'\. Did you mean bed\?"),
        ('base = "tasks-quick"\ntasks = []', r"at least one task; got none"),
        ('base = "continual-quick"\ntasks = ["bed"]', r"no tasks in a spec of kind 'continual'"),
        ('base = "tasks-quick"\nskills = [{task="bed", installed="shield"}]', "of kind 'mfm' only"),
        ('base = "mfm-quick"\nskills = [{task="bed", installed="shild"}]', r"got 'shild'\. Did you mean"),
        ('kind = "tasks"\ntasks = ["bed"]', "nothing for 'agents'; nothing for 'runs'; nothing for 'ep"),
    ],
)  # fmt: skip
def test_a_wrong_spec_says_what_is_wrong_and_what_is_near(tmp_path, text, said):
    with pytest.raises(UsageError, match=said):
        read_spec(write(tmp_path, text))


def test_a_spec_that_is_not_there_is_told(tmp_path):
    with pytest.raises(UsageError, match=r"got No such file or directory at .*none\.toml"):
        read_spec(tmp_path / "none.toml")
    with pytest.raises(UsageError, match=r"expected a spec out of tasks-quick, .* got 'tasks-huge'"):
        load_experiment("tasks-huge")


def test_settings_may_come_from_a_program():
    made = make_experiment(
        {"kind": "tasks", "agents": ["mp5/-patroller"], "tasks": ["bed"], "runs": 1, "episodes": 2}, "here"
    )
    assert (made.seed, made.invented_names, made.named) == (0, None, ("bed",))


def test_a_base_lies_beside_the_file_that_names_it(tmp_path):
    (tmp_path / "inner").mkdir()
    write(tmp_path / "inner", 'base = "tasks-quick"\nruns = 7', "root.toml")
    write(tmp_path / "inner", 'base = "root.toml"\nepisodes = 5', "middle.toml")
    own = read_spec(write(tmp_path, 'base = "inner/middle.toml"\nseed = 3'))
    assert (own.runs, own.episodes, own.seed) == (7, 5, 3)


def test_a_base_that_leads_back_by_another_spelling_is_noticed(tmp_path):
    with pytest.raises(
        UsageError, match=r"ends somewhere; got own\.toml -> \./x/\.\./own\.toml\. Name another"
    ):
        read_spec(write(tmp_path, 'base = "./x/../own.toml"'))


def test_what_is_no_regular_file_is_refused_without_waiting_for_its_end(tmp_path):
    os.mkfifo(tmp_path / "pipe.toml")
    with pytest.raises(UsageError, match="expected a spec file; got a folder or a device"):
        read_spec(tmp_path / "pipe.toml")


def test_blanks_around_a_competitor_and_its_switch_do_no_harm():
    assert Competitor.parse(" echo / -func ").label == "echo/-func"
