"""Bytes over time on each device, read off a schedule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from scheduler.machine import Machine
from scheduler.schedule import Schedule
from scheduler.workload import Workload

Columns = tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int64]]


def releases(workload: Workload, schedule: Schedule) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """When memory is given back: ([n] each node's output, [t] each received copy). O(n + m).

    An output is held until its last reader on the same device and its last transfer end, without any until its node
    ends; a received copy until its last reader on that device ends.
    """
    dag, local = workload.dag, schedule.edge_transfer < 0
    held = (dag.src[local], schedule.finish_ns[dag.dst[local]]), (schedule.transfer_src, schedule.transfer_finish_ns)
    output = np.zeros(dag.n, np.int64)
    unread = np.ones(dag.n, np.bool_)
    for node, until in held:
        np.maximum.at(output, node, until)
        unread[node] = False
    output[unread] = schedule.finish_ns[unread]
    copy = np.zeros(len(schedule.transfer_src), np.int64)
    np.maximum.at(copy, schedule.edge_transfer[~local], schedule.finish_ns[dag.dst[~local]])
    return output, copy


def changes(workload: Workload, schedule: Schedule) -> Columns:
    """(device, time_ns, bytes) of every allocation (> 0) and release (< 0), by device and time. O((n + m) log n)."""
    output, copy = releases(workload, schedule)
    where = schedule.placement
    columns = (
        (where, schedule.start_ns, workload.output_bytes + workload.temp_bytes),
        (where, schedule.finish_ns, -workload.temp_bytes),
        (where, output, -workload.output_bytes),
        (schedule.transfer_device, schedule.transfer_start_ns, schedule.transfer_bytes),
        (schedule.transfer_device, copy, -schedule.transfer_bytes),
    )
    device = np.concatenate([column[0] for column in columns])
    time = np.concatenate([column[1] for column in columns])
    delta = np.concatenate([column[2] for column in columns])
    some = delta != 0
    device, time, delta = device[some], time[some], delta[some]
    by_time = np.lexsort((time, device))
    return device[by_time], time[by_time], delta[by_time]


def resident(workload: Workload, machine: Machine, placement: NDArray[np.int32]) -> NDArray[np.int64]:
    """[k] bytes held on each device for the whole step."""
    held = np.zeros(machine.k, np.int64)
    np.add.at(held, placement, workload.resident_bytes)
    return held


def usage(workload: Workload, machine: Machine, schedule: Schedule) -> Columns:
    """(device, time_ns, bytes held from that moment on), by device and time; within a moment releases come first.

    Devices on which nothing changes do not occur: they hold `resident` all the time.
    """
    device, time, delta = changes(workload, schedule)
    if not len(device):
        return device, time, delta
    last = np.r_[(device[1:] != device[:-1]) | (time[1:] != time[:-1]), True]
    # Everything allocated is released, so each device's changes sum to zero and one running sum serves all devices.
    held = np.cumsum(delta)[last] + resident(workload, machine, schedule.placement)[device[last]]
    return device[last], time[last], held


def peaks(workload: Workload, machine: Machine, schedule: Schedule) -> NDArray[np.int64]:
    """[k] the most bytes each device holds at any moment of the step."""
    device, _, held = usage(workload, machine, schedule)
    top = resident(workload, machine, schedule.placement)
    np.maximum.at(top, device, held)
    return top
