"""Graphs of descriptors in files of other programs: node-link JSON and GraphML, both read back equal.

Both are written here rather than by networkx: its name for the list of edges changed between versions, and
its GraphML has no None, no lists, and loses what XML cannot hold.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from csd.descriptor import canonical_json

if TYPE_CHECKING:
    import networkx

_SPACE = "http://graphml.graphdrawing.org/xmlns"

_TYPES: dict[type, str] = {str: "string", bool: "boolean", int: "long", float: "double"}

_MIXED = "JSON"
"""Description of a key whose values are JSON texts: lists, or values of several types."""

_OR_NONE = "None where absent"
"""Description of a key whose values may be None, which is then left out."""

_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What XML 1.0 cannot hold in any spelling."""


def to_node_link(graph: networkx.MultiDiGraph) -> dict[str, Any]:
    """Return `graph` as a JSON object in networkx's node-link form, edges under 'edges'.

    Written here rather than by networkx, whose name for the list of edges changed between versions.
    """
    return {
        "directed": True,
        "multigraph": True,
        "graph": dict(graph.graph),
        "nodes": [{"id": node, **attributes} for node, attributes in graph.nodes(data=True)],
        "edges": [
            {"source": source, "target": target, "key": key, **attributes}
            for source, target, key, attributes in graph.edges(keys=True, data=True)
        ],
    }


def from_node_link(data: dict[str, Any]) -> networkx.MultiDiGraph:
    """Return the graph that `to_node_link` wrote.

    Raises:
        ValueError: if `data` is not a directed multigraph in node-link form, naming what is missing.
    """
    import networkx

    if data.get("directed") is not True or data.get("multigraph") is not True:
        raise ValueError(
            f"expected a node-link object with 'directed' and 'multigraph' true; got "
            f"{data.get('directed')!r} and {data.get('multigraph')!r}. "
            f"Export it with csd.graph_files.to_node_link."
        )
    graph = networkx.MultiDiGraph()
    graph.graph.update(data.get("graph", {}))
    try:
        for node in data["nodes"]:
            graph.add_node(node["id"], **_without(node, ("id",)))
        for edge in data["edges"]:
            unknown = [end for end in (edge["source"], edge["target"]) if end not in graph]
            if unknown:
                raise ValueError(
                    f"expected edges between listed nodes; got {unknown[0]!r} in edge {edge['key']!r}."
                )
            rest = _without(edge, ("source", "target", "key"))
            graph.add_edge(edge["source"], edge["target"], key=edge["key"], **rest)
    except KeyError as error:
        raise ValueError(
            f"expected the field {error.args[0]!r} in a node-link object; got none. "
            f"Export it with csd.graph_files.to_node_link."
        ) from error
    return graph


def _without(record: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if name not in names}


def to_graphml(graph: networkx.MultiDiGraph) -> str:
    """Return `graph` as a GraphML document (http://graphml.graphdrawing.org), as Gephi and yEd read it.

    An attribute is a typed value where all its values have one type; None is left out; lists, objects and
    mixed types are JSON texts. Edge keys are the ids of edges.

    Raises:
        ValueError: on a node, key or text that is no text or that XML cannot hold (NUL and most control
            characters, halves of surrogate pairs), naming it. Node-link JSON holds these.
    """
    graphs = [dict(graph.graph)]
    nodes = [dict(attributes) for _, attributes in graph.nodes(data=True)]
    edges = [dict(attributes) for *_, attributes in graph.edges(keys=True, data=True)]
    keys = {
        domain: _kinds(elements) for domain, elements in (("graph", graphs), ("node", nodes), ("edge", edges))
    }
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f"<graphml xmlns={_quoted(_SPACE)}>"]
    for domain, kinds in keys.items():
        for number, (name, (kind, told)) in enumerate(kinds.items()):
            desc = f"<desc>{told}</desc>" if told else ""
            place = f"id={_quoted(f'{domain}{number}')} for={_quoted(domain)}"
            lines.append(f"<key {place} attr.name={_quoted(name)} attr.type={_quoted(kind)}>{desc}</key>")
    lines.append('<graph edgedefault="directed">')
    lines.extend(_data("graph", keys["graph"], graphs[0]))
    for node, attributes in zip(graph.nodes, nodes, strict=True):
        lines.extend((f"<node id={_quoted(node)}>", *_data("node", keys["node"], attributes), "</node>"))
    for (source, target, key), attributes in zip(graph.edges(keys=True), edges, strict=True):
        head = f"<edge id={_quoted(key)} source={_quoted(source)} target={_quoted(target)}>"
        lines.extend((head, *_data("edge", keys["edge"], attributes), "</edge>"))
    return "\n".join((*lines, "</graph>", "</graphml>", ""))


def from_graphml(text: str) -> networkx.MultiDiGraph:
    """Return the graph that `to_graphml` wrote.

    Raises:
        ValueError: if `text` is no GraphML of a directed graph as `to_graphml` writes it, naming what is
            wrong; a document type, which could make it grow without bound, is refused too.
    """
    import networkx

    if "<!DOCTYPE" in text:
        raise ValueError("expected GraphML without a document type; got one. Remove '<!DOCTYPE ...>'.")
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        raise ValueError(f"expected a GraphML document; got XML with an error: {error}.") from error
    found = root.find(f"{{{_SPACE}}}graph")
    if found is None or found.get("edgedefault") != "directed":
        raise ValueError(
            "expected GraphML with one directed graph; got none. Export it with csd.graph_files.to_graphml."
        )
    keys = _keys(root)
    graph = networkx.MultiDiGraph()
    graph.graph.update(_read(found, "graph", keys))
    for node in found.iter(f"{{{_SPACE}}}node"):
        graph.add_node(_attribute(node, "id"))
        graph.nodes[_attribute(node, "id")].update(_read(node, "node", keys))
    for edge in found.iter(f"{{{_SPACE}}}edge"):
        ends = [_attribute(edge, end) for end in ("source", "target")]
        unknown = [end for end in ends if end not in graph]
        if unknown:
            raise ValueError(
                f"expected edges between listed nodes; got {unknown[0]!r} in {edge.get('id')!r}."
            )
        key = graph.add_edge(*ends, key=_attribute(edge, "id"))
        graph.edges[*ends, key].update(_read(edge, "edge", keys))
    return graph


_Kinds = Mapping[str, tuple[str, str]]
"""Attribute -> its GraphML type and description."""


def _kinds(elements: Sequence[Mapping[str, Any]]) -> dict[str, tuple[str, str]]:
    names = dict.fromkeys(name for element in elements for name in element)
    return {name: _kind([one[name] for one in elements if name in one], len(elements)) for name in names}


def _kind(values: Sequence[Any], count: int) -> tuple[str, str]:
    kinds = dict.fromkeys(type(value) for value in values if value is not None)
    plain = [_TYPES[kind] for kind in kinds if kind in _TYPES]
    if len(kinds) != 1 or len(plain) != 1 or any(not _is_typed(value) for value in values):
        return "string", _MIXED
    if None not in values:
        return plain[0], ""
    # Where some elements lack the attribute, its absence could mean either.
    return (plain[0], _OR_NONE) if len(values) == count else ("string", _MIXED)


def _is_typed(value: Any) -> bool:
    """Return whether a value survives as text of its GraphML type: 64 bits, finite, fit for XML."""
    if isinstance(value, str):
        return not _UNFIT.search(value)
    if isinstance(value, float):
        return value - value == 0
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def _data(domain: str, kinds: _Kinds, attributes: Mapping[str, Any]) -> Iterable[str]:
    for number, (name, (_, told)) in enumerate(kinds.items()):
        if name not in attributes or (attributes[name] is None and told == _OR_NONE):
            continue
        value = attributes[name]
        if told == _MIXED:
            text = canonical_json(value)
        elif isinstance(value, bool):
            text = str(value).lower()
        else:
            text = value if isinstance(value, str) else repr(value)
        yield f"<data key={_quoted(f'{domain}{number}')}>{_escaped(text)}</data>"


def _keys(root: ElementTree.Element) -> dict[str, tuple[str, str, str, str]]:
    keys = {}
    for key in root.iter(f"{{{_SPACE}}}key"):
        told = key.findtext(f"{{{_SPACE}}}desc") or ""
        named = (_attribute(key, name) for name in ("for", "attr.name", "attr.type"))
        domain, name, kind = named
        keys[_attribute(key, "id")] = (domain, name, kind, told)
    return keys


def _read(
    element: ElementTree.Element, domain: str, keys: Mapping[str, tuple[str, str, str, str]]
) -> dict[str, Any]:
    said: dict[str, Any] = {}
    for data in element.findall(f"{{{_SPACE}}}data"):
        key = _attribute(data, "key")
        if key not in keys or keys[key][0] != domain:
            raise ValueError(f"expected a declared key of a {domain} in GraphML; got {key!r}.")
        _, name, kind, told = keys[key]
        text = data.text or ""
        try:
            said[name] = json.loads(text) if told == _MIXED else _value(kind, text)
        except ValueError as error:
            raise ValueError(
                f"expected a {told or kind} in the {name!r} of a {domain}; got {text!r}."
            ) from error
    return {
        name: said.get(name)
        for for_domain, name, _, told in keys.values()
        if for_domain == domain and (name in said or told == _OR_NONE)
    }


def _value(kind: str, text: str) -> Any:
    match kind:
        case "string":
            return text
        case "boolean" if text.lower() in ("true", "false"):
            return text.lower() == "true"
        case "long" | "int":
            return int(text)
        case "double" | "float":
            return float(text)
    raise ValueError(kind)


def _attribute(element: ElementTree.Element, name: str) -> str:
    value = element.get(name)
    if value is None:
        raise ValueError(
            f"expected {name!r} in an element {element.tag.rpartition('}')[2]!r} of GraphML; got none."
        )
    return value


def _quoted(text: Any) -> str:
    return f'"{_escaped(text)}"'


def _escaped(name: Any) -> str:
    if not isinstance(name, str):
        raise ValueError(f"expected texts as names of nodes, keys and attributes; got {name!r}.")
    text: str = name
    unfit = _UNFIT.search(text)
    if unfit:
        raise ValueError(
            f"expected text that XML can hold; got {unfit[0]!r} in {text[:60]!r}. "
            f"Export the graph as node-link JSON."
        )
    # White space as it stands would be read as blanks or line feeds.
    return (
        text.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
        .replace("\r", "&#13;")
        .replace("\n", "&#10;")
        .replace("\t", "&#9;")
    )
