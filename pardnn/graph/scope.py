"""One inlined call: how names of its body read in the whole graph, and where its tensors come from."""

from __future__ import annotations

from collections.abc import Collection

from pardnn.errors import InputError
from pardnn.graph.branches import PART_OF
from pardnn.graph.library import PARTITIONED, Function
from pardnn.graph.raw import AttrValue, RawNode
from pardnn.graph.wiring import shortened, split_input

_Source = tuple[str, tuple[str, ...]]
"""An input as the whole graph writes it, and the control inputs that come with it."""


class Scope:
    """The graph itself (`outer` is None), or the body of one call in it.

    A control input of a call holds up what reads its arguments and whatever in the body has no input. Constants start
    at once all the same: they take no time, and would have as many edges as there are.
    """

    def __init__(
        self,
        outer: Scope | None = None,
        call: RawNode | None = None,
        function: Function | None = None,
        own: bool = True,
        taken: set[str] | None = None,
    ) -> None:
        self.outer = outer
        self.call = call
        self.function = function
        self.taken: set[str] = outer.taken if outer is not None else taken or set()
        self.name: str = outer.spell(call.name) if outer is not None and call is not None else ""
        around = outer.unit if outer is not None else None
        self.unit: Scope | None = around if around is not None else None if own else self
        """The outermost call with which all of this shares a device."""
        self.by_name: bool = outer is not None and (outer.by_name or (call is not None and call.op not in PARTITIONED))
        given = call.device if call is not None and around is None else ""
        self.device: str = given or (outer.device if outer is not None else "")
        self.awaited = False
        """Whether anyone waits for the call."""
        self.entries: tuple[str, ...] = ()
        """What holds up the body."""
        self._names: dict[str, str] = {}  # of the body's ops, in the whole graph
        self._inner: dict[str, Scope] = {}
        self._waited: set[str] = set()
        self._argument = {name: i for i, name in enumerate(function.arguments)} if function is not None else {}
        self._given = tuple(text for text in call.inputs if text[:1] != "^") if call is not None else ()
        self._found: dict[str, _Source] = {}

    def note(self, node: RawNode) -> None:
        """Take up an op of the body: its name, and whom it waits for."""
        if self.outer is not None:
            name = stem = f"{self.name}/{node.name}"
            suffix = 0
            while name in self.taken:
                suffix += 1
                name = f"{stem}_{suffix}"
            self.taken.add(name)
            self._names[node.name] = name
        self._waited.update(text[1:] for text in node.inputs if text[:1] == "^")

    def enter(self, call: RawNode, function: Function, own: bool) -> Scope:
        """The scope of a call among this body's ops."""
        inner = self._inner[call.name] = Scope(self, call, function, own)
        return inner

    def holds(self, name: str) -> bool:
        """Whether an op of that name stands in the body."""
        return name in self._names

    def spell(self, name: str) -> str:
        """The name of the body's op in the whole graph."""
        return self._names.get(name, name)

    def open(self, awaited: Collection[str]) -> None:
        """See who waits for the call and what it waits for; the scopes around it are open already."""
        assert self.outer is not None
        assert self.call is not None
        self.awaited = self.call.name in self.outer._waited or self.name in awaited
        if self.awaited and self.function is not None:
            self._waited.update(self.function.awaited)
        waits = [w for text in self.call.inputs if text[:1] == "^" for w in self.outer._control(text)]
        if not self.call.inputs:
            waits += self.outer.entries
        self.entries = tuple(dict.fromkeys(waits))

    def inputs(self, node: RawNode) -> tuple[str, ...]:
        """The inputs of one of the body's ops, as the whole graph writes them."""
        data: list[str] = []
        waits: list[str] = []
        for text in node.inputs:
            if text[:1] == "^":
                waits += self._control(text)
            else:
                source, passed = self._source(text)
                data.append(source)
                waits += passed
        if not node.inputs and node.op != "Const":
            waits += self.entries
        return (*data, *dict.fromkeys(waits))

    def closed(self) -> RawNode:
        """The call, as an op that runs nothing but waits for the body where someone waits for the call."""
        assert self.outer is not None
        assert self.call is not None
        waits: list[str] = []
        if self.awaited and self.function is not None:
            waits += ["^" + split_input(self._source(result)[0])[0] for result in self.function.results]
            for name in self.function.awaited:
                waits += self._control("^" + name)
        merge = self.call.attrs.get(PART_OF)  # what has no device in a branch's body gets that of the branching op
        beside = self.outer.spell(merge.decode()).encode() if isinstance(merge, bytes) else b""
        attrs: dict[str, AttrValue] = {"_class": (b"loc:@" + beside,), PART_OF: beside} if beside else {}
        return RawNode(self.name, "NoOp", tuple(dict.fromkeys(waits)), self.device, attrs)

    def _control(self, text: str) -> list[str]:
        """The control inputs that one of this body's becomes."""
        name = text[1:]
        if name not in self._argument:
            return ["^" + self.spell(name)]
        source, passed = self._source(name)
        return ["^" + split_input(source)[0], *passed]

    def _source(self, text: str) -> _Source:
        """Where a data input comes from: out of arguments, into the bodies of inlined calls."""
        found = self._found.get(text)
        if found is None:
            found = self._found[text] = self._traced(text)
        return found

    def _traced(self, text: str) -> _Source:
        scope, end = self, text
        passed: tuple[str, ...] = ()
        seen: set[tuple[int, str]] = set()
        while True:
            name, port = split_input(end)
            if name in scope._argument and scope.outer is not None:
                passed += scope.entries
                scope, end = scope.outer, scope._given[scope._argument[name]]
            elif name in scope._inner:
                scope = scope._inner[name]
                end = scope._result(port)
            else:
                return (scope.spell(name) if port == 0 else f"{scope.spell(name)}:{port}"), passed
            if (id(scope), end) in seen:
                raise InputError(f"call '{shortened(scope.name)}' passes its own result on to itself and can never run")
            seen.add((id(scope), end))

    def _result(self, port: int) -> str:
        """Which tensor of the body a result is."""
        assert self.function is not None
        assert self.call is not None
        if port >= len(self.function.results):
            raise InputError(
                f"result {port} of call '{shortened(self.name)}' is used, but its function "
                f"'{shortened(self.function.name)}' gives {len(self.function.results)}"
            )
        return self.function.results[port]
