from __future__ import annotations

import pytest

from echo.experiments.spec import AGENTS, UsageError
from echo.experiments.unlock_costs import UnlockCosts
from echo.experiments.unlock_sizes import SHIPPED, load_unlocking, read_unlocking


def write(folder, text, name="own.toml"):
    path = folder / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_spec_makes_runs_and_says_what_it_is_for(name):
    experiment = load_unlocking(name)
    assert experiment.about
    assert (
        len(experiment.make_specs())
        == len(experiment.agents) * {"0": 1, "0-9": 10, "0-39": 40}[experiment.seeds]
    )


def test_the_sizes_hold_the_memories_of_the_papers_comparison():
    assert {"voyager", "jarvis-1", "mrsteve", "mp5", "echo"} < set(load_unlocking("unlock-quick").agents)
    assert load_unlocking("unlock-standard").agents == AGENTS == load_unlocking("unlock-full").agents


def test_every_agent_has_a_price_for_the_estimate():
    assert set(UnlockCosts.from_file().by_agent) == set(AGENTS)


def test_a_spec_tells_its_difference_from_its_base_and_options_change_it(tmp_path):
    path = write(tmp_path, 'base = "unlock-quick"\nagents = ["edits", "echo"]\naxes = ["-func"]\n')
    own = read_unlocking(path, {"seeds": "3,5"})
    assert [(one.name, one.steps) for one in own.make_specs()] == [
        ("edits-s03", 2000),
        ("echo-s03", 2000),
        ("echo-without-func-s03", 2000),
        ("edits-s05", 2000),
        ("echo-s05", 2000),
        ("echo-without-func-s05", 2000),
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('base = "unlock-quick"\nsteps = 0\n', "steps = 0"),
        ('base = "unlock-quick"\nstep = 5\n', "Did you mean steps"),
        ('base = "unlock-quick"\nagents = ["ehco"]\n', "expected agents out of .* \\(in .*own.toml\\)"),
        ('base = "unlock-quick"\naxes = ["-fnc"]\n', "own.toml"),
        ('base = "unlock-quick"\nseeds = "9-1"\n', "expected seeds as"),
        ('base = "unlock-quik"\n', "Did you mean unlock-quick"),
        ('base = "own.toml"\n', "expected a base that ends somewhere"),
        ('kind = "unlock"\n', "nothing for 'agents'"),
        ("kind = ", "expected a spec file in TOML"),
    ],
)
def test_a_spec_that_cannot_be_says_what_is_wrong(tmp_path, text, said):
    with pytest.raises(UsageError, match=said):
        read_unlocking(write(tmp_path, text))
