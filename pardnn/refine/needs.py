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
    """By group [g]: what it holds all the time, what it needs at least besides, when, and whether it may move."""

    resident: NDArray[np.int64]
    running: NDArray[np.int64]
    """Bytes while its neediest node runs: inputs, output, scratch."""
    node: NDArray[np.int64]
    """That node."""
    free: NDArray[np.bool_]

    @classmethod
    def of(cls, problem: Problem) -> Needs:
        """O(m log m)."""
        work, group = problem.workload, problem.group
        resident, running, node = np.zeros((3, problem.groups), np.int64)
        np.add.at(resident, group, work.resident_bytes)
        needed = work.output_bytes + work.temp_bytes + _inputs(problem, resident)
        needed[work.time_ns.min(axis=1) == 0] = 0  # what is held for no time does not count
        by_need = np.lexsort((-np.arange(len(needed)), needed))  # of several written to one place the last one stays
        running[group[by_need]], node[group[by_need]] = needed[by_need], by_need
        free = np.ones(problem.groups, np.bool_)
        free[group] = problem.pin < 0
        return cls(resident, running, node, free)


def _inputs(problem: Problem, resident: NDArray[np.int64]) -> NDArray[np.int64]:
    """[n] the least that a node's inputs from other groups take up on its device while it runs.

    Either the other group is on another device, and the tensors are copies; or it is here with all it holds.
    """
    dag, group, work = problem.workload.dag, problem.group, problem.workload
    other = np.flatnonzero(group[dag.src] != group[dag.dst])
    source, target, size = dag.src[other], dag.dst[other], work.edge_bytes[other]
    order = np.lexsort((size, source, group[source], target))
    source, target, size = source[order], target[order], size[order]
    new_source = np.r_[True, (source[1:] != source[:-1]) | (target[1:] != target[:-1])][: len(source)]
    new_size = new_source | np.r_[True, size[1:] != size[:-1]][: len(source)]
    new_pair = np.r_[True, (group[source[1:]] != group[source[:-1]]) | (target[1:] != target[:-1])][: len(source)]
    pair = np.cumsum(new_pair) - 1
    first = np.flatnonzero(new_pair)
    copied, here = np.zeros((2, len(first)), np.int64)
    np.add.at(copied, pair[new_size], size[new_size])
    np.add.at(here, pair[new_source], work.output_bytes[source[new_source]])
    here += resident[group[source[first]]]
    here[problem.pin[source[first]] >= problem.gpus] = np.iinfo(np.int64).max
    inputs = np.zeros(dag.n, np.int64)
    np.add.at(inputs, target[first], np.minimum(copied, here))
    return inputs


def refuse_impossible(problem: Problem, needs: Needs) -> None:
    """Raise DoesNotFit where no placement can: a group is too big for its card or any, or the residents for all."""
    cards = problem.machine.memory_bytes
    bound = np.full(problem.groups, int(cards[: problem.gpus].max()))
    pinned = np.flatnonzero(problem.pin >= 0)
    bound[problem.group[pinned]] = cards[problem.pin[pinned]]
    excess = needs.resident + needs.running - bound
    g = int(np.argmax(excess))
    if excess[g] > 0:
        mates = int(problem.group_ptr[g + 1] - problem.group_ptr[g]) - 1
        held, running = int(needs.resident[g]), int(needs.running[g])
        raise DoesNotFit(
            f"op number {needs.node[g]}{f' and the {mates} that must sit with it' if mates else ''} "
            f"needs {format_size(held + running)} on one device ({format_size(held)} all the time, "
            f"{format_size(running)} while it runs: inputs, result, scratch), "
            f"{'its' if not needs.free[g] else 'the largest'} has {format_size(int(bound[g]))}: "
            f"at least {format_size(held + running)} of memory is needed",
            node=int(needs.node[g]),
        )
    held = int(problem.workload.resident_bytes[problem.pin < problem.gpus].sum())
    if held > sum(cards[: problem.gpus].tolist()):
        raise DoesNotFit(
            f"variables and the like take {format_size(held)} all the time, the {problem.gpus} devices have "
            f"{format_size(sum(cards[: problem.gpus].tolist()))} together: more memory or more devices are needed"
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
        f"{format_size(int(machine.memory_bytes[d]))}",
        node=node,
    )
