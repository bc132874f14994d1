from __future__ import annotations

import pytest

from csd.axes import AXES, Axis
from csd.descriptor import Csd
from csd.graph import csd_graph, edges_of, joined_graph, neighbourhood
from csd.vocabulary import PREDICATES
from tests.csd.descriptors import EVIDENCE, digging, meta, playing, says, wooden_pickaxe


def test_every_statement_is_one_edge_with_its_axis_place_and_evidence() -> None:
    csd = wooden_pickaxe()
    edges = edges_of(csd)
    assert len(edges) == sum(len(csd.axis(axis)) for axis in AXES) == 19
    plays = [edge for edge in edges if edge.predicate == "plays"]
    assert [(edge.source, edge.target, edge.place) for edge in plays] == [
        ("thing:oak_planks", "role:head", 0),
        ("thing:stick", "role:handle", 1),
    ]
    assert plays[0].axis is Axis.FUNC
    assert plays[0].evidence == EVIDENCE


def test_an_amount_is_split_from_the_name_it_counts() -> None:
    consumes = [edge for edge in edges_of(wooden_pickaxe()) if edge.predicate == "consumes"]
    assert [(edge.target, edge.amount) for edge in consumes] == [("thing:oak_planks", 3), ("thing:stick", 2)]


def test_truth_and_numbers_become_nodes_of_their_own_kind() -> None:
    csd = Csd(meta=meta(), attr=(says("coal", "burns", True), says("dirt", "dig_ticks", 15)))
    assert [edge.target for edge in edges_of(csd)] == ["truth:true", "ticks:15"]


@pytest.mark.parametrize(
    ("axis", "predicate"), [(axis, predicate) for axis in AXES for predicate in PREDICATES[axis]]
)
def test_every_predicate_of_the_vocabulary_has_its_kinds_of_node(axis: Axis, predicate: str) -> None:
    [edge] = edges_of(Csd(meta=meta(), **{axis.value: (says("a", predicate, "b"),)}))
    assert edge.source.endswith(":a")
    assert edge.target.endswith(":b")


def test_the_graph_of_one_descriptor_joins_statements_at_their_names() -> None:
    graph = csd_graph(wooden_pickaxe())
    assert graph.nodes["thing:oak_planks"] == {"kind": "thing", "name": "oak_planks"}
    assert set(graph.successors("thing:oak_planks")) == {
        "letter:A",
        "amount:3",
        "place:top row",
        "colour:light brown",
        "truth:true",
        "role:head",
    }
    assert graph.number_of_edges("thing:wooden_pickaxe", "thing:stick") == 1


def test_letters_of_different_descriptors_stay_apart_and_names_join() -> None:
    one = wooden_pickaxe()
    other = Csd(meta=meta("other"), struct=(says("oak_planks", "fills", "A"),))
    graph = joined_graph([one, other])
    assert {node for node in graph.successors("thing:oak_planks") if node.startswith("letter:")} == {
        f"letter:A@{one.id}",
        f"letter:A@{other.id}",
    }


def test_a_neighbourhood_reaches_as_far_as_its_hops_in_both_directions() -> None:
    csds = [playing("coal", "fuel"), playing("oak_planks", "fuel"), digging("sand")]
    assert set(neighbourhood(csds, "thing:coal", 0)) == {"thing:coal"}
    assert set(neighbourhood(csds, "thing:coal", 1)) == {"thing:coal", "role:fuel"}
    assert set(neighbourhood(csds, "thing:coal", 2)) == {"thing:coal", "role:fuel", "thing:oak_planks"}
    assert len(neighbourhood(csds, "thing:nothing", 3)) == 0
    with pytest.raises(ValueError, match="hops >= 0; got -1"):
        neighbourhood(csds, "thing:coal", -1)
