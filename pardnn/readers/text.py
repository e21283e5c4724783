"""A graph from protobuf's text format: GraphDef, MetaGraphDef or SavedModel (its first graph)."""

from __future__ import annotations

from pardnn.encoding import Malformed, layout, text
from pardnn.encoding.text import Message, Value, message
from pardnn.graph.raw import AttrValue, RawFunction, RawNode
from pardnn.readers.attr_text import attr_value, name_of
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
                train_ops += read.train_ops(value)
            elif name == b"meta_graphs" and not path:
                break
        except ValueError as error:
            text.check(data, begin, end)
            raise Malformed(begin, str(error)) from None
    if not kind and data[start:].strip():
        raise Malformed(start, "no field of a TensorFlow graph (GraphDef, MetaGraphDef, SavedModel) stands here")
    return Contents(kind or "GraphDef", tuple(nodes), tuple(functions), train_ops)


class _Reader:
    """Reads messages; remembers the strings and attributes it has seen, for most of them come again."""

    def __init__(self) -> None:
        self.strings: dict[bytes, str] = {}
        self.attrs: dict[bytes, _Attr] = {}

    def node(self, value: Value) -> RawNode:
        """One NodeDef."""
        node_name = op = device = ""
        inputs = []
        attrs = {}
        for name, inner in message(value):
            if name == b"attr":
                key, attr = self.attr(inner)
                if attr is not None:
                    attrs[key] = attr
            elif name == b"input":
                inputs.append(self.string(inner))
            elif name == b"name":
                node_name = self.string(inner)
            elif name == b"op":
                op = self.string(inner)
            elif name == b"device":
                device = self.string(inner)
        return RawNode(node_name, op, tuple(inputs), device, attrs)

    def function(self, value: Value) -> RawFunction:
        """One FunctionDef."""
        function = message(value)
        signature = [part for inner in _all(function, b"signature") for part in message(inner)]
        results = [message(entry) for entry in _all(function, b"ret")]
        attrs = [self.attr(entry) for entry in _all(function, b"attr")]
        return RawFunction(
            name=self.last(signature, b"name"),
            arguments=tuple(self.last(message(argument), b"name") for argument in _all(signature, b"input_arg")),
            nodes=tuple(self.node(node) for node in _all(function, b"node_def")),
            results={self.last(entry, b"key"): self.last(entry, b"value") for entry in results},
            attrs={key: attr for key, attr in attrs if attr is not None},
        )

    def train_ops(self, value: Value) -> tuple[str, ...]:
        """The names in a collection if it is `train_op`."""
        collection = message(value)
        if self.last(collection, b"key") != "train_op":
            return ()
        lists = [part for inner in _all(collection, b"value") for part in _all(message(inner), b"node_list")]
        return tuple(self.string(name) for part in lists for name in _all(message(part), b"value"))

    def attr(self, value: Value) -> _Attr:
        """One entry of an attribute map: its key and value."""
        if isinstance(value, list):  # unusual, and taken apart already
            return self._attr(value)
        known = self.attrs.get(value)
        if known is None:
            known = self._attr(message(value))
            if len(value) < _LONGEST_REMEMBERED:
                self.attrs[value] = known
        return known

    def _attr(self, entry: Message) -> _Attr:
        """As `attr`, in earnest."""
        key = self.last(entry, b"key")
        values = _all(entry, b"value")
        try:
            return key, attr_value(values[-1]) if values else None
        except ValueError as error:
            raise ValueError(f"attribute '{key}': {error}") from None

    def last(self, fields: Message, name: bytes) -> str:
        """The string called `name`; of several the last counts."""
        values = _all(fields, name)
        return self.string(values[-1]) if values else ""

    def string(self, value: Value) -> str:
        """A name, the same object each time."""
        if isinstance(value, list):
            return name_of(value)  # raises
        known = self.strings.get(value)
        if known is None:
            known = self.strings[value] = name_of(value)
        return known


def _all(fields: Message, name: bytes) -> list[Value]:
    """The values of those fields that are called `name`."""
    return [value for field, value in fields if field == name]
