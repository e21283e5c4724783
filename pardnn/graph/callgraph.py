"""Who calls whom: which calls are replaced by bodies, how often a function is used, how large the whole becomes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from pardnn.errors import InputError
from pardnn.graph.branches import unfolded
from pardnn.graph.library import PARTITIONED, Function, Library
from pardnn.graph.raw import AttrValue, RawNode
from pardnn.graph.wiring import shortened

MOST_NODES = 2_000_000
"""Calls that call twice what calls twice ... grow without bound; no graph that trains has more ops than this."""
DEEPEST = 500
"""Calls in calls beyond this depth stay single ops: each adds its name in front of all names inside."""


class CallGraph:
    """The functions that can be reached from a graph's nodes, and the calls between them."""

    def __init__(self, nodes: Sequence[RawNode], library: Library) -> None:
        self.library = library
        self._callees: dict[str, tuple[str, ...]] = {}
        self.uses = Counter(name for node in nodes for name in library.references(node))
        """How often each function is named in code that can be reached, bodies of loops and branches included."""
        self._follow()
        self._recursive = self._cycles()
        self._depth, self._size = self._measure()
        total = len(nodes) + self._inside(nodes)
        if total > MOST_NODES:
            raise InputError(
                f"calls of library functions unfold to {total} ops, more than {MOST_NODES}: "
                "the functions call one another too often for a training step"
            )

    def inlinable(self, node: RawNode) -> Function | None:
        """The function whose body takes this node's place; None for any other op, and for a call that stays one op.

        Such are calls marked `_noinline`, those compiled as a whole (jit_compile), of functions that call themselves
        and of those that do not fit the call.
        """
        name = self.library.target(node)
        if name is None or name in self._recursive or self._depth.get(name, 0) > DEEPEST or _is_one(node.attrs):
            return None
        function = self.library.function(name)
        if function is None or _is_one(function.attrs):
            return None
        given = sum(not text.startswith("^") for text in node.inputs)
        return function if given == len(function.arguments) else None

    def flat(self, nodes: Sequence[RawNode]) -> Iterator[RawNode]:
        """The nodes, each branching op as the calls and the merge it is run as, if all of these can be inlined."""
        names: set[str] = set()
        for node in nodes:
            *calls, merge = unfolded(node) or (node,)
            if calls and not names:
                names = {other.name for other in nodes}
            if any(call.name in names or not self._fits(call) for call in calls):
                calls, merge = [], node
            yield from calls
            yield merge

    def once(self, node: RawNode, function: Function) -> bool:
        """Whether this call can have devices of its own in the function's body: nobody else uses that."""
        return node.op in PARTITIONED and self.uses[function.name] == 1

    def note(self) -> str | None:
        """One line on functions that call themselves."""
        if not self._recursive:
            return None
        first = min(self._recursive)
        return (
            f"{len(self._recursive)} library functions call themselves ('{shortened(first)}'): each of their calls "
            "counts as one op with the work of one run of its body"
        )

    def _fits(self, call: RawNode) -> bool:
        """Whether a branch's function takes and gives what the branching op does."""
        function, results = self.inlinable(call), call.attrs["Tout"]
        return function is not None and isinstance(results, tuple) and len(function.results) == len(results)

    def _follow(self) -> None:
        todo = list(self.uses)
        for name in todo:  # grows while it is walked
            function = self.library.function(name)
            named = [n for node in (function.nodes if function else ()) for n in self.library.references(node)]
            self._callees[name] = tuple(named)
            todo += [n for n in dict.fromkeys(named) if n not in self.uses]
            self.uses.update(named)

    def _cycles(self) -> frozenset[str]:
        """The functions on cycles of calls, and those between two cycles: what is left when ends are taken away."""
        forth = {name: set(callees) for name, callees in self._callees.items()}
        back: dict[str, set[str]] = {name: set() for name in forth}
        for name, callees in forth.items():
            for callee in callees:
                back[callee].add(name)
        for ways, against in ((forth, back), (back, forth)):
            ends = [name for name, callees in ways.items() if not callees]
            for name in ends:  # grows while it is walked
                for other in against[name]:
                    ways[other].discard(name)
                    if not ways[other]:
                        ends.append(other)
                against[name] = set()
            left = {name for name, callees in ways.items() if callees}
            for name in against:
                against[name] &= left
        return frozenset(left)

    def _measure(self) -> tuple[dict[str, int], dict[str, int]]:
        """How many levels of calls stand below each function, and its ops with all bodies in place."""
        depth: dict[str, int] = {}
        size: dict[str, int] = {}
        todo = [name for name in self._callees if name not in self._recursive]
        while todo:
            name = todo[-1]
            open_ = [n for n in self._callees[name] if n not in size and n not in self._recursive]
            if open_:
                todo += open_
                continue
            todo.pop()
            if name in size:
                continue
            depth[name] = 1 + max((depth[n] for n in self._callees[name] if n in depth), default=0)
            size[name] = 0
            function = self.library.function(name)
            self._depth, self._size = depth, size
            if function is not None:
                size[name] = len(function.nodes) + self._inside(function.nodes)
        return depth, size

    def _inside(self, nodes: Sequence[RawNode]) -> int:
        """Ops that come in for the calls among these nodes."""
        flat = list(self.flat(nodes))
        found = (self.inlinable(node) for node in flat)
        return len(flat) - len(nodes) + sum(self._size[function.name] for function in found if function is not None)


def _is_one(attrs: Mapping[str, AttrValue]) -> bool:
    """Whether a call or a function is marked to stay whole."""
    return bool(attrs.get("_noinline") or attrs.get("_XlaMustCompile"))
