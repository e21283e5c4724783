"""What each group needs of a device, and what to say where that is more than there is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import DoesNotFit
from pardnn.problem import Problem
from pardnn.refine.ledger import Ledger
from pardnn.units import format_size


@dataclass(frozen=True, eq=False)
class Needs:
    """g groups: bytes they hold all the time, the most that one of their nodes needs besides, and whether they may move."""

    resident: NDArray[np.int64]
    running: NDArray[np.int64]
    free: NDArray[np.bool_]

    @classmethod
    def of(cls, problem: Problem) -> Needs:
        """O(n)."""
        work, group = problem.workload, problem.group
        resident, running = np.zeros((2, problem.groups), np.int64)
        np.add.at(resident, group, work.resident_bytes)
        np.maximum.at(running, group, work.output_bytes + work.temp_bytes)
        free = np.ones(problem.groups, np.bool_)
        free[group] = problem.pin < 0
        return cls(resident, running, free)


def refuse_impossible(problem: Problem, needs: Needs) -> None:
    """Raise DoesNotFit where no placement can fit: one group is too big for every card, or the residents for all cards."""
    cards = problem.machine.memory_bytes[: problem.gpus]
    alone = np.where(needs.free, needs.resident + needs.running, 0)
    g = int(np.argmax(alone))
    if alone[g] > cards.max():
        members = problem.group_node[problem.group_ptr[g] : problem.group_ptr[g + 1]]
        work = problem.workload
        node = members[np.argmax((work.output_bytes + work.temp_bytes)[members])]
        more = f" and the {len(members) - 1} ops that must sit with it" if len(members) > 1 else ""
        raise DoesNotFit(
            f"op number {node}{more} needs {format_size(int(alone[g]))} on one device "
            f"({format_size(int(needs.resident[g]))} all the time, {format_size(int(needs.running[g]))} while it runs), "
            f"the largest has {format_size(int(cards.max()))}: that much memory at least is needed"
        )
    bound = problem.pin < problem.gpus
    held = int(problem.workload.resident_bytes[bound].sum())
    if held > int(cards.astype(object).sum()):
        raise DoesNotFit(
            f"variables and the like take {format_size(held)} all the time, the {problem.gpus} devices have "
            f"{format_size(int(cards.sum()))} together: more memory or more devices are needed"
        )


def shortage(ledger: Ledger) -> DoesNotFit:
    """The error for a step that overflows: device, op, moment, and numbers."""
    machine = ledger.problem.machine
    d = int(np.argmax(ledger.peaks - machine.memory_bytes))
    node = ledger.peak_node(d)
    moment = ledger.schedule.start_ns[node] / 1e6
    return DoesNotFit(
        f"no placement within the memory was found; the best one needs {format_size(int(ledger.peaks[d]))} on "
        f"{machine.devices[d]} when op number {node} runs, {moment:.3f} ms into the step, and there are "
        f"{format_size(int(machine.memory_bytes[d]))}"
    )
