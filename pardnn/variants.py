"""The same subject on another number of GPUs, with the host beside them, or with its graph changed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.machines.build import HOST, Hardware
from pardnn.optimize.draft import Changed
from pardnn.subject import Subject, hardware_of
from scheduler.workload import Workload


def with_gpus(subject: Subject, options: Options) -> Subject:
    """The subject on as many of its first GPU as the options say. Raises InputError where there are not so many."""
    problem = subject.problem
    hardware = hardware_of(options, host=HOST in problem.machine.devices)
    gpus = hardware.gpus
    on_host = problem.pin >= problem.gpus
    pin = np.where(on_host, problem.pin - problem.gpus + gpus, problem.pin).astype(np.int32)
    if (pin[~on_host] >= gpus).any():
        raise InputError(f"--gpus {options.gpus}: an op is pinned to a GPU beyond these")
    columns = [0] * gpus + list(range(problem.gpus, problem.machine.k))
    return _on(subject, hardware, problem.workload.time_ns[:, columns], pin)


def with_host(subject: Subject, options: Options) -> Subject:
    """The subject with the host among its devices, which are those of the options otherwise."""
    problem = subject.problem
    if HOST in problem.machine.devices:
        return subject
    # No op that is there runs on the host, so what it would take there is of no account.
    times = problem.workload.time_ns
    return _on(subject, hardware_of(options, host=True), np.concatenate([times, times[:, :1]], axis=1), problem.pin)


def _on(subject: Subject, hardware: Hardware, time_ns: NDArray[np.int64], pin: NDArray[np.int32]) -> Subject:
    problem, work = subject.problem, subject.problem.workload
    timed = Workload.build(work.dag, time_ns, work.edge_bytes, work.resident_bytes, work.output_bytes, work.temp_bytes)
    posed = replace(problem, workload=timed, machine=hardware.machine, pin=pin, gpus=hardware.gpus)
    return replace(subject, hardware=hardware, problem=posed)


def with_changes(subject: Subject, changed: Changed) -> Subject:
    """The subject with a changed graph: a cost graph, as no file holds it."""
    names = changed.names(subject.names)
    new = [subject.ops[v] for v in changed.origin]
    return replace(
        subject, problem=changed.problem, names=names, ops=(*subject.ops, *new), nodes_read=len(names),
        edges_read=changed.problem.workload.dag.m, file=None, graph=None, homes={}, unplaced={},
    )  # fmt: skip
