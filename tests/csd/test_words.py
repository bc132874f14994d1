from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.axes import Axis
from csd.descriptor import Csd
from csd.graph import edges_of, joined_graph, neighbourhood
from csd.words import search
from csd.words.graphs import bank_cluster, bank_neighbourhood
from csd.words.words import Words
from tests.csd.any_descriptors import descriptors
from tests.csd.descriptors import digging, meta, playing, says, wooden_pickaxe
from tests.csd.words_feed import FakeBank


def filled(*csds: Csd) -> tuple[FakeBank, Words]:
    bank, words = FakeBank(), Words(None)
    for csd in csds:
        bank.add(csd)
    words.refresh(bank)
    return bank, words


def rows(words: Words, text: str, **more) -> list[int]:
    return [hit.row for hit in words.cue(text, limit=10, **more)]


def of(bank: FakeBank, row: int) -> Csd:
    return Csd.from_json(bank.records[row].record)


def test_a_cue_finds_descriptors_in_which_every_word_occurs_on_any_axis() -> None:
    _, words = filled(playing("oak_planks", "head"), playing("stick", "handle"), wooden_pickaxe())
    assert rows(words, "plays head") == [1, 3]
    assert rows(words, "handle planks") == [3]
    assert rows(words, "handle nothing") == []


def test_a_hit_tells_the_axis_the_clauses_and_the_whole_texts_that_answer() -> None:
    bank, words = filled(wooden_pickaxe(), digging("sand"))
    [hit] = words.cue("stick handle", limit=5)
    assert hit.id == bank.records[1].id
    assert hit.axis is Axis.FUNC
    assert hit.told == "stick plays handle"
    assert hit.texts[Axis.FUNC] == "oak planks plays head; stick plays handle"
    assert list(hit.texts) == [Axis.STRUCT, Axis.ATTR, Axis.PROC, Axis.FUNC, Axis.INTER]
    assert hit.score > 0


def test_ids_belong_to_their_rows_and_equal_scores_go_by_row() -> None:
    bank, words = filled(*(digging("coal", task=f"dig {n}") for n in range(6)))
    hits = words.cue("coal", limit=4)
    assert [hit.row for hit in hits] == [1, 2, 3, 4]
    assert [hit.id for hit in hits] == [bank.records[row].id for row in (1, 2, 3, 4)]
    assert len({hit.score for hit in hits}) == 1


def test_better_hits_come_first() -> None:
    long = Csd(
        meta=meta(), func=(says("coal", "plays", "fuel"), *(says("a", "plays", f"b{n}") for n in range(20)))
    )
    _, words = filled(long, playing("coal", "fuel"))
    hits = words.cue("fuel", limit=5)
    assert [hit.row for hit in hits] == [2, 1]
    assert hits[0].score > hits[1].score > 0


def test_an_axis_must_hold_all_words_where_it_is_asked() -> None:
    _, words = filled(wooden_pickaxe())
    assert rows(words, "stick head", axes=[Axis.FUNC]) == [1]
    assert rows(words, "stick mirror", axes=[Axis.FUNC]) == []
    assert rows(words, "stick mirror", axes=[Axis.FUNC, Axis.STRUCT]) == [1]
    with pytest.raises(ValueError, match="expected axes out of struct"):
        words.cue("stick", limit=1, axes=[])


def test_plurals_beginnings_joined_words_and_accents_are_found() -> None:
    _, words = filled(digging("oak_planks"), digging("torch"), digging("Crème_brûlée"), digging("橡木"))
    assert rows(words, "oak plank") == rows(words, "oak_planks") == rows(words, "OAK-PLANKS") == [1]
    assert rows(words, "planks_oak") == rows(words, "oa") == []
    assert rows(words, "oa* plan*") == [1]
    assert rows(words, "torches") == [2]
    assert rows(words, "creme brulee") == rows(words, "crème") == [3]
    assert rows(words, "橡木") == rows(words, "橡*") == [4]


def test_superseded_ones_answer_only_among_given_rows() -> None:
    bank, words = filled(digging("sand"), digging("sand", task="again"), digging("sand", task="more"))
    bank.retire(1)
    bank.remove(3)
    words.refresh(bank)
    assert rows(words, "sand") == [2]
    assert rows(words, "sand", rows=[1, 3, 99]) == [1]
    assert rows(words, "sand", rows=[]) == []
    assert words.mentioning("thing:sand") == [1, 2]


def test_nothing_and_negative_limits() -> None:
    _, words = filled(digging("sand"))
    assert words.cue("sand", limit=0) == []
    with pytest.raises(ValueError, match="limit >= 0; got -1"):
        words.cue("sand", limit=-1)
    _, empty = filled()
    assert rows(empty, "sand") == empty.mentioning("thing:sand") == []
    with pytest.raises(ValueError, match="Call refresh first"):
        Words(None).cue("sand", limit=1)


def test_edges_are_those_of_the_descriptors() -> None:
    bank, words = filled(digging("sand"), wooden_pickaxe())
    assert [
        (edge.axis, edge.place, edge.source, edge.predicate, edge.target, edge.amount)
        for edge in words.edges([2])
    ] == [
        (edge.axis, edge.place, edge.source, edge.predicate, edge.target, edge.amount)
        for edge in edges_of(of(bank, 2))
    ]
    assert [edge.row for edge in words.edges([2, 1])] == [1] + [2] * 19
    assert words.edges([]) == words.edges([77]) == []


def test_rows_that_share_most_things_come_first() -> None:
    one = Csd(meta=meta("a"), func=(says("coal", "supports", "stick"), says("coal", "serves", "torch")))
    two = Csd(meta=meta("b"), func=(says("coal", "supports", "stick"),))
    bank, words = filled(one, playing("coal", "fuel"), two, one.model_copy(update={"meta": meta("c")}))
    assert words.sharing([1], least=2) == [4, 3]
    assert words.sharing([1], least=1) == [4, 3, 2]
    assert words.sharing([1], least=1, limit=1) == [4]
    graph = bank_cluster(words, lambda rows: [of(bank, row) for row in rows], [1])
    assert {csd for *_, csd in graph.edges(data="csd")} == {bank.records[row].id for row in (1, 3, 4)}


@settings(max_examples=30, deadline=None)
@given(st.lists(descriptors, max_size=4, unique_by=lambda csd: csd.id), st.integers(0, 3), st.data())
def test_neighbours_are_those_of_the_joined_graph_of_all(csds: list[Csd], hops: int, data) -> None:
    bank, words = filled(*csds)
    whole = joined_graph([of(bank, row) for row in bank.records])
    centre = data.draw(st.sampled_from([*sorted(whole), "thing:nothing"]))
    expected = neighbourhood([of(bank, row) for row in bank.records], centre, hops)
    near = words.neighbours(centre, hops)
    assert sorted(near) == sorted(expected)
    assert list(near.values()) == sorted(near.values())
    read = bank_neighbourhood(words, lambda rows: [of(bank, row) for row in rows], centre, hops)
    assert sorted(read.edges(keys=True)) == sorted(expected.edges(keys=True))
    assert dict(read.nodes(data=True)) == dict(expected.nodes(data=True))


def test_neighbours_stop_at_their_limit_nearest_first() -> None:
    _, words = filled(playing("coal", "fuel"), playing("oak_planks", "fuel"))
    assert words.neighbours("thing:coal", 2) == {"thing:coal": 0, "role:fuel": 1, "thing:oak_planks": 2}
    assert words.neighbours("thing:coal", 2, limit=2) == {"thing:coal": 0, "role:fuel": 1}
    assert words.neighbours("thing:coal", 2, limit=0) == words.neighbours("thing:tin", 2) == {}
    with pytest.raises(ValueError, match="hops >= 0"):
        words.neighbours("thing:coal", -1)
    with pytest.raises(ValueError, match="at most 1 descriptors; got 3 in 2"):
        bank_neighbourhood(words, lambda rows: [], "thing:coal", 2, limit=1)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("arxfc"), st.integers(0, 9), descriptors), max_size=8))
def test_following_any_history_gives_the_words_of_a_fresh_start(steps) -> None:
    bank, words = FakeBank(), Words(None)
    for kind, number, csd in steps:
        chosen = list(bank.records)[number % len(bank.records)] if bank.records else None
        if kind == "f":
            words.refresh(bank)
        elif kind == "a" or chosen is None:
            bank.add(csd)
        elif kind == "r":
            bank.retire(chosen)
        elif kind == "x":
            bank.remove(chosen)
        else:
            bank.forgotten = len(bank.history)
    words.refresh(bank)
    fresh = Words(None)
    fresh.refresh(bank)
    assert words.digest() == fresh.digest()
    assert words.check(bank) == []


def test_of_more_than_can_be_ranked_the_newest_are(monkeypatch: pytest.MonkeyPatch) -> None:
    _, words = filled(*(digging("sand", task=f"dig {n}") for n in range(5)))
    monkeypatch.setattr(search, "RANKED", 2)
    assert rows(words, "sand") == [4, 5]
    assert rows(words, "sand", rows=[1, 2, 3]) == [2, 3]
