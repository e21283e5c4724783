"""An op as a cost rule sees it: its type, its attributes, and the tensors it takes and gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pardnn.cost.record import Kernel, Kind, OpCost, Precision
from pardnn.cost.tensor import BFLOAT16, DOUBLE, HALF, UNKNOWN, Tensor
from pardnn.graph.raw import AttrValue, FunctionRef


@dataclass(slots=True)
class Op:
    """One op. Inputs stand in argument order; one whose producer is not in the graph is UNKNOWN."""

    type: str
    attrs: Mapping[str, AttrValue]
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    bodies: Mapping[str, OpCost] = field(default_factory=dict)
    """What one run of each library function costs, as far as that is known."""

    def input(self, position: int) -> Tensor:
        """The input at that position, UNKNOWN if there is none."""
        return self.inputs[position] if -len(self.inputs) <= position < len(self.inputs) else UNKNOWN

    def output(self, position: int = 0) -> Tensor:
        """The output at that position, UNKNOWN if there is none."""
        return self.outputs[position] if position < len(self.outputs) else UNKNOWN

    def flag(self, name: str, default: bool = False) -> bool:
        """A Boolean attribute."""
        value = self.attrs.get(name, default)
        return value if isinstance(value, bool) else default

    def text(self, name: str, default: str = "") -> str:
        """A string attribute."""
        value = self.attrs.get(name)
        return value.decode("utf-8", "replace") if isinstance(value, bytes) else default

    def ints(self, name: str) -> tuple[int, ...]:
        """An attribute that is a list of whole numbers."""
        value = self.attrs.get(name)
        return tuple(int(v) for v in value if isinstance(v, int)) if isinstance(value, tuple) else ()

    def functions(self) -> tuple[str, ...]:
        """The names of the library functions among the attributes, in the order of the attributes' names."""
        found = [
            v for _, value in sorted(self.attrs.items()) for v in (value if isinstance(value, tuple) else (value,))
        ]
        return tuple(v.name for v in found if isinstance(v, FunctionRef))

    @property
    def read(self) -> int:
        """Bytes of all inputs; a handle stands for nothing that is read."""
        return sum(t.bytes for t in self.inputs if not t.handle)

    @property
    def written(self) -> int:
        """Bytes of all outputs that are values."""
        return sum(t.bytes for t in self.outputs if not (t.handle or t.reference))

    @property
    def precision(self) -> Precision:
        """The floating-point type that the op computes in."""
        for t in (*self.outputs, *self.inputs):
            if t.dtype in (HALF, BFLOAT16):
                return "half"
            if t.dtype == DOUBLE:
                return "double"
            if t.dtype == 1:
                break
        return "single"

    def cost(
        self,
        kind: Kind,
        flops: int = 0,
        *,
        read: int | None = None,
        written: int | None = None,
        launches: int = 1,
        temp: int = 0,
    ) -> OpCost:
        """One kernel that reads all inputs and writes all outputs, unless told otherwise."""
        kernel = Kernel(
            kind, flops, self.read if read is None else read, self.written if written is None else written,
            self.precision, launches,
        )  # fmt: skip
        return OpCost((kernel,), self.written, temp)

    def free(self) -> OpCost:
        """Nothing runs on the device; the outputs are buffers all the same."""
        return OpCost((), self.written)
