"""In how far ops really ran in the order in which the simulator has them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from pardnn.subject import Subject
from scheduler.schedule import Schedule

LONG_NS = 20_000
"""Ops that take longer are looked at: in which order hundreds of constants run matters to nobody."""


def begun(metadata: Any) -> dict[str, int]:
    """When each op began in a traced step, in nanoseconds, by name."""
    return {
        node.node_name: node.all_start_nanos + node.op_start_rel_nanos
        for row in metadata.step_stats.dev_stats
        for node in row.node_stats
        if node.all_start_nanos
    }


def agreement(trace: Path, subject: Subject, schedule: Schedule) -> float:
    """Kendall's tau of the two orders on each worker, averaged over the pairs of ops; nan where there are none."""
    from tensorflow.core.protobuf import config_pb2

    real = begun(config_pb2.RunMetadata.FromString(trace.read_bytes()))
    long = [
        v
        for v, name in enumerate(subject.names)
        if name in real and subject.problem.workload.time_ns[v, 0] > LONG_NS
    ]  # fmt: skip
    return _tau(long, schedule.placement.tolist(), real, subject.names, schedule.start_ns.tolist())


def _tau(
    nodes: Sequence[int], worker: Sequence[int], real: Mapping[str, int], names: Sequence[str], said: Sequence[int]
) -> float:  # fmt: skip
    """(pairs in the same order - pairs in the other) over all pairs on one worker. O(n^2)."""
    agree = pairs = 0
    for own in sorted(set(worker)):
        here = [v for v in nodes if worker[v] == own]
        one, other = (
            np.array(values, np.int64) for values in ([real[names[v]] for v in here], [said[v] for v in here])
        )
        same = np.sign(one[:, None] - one) * np.sign(other[:, None] - other)
        agree += int(same.sum()) // 2
        pairs += len(here) * (len(here) - 1) // 2
    return agree / pairs if pairs else float("nan")
