"""Conditions, loops and calls: where a tensor passes through, it keeps its shape."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.graph.shape_rules.dims import SCALAR, Dims
from pardnn.graph.shape_rules.rule import Call, shape_rule


@shape_rule("Switch", "RefSwitch")
def switch(call: Call) -> Sequence[Dims]:
    """Both branches get the tensor."""
    return [call.shape(0)] * 2


@shape_rule("Merge", "RefMerge")
def merge(call: Call) -> Sequence[Dims]:
    """(tensor, which input it was). Of a loop's Merge only Enter has been seen; branches that disagree leave gaps."""
    known = [dims for dims in call.shapes if dims is not None]
    if not known or any(len(dims) != len(known[0]) for dims in known):
        return [None, SCALAR]
    return [tuple(column[0] if len(set(column)) == 1 else -1 for column in zip(*known, strict=True)), SCALAR]


@shape_rule("RefSelect")
def ref_select(call: Call) -> Sequence[Dims]:
    """One of the tensors behind the index."""
    return [call.shape(1)]


@shape_rule("While", "StatelessWhile")
def functional_while(call: Call) -> Sequence[Dims]:
    """What the op says of its loop variables, else what they are before the first turn."""
    return call.listed("output_shapes") or call.shapes


@shape_rule("If", "StatelessIf", "Case", "StatelessCase")
def functional_if(call: Call) -> Sequence[Dims]:
    """What the op says of its results."""
    return call.listed("output_shapes")


@shape_rule("LoopCond")
def condition(_: Call) -> Sequence[Dims]:
    """One verdict."""
    return [SCALAR]
