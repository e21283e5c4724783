"""Shape inference for the commonest ops: one topic a module, a rule registered by op type.

A new rule is a function with `@shape_rule("Op", ...)` (the shapes of the outputs) or `@value_rule("Op", ...)` (the
numbers in small integer tensors, which are shapes of other tensors) in one of the modules below.
"""

from pardnn.graph.shape_rules import (
    arrays,
    control,
    convolution,
    elementwise,
    filling,
    indexing,
    linear,
    losses,
    reductions,
    state,
    value_arrays,
    value_numbers,
)
from pardnn.graph.shape_rules.backward import hints
from pardnn.graph.shape_rules.rule import HANDLE_RULES, SHAPE_RULES, VALUE_RULES, Call, Held

__all__ = [
    "HANDLE_RULES",
    "SHAPE_RULES",
    "VALUE_RULES",
    "Call",
    "Held",
    "arrays",
    "control",
    "convolution",
    "elementwise",
    "filling",
    "hints",
    "indexing",
    "linear",
    "losses",
    "reductions",
    "state",
    "value_arrays",
    "value_numbers",
]
