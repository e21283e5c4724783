"""Bytes over time on each device where ops work on their inputs' buffers, as a runtime that counts references does it.

`memory` counts an output for every node. TensorFlow gives a reshaped tensor the buffer of the tensor it was, and an
elementwise op writes its result over an input that nobody else needs any more: which ops can is known beforehand, which
inputs are free only in the run. A schedule says that too.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scheduler import _buffers, memory
from scheduler.dag import frozen
from scheduler.machine import Machine
from scheduler.schedule import Schedule
from scheduler.workload import Workload

FRESH, IN_PLACE, VIEW = 0, _buffers.IN_PLACE, _buffers.VIEW
"""What a reader may do with the tensor of an edge: nothing; write over it if it is the last; be another name of it."""


def usage(workload: Workload, machine: Machine, schedule: Schedule, reuse: ArrayLike) -> memory.Columns:
    """(device, time_ns, bytes held from that moment on), by device and time. `reuse` [m] says of each edge what its
    reader may do with it.

    A tensor is freed when its last reader has ended, other names of it included. Several tensors of one node are freed
    one by one, where `memory.usage` keeps them together. O((n + m) log n).
    """
    dag, n = workload.dag, workload.dag.n
    count = len(schedule.transfer_src)
    # tensors: per node one for each size it sends, and one for what is left of its output
    slots = np.zeros(n, np.int64)
    np.maximum.at(slots, dag.src, workload.edge_slot.astype(np.int64) + 1)
    ptr = np.concatenate([[0], np.cumsum(slots + 1)]).astype(np.int64)
    tensors = int(ptr[-1])
    owner = np.repeat(np.arange(n, dtype=np.int32), slots + 1)
    edge_tensor = (ptr[dag.src] + workload.edge_slot).astype(np.int32)
    size = np.zeros(tensors + count, np.int64)
    size[edge_tensor] = workload.edge_bytes
    size[tensors:] = schedule.transfer_bytes
    content = size.copy()
    _cut(size, ptr, workload.output_bytes)
    local = schedule.edge_transfer < 0
    carries = workload.edge_bytes > 0
    via = np.where(local, edge_tensor, tensors + np.maximum(schedule.edge_transfer, 0)).astype(np.int32)
    via[local & ~carries] = -1
    users = np.zeros(tensors + count, np.int64)
    np.add.at(users, via[via >= 0], 1)
    users[:tensors] += 1  # the node itself, until it ends
    users[:tensors] += workload.output_bytes[owner] == 0  # what is held for the whole step is never free
    source = np.zeros(count, np.int32)
    source[schedule.edge_transfer[~local]] = edge_tensor[~local]
    np.add.at(users, source, 1)
    where = np.concatenate([schedule.placement[owner], schedule.transfer_device]).astype(np.int32)
    kind, what, time = _events(workload, schedule)
    after = np.zeros(len(kind), np.int64)
    _buffers.walk(
        tensors, kind, what, dag.in_ptr, dag.in_edge, frozen(reuse, np.int32), via, ptr, source, where,
        workload.temp_bytes, content, np.full(tensors + count, -1, np.int32), users, size,
        memory.resident(workload, machine, schedule.placement), after,
    )  # fmt: skip
    on = np.empty(len(kind), np.int32)
    nodes = (kind == _buffers.NODE_ENDS) | (kind == _buffers.NODE_STARTS)
    on[nodes] = schedule.placement[what[nodes]]
    begun, ended = kind == _buffers.COPY_BEGINS, kind == _buffers.COPY_ENDS
    on[begun] = schedule.transfer_device[what[begun]]
    on[ended] = schedule.placement[schedule.transfer_src[what[ended]]]
    by_device = np.argsort(on, kind="stable")
    on, time, after = on[by_device], time[by_device], after[by_device]
    last = np.r_[(on[1:] != on[:-1]) | (time[1:] != time[:-1]), True] if len(on) else np.zeros(0, np.bool_)
    return on[last], time[last], after[last]


def peaks(workload: Workload, machine: Machine, schedule: Schedule, reuse: ArrayLike) -> NDArray[np.int64]:
    """[k] the most bytes each device holds at any moment of the step."""
    device, _, held = usage(workload, machine, schedule, reuse)
    top = memory.resident(workload, machine, schedule.placement)
    np.maximum.at(top, device, held)
    return top


def _cut(size: NDArray[np.int64], ptr: NDArray[np.int64], output: NDArray[np.int64]) -> None:
    """Make the tensors of each node as large as its output together: in order, the last gets what is left."""
    for v in range(len(output)):
        left = int(output[v])
        for b in range(int(ptr[v]), int(ptr[v + 1]) - 1):
            size[b] = min(int(size[b]), left)
            left -= int(size[b])
        size[ptr[v + 1] - 1] = left


def _events(workload: Workload, schedule: Schedule) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """(kind, node or transfer, time) in order: of one moment what ends first, but a node starts before it ends."""
    n, count = workload.dag.n, len(schedule.transfer_src)
    position = np.empty(n, np.int64)
    position[workload.dag.order] = np.arange(n)
    node, copy = np.arange(n, dtype=np.int32), np.arange(count, dtype=np.int32)
    instant = schedule.finish_ns == schedule.start_ns
    kinds = (_buffers.NODE_ENDS, _buffers.COPY_ENDS, _buffers.COPY_BEGINS, _buffers.NODE_STARTS)
    parts = ((node, schedule.finish_ns), (copy, schedule.transfer_finish_ns), (copy, schedule.transfer_start_ns),
             (node, schedule.start_ns))  # fmt: skip
    kind = np.concatenate([np.full(len(part[0]), k, np.int64) for k, part in zip(kinds, parts, strict=True)])
    what = np.concatenate([part[0] for part in parts])
    time = np.concatenate([part[1] for part in parts])
    at_once = np.concatenate([instant, np.zeros(2 * count, np.bool_), np.ones(n, np.bool_)])
    place = np.concatenate([2 * position + 1, np.zeros(2 * count, np.int64), 2 * position])
    phase = np.where(at_once, 3, kind)
    order = np.lexsort((np.where(at_once, place, 0), phase, time))
    return kind[order], what[order], time[order]
