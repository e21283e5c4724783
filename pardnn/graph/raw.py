"""A graph exactly as a file holds it: nodes, attributes and functions, before any of it is interpreted.

Every reader of a TensorFlow format returns a `RawGraph`. Nothing here knows what an op means; large constants are
represented by their dtype and shape alone.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


class DType(int):
    """TensorFlow's DataType number; > 100 is the reference type of `number - 100`. Unknown numbers are tolerated."""

    __slots__ = ()

    def __repr__(self) -> str:
        return f"DType({int(self)})"


@dataclass(frozen=True, slots=True)
class Shape:
    """Dimensions of a tensor: -1 = unknown dimension, `dims is None` = unknown rank."""

    dims: tuple[int, ...] | None

    @property
    def known(self) -> bool:
        """Whether rank and every dimension are known."""
        return self.dims is not None and min(self.dims, default=0) >= 0


@dataclass(frozen=True, slots=True)
class TensorInfo:
    """A constant: dtype and shape, and its values where they are few (<= 64 numbers: shapes, axes, paddings)."""

    dtype: DType
    shape: Shape
    values: tuple[int | float, ...] | None = None


@dataclass(frozen=True, slots=True)
class FunctionRef:
    """The name of a library function, as the `func` attribute of a call, a loop or a condition."""

    name: str


AttrValue = int | float | bool | bytes | DType | Shape | TensorInfo | FunctionRef | tuple["AttrValue", ...]


@dataclass(frozen=True, slots=True)
class RawNode:
    """One NodeDef. `inputs` are as written: "x", "x:1", "^x"."""

    name: str
    op: str
    inputs: tuple[str, ...] = ()
    device: str = ""
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RawFunction:
    """One library function: its argument names in order, its body, and which body output each result is.

    `outputs` are the results' names in the order of the signature, by which callers number them; `awaited` the ops of
    the body that a caller waits for besides.
    """

    name: str
    arguments: tuple[str, ...]
    nodes: tuple[RawNode, ...]
    results: Mapping[str, str]
    attrs: Mapping[str, AttrValue] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    awaited: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Source:
    """Where a graph came from. `kind` is the outermost message ("GraphDef", ...); sha256 is of the file's bytes.

    `events`: that message stood in an events file, and only it is what a placer rewrites.
    """

    path: str
    kind: str
    text: bool
    gzip: bool
    sha256: str
    events: bool = False


@dataclass(frozen=True, slots=True)
class RawGraph:
    """A file's nodes in file order, its function library, and the names in its `train_op` collection (MetaGraphDef)."""

    nodes: tuple[RawNode, ...]
    functions: tuple[RawFunction, ...]
    source: Source
    train_ops: tuple[str, ...] = ()
