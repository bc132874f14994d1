from __future__ import annotations

import tomllib

import pytest

from csd.resources import data_file
from echo.experiments.spec import UsageError
from echo.experiments.tasks.loading import (
    TaskFileError,
    ladder_names,
    load_task,
    read_task,
    task_names,
    tasks_digest,
)
from echo.experiments.tasks.task import FAMILIES, Start

GOOD = """
name = "stick"
title = "Stick"
family = "recipe"
text = "carry {stick}"
steps = 10
goal = { kind = "have", items = { stick = 1 } }
withheld = ["coal"]
[[starts]]
inventory = { oak_log = 1 }
"""


def read(text):
    return read_task(text, where="tasks/stick.toml")


def changed(old, new):
    assert GOOD.count(old) == 1
    return GOOD.replace(old, new)


def test_there_are_three_tasks_in_each_of_the_four_families():
    families = [load_task(name).family for name in task_names()]
    assert families == [family for family in FAMILIES for _ in range(3)]


def test_the_ladder_is_no_part_of_the_twelve():
    assert ladder_names() == ("diamond",)
    assert load_task("diamond").milestones[-1] == "diamond"
    assert "diamond" not in task_names()


def test_every_task_file_is_known_by_its_name():
    stored = sorted(file.name for file in data_file("tasks").iterdir() if file.name.endswith(".toml"))
    assert stored == sorted(f"{name}.toml" for name in (*task_names(), *ladder_names()))


def test_an_unknown_task_is_named_with_the_near_ones():
    with pytest.raises(UsageError, match=r"got 'iron-pickax'\. Did you mean iron-pickaxe\?"):
        load_task("iron-pickax")


def test_a_path_is_no_task():
    with pytest.raises(UsageError, match=r"expected a task out of bed, "):
        load_task("../minecraft/card")


def test_a_task_file_is_read_as_it_says():
    task = read(GOOD)
    assert task.starts == (Start(inventory={"oak_log": 1}),)
    assert task.asked == ("stick",)
    assert task.told(str.upper) == "carry STICK"
    assert task.withheld_in(task.starts[0]) == ("coal",)


def test_starts_take_turns_and_each_run_begins_with_the_next():
    task = read(GOOD + "\n[[starts]]\n[[starts]]\n")
    assert [task.start_number(1, episode) for episode in range(4)] == [1, 2, 0, 1]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("steps = 10", "steps = 0", r"for 'steps' in tasks/stick\.toml; got 0: .*greater than or equal to 1"),
        ("steps = 10\n", "", r"expected the key 'steps'; got none in tasks/stick\.toml\."),
        ("steps = 10", "step = 10", r"got 'step' in tasks/stick\.toml.*Did you mean steps"),
        ("{ oak_log = 1 }", "{ oak_log = 0 }", r"'starts\.0\.inventory\.oak_log'"),
        ("{ oak_log = 1 }", "{ oak_lock = 1 }", r"expected items of the game; got 'oak_lock'.*oak_log"),
        ("{ oak_log = 1 }", "{ coal = 1 }", r"expected starts without what is withheld; got 'coal'"),
        ("{ oak_log = 1 }", "{ stick = 1 }", r"start 0 has all of it"),
        ("carry {stick}", "carry {stik}", r"expected items or mobs of the game; got 'stik'.*stick"),
        ('kind = "have"', 'kind = "own"', r"expected another value for 'goal'"),
        ('family = "recipe"', 'family = "recipes"', r"for 'family'.*got 'recipes'"),
        ('family = "recipe"', 'family = "functional"', r"to name the usual items and to show their use"),
        ('family = "recipe"', 'family = "ladder"', r"expected milestones in a task of the family 'ladder'"),
        ("[[starts]]\ninventory = { oak_log = 1 }", "starts = []", r"for 'starts'"),
        ("[[starts]]", "[[starts]]\ngap = 5", r"'starts\.0\.gap'.*got 5"),
        ("[[starts]]", '[[starts]]\nmobs = ["dragon"]', r"expected mobs of the game; got 'dragon'"),
        ("[[starts]]", '[[starts]]\nstations = ["furnice"]', r"expected blocks of the game.*furnace"),
        (
            "{ stick = 1 }",
            "{ stick = inf }",
            r"expected another value for 'goal\.have\.items\.stick'",
        ),
    ],
)
def test_a_faulty_file_is_refused_with_its_place(old, new, message):
    with pytest.raises(TaskFileError, match=message):
        read(changed(old, new))


def test_what_is_no_toml_is_refused():
    with pytest.raises(TaskFileError, match=r"expected TOML; got .* in tasks/stick\.toml"):
        read("name = ")


def test_a_gap_task_wants_the_gap_in_every_start():
    with pytest.raises(TaskFileError, match=r"expected a gap as long as the goal's in every start; start 0"):
        read(changed('{ kind = "have", items = { stick = 1 } }', '{ kind = "fill", cells = 2 }'))


def test_a_fight_task_wants_its_creature_in_every_start():
    with pytest.raises(TaskFileError, match=r"expected the goal's creature in every start; start 0"):
        read(
            changed('{ kind = "have", items = { stick = 1 } }', '{ kind = "fell", mob = "cow", within = 2 }')
        )


SHOWN = """
[[shown]]
kind = "grid"
product = "PRODUCT"
rows = ["p", "p"]
items = { p = "ITEM" }
"""


def test_a_demonstration_may_show_the_goal_only_with_what_is_withheld():
    with pytest.raises(TaskFileError, match=r"with oak_planks, which would give the answer away"):
        read(GOOD + SHOWN.replace("PRODUCT", "stick").replace("ITEM", "oak_planks"))
    withheld = changed('withheld = ["coal"]', 'withheld = ["birch_planks"]')
    assert read(withheld + SHOWN.replace("PRODUCT", "stick").replace("ITEM", "birch_planks")).shown


def test_a_demonstration_of_something_else_may_take_anything():
    assert read(GOOD + SHOWN.replace("PRODUCT", "lever").replace("ITEM", "oak_planks")).shown


def test_a_task_survives_being_written_and_read():
    for name in task_names():
        task = load_task(name)
        assert type(task).model_validate_json(task.model_dump_json()) == task


def test_the_digest_is_of_the_contents_whatever_the_order_or_the_layout_of_the_files():
    assert tasks_digest(["bed", "shield"]) == tasks_digest(["shield", "bed", "bed"])
    assert tasks_digest(["bed"]) != tasks_digest(["shield"])
    assert len(tasks_digest(["bed"])) == 64


def test_every_file_names_itself_first():
    for name in task_names():
        text = data_file("tasks", f"{name}.toml").read_text(encoding="utf-8")
        assert next(iter(tomllib.loads(text).items())) == ("name", name)
