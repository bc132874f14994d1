from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.episode import Attack, Collect, Craft, Equip, Place, Smelt
from echo.worlds.minecraft.checking import ActionError
from echo.worlds.minecraft.facts import load_facts
from echo.worlds.minecraft.names import NameBook
from echo.worlds.minecraft.options import WorldOptions
from echo.worlds.minecraft.spaces import observation_text
from echo.worlds.minecraft.world import MinecraftWorld

_FACTS = load_facts()
_ALL = (*_FACTS.items, *_FACTS.blocks, *_FACTS.mobs)


@settings(max_examples=5, deadline=None)
@given(st.integers(0, 2**32))
def test_invented_names_are_one_to_one_pronounceable_and_new(seed):
    book = NameBook(_ALL, seed)
    shown = [book.shown(name) for name in dict.fromkeys(_ALL)]
    assert len(dict.fromkeys(shown)) == len(shown)
    assert not set(shown) & set(_ALL)
    assert all(re.fullmatch(r"([b-df-hj-np-tv-z]{1,2}[aeiou]{1,2}[nrlsk]?){2,3}", name) for name in shown)
    assert all(book.real(book.shown(name)) == name for name in _ALL)
    assert book.real("oak_log") is None


def test_without_a_seed_names_stay_the_real_ones():
    book = NameBook(_ALL, None)
    assert (book.shown("oak_log"), book.real("oak_log"), book.invented) == ("oak_log", "oak_log", False)


def test_the_same_seed_gives_the_same_names_in_any_order():
    one, two = NameBook(_ALL, 4), NameBook(reversed(_ALL), 4)
    assert one.shown_by_real == two.shown_by_real
    assert one.shown_by_real != NameBook(_ALL, 5).shown_by_real


def _walk(world: MinecraftWorld) -> list[str]:
    """Return what is seen and said in a short life, in shown names."""
    name = world.names.shown
    log, planks = name("birch_log"), name("birch_planks")
    texts = [observation_text(world.observe())]
    for action in (
        *[Collect(block=log)] * 4,
        *[Craft(grid=((log,),))] * 3,
        Craft(grid=((planks,), (planks,))),
        Craft(grid=((planks, None), (None, planks))),
        Craft(grid=((planks,) * 3, (None, name("stick"), None), (None, name("stick"), None))),
        Equip(item=name("wooden_pickaxe")),
        *[Collect(block=name("stone"))] * 60,
        Smelt(input=log, fuel=planks),
        Place(item=name("cobblestone")),
        Attack(mob=name("sheep")),
    ):
        outcome = world.act(action)
        texts.append(f"{outcome.code} {outcome.message} {outcome.inventory_delta} {outcome.events}")
        texts.append(observation_text(world.observe()))
    return texts


def test_a_life_under_invented_names_is_the_same_life_and_shows_no_real_name():
    options = WorldOptions(seed=1, stations=("crafting_table", "furnace"), mobs=("sheep",))
    plain = MinecraftWorld(options)
    invented = MinecraftWorld(replace(options, invented_names=9))
    real_texts, texts = _walk(plain), _walk(invented)
    assert any("broke:wooden_pickaxe" in text for text in real_texts)
    words = {name for name in _ALL if "_" in name or name in ("stone", "dirt", "stick", "furnace", "sheep")}
    for text in texts:
        assert not words & set(re.findall(r"[a-z_]+", text))
    back = {shown: real for real, shown in invented.names.shown_by_real.items()}
    for real, text in zip(real_texts, texts, strict=True):
        translated = re.sub(r"[a-z]+", lambda word: back.get(word[0], word[0]), text)
        assert sorted(re.findall(r"[\w.]+", translated)) == sorted(re.findall(r"[\w.]+", real))
    assert list(plain.unlocked) == [back[shown] for shown in invented.unlocked]


def test_real_names_are_unknown_where_names_are_invented():
    world = MinecraftWorld(WorldOptions(seed=1, invented_names=9))
    with pytest.raises(ActionError, match=r"got 'stone' in Collect\.block"):
        world.act(Collect(block="stone"))
