"""A graph from protobuf's text format: GraphDef, MetaGraphDef or SavedModel (its first graph)."""

from __future__ import annotations

from pardnn.encoding import Malformed, layout, text
from pardnn.encoding.text import Message, Value, message
from pardnn.graph.raw import AttrValue, RawFunction, RawNode
from pardnn.readers.attr_text import attr_value, name_of, plain
from pardnn.readers.contents import Contents

_KINDS = {
    "GraphDef": (b"node", b"library", b"versions", b"version"),
    "MetaGraphDef": (
        b"graph_def", b"meta_info_def", b"saver_def", b"collection_def", b"signature_def", b"asset_file_def",
        b"object_graph_def",
    ),
    "SavedModel": (b"meta_graphs", b"saved_model_schema_version"),
}  # fmt: skip
_KIND_OF = {field: kind for kind, fields in _KINDS.items() for field in fields}
_GRAPHS = tuple(tuple(step.name for step in path) for path in layout.PATHS.values())
_LIBRARIES = tuple((*graph, layout.LIBRARY.name) for graph in _GRAPHS)
_METAS = ((), (b"meta_graphs",))
_ENTER = frozenset(name for path in _LIBRARIES for name in path)
_Attr = tuple[str, AttrValue | None]
_LONGEST_REMEMBERED = 4096  # longer attributes are constants, seldom equal


def read_text(data: bytes, start: int = 0) -> Contents:
    """What the text holds from byte `start` (after a byte order mark); attributes without a value are left out.

    Fields and ops nobody knows are stepped over. Raises Malformed with the offset of what is broken.
    """
    kind = ""
    read = _Reader()
    nodes: list[RawNode] = []
    functions: list[RawFunction] = []
    train_ops: tuple[str, ...] = ()
    for field in text.scan(data, start, enter=_ENTER):
        path, name, value, begin, end = field
        kind = kind or _KIND_OF.get(path[0] if path else name, "")
        try:
            if name == b"node" and path in _GRAPHS:
                nodes.append(read.node(value))
            elif name == b"function" and path in _LIBRARIES:
                functions.append(read.function(value))
            elif name == b"collection_def" and path in _METAS:
                train_ops += _train_ops(value)
            elif name == b"meta_graphs" and not path:
                break
        except ValueError as error:
            text.check(data, begin, end)
            raise Malformed(begin, str(error)) from None
    if not kind and data[start:].strip():
        raise Malformed(start, "no field of a TensorFlow graph (GraphDef, MetaGraphDef, SavedModel) stands here")
    return Contents(kind or "GraphDef", tuple(nodes), tuple(functions), train_ops)


class _Names(dict[bytes, str]):
    """Strings by how they are written, each decoded once."""

    def __missing__(self, written: bytes) -> str:
        name = self[written] = name_of(written)
        return name


class _Attrs(dict[bytes, _Attr]):
    """Entries of attribute maps by how they are written: key and value, each decoded once unless it is long."""

    def __missing__(self, written: bytes) -> _Attr:
        attr = _attr(message(written))
        if len(written) < _LONGEST_REMEMBERED:
            self[written] = attr
        return attr


class _Reader:
    """Reads messages; remembers the strings and attributes it has seen, for most of them come again."""

    def __init__(self) -> None:
        self.names = _Names()
        self.attrs = _Attrs()

    def node(self, value: Value) -> RawNode:
        """One NodeDef."""
        names, attr_of = self.names, self.attrs
        single = {b"name": "", b"op": "", b"device": ""}
        inputs = []
        attrs = {}
        for name, inner in message(value):
            if name == b"attr":
                key, attr = attr_of[inner] if isinstance(inner, bytes) else _attr(inner)
                if attr is not None:
                    attrs[key] = attr
            elif isinstance(inner, list):
                if name in single or name == b"input":
                    plain(inner)  # raises
            elif name == b"input":
                inputs.append(names[inner])
            elif name in single:
                single[name] = names[inner]
        return RawNode(single[b"name"], single[b"op"], tuple(inputs), single[b"device"], attrs)

    def function(self, value: Value) -> RawFunction:
        """One FunctionDef."""
        function = message(value)
        signature = [part for inner in _all(function, b"signature") for part in message(inner)]
        results = [message(entry) for entry in _all(function, b"ret")]
        attrs = [_attr(message(entry)) for entry in _all(function, b"attr")]
        return RawFunction(
            name=_last(signature, b"name"),
            arguments=tuple(_last(message(argument), b"name") for argument in _all(signature, b"input_arg")),
            nodes=tuple(self.node(node) for node in _all(function, b"node_def")),
            results={_last(entry, b"key"): _last(entry, b"value") for entry in results},
            attrs={key: attr for key, attr in attrs if attr is not None},
            outputs=tuple(_last(message(result), b"name") for result in _all(signature, b"output_arg")),
            awaited=tuple(sorted({_last(message(entry), b"value") for entry in _all(function, b"control_ret")})),
        )


def _train_ops(value: Value) -> tuple[str, ...]:
    """The names in a collection if it is `train_op`."""
    collection = message(value)
    if _last(collection, b"key") != "train_op":
        return ()
    lists = [part for inner in _all(collection, b"value") for part in _all(message(inner), b"node_list")]
    return tuple(name_of(name) for part in lists for name in _all(message(part), b"value"))


def _attr(entry: Message) -> _Attr:
    """One entry of an attribute map: its key and value."""
    key = _last(entry, b"key")
    values = _all(entry, b"value")
    try:
        return key, attr_value(values[-1]) if values else None
    except ValueError as error:
        raise ValueError(f"attribute '{key}': {error}") from None


def _last(fields: Message, name: bytes) -> str:
    """The string called `name`; of several the last counts."""
    values = _all(fields, name)
    return name_of(values[-1]) if values else ""


def _all(fields: Message, name: bytes) -> list[Value]:
    """The values of those fields that are called `name`."""
    return [value for field, value in fields if field == name]
