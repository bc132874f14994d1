from __future__ import annotations

import pytest

from csd.build import describe
from csd.episode import Craft
from echo.experiments.demonstrate import RECIPES, record_demonstrations
from echo.experiments.spec import UsageError


@pytest.fixture(scope="module")
def shown():
    return record_demonstrations(len(RECIPES), 0, None)


def test_the_first_two_shots_are_a_tool_and_a_station(shown):
    assert [episode.goal for episode in shown[:2]] == ["make a wooden_pickaxe", "make a furnace"]
    planks, stick = "oak_planks", "stick"
    assert shown[0].steps[0].action == Craft(
        grid=((planks, planks, planks), (None, stick, None), (None, stick, None))
    )


def test_every_demonstration_makes_its_product_out_of_exactly_what_was_carried(shown):
    for episode, recipe in zip(shown, RECIPES, strict=True):
        change = episode.inventory_delta
        assert change.pop(recipe.product) >= 1
        assert change == {item: -count for item, count in recipe.needs.items()}
        assert list(episode.after.inventory) == [recipe.product]


def test_a_demonstration_holds_one_step_and_a_picture(shown):
    for number, episode in enumerate(shown, start=1):
        assert episode.id == f"ep_{number:06d}"
        assert len(episode.steps) == 1
        assert episode.steps[0].before.frame is not None
        assert episode.source == "demonstration"


def test_a_demonstration_can_be_described(shown):
    for episode, recipe in zip(shown, RECIPES, strict=True):
        assert describe(episode).meta.product == recipe.product


def test_fewer_shots_are_the_first_ones(shown):
    assert record_demonstrations(2, 0, None) == shown[:2]
    assert record_demonstrations(0, 0, None) == []


def test_under_invented_names_no_real_name_is_shown():
    (episode,) = record_demonstrations(1, 0, 7)
    words = f"{episode.goal} {episode.steps} {episode.after}"
    for name in ("oak_planks", "stick", "pickaxe", "crafting_table", "oak_log"):
        assert name not in words


def test_more_shots_than_recipes_are_refused():
    with pytest.raises(UsageError, match="expected 0 to 8 shots; got 9"):
        record_demonstrations(9, 0, None)
