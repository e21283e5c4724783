"""Where a given plan runs out of memory: which device, at which op, when, and what would do."""

from __future__ import annotations

import numpy as np

from pardnn.errors import DoesNotFit
from pardnn.plan import Plan
from pardnn.report.words import short, us
from pardnn.units import ceil_size, format_size
from scheduler.memory import resident, usage


def overflow(plan: Plan) -> DoesNotFit:
    """The error for a plan that does not fit, told for the device that is furthest over its limit.

    The times of a step do not depend on memory, so the smallest --mem for all GPUs is known to the byte.
    """
    problem = plan.subject.problem
    limit = problem.machine.memory_bytes
    peaks = problem.peaks(plan.schedule)
    worst = int(np.argmax(peaks.astype(np.float64) - limit.astype(np.float64)))
    device = short(plan.devices[worst])
    needs = f"{device} needs {format_size(int(peaks[worst]))}, {format_size(int(limit[worst]))} are usable"
    enough = ceil_size(int(max(peaks[: problem.gpus]) / float(plan.options.mem_fraction)) + 1)
    works = f"--mem {enough} is enough for this plan, `pardnn partition` looks for another"
    return DoesNotFit(f"the plan does not fit: {needs}; {_moment(plan, worst)}; {works}")


def _moment(plan: Plan, device: int) -> str:
    """The first time that the device is over its limit, and what starts then."""
    subject, schedule = plan.subject, plan.schedule
    problem = subject.problem
    limit = int(problem.machine.memory_bytes[device])
    held = int(resident(problem.workload, problem.machine, schedule.placement)[device])
    if held > limit:
        sizes = np.where(schedule.placement == device, problem.workload.resident_bytes, -1)
        op = subject.names[int(np.argmax(sizes))]
        return f"the variables alone are {format_size(held)}, the largest is {op!r}"
    where, when, used = usage(problem.workload, problem.machine, schedule)
    first = int(when[(where == device) & (used > limit)][0])
    starting = np.flatnonzero((schedule.placement == device) & (schedule.start_ns == first))
    if len(starting):
        grown = problem.workload.output_bytes[starting] + problem.workload.temp_bytes[starting]
        op = subject.names[int(starting[np.argmax(grown)])]
        return f"first over it {us(first / 1000)} into the step, when {op!r} starts"
    arriving = np.flatnonzero((schedule.transfer_device == device) & (schedule.transfer_start_ns == first))
    sent = arriving[int(np.argmax(schedule.transfer_bytes[arriving]))]
    op = subject.names[int(schedule.transfer_src[sent])]
    return f"first over it {us(first / 1000)} into the step, when the output of {op!r} arrives"
