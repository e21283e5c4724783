"""What the variables of a training step are for, and which tensors are gradients; from the graph alone, no names.

An *update* changes a variable: an optimiser's fused op (ApplyAdam, ResourceApplyMomentum, ...) or a plain assignment
(Assign, AssignAddVariableOp, ResourceScatterAdd, ...). The *update region* is everything that exists for updates only:
element-wise ops (and reads of variables) all of whose readers are updates or in the region themselves. Then

* a **weight** is a variable that is read outside the region (by a layer, by its gradient), or the first argument of a
  fused update; one that nothing updates is **frozen**;
* a **slot** is a variable read by updates only that belongs to a weight: a further variable of a fused update, or one
  of a weight's shape that is read on the way to its update (momentum, Adam's m and v) or to such a slot's own;
* the rest is other **state**: step counters, powers of beta, moving averages of batch normalisation;
* a **gradient** is what a fused update takes as such, by its place among the arguments; for plain assignments, what
  enters the region of a weight's or a slot's update from outside, of the shape of what is assigned.

A single weight that is trained by plain assignments on element-wise ops alone, without any loss that is kept, cannot be
told from its slots.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from pardnn.graph.kernels import REFERENCE, RESOURCE
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.prune import OPTIMISER, UPDATE
from pardnn.graph.raw import Shape
from pardnn.graph.wiring import CONTROL, split_input

Role = Literal["weights", "frozen", "slots", "state"]
End = tuple[int, int]
"""(producer, output port)"""

_VARIABLES = frozenset({"Variable", "VariableV2", "AutoReloadVariable", "VarHandleOp", "TemporaryVariable"})
_FED = frozenset({"Placeholder", "PlaceholderV2", "_Arg"})
_PASSES = frozenset({"Identity", "RefIdentity", "Enter", "RefEnter", "Switch", "RefSwitch"})
_ELEMENTWISE = frozenset(
    """Abs Add AddV2 Cast ClipByValue Div DivNoNan Exp Identity IdentityN LogicalAnd LogicalNot Maximum Minimum Mul
    MulNoNan Neg Pow ReadVariableOp RealDiv Reciprocal Rsqrt Select SelectV2 Sign Snapshot Sqrt Square
    SquaredDifference Sub""".split()  # noqa: SIM905  # reads better
)
_ONLOOKER = re.compile(
    r"Save(V2|Slices)?|\w*Summary\w*|(Is|VarIs)\w*Initialized\w*|Print(V2)?|NoOp|Assert|CheckNumerics\w*"
)
"""What reads a variable without being part of the step's arithmetic."""
_GRADIENT = {
    "GradientDescent": 2, "Momentum": 3, "KerasMomentum": 3, "Adagrad": 3, "AdagradDA": 3, "Ftrl": 3, "FtrlV2": 3,
    "AdagradV2": 4, "ProximalGradientDescent": 4, "ProximalAdagrad": 5, "Adadelta": 6, "AddSign": 6, "PowerSign": 6,
    "RMSProp": 7, "AdaMax": 8, "CenteredRMSProp": 8, "Adam": 9, "AdamWithAmsgrad": 10,
}  # fmt: skip
"""Which argument of a fused update is the gradient, dense and sparse alike."""


@dataclass(frozen=True)
class Roles:
    """The role of each variable by node number, and the tensors that are gradients."""

    variables: dict[int, Role]
    gradients: frozenset[End]


def find_roles(graph: OpGraph) -> Roles:
    """The roles in a training step. O(n + m) but for scalars that many updates share."""
    return _Search(graph).roles()


class _Search:
    def __init__(self, graph: OpGraph) -> None:
        self.graph = graph
        self.kinds = [node.op for node in graph.nodes]
        self.arguments = _arguments(graph)
        self.fused = [bool(OPTIMISER.fullmatch(kind)) for kind in self.kinds]
        self.updates = [f or bool(UPDATE.fullmatch(kind)) for f, kind in zip(self.fused, self.kinds, strict=True)]
        self.variable = self._variables()
        self.region = self._region()

    def roles(self) -> Roles:
        """Weights first, then what belongs to them, until no more is found."""
        found: dict[int, Role] = dict.fromkeys(self._weights(), "weights")
        gradients: set[End] = set()
        changes: dict[int, list[int]] = {}
        for u in np.flatnonzero(self.updates).tolist():
            if self.arguments[u] and (target := self._target(u, 0)) is not None:
                changes.setdefault(target, []).append(u)
        todo = list(found)
        while todo:
            v = todo.pop()
            for u in changes.get(v, ()):
                slots, entering = self._fused(u) if self.fused[u] else self._assigned(u)
                gradients |= entering
                fresh = [s for s in slots if s not in found]
                found |= dict.fromkeys(fresh, "slots")
                todo += fresh
        found |= {v: "frozen" for v, role in found.items() if role == "weights" and v not in changes}
        rest = {v for v in self.variable if v >= 0 and v not in found}
        return Roles(found | dict.fromkeys(sorted(rest), "state"), frozenset(gradients))

    def _variables(self) -> list[int]:
        """[n] the variable that an op is, or whose handle or reference it hands on; -1 for all others."""
        graph, result = self.graph, [-1] * self.graph.dag.n
        for v in graph.dag.order.tolist():
            types = graph.output_dtypes[v]
            if self.kinds[v] in _VARIABLES or (self.kinds[v] in _FED and types[:1] == (RESOURCE,)):
                result[v] = v
            elif self.kinds[v] in _PASSES and self.arguments[v] and _names(types[0] if types else 0):
                result[v] = result[self.arguments[v][0][0]] if self.arguments[v][0][0] >= 0 else -1
        return result

    def _region(self) -> list[bool]:
        """[n] the op exists for updates only."""
        dag, result = self.graph.dag, [False] * self.graph.dag.n
        out_ptr, edges, ends = dag.out_ptr.tolist(), dag.out_edge.tolist(), dag.dst.tolist()
        port = self.graph.edge_port.tolist()
        for v in dag.order[::-1].tolist():
            if self.kinds[v] in _ELEMENTWISE:
                readers = (ends[e] for e in edges[out_ptr[v] : out_ptr[v + 1]] if port[e] != CONTROL)
                result[v] = all(
                    self.updates[r] or result[r] or bool(_ONLOOKER.fullmatch(self.kinds[r])) for r in readers
                )
        return result

    def _weights(self) -> Iterator[int]:
        """Variables that a fused update has first, or that are read outside the region; by number, each once."""
        weights = set()
        for r, arguments in enumerate(self.arguments):
            for position, (u, _) in enumerate(arguments):
                v = self.variable[u] if u >= 0 else -1
                if v < 0 or self.variable[r] >= 0:  # nothing of a variable, or its handle handed on
                    continue
                if self.fused[r]:
                    inside = position > 0
                else:
                    inside = self.updates[r] or self.region[r] or bool(_ONLOOKER.fullmatch(self.kinds[r]))
                if not inside:
                    weights.add(v)
        return iter(sorted(weights))

    def _target(self, u: int, position: int) -> int | None:
        producer = self.arguments[u][position][0]
        return self.variable[producer] if producer >= 0 and self.variable[producer] >= 0 else None

    def _fused(self, u: int) -> tuple[list[int], set[End]]:
        """Slots and gradient of an optimiser's op."""
        ends = self.arguments[u]
        slots = [s for position in range(1, len(ends)) if (s := self._target(u, position)) is not None]
        place = _GRADIENT.get(self.kinds[u].rpartition("Apply")[2], len(ends))
        if place >= len(ends):  # an optimiser we do not know: the largest value, of several the last
            values = [end for end in ends if end[0] >= 0 and self.variable[end[0]] < 0]
            return slots, set(sorted(values, key=lambda end: _elements(self._shape(end)))[-1:])
        return slots, {ends[place]} if ends[place][0] >= 0 else set()

    def _assigned(self, u: int) -> tuple[list[int], set[End]]:
        """Slots and gradients on the way to an assignment, through the region and tensors of the value's shape."""
        target = self._target(u, 0)
        value = self.arguments[u][-1]
        if value[0] < 0 or target is None:
            return [], set()
        shape, slots, gradients = self._shape(value), [], set()
        todo, seen = [value], {value}
        while todo:
            end = todo.pop()
            v = end[0]
            held = self.variable[v] if self.kinds[v] != "ReadVariableOp" else -1
            if held >= 0:  # a reference variable, read where it stands
                slots.append(held)
            elif self.region[v]:
                fresh = [e for e in self.arguments[v] if e[0] >= 0 and e not in seen and self._fits(e, shape)]
                seen.update(fresh)
                todo += fresh
                slots += [s for e in self.arguments[v] if e[0] >= 0 and (s := self.variable[e[0]]) >= 0]
            elif "Const" not in self.kinds[v]:
                gradients.add(end)
        return [s for s in slots if s != target], gradients

    def _fits(self, end: End, shape: Shape) -> bool:
        return self.variable[end[0]] < 0 and self._shape(end) == shape

    def _shape(self, end: End) -> Shape:
        shapes = self.graph.output_shapes[end[0]]
        return shapes[end[1]] if end[1] < len(shapes) else Shape(None)


def _names(dtype: int) -> bool:
    """Whether a value of this type stands for a variable."""
    return dtype == RESOURCE or dtype > REFERENCE


def _elements(shape: Shape) -> int:
    result = 1
    for size in shape.dims or ():
        result *= max(size, 1)
    return result


def _arguments(graph: OpGraph) -> list[list[End]]:
    """Per op its data inputs in argument order; (-1, -1) where the producer was pruned."""
    index = {node.name: v for v, node in enumerate(graph.nodes)}
    ends: dict[str, End] = {}
    for node in graph.nodes:
        for text in node.inputs:
            if text not in ends:
                name, port = split_input(text)
                ends[text] = (index[name], port) if name in index else (-1, -1)
    return [[ends[text] for text in node.inputs if text[:1] != "^"] for node in graph.nodes]
