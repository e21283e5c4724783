"""What several places use of TensorFlow's inside: it may change with a version, and then here.

A private name that one place uses stands there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def runtime() -> Any:
    """TensorFlow's own state in this process: its devices and threads, and what it collects."""
    from tensorflow.python.eager import context

    return context.context()


def concrete_function() -> Any:
    """The class of a function traced for one signature."""
    from tensorflow.python.eager.polymorphic_function.concrete_function import ConcreteFunction

    return ConcreteFunction


def put_on(op: Any, device: str) -> None:
    """Give an op that is made already a device."""
    op._set_device(device)


def have_call(op: Any, attr: str, functions: str | Sequence[str]) -> None:
    """Have an op that is made already call other functions: one, or a list where the attribute is one."""
    if isinstance(functions, str):
        op._set_func_attr(attr, functions)
    else:
        op._set_func_list_attr(attr, list(functions))


def have_wait(op: Any, other: Any) -> None:
    """Have an op that is made already wait for another."""
    op._add_control_input(other)


def wait_for_none_but(op: Any, others: Sequence[Any]) -> None:
    """Have an op that is made already wait for these and no others, beside what it takes."""
    op._remove_all_control_inputs()
    op._add_control_inputs(others)


def run_as_written(config: Any) -> None:
    """Have a session of this ConfigProto run the ops that stand in the graph: none rewritten, merged or folded."""
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1  # merges equal ops and folds constants
