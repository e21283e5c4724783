"""What the ops of a training step really take, measured over a few steps on this machine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from os.path import exists
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pardnn.config import Options
from pardnn.cost.table import CostTable
from pardnn.errors import InputError
from pardnn.graph.feeds import feeds as feeds_of
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.wiring import split_input
from pardnn.measured import rows_of
from pardnn.placers.feeds import Values
from pardnn.placers.needs import require_tensorflow
from pardnn.placers.profile import Clock
from pardnn.profiling.profile import Profile
from pardnn.readers.costgraph import CostGraph
from pardnn.subject import is_model, pose, read
from pardnn.traces.op_times import OpTimes, op_times
from pardnn.traces.run_metadata import trace_of
from pardnn.traces.trace import Trace

MOST_OVERHEAD_NS = 5000.0
"""TensorFlow's executor takes 1 to 3 us for an op; what is missing beyond that is other programs' work, no op's."""


class _Step(NamedTuple):
    """What is to be profiled."""

    name: str
    message: Any
    targets: tuple[str, ...]
    values: Values
    feeds: Values


def profile(
    graph: Any,
    *,
    steps: int = 10,
    warmup: int = 3,
    batch_size: int | None = None,
    targets: Sequence[str] = (),
    feeds: Values | None = None,
    seed: int = 0,
    tell: Callable[[str], None] = lambda _: None,
) -> Profile:
    """The measured costs of a training step: of a compiled Keras model, of (model, x, y), or of a graph.

    A graph is a file's path, a GraphDef, or "module:function" or "file.py:function" that makes a model. What it is fed
    is drawn where `feeds` (arrays by placeholder) do not say. The step runs on TensorFlow's first device, one op at a
    time, `warmup` + 2 x `steps` times. `tell` hears what is being done.

    Raises pardnn.errors.InputError for what cannot be run by itself.
    """
    from pardnn.placers.feeds import drawn
    from pardnn.placers.profile import run_steps

    if steps < 1 or warmup < 0:
        raise InputError(f"--steps {steps}, --warmup {warmup}: at least one step, and no fewer than none to warm up")
    require_tensorflow()
    tell("reading the graph")
    step = _step(graph, batch_size, targets)
    options = Options.of(gpus=1, targets=step.targets, batch_size=None if step.values else batch_size)
    bare = pose(step.message, options)
    known = bare.graph
    assert known is not None
    given = {**step.feeds, **(feeds or {})}
    fed = drawn(feeds_of(known), given, batch_size, step.name, np.random.default_rng(seed))
    traces: list[Trace] = []
    tell(f"running {warmup} steps to warm up, then {steps} plain and {steps} traced")
    clock = run_steps(
        step.message, step.targets or _ends(known, step.message), fed, step.values,
        lambda metadata: traces.append(trace_of(metadata, step.name)),
        name=step.name, steps=steps, warmup=warmup, used=known.names,
    )  # fmt: skip
    tell("adding up")
    times = op_times(traces)
    overhead = overhead_ns(clock, times)
    table = CostTable(step.name, rows_of(times, step.name, overhead))
    subject = replace(pose(step.message, replace(options, costs=table)), name=step.name)
    notes = tuple(note for note in bare.notes if "--keep-devices" not in note)  # devices are not heeded here
    return Profile(table.path, table.rows, times, clock, overhead, subject, notes)


def overhead_ns(clock: Clock, times: OpTimes) -> float:
    """Nanoseconds of each run that are the runtime's own."""
    runs = sum(op.runs for op in times.ops if op.step_ns is not None)
    return min(max(1e9 * clock.step_s(clock.plain_s) - times.step_ns, 0.0) / runs, MOST_OVERHEAD_NS)


def _step(graph: Any, batch_size: int | None, targets: Sequence[str]) -> _Step:
    from pardnn.placers.extract import TRAIN_OP, made_by
    from pardnn.placers.message import message_of
    from pardnn.placers.profile_model import live_step

    model = graph[0] if isinstance(graph, tuple) and graph else graph
    name = str(graph) if isinstance(graph, str | Path) else type(model).__name__
    named = isinstance(graph, str) and ":" in graph and not exists(graph)
    if named or isinstance(graph, tuple) or is_model(graph):
        made = made_by(graph) if named else graph
        if targets:
            raise InputError("targets: a model's whole step is profiled; targets are for graphs")
        live = live_step(made, name, batch_size)
        return _Step(name, live.message, (TRAIN_OP,), live.values, live.feeds)
    given = read(graph)
    if isinstance(given.graph, CostGraph):
        raise InputError(f"{given.name}: is a cost graph, with nothing in it that runs")
    return _Step(given.name, message_of(given.graph.source, given.data), tuple(targets), {}, {})


def _ends(graph: OpGraph, message: Any) -> tuple[str, ...]:
    """The ops of the message that nothing else of the step waits for; an op in a call's body stands for the call."""
    there = {node.name for node in message.node}
    waited = {split_input(text)[0] for node in graph.nodes for text in node.inputs}
    ends = []
    for name in graph.names:
        while name not in there and "/" in name:
            name = name.rpartition("/")[0]
        if name in there and name not in waited:
            ends.append(name)
    return tuple(dict.fromkeys(ends))
