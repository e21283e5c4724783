"""Calls of library functions, loops and conditions that stand in the graph as one op."""

from __future__ import annotations

from dataclasses import replace

from pardnn.cost.op import Op
from pardnn.cost.record import OpCost
from pardnn.cost.rule import cost_rule


@cost_rule(
    "PartitionedCall", "StatefulPartitionedCall", "TPUPartitionedCall", "RemoteCall", "XlaLaunch", "While",
    "StatelessWhile", "For",
)  # fmt: skip
def call(op: Op) -> OpCost:
    """What the bodies cost, one run each; of bodies that are not known, their arguments and results moved once."""
    known = [op.bodies[name] for name in (*op.functions(), op.type) if name in op.bodies]
    if not known:
        return replace(op.cost("copy"), source="default")
    return _as_one(op, sum(known[1:], known[0]))


@cost_rule("SymbolicGradient")
def gradient(op: Op) -> OpCost:
    """The body once more, and backwards: as much again for each of what a product takes and gives."""
    forward = call(op)
    return replace(forward, kernels=forward.kernels * 3) if any(f in op.bodies for f in op.functions()) else forward


@cost_rule("If", "StatelessIf", "Case", "StatelessCase")
def branch(op: Op) -> OpCost:
    """The dearest of the branches."""
    known = [op.bodies[name] for name in op.functions() if name in op.bodies]
    if not known:
        return replace(op.cost("copy"), source="default")
    return _as_one(op, max(known, key=lambda cost: (cost.flops, cost.bytes_read + cost.bytes_written)))


def _as_one(op: Op, body: OpCost) -> OpCost:
    """The body seen from outside: what lives only inside it is scratch."""
    return OpCost(
        body.kernels,
        op.written,
        body.temp_bytes + max(0, body.output_bytes - op.written),
        body.resident_bytes,
        body.source,
    )
