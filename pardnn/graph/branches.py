"""A branch as TensorFlow runs it: calls of its functions, of which one takes place, and a merge of their results.

    p, x ──> If ──> y        p, x ──> If/then ──> If ──> y
                             p, x ──> If/else ──┘

TensorFlow takes If and Case apart so before it gives devices (`_lower_using_switch_merge`). Each op of a branch has its
own device then, and the variables that a branch uses need not be together. A branch that is not marked so runs as one
op on one device, and so do the functions in it.
"""

from __future__ import annotations

from pardnn.graph.library import BRANCHING
from pardnn.graph.raw import AttrValue, FunctionRef, RawNode, Shape
from pardnn.graph.wiring import split_input

MERGES = "_branches"
"""Attribute of a merge: how many branches lead to it."""
PART_OF = "_part_of"
"""Attribute of a branch's call: the merge. No such op stands in a file."""


def unfolded(node: RawNode) -> tuple[RawNode, ...]:
    """The calls of a branching op's functions, then the merge under its name; nothing for any other op."""
    if node.op not in BRANCHING or not node.attrs.get("_lower_using_switch_merge"):
        return ()
    functions = _functions(node)
    data = [text for text in node.inputs if text[:1] != "^"]
    kinds = node.attrs.get("Tout")
    if not functions or not data or not isinstance(kinds, tuple):
        return ()
    waits = (*(text for text in node.inputs if text[:1] == "^"), "^" + split_input(data[0])[0])
    calls = tuple(
        RawNode(
            f"{node.name}/{part}", "StatefulPartitionedCall", (*data[1:], *waits), node.device,
            {"f": function, PART_OF: node.name.encode(), "Tout": kinds},
        )
        for part, function in functions.items()
    )  # fmt: skip
    results = (f"{call.name}:{port}" for call in calls for port in range(len(kinds)))
    attrs: dict[str, AttrValue] = {"T": kinds * len(calls), MERGES: len(calls), **_shapes(node)}
    inputs = (*results, *(f"^{call.name}" for call in calls))
    return (*calls, RawNode(node.name, "IdentityN" if kinds else "NoOp", inputs, node.device, attrs))


def _functions(node: RawNode) -> dict[str, FunctionRef]:
    """The functions by the name that TensorFlow gives their part; empty if one is missing."""
    if node.op.endswith("If"):
        found = {part: node.attrs.get(f"{part}_branch") for part in ("then", "else")}
    else:
        listed = node.attrs.get("branches")
        found = {f"branch{i}": one for i, one in enumerate(listed if isinstance(listed, tuple) else ())}
    named = {part: one for part, one in found.items() if isinstance(one, FunctionRef)}
    return named if len(named) == len(found) else {}


def _shapes(node: RawNode) -> dict[str, AttrValue]:
    """What the op says of its results."""
    for attr in ("_output_shapes", "output_shapes"):
        listed = node.attrs.get(attr)
        if isinstance(listed, tuple) and any(isinstance(one, Shape) for one in listed):
            return {"_output_shapes": listed}
    return {}
