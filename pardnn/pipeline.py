"""The method on one page: read, cost, pose, decide, simulate, report. Only this module knows the order."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from pardnn.config import Options
from pardnn.errors import DoesNotFit, InputError
from pardnn.methods import method
from pardnn.plan import Plan
from pardnn.place.plan import PlanFile
from pardnn.problem import Placement
from pardnn.remedy import remedy
from pardnn.subject import Subject, pose
from scheduler._jit import cache_note, compile_seconds


def partition(graph: Any, **options: Any) -> Plan:
    """The plan for a graph: a file's path or a networkx.DiGraph, and the options of the command line by name.

    >>> import networkx as nx
    >>> graph = nx.DiGraph()
    >>> graph.add_node("a", time_us=5)
    >>> graph.add_node("b", time_us=5)
    >>> partition(graph, gpus=2).makespan_us
    5.0

    Raises pardnn.errors.InputError for bad input, DoesNotFit where no placement within the memory limits was found; the
    latter's message names a --mem that works.
    """
    asked = Options.of(**options)
    subject = pose(graph, asked)
    try:
        return decide(subject, asked)
    except DoesNotFit as error:
        raise remedy(graph, asked, subject, error, decide) from None


def decide(subject: Subject, options: Options) -> Plan:
    """The plan of a posed problem, by the method asked for. Raises DoesNotFit."""
    started, compiled = time.perf_counter(), compile_seconds()
    limit = options.time_limit_s
    rng = np.random.default_rng(options.seed)
    choose = method(options.method, options.effort, lambda: limit is not None and time.perf_counter() - started > limit)
    placement = choose(subject.problem, rng)
    elapsed = time.perf_counter() - started - (compile_seconds() - compiled)
    return measured(subject, options, placement, elapsed, timed_out=limit is not None and elapsed > limit)


def measured(
    subject: Subject, options: Options, placement: Placement, elapsed: float = 0.0, timed_out: bool = False
) -> Plan:
    """The plan of a given placement: simulated in the mode asked for."""
    schedule = subject.problem.simulate(placement)
    warnings = [*subject.notes, *filter(None, [cache_note()])]
    if timed_out:
        warnings.append(f"the time limit of {options.time_limit} was reached: this is the best so far")
    seconds = {**subject.seconds, "partition": elapsed, "compile": compile_seconds()}
    return Plan(subject, options, placement, schedule, options.method, seconds, tuple(warnings), timed_out)


def follow(subject: Subject, options: Options, stored: PlanFile) -> tuple[Plan, Mapping[str, list[str]]]:
    """A stored plan put on a graph, and which op names were {"new": in the graph only, "gone": in the plan only}.

    New ops go where most of their neighbours are. Raises InputError where more than 2 % of the ops are new, or a device
    of the plan is not among those planned for.
    """
    number = {device: d for d, device in enumerate(subject.problem.machine.devices)}
    missing = sorted(set(stored.placement.values()) - number.keys())
    if missing:
        raise InputError(f"the plan uses {missing[0]}; planned for are {', '.join(number)}: give the plan's --gpus")
    known = np.array([number.get(stored.placement.get(name, ""), -1) for name in subject.names], np.int32)
    new = [name for name, d in zip(subject.names, known.tolist(), strict=True) if d < 0]
    gone = sorted(stored.placement.keys() - set(subject.names))
    if len(new) > 0.02 * len(known):
        raise InputError(
            f"the plan does not match {subject.name}: {len(new)} of {len(known)} ops are not in it ({new[0]!r} is one); "
            "make a new plan"
        )
    placement = _adopt(subject, known)
    return measured(subject, options, placement), {"new": new, "gone": gone}


def _adopt(subject: Subject, known: Placement) -> Placement:
    """The placement with ops of unknown device (-1) on their producers' or readers' most frequent one, else device 0."""
    dag, k = subject.problem.workload.dag, subject.problem.machine.k
    place = known.copy()
    votes = np.zeros((dag.n, k), np.int64)
    for a, b in ((dag.src, dag.dst), (dag.dst, dag.src)):
        informed = known[a] >= 0
        np.add.at(votes, (b[informed], known[a[informed]]), 1)
    votes[:, subject.problem.gpus :] = 0
    place[known < 0] = votes[known < 0].argmax(axis=1)
    return np.where(known >= 0, place, subject.problem.settle(place)).astype(np.int32)
