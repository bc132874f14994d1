from __future__ import annotations

import json

import pytest
from hypothesis import given, settings

from csd.axes import AXES
from csd.descriptor import Csd
from csd.graph import edges_of
from csd.render import render_axis
from csd.words.lean import LeanReader, Unreadable
from tests.csd.any_descriptors import descriptors
from tests.csd.descriptors import digging, wooden_pickaxe

READER = LeanReader()


@settings(max_examples=40, deadline=None)
@given(descriptors)
def test_a_record_read_quickly_gives_the_texts_and_edges_of_its_descriptor(csd: Csd) -> None:
    read = READER.read(csd.canonical())
    whole = Csd.from_json(csd.canonical())
    assert read.texts == tuple(render_axis(whole, axis) for axis in AXES)
    assert read.edges == [
        (AXES.index(edge.axis), edge.place, edge.source, edge.predicate, edge.target, edge.amount)
        for edge in edges_of(whole)
    ]


def test_one_true_and_one_point_nought_stay_three_values() -> None:
    reader, record = LeanReader(), wooden_pickaxe().canonical()
    told = [
        reader.read(record.replace('"oak_planks","value":3', f'"oak_planks","value":{value}')).edges[3][4]
        for value in ("1", "true", "1.0")
    ]
    assert told == ["amount:1", "amount:true", "amount:1.0"]


@pytest.mark.parametrize(
    "damaged",
    [
        "",
        "{}",
        "[]",
        "null",
        "[" * 100_000,
        digging("sand").canonical()[:-9],
        digging("sand").canonical().replace("drops", "smells_of"),
        digging("sand").canonical().replace('"value":"sand"', '"value":NaN'),
        digging("sand").canonical().replace('"value":"sand"', '"value":null'),
        digging("sand").canonical().replace('"value":"sand"', '"value":["sand"]'),
        digging("sand").canonical().replace('"subject":"sand"', '"subject":7'),
        digging("sand").canonical().replace('"subject":"sand"', '"subject":"\\ud800"'),
        digging("sand").canonical().replace('"attr":[', '"attr":7,"x":['),
        json.dumps({axis.value: "text" for axis in AXES}),
    ],
)
def test_what_is_no_descriptor_is_unreadable_and_nothing_else_happens(damaged: str) -> None:
    with pytest.raises(Unreadable):
        LeanReader().read(damaged)
