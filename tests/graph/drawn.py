"""Graphs drawn as text, one op a line: `name = Op(input, input:1, ^control) attribute=value ... -> [8,3] [?]`.

Values: a data type's name (float, int32, ...), a shape [8,-1] or [?], an integer, a constant {3} or {1,2}, 'text', a
library function @name; a list has ";" behind or between its items. loc=a,b is colocation with a and b. What stands
behind the arrow are the shapes of the outputs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from pardnn.graph.build import build
from pardnn.graph.colocate import colocate
from pardnn.graph.loops import acyclic, forward_edges
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.optypes import all_dtypes
from pardnn.graph.raw import AttrValue, DType, FunctionRef, RawFunction, RawGraph, RawNode, Shape, Source, TensorInfo
from pardnn.graph.shapes import Inferred, find_shapes
from pardnn.graph.wiring import Wiring, wire

TYPES = {
    "float": 1,
    "double": 2,
    "int32": 3,
    "string": 7,
    "int64": 9,
    "bool": 10,
    "half": 19,
    "resource": 20,
    "variant": 21,
}
_LINE = re.compile(r"(?P<name>\S+) = (?P<op>\w+)\((?P<inputs>[^)]*)\)(?P<attrs>.*?)(\s->\s(?P<shapes>.*))?")


def draw(text: str, train_ops: Sequence[str] = (), functions: Sequence[RawFunction] = ()) -> RawGraph:
    """The graph that the lines of `text` describe."""
    nodes = tuple(_node(line.strip()) for line in text.strip().splitlines() if line.strip())
    return RawGraph(nodes, tuple(functions), Source("drawn", "GraphDef", True, False, ""), tuple(train_ops))


def function(name: str, arguments: str, body: str, awaited: str = "", **results: str) -> RawFunction:
    """A library function with a body as drawn, inputs in it written "op:output:number"."""
    nodes = draw(body).nodes
    return RawFunction(
        name, tuple(arguments.split()), nodes, results, outputs=tuple(results), awaited=tuple(awaited.split())
    )


def wired(text: str) -> Wiring:
    """The drawing's nodes and edges."""
    return wire(draw(text).nodes)


def built(text: str, **options: object) -> OpGraph:
    """The drawing's op graph."""
    return build(draw(text), **options)  # type: ignore[arg-type]  # options as `build` takes them


def shaped(text: str, batch_size: int | None = None) -> dict[str, tuple[tuple[int, ...] | None, ...]]:
    """The shapes inferred for the drawing, by op name."""
    wiring = wired(text)
    found = inferred(wiring, batch_size)
    return {node.name: tuple(s.dims for s in shapes) for node, shapes in zip(wiring.nodes, found.shapes, strict=True)}


def inferred(wiring: Wiring, batch_size: int | None = None) -> Inferred:
    """What the rules say of a wired drawing."""
    return find_shapes(wiring, acyclic(wiring, forward_edges(wiring)).order, all_dtypes(wiring), batch_size)


def together(text: str) -> list[str]:
    """The colocation groups of more than one op, each as its names joined by blanks, in file order."""
    wiring = wired(text)
    groups: dict[int, list[str]] = {}
    sets, _ = colocate(wiring, all_dtypes(wiring))
    for node, number in zip(wiring.nodes, sets.numbers(range(wiring.n)).tolist(), strict=True):
        groups.setdefault(number, []).append(node.name)
    return [" ".join(names) for names in groups.values() if len(names) > 1]


def _node(line: str) -> RawNode:
    match = _LINE.fullmatch(line)
    assert match, f"not a drawing: {line}"
    attrs: dict[str, AttrValue] = {}
    for word in match["attrs"].split():
        key, _, value = word.partition("=")
        if key == "loc":
            attrs["_class"] = tuple(b"loc:@" + name.encode() for name in value.split(","))
        else:
            attrs[key] = _value(value)
    if match["shapes"]:
        attrs["_output_shapes"] = tuple(_shape(word) for word in match["shapes"].split())
    inputs = tuple(word.strip() for word in match["inputs"].split(",") if word.strip())
    return RawNode(match["name"], match["op"], inputs, "", attrs)


def _shape(text: str) -> Shape:
    inner = text.strip("[]")
    return Shape(None if inner == "?" else tuple(int(size) for size in inner.split(",") if size))


def _value(text: str) -> AttrValue:
    if text in TYPES:
        return DType(TYPES[text])
    if ";" in text:
        return tuple(_value(part) for part in text.split(";") if part)
    if text.startswith("["):
        return _shape(text)
    if text.startswith("@"):
        return FunctionRef(text[1:])
    if text.startswith("{"):
        numbers = tuple(int(x) for x in text.strip("{}").split(",") if x)
        scalar = "," not in text and bool(numbers)
        return TensorInfo(DType(3), Shape(() if scalar else (len(numbers),)), numbers)
    if text.startswith("'"):
        return text.strip("'").encode()
    return {"True": True, "False": False}.get(text, int(text) if text.lstrip("-").isdecimal() else text.encode())


def groups(text: str, *functions: RawFunction) -> list[str]:
    """The names of the ops of each group of several, as a text."""
    graph = build(draw(text, functions=functions))
    found: dict[int, list[str]] = {}
    for name, number in zip(graph.names, graph.group.tolist(), strict=True):
        found.setdefault(number, []).append(name)
    return [" ".join(names) for names in found.values() if len(names) > 1]
