from __future__ import annotations

import inspect
import io
import json
from xml.etree import ElementTree

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from csd.descriptor import Csd, canonical_json
from csd.graph import csd_graph, joined_graph
from csd.graph_files import from_graphml, from_node_link, to_graphml, to_node_link
from tests.csd.any_descriptors import descriptors
from tests.csd.descriptors import digging, meta, says, wooden_pickaxe


def test_node_link_json_reads_back_equal_here_and_in_networkx() -> None:
    graph = joined_graph([wooden_pickaxe(), digging("sand")])
    text = json.dumps(to_node_link(graph))
    assert networkx.utils.graphs_equal(from_node_link(json.loads(text)), graph)
    # Its name for the list of edges was another before 3.4.
    known = inspect.signature(networkx.node_link_graph).parameters
    named = {"edges" if "edges" in known else "link": "edges"}
    assert networkx.utils.graphs_equal(networkx.node_link_graph(json.loads(text), **named), graph)


def test_equal_descriptors_give_equal_json() -> None:
    one, other = (json.dumps(to_node_link(csd_graph(wooden_pickaxe()))) for _ in range(2))
    assert one == other


def test_json_that_is_no_such_graph_is_refused() -> None:
    whole = to_node_link(csd_graph(digging("sand")))
    with pytest.raises(ValueError, match="'directed' and 'multigraph' true; got False"):
        from_node_link({**whole, "directed": False})
    with pytest.raises(ValueError, match="expected the field 'edges'"):
        from_node_link({name: value for name, value in whole.items() if name != "edges"})
    with pytest.raises(ValueError, match="between listed nodes; got 'thing:sand'"):
        from_node_link({**whole, "nodes": []})


def test_graphml_reads_back_equal() -> None:
    graph = joined_graph([wooden_pickaxe(), digging("sand")])
    again = from_graphml(to_graphml(graph))
    assert networkx.utils.graphs_equal(again, graph)
    assert list(again.edges(keys=True)) == list(graph.edges(keys=True))
    assert to_graphml(again) == to_graphml(graph)


def test_networkx_reads_the_same_nodes_keys_and_plain_values() -> None:
    graph = csd_graph(wooden_pickaxe())
    read = networkx.read_graphml(io.BytesIO(to_graphml(graph).encode()), force_multigraph=True)
    assert dict(read.nodes(data=True)) == dict(graph.nodes(data=True))
    assert set(read.edges(keys=True)) == set(graph.edges(keys=True))
    for *ends, key, found in read.edges(keys=True, data=True):
        kept = graph.edges[*ends, key]
        assert json.loads(found.pop("evidence")) == kept["evidence"]
        assert found == {
            name: value for name, value in kept.items() if name != "evidence" and value is not None
        }


def test_what_networkx_writes_in_plain_types_is_read() -> None:
    graph = networkx.MultiDiGraph()
    graph.add_node("a", size=3, open=True, share=0.25, name="x < y")
    graph.add_edge("a", "a", key="k", amount=2)
    written = "\n".join(networkx.generate_graphml(graph, named_key_ids=True))
    assert networkx.utils.graphs_equal(from_graphml(written), graph)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)
names = st.text(st.characters(exclude_categories=("Cs", "Cc"), exclude_characters="\ufffe\uffff"), max_size=4)
attributes = st.dictionaries(names, values, max_size=3)


@settings(max_examples=40, deadline=None)
@given(attributes, st.lists(st.tuples(names, names, names, attributes), max_size=4), attributes)
def test_any_attributes_read_back_equal_with_their_types(whole, edges, nodes) -> None:
    graph = networkx.MultiDiGraph()
    graph.graph.update(whole)
    for source, target, key, said in edges:
        graph.add_node(source)
        graph.nodes[source].update(nodes)
        graph.add_edge(source, target, key=key)
        graph.edges[source, target, key].update(said)
    again = from_graphml(to_graphml(graph))
    # As text, for True equals 1 and 1.0.
    assert canonical_json(to_node_link(again)) == canonical_json(to_node_link(graph))


@settings(max_examples=40, deadline=None)
@given(descriptors)
def test_any_descriptor_reads_back_equal_or_is_refused_for_what_xml_cannot_hold(csd: Csd) -> None:
    graph = csd_graph(csd)
    try:
        text = to_graphml(graph)
    except ValueError as error:
        assert "expected text that XML can hold" in str(error)  # noqa: PT017
        with pytest.raises(ElementTree.ParseError):
            ElementTree.fromstring(
                "<a>" + "".join(letter for node in graph for letter in node if letter not in "<&>") + "</a>"
            )
    else:
        assert networkx.utils.graphs_equal(from_graphml(text), graph)
    assert networkx.utils.graphs_equal(from_node_link(json.loads(json.dumps(to_node_link(graph)))), graph)


def test_line_ends_tabs_marks_and_far_planes_survive() -> None:
    strange = "a\r\n\tb <&>\"' ]]> \u2028 𠀀 🪓"
    graph = csd_graph(Csd(meta=meta(), func=(says(strange, "plays", "x"),)))
    assert networkx.utils.graphs_equal(from_graphml(to_graphml(graph)), graph)


@pytest.mark.parametrize("letter", ["\0", "\x1b", "\ufffe", "\ud800"])
def test_what_xml_cannot_hold_is_refused_by_name_and_goes_into_json(letter: str) -> None:
    graph = networkx.MultiDiGraph()
    graph.add_node(f"thing:a{letter}b")
    with pytest.raises(ValueError, match=r"text that XML can hold.*node-link JSON"):
        to_graphml(graph)
    assert networkx.utils.graphs_equal(from_node_link(json.loads(json.dumps(to_node_link(graph)))), graph)
    only_said = networkx.MultiDiGraph()
    only_said.add_node("a", told=letter)
    assert from_graphml(to_graphml(only_said)).nodes["a"] == {"told": letter}


def test_names_that_are_no_text_are_refused() -> None:
    with pytest.raises(ValueError, match="texts as names of nodes, keys and attributes; got 7"):
        to_graphml(networkx.MultiDiGraph([(7, 8)]))
    with pytest.raises(ValueError, match="texts as names of nodes, keys and attributes; got 0"):
        to_graphml(networkx.MultiDiGraph([("a", "b")]))


WHOLE = to_graphml(csd_graph(digging("sand")))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "XML with an error"),
        (WHOLE[:-20], "XML with an error"),
        ("<!DOCTYPE a>" + WHOLE, "without a document type"),
        ("<a/>", "one directed graph; got none"),
        (WHOLE.replace('"directed"', '"undirected"'), "one directed graph; got none"),
        (WHOLE.replace('target="', 'goal="'), "'target' in an element 'edge'"),
        (
            WHOLE.replace('<data key="node0">', '<data key="node9">'),
            "a declared key of a node .* got 'node9'",
        ),
        (WHOLE.replace('<node id="thing:sand">', '<node id="thing:s">'), "listed nodes; got 'thing:sand'"),
        (WHOLE.replace(">0</data>", ">nought</data>"), "a long in the 'place' of a edge; got 'nought'"),
    ],
)
def test_a_document_that_is_no_such_graph_is_refused(text: str, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        from_graphml(text)
