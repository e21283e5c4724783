"""How often a functional While goes round, read off its two functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pardnn.graph.library import Function
from pardnn.graph.raw import RawNode, TensorInfo
from pardnn.graph.shape_rules.dims import Value
from pardnn.graph.wiring import split_input

_UP = frozenset({"Less", "LessEqual"})
_DOWN = frozenset({"Greater", "GreaterEqual"})
_THROUGH = frozenset({"Identity", "Cast", "StopGradient", "EnsureShape"})


def trips_of(cond: Function, body: Function, given: Sequence[Value | None]) -> tuple[int | None, dict[int, Value]]:
    """(turns until the condition fails, None if that is not to be seen; the numbers in the loop variables at the end).

    Seen is a counter, which a turn moves by a constant, compared with a constant or with a loop variable that no turn
    changes; of several bounds the smallest counts. `given` are the numbers in the variables before the first turn.
    """
    turns, test = _Code(body), _Code(cond)
    kept = {i: value for i, value in enumerate(given) if value is not None and turns.keeps(i)}
    starts = {i: number for i, value in enumerate(given) if (number := _single(value)) is not None}
    steps = {i: step for i in starts if (step := turns.step(i))}
    bounds = []
    for node in test.comparisons():
        for counter, limit, up in ((0, 1, node.op in _UP), (1, 0, node.op in _DOWN)):
            i, end = test.argument(node.inputs[counter]), test.number(node.inputs[limit], kept)
            step = steps.get(i, 0) if up else -steps.get(i, 0)
            if end is not None and step > 0:
                way = (end - starts[i] if up else starts[i] - end) + node.op.endswith("Equal")
                bounds.append(max(-(-way // step), 0))
    if not bounds:
        return None, kept
    trips = min(bounds)
    ends: dict[int, Value] = {i: (starts[i] + step * trips,) for i, step in steps.items()}
    return trips, {**kept, **ends}


class _Code:
    """A function read backwards from its results."""

    def __init__(self, function: Function) -> None:
        self.function = function
        self.ops = {node.name: node for node in function.nodes}
        self.position = {name: i for i, name in enumerate(function.arguments)}

    def origin(self, text: str) -> str:
        """The op or argument that makes a value, seen through ops that hand it on."""
        name, seen = split_input(text)[0], set()
        while name in self.ops and self.ops[name].op in _THROUGH and name not in seen and self.ops[name].inputs:
            seen.add(name)
            name = split_input(self.ops[name].inputs[0])[0]
        return name

    def argument(self, text: str) -> int:
        """Which argument a value is; -1 = none."""
        return self.position.get(self.origin(text), -1)

    def number(self, text: str, known: Mapping[int, Value]) -> int | None:
        """The number a value is, where it is a constant or a known argument."""
        name = self.origin(text)
        if name in self.position:
            return _single(known.get(self.position[name]))
        return _constant(self.ops.get(name))

    def keeps(self, i: int) -> bool:
        """Whether a turn hands loop variable i on as it is."""
        return i < len(self.function.results) and self.argument(self.function.results[i]) == i

    def step(self, i: int) -> int:
        """By how much a turn moves loop variable i; 0 if that is no constant."""
        node = self.ops.get(self.origin(self.function.results[i])) if i < len(self.function.results) else None
        if node is None or node.op not in ("Add", "AddV2", "Sub") or len(node.inputs) < 2:
            return 0
        left, right = node.inputs[:2]
        if self.argument(left) == i:
            step = self.number(right, {}) or 0
            return -step if node.op == "Sub" else step
        if self.argument(right) == i and node.op != "Sub":
            return self.number(left, {}) or 0
        return 0

    def comparisons(self) -> list[RawNode]:
        """The comparisons of which the first result is the conjunction."""
        todo = [self.origin(text) for text in self.function.results[:1]]
        found = []
        for name in todo:  # grows while it is walked
            node = self.ops.get(name)
            if node is None:
                continue
            if node.op in _UP | _DOWN and len(node.inputs) >= 2:
                found.append(node)
            elif node.op == "LogicalAnd":
                todo += [end for text in node.inputs if text[:1] != "^" and (end := self.origin(text)) not in todo]
        return found


def _single(value: Value | None) -> int | None:
    return value[0] if value is not None and len(value) == 1 else None


def _constant(node: RawNode | None) -> int | None:
    value = node.attrs.get("value") if node is not None and node.op == "Const" else None
    if isinstance(value, TensorInfo) and value.values is not None and len(value.values) == 1:
        number = value.values[0]
        return number if isinstance(number, int) else None
    return None
