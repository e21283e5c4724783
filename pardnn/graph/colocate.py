"""What must stay on one device: `loc:@` groups, references and resources, as TensorFlow's placer insists; and loops.

The rules are those of TensorFlow's colocation graph: a `loc:@name` class ties an op to the op of that name; an edge
into a reference input (Assign, ApplyAdam, ScatterUpdate, ...) ties both ends; so does an edge that carries a resource
handle (variables, iterators, queues, tables, stacks, TensorArrays), whatever it passes through. Reading a reference
variable by an Identity copies it and moves freely. A resource handed to PartitionedCall or StatefulPartitionedCall does
not tie the call: TensorFlow places the ops of its body one by one, and a call that captures all weights of a model
would otherwise pull them onto one device; but XLA wants all that it compiles as one in one place. It does tie While,
and If and Case that stay single ops, which the placer treats as users of the resource. Frozen graphs keep `loc:@` names
of ops they lost: ops that name the same missing op stay together.

A loop on one device is our own rule: its tensors then cross from step to step without a copy. TensorFlow can run a loop
over several devices, so an op of the body that only the CPU can run (an Assert's message) does not drag the loop there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from pardnn.graph.kernels import RESOURCE, facts
from pardnn.graph.library import PARTITIONED
from pardnn.graph.loops import OUTSIDE, Frames
from pardnn.graph.raw import DType, RawNode
from pardnn.graph.union import Sets
from pardnn.graph.wiring import Wiring

_STRING = DType(7)
_CALLS = PARTITIONED | {"RpcServerRegister"}


def colocate(wiring: Wiring, dtypes: Sequence[Sequence[DType]]) -> tuple[Sets, str | None]:
    """(the groups, note): any two ops that TensorFlow wants on one device are in one set. Near-linear."""
    sets = Sets(wiring.n)
    missing = 0
    absent: dict[str, int] = {}
    for v, node in enumerate(wiring.nodes):
        for name in classes(node):
            target = wiring.index.get(name)
            if target is None:
                missing += 1
                target = absent.setdefault(name, v)
            sets.join(v, target)
    for u, v in _tied(wiring, dtypes):
        sets.join(u, v)
    if not absent:
        return sets, None
    return sets, f"{missing} colocation references name ops that are not in the graph (first: '{next(iter(absent))}')"


def tie_loops(sets: Sets, frames: Frames, host: NDArray[np.bool_]) -> None:
    """Join the ops of each outermost loop, but for those that run on the CPU."""
    top = frames.outermost()
    first: dict[int, int] = {}
    for v in np.flatnonzero((frames.frame != OUTSIDE) & ~host).tolist():
        sets.join(first.setdefault(top[frames.frame[v]], v), v)


def tie_units(
    sets: Sets, wiring: Wiring, dtypes: Sequence[Sequence[DType]], unit: NDArray[np.int32], host: NDArray[np.bool_]
) -> None:
    """Join the ops of bodies that share a device with their call, but for those that run on the CPU.

    TensorFlow moves an op that touches a resource to where that is, whatever its device says: it stays there.
    """
    first: dict[int, int] = {}
    for v in np.flatnonzero((unit >= 0) & ~host).tolist():
        touches = any(port < len(dtypes[u]) and dtypes[u][port] == RESOURCE for u, port in wiring.inputs[v])
        if not touches:
            sets.join(first.setdefault(int(unit[v]), v), v)


def classes(node: RawNode) -> Iterator[str]:
    """The ops that a node is colocated with by name (`loc:@` in its _class)."""
    value = node.attrs.get("_class")
    for item in value if isinstance(value, tuple) else ():
        if isinstance(item, bytes) and item.startswith(b"loc:@"):
            yield item[5:].decode(errors="replace")


def _tied(wiring: Wiring, dtypes: Sequence[Sequence[DType]]) -> Iterator[tuple[int, int]]:
    """Data edges over which a reference or a resource handle passes."""
    for v, node in enumerate(wiring.nodes):
        known = facts(node.op)
        first, end = known.refs if known else (0, 0)
        exempt = (node.op in _CALLS and not node.attrs.get("_XlaMustCompile")) or "Dataset" in node.op
        # TensorArrays and stacks before their V3 / V2 handed a string around as handle
        old_handle = node.op.startswith(("TensorArray", "Stack"))
        for position, (u, port) in enumerate(wiring.inputs[v]):
            dtype = dtypes[u][port] if port < len(dtypes[u]) else None
            if (
                first <= position < end
                or (dtype == RESOURCE and not exempt)
                or (old_handle and position == 0 and dtype == _STRING)
            ):
                yield u, v
