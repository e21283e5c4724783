"""What a finished graph was before it was placed, for putting it back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pardnn.placers.inner import have_call, put_on, wait_for_none_but


def undo_of(graph: Any) -> Callable[[], None]:
    """A call that gives the ops of a graph the devices, the bodies and the control inputs that they have now."""
    before = [(op, op.device, _functions(op), op.control_inputs) for op in graph.get_operations()]

    def undo() -> None:
        for op, device, functions, waits in before:
            put_on(op, device)
            if len(op.control_inputs) > len(waits):
                wait_for_none_but(op, waits)
            for attr, names in functions.items():
                have_call(op, attr, names)

    return undo


def _functions(op: Any) -> dict[str, str | list[str]]:
    """The functions that an op calls, by attribute: one, or a list."""
    found: dict[str, str | list[str]] = {}
    for attr in op.op_def.attr:
        if attr.type == "func":
            found[attr.name] = op.node_def.attr[attr.name].func.name
        elif attr.type == "list(func)":
            found[attr.name] = [function.name for function in op.node_def.attr[attr.name].list.func]
    return found
