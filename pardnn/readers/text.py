"""A graph from protobuf's text format: GraphDef, MetaGraphDef or SavedModel (its first graph)."""

from __future__ import annotations

from pardnn.encoding import Malformed, text
from pardnn.encoding.text import Field, Message
from pardnn.graph.raw import AttrValue, RawFunction, RawNode
from pardnn.readers.attr_text import attr_value, fields_of, name_of
from pardnn.readers.contents import Contents

_KINDS = {
    "GraphDef": (b"node", b"library", b"versions", b"version"),
    "MetaGraphDef": (
        b"graph_def", b"meta_info_def", b"saver_def", b"collection_def", b"signature_def", b"asset_file_def", b"object_graph_def",
    ),
    "SavedModel": (b"meta_graphs", b"saved_model_schema_version"),
}  # fmt: skip
_KIND_OF = {field: kind for kind, fields in _KINDS.items() for field in fields}
_ENTER = frozenset((b"meta_graphs", b"graph_def", b"library"))
_GRAPHS = ((), (b"graph_def",), (b"meta_graphs", b"graph_def"))
_LIBRARIES = tuple((*graph, b"library") for graph in _GRAPHS)
_METAS = ((), (b"meta_graphs",))
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
    for path, field in text.scan(data, enter=_ENTER, opaque=(b"attr",), start=start):
        name = field[0]
        kind = kind or _KIND_OF.get(path[0] if path else name, "")
        if name == b"node" and path in _GRAPHS:
            nodes.append(read.node(field))
        elif name == b"function" and path in _LIBRARIES:
            functions.append(read.function(field))
        elif name == b"collection_def" and path in _METAS:
            train_ops += read.train_ops(field)
        elif name == b"meta_graphs" and not path:
            break
    if not kind and data[start:].strip():
        raise Malformed(start, "no field of a TensorFlow graph (GraphDef, MetaGraphDef, SavedModel) stands here")
    return Contents(kind or "GraphDef", tuple(nodes), tuple(functions), train_ops)


class _Reader:
    """Reads messages; remembers the strings and attributes it has seen, for most of them come again."""

    def __init__(self) -> None:
        self.strings: dict[bytes, str] = {}
        self.attrs: dict[bytes, _Attr] = {}

    def node(self, node: Field) -> RawNode:
        """One NodeDef."""
        single = {b"name": "", b"op": "", b"device": ""}
        inputs = []
        attrs = {}
        for field in _inside(node):
            name = field[0]
            if name == b"attr":
                key, attr = self.attr(field)
                if attr is not None:
                    attrs[key] = attr
            elif name == b"input":
                inputs.append(self.string(field))
            elif name in single:
                single[name] = self.string(field)
        return RawNode(single[b"name"], single[b"op"], tuple(inputs), single[b"device"], attrs)

    def function(self, function: Field) -> RawFunction:
        """One FunctionDef."""
        fields = _inside(function)
        signature = [inner for part in _named(fields, b"signature") for inner in _inside(part)]
        results = (_inside(entry) for entry in _named(fields, b"ret"))
        attrs = (self.attr(entry) for entry in _named(fields, b"attr"))
        return RawFunction(
            name=self.last(signature, b"name"),
            arguments=tuple(self.last(_inside(argument), b"name") for argument in _named(signature, b"input_arg")),
            nodes=tuple(self.node(node) for node in _named(fields, b"node_def")),
            results={self.last(entry, b"key"): self.last(entry, b"value") for entry in results},
            attrs={key: attr for key, attr in attrs if attr is not None},
        )

    def train_ops(self, collection: Field) -> tuple[str, ...]:
        """The names in a collection if it is `train_op`."""
        fields = _inside(collection)
        if self.last(fields, b"key") != "train_op":
            return ()
        lists = (part for value in _named(fields, b"value") for part in _named(_inside(value), b"node_list"))
        return tuple(self.string(name) for part in lists for name in _named(_inside(part), b"value"))

    def attr(self, entry: Field) -> _Attr:
        """One entry of an attribute map: its key and value."""
        _, block, _, end = entry
        if isinstance(block, list):  # large or unusual, and scanned already
            return self._attr(block)
        known = self.attrs.get(block)
        if known is None:
            try:
                known = self._attr(text.message(block))
            except Malformed as error:
                raise Malformed(end - len(block) + error.offset, error.reason) from None
            if len(block) < _LONGEST_REMEMBERED:
                self.attrs[block] = known
        return known

    def _attr(self, entry: Message) -> _Attr:
        """As `attr`, in earnest."""
        key = self.last(entry, b"key")
        value: AttrValue | None = None
        for _, inner, start, _ in _named(entry, b"value"):
            try:
                value = attr_value(inner)
            except ValueError as error:
                raise Malformed(start, f"attribute '{key}': {error}") from None
        return key, value

    def last(self, fields: Message, name: bytes) -> str:
        """The string called `name`; of several the last counts."""
        found = _named(fields, name)
        return self.string(found[-1]) if found else ""

    def string(self, field: Field) -> str:
        """A string field's text."""
        name, value, start, _ = field
        known = self.strings.get(value) if isinstance(value, bytes) else None
        if known is None:
            try:
                known = name_of(value)
            except ValueError as error:
                raise Malformed(start, f"field '{name.decode()}': {error}") from None
            if isinstance(value, bytes):
                self.strings[value] = known
        return known


def _inside(field: Field) -> Message:
    """The fields of a message."""
    try:
        return fields_of(field[1])
    except ValueError as error:
        raise Malformed(field[2], f"field '{field[0].decode()}': {error}") from None


def _named(fields: Message, name: bytes) -> Message:
    """Those fields that are called `name`."""
    return [field for field in fields if field[0] == name]
