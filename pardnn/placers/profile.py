"""Some steps of a graph that stands alone, run on this machine: traced ones for times per op, others for the clock.

GraphDef ──> session, ops under their own names, one at a time ──> warm-up ──> plain step, traced step, plain, ...
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError, one_line
from pardnn.placers.feeds import Values
from pardnn.placers.runner import Runner

_VARIABLES = ("VariableV2", "Variable")
_VALUE, _ASSIGN, _NOTHING = "pardnn/value", "pardnn/assign", "pardnn/nothing"
_PIPELINES = ("Iterator", "OneShotIterator", "AnonymousIterator", "MultiDeviceIterator", "QueueDequeue", "ReaderRead")
_LARGEST_DRAWN = 0.1  # positive, for some variables are averages of squares; small, for many layers are multiplied


@dataclass(frozen=True)
class Clock:
    """Wall seconds of what was run after the warm-up, one of each in turn."""

    call_s: tuple[float, ...] = ()
    """Calls that run nothing but are fed the same."""
    plain_s: tuple[float, ...] = ()
    traced_s: tuple[float, ...] = ()

    def with_round(self, call: float, plain: float, traced: float) -> Clock:
        """With one more of each."""
        return Clock((*self.call_s, call), (*self.plain_s, plain), (*self.traced_s, traced))

    def step_s(self, how: Sequence[float]) -> float:
        """The median of steps without what calling TensorFlow takes, at its fastest: the rest of it may be noise."""
        return max(median(how) - min(self.call_s), 1e-9)


def start(threads: int | None = None) -> None:
    """Start TensorFlow, where an op may use so many threads of the processor; None = all.

    Raises InputError for a number of threads where it has started already.
    """
    import tensorflow as tf

    try:
        if threads is not None:
            tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.list_logical_devices()
    except RuntimeError:
        raise InputError("--threads: TensorFlow has started its threads already; say it before anything runs") from None


def run_steps(
    message: Any,
    targets: Sequence[str],
    feeds: Values,
    values: Values,
    seen: Callable[[Any], None],
    *,
    name: str,
    steps: int,
    warmup: int,
    used: Iterable[str],
) -> Clock:
    """Run the targets `warmup` times, then `steps` times plain and traced in turn; `seen` gets each RunMetadata.

    `values` are what variables hold; the others among the ops `used` get small numbers drawn. Devices in the graph are
    not heeded: all runs on TensorFlow's first. Raises InputError where TensorFlow cannot run it.
    """
    import tensorflow as tf

    whole = _alone(message, set(used), name)
    try:
        with Runner(whole, rewriting=False, serial=True) as runner:
            _initialise(runner, whole, values, set(used))
            for _ in range(warmup):
                runner.step(feeds, targets=targets)
            runner.traced(feeds, targets=targets)  # the first one also sets the tracer up
            runner.step(feeds, targets=[_NOTHING])
            clock = Clock()
            for _ in range(steps):
                call, _ = _timed(lambda: runner.step(feeds, targets=[_NOTHING]))
                plain, _ = _timed(lambda: runner.step(feeds, targets=targets))
                traced, (_, metadata) = _timed(lambda: runner.traced(feeds, targets=targets))
                clock = clock.with_round(call, plain, traced)
                seen(metadata)
            return clock
    except (tf.errors.OpError, ValueError, TypeError) as error:
        said = one_line(getattr(error, "message", error))
        raise InputError(f"{name}: TensorFlow cannot run this step by itself: {said}") from None


def _timed(run: Callable[[], Any]) -> tuple[float, Any]:
    started = time.perf_counter()
    result = run()
    return time.perf_counter() - started, result


def _alone(message: Any, used: set[str], name: str) -> Any:
    """A copy without devices in which variables of the old kind can be set. Raises InputError for what needs more."""
    whole = type(message)()
    whole.CopyFrom(message)
    for node in message.node:
        if node.name not in used:
            continue
        if node.op in ("_Arg", "_Retval"):
            raise InputError(
                f"{name}: op {node.name!r} ({node.op}) only runs inside a function: profile the whole step"
            )
        if node.op.startswith(_PIPELINES):
            raise InputError(
                f"{name}: op {node.name!r} ({node.op}) takes data from a pipeline that is not in the graph: save the "
                "graph with a placeholder in its place"
            )
        if node.op in _VARIABLES:
            _add_assignment(whole, node)
    whole.node.add(name=_NOTHING, op="NoOp")
    for node in whole.node:
        node.device = ""
    for function in whole.library.function:
        for node in function.node_def:
            node.device = ""
    return whole


def _add_assignment(message: Any, variable: Any) -> None:
    value = message.node.add(name=f"{_VALUE}/{variable.name}", op="Placeholder")
    value.attr["shape"].CopyFrom(variable.attr["shape"])
    assign = message.node.add(name=f"{_ASSIGN}/{variable.name}", op="Assign")
    assign.input.extend([variable.name, value.name])
    value.attr["dtype"].type = assign.attr["T"].type = variable.attr["dtype"].type


def _initialise(runner: Runner, message: Any, values: Values, used: set[str]) -> None:
    """Give every variable in use a value."""
    rng = np.random.default_rng(0)
    known = {name: value for name, value in values.items() if name in runner.variables}
    for node in message.node:
        if node.name not in used or node.name in known:
            continue
        if node.op == "VarHandleOp":
            known[node.name] = _value(node, rng)
        elif node.op in _VARIABLES:
            runner.step({f"{_VALUE}/{node.name}": _value(node, rng)}, targets=[f"{_ASSIGN}/{node.name}"])
    runner.assign(known)


def _value(variable: Any, rng: np.random.Generator) -> NDArray[Any]:
    from tensorflow import TensorShape, as_dtype

    kind, shape = as_dtype(variable.attr["dtype"].type), TensorShape(variable.attr["shape"].shape)
    if not shape.is_fully_defined():
        raise ValueError(f"variable {variable.name!r} has no shape")
    if kind.is_floating:
        return np.asarray(rng.random(shape.as_list(), np.float32) * _LARGEST_DRAWN, kind.as_numpy_dtype)
    return np.zeros(shape.as_list(), kind.as_numpy_dtype)
