"""The method on one page: read, cost, pose, decide, simulate, report. Only this module knows the order."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from pardnn.config import Options
from pardnn.errors import DoesNotFit, InputError, from_python
from pardnn.graph.devices import parse
from pardnn.methods import AUTO, EXACT, method
from pardnn.ordering import ordered, restored, unordered
from pardnn.pins import planned_name
from pardnn.placers.plan import PlanFile
from pardnn.plan import Plan, Unordered
from pardnn.problem import Answer, Placement, Prover
from pardnn.remedy import remedy
from pardnn.stopping import gently, never
from pardnn.subject import Subject, pose, with_order
from scheduler._jit import cache_note, compile_seconds

LONG_S = 180.0
"""The search with effort `best` takes so many seconds where no time limit is given."""
UNMATCHED = 0.02
"""Such a share of a graph's or a plan's ops may be unknown to the other."""


def partition(graph: Any, **options: Any) -> Plan:
    """The plan for a graph: a file's path, a GraphDef, a networkx.DiGraph or a compiled Keras model, that is its step.

    The options are the command line's.

    >>> import networkx as nx
    >>> graph = nx.DiGraph()
    >>> graph.add_node("a", time_us=5)
    >>> graph.add_node("b", time_us=5)
    >>> partition(graph, gpus=2).makespan_us
    5.0

    Raises pardnn.errors.InputError for bad input, DoesNotFit where no placement within the memory limits was found; the
    latter's message names a mem that works.
    """
    with from_python():
        asked = Options.of(**options)
        return solve(prepare(graph, asked), asked)


def prepare(graph: Any, options: Options) -> Subject:
    """The posed problem; an unknown method is told before a large graph is read. Raises InputError."""
    method(options.method, options.effort)
    return pose(graph, options)


def solve(
    subject: Subject,
    options: Options,
    tell: Callable[[str], None] = lambda _: None,
    patient: bool = False,
    reach: Callable[[float], None] = lambda share: None,
) -> Plan:
    """The plan of a posed problem. Raises DoesNotFit, which says what memory would do.

    `tell` hears what is done, `reach` how much of the search is over.

    patient: the first Ctrl-C ends a search with the best so far, instead of raising KeyboardInterrupt.
    """
    try:
        with gently(tell) if patient and options.method in (AUTO, EXACT) else nullcontext(never) as stopped:
            tell(f"deciding: {options.method}")
            return decide(subject, options, stopped, reach)
    except DoesNotFit as error:
        tell("does not fit: looking for a memory that would do")
        raise remedy(subject, options, error) from None


def decide(
    subject: Subject,
    options: Options,
    stopped: Callable[[], bool] = never,
    reach: Callable[[float], None] = lambda share: None,
) -> Plan:
    """The plan of a posed problem, by the method asked for; `stopped` ends a search early. Raises DoesNotFit."""
    started, compiled = time.perf_counter(), compile_seconds()
    limit = options.time_limit_s
    if limit is None and options.effort == "best":
        limit = LONG_S
    rng = np.random.default_rng(options.seed)

    def left_s() -> float:
        return (float("inf") if limit is None else limit) - (time.perf_counter() - started)

    def over(share: float) -> None:
        reach(share if limit is None else max(share, 1 - left_s() / limit))

    choose = method(options.method, options.effort, lambda: stopped() or left_s() < 0, left_s=left_s, reach=over)
    try:
        answer = (
            choose.prove(subject.problem, rng)
            if isinstance(choose, Prover)
            else Answer(choose(subject.problem, rng), 0)
        )
    except DoesNotFit as error:
        raise error.named(subject.names) from None
    elapsed = time.perf_counter() - started
    plan = measured(subject, options, answer.placement, elapsed - (compile_seconds() - compiled))
    early: tuple[str, ...] = ()
    if stopped():
        early = ("the search was interrupted: this is the best so far",)
    elif options.time_limit_s is not None and elapsed > options.time_limit_s:
        early = (f"the time limit of {options.time_limit} was reached: this is the best so far",)
    warnings = (*plan.warnings, *early)
    plan = replace(plan, proven_ns=answer.bound_ns, timed_out=bool(early), warnings=warnings)
    return _ordered(plan) if options.control_edges and not early else plan


def measured(subject: Subject, options: Options, placement: Placement, elapsed: float = 0.0) -> Plan:
    """The plan of a given placement: simulated in the mode asked for."""
    schedule = subject.problem.simulate(placement)
    warnings = (*subject.notes, *filter(None, [cache_note()]))
    seconds = {**subject.seconds, "partition": elapsed, "compile": compile_seconds()}
    plan = Plan(subject, options, placement, schedule, options.method, seconds, warnings)
    return replace(plan, unordered=unordered(subject, placement)) if subject.control_edges else plan


def _ordered(plan: Plan) -> Plan:
    """The plan with the control edges that make it faster, or the placement for which they do more."""
    started, subject, options = time.perf_counter(), plan.subject, plan.options
    found = ordered(subject, options, plan.device)
    elapsed = plan.seconds["partition"] + time.perf_counter() - started
    made = measured(with_order(subject, found.edges), options, found.placement, elapsed)
    if made.makespan_us > plan.makespan_us:
        made = plan
    before = Unordered(plan.schedule.makespan_ns, tuple(plan.peak_bytes))
    return replace(made, proven_ns=plan.proven_ns, unordered=before)


@dataclass(frozen=True)
class Match:
    """How a stored plan's op names meet a graph's."""

    matched: int
    new: tuple[str, ...]
    """Ops of the graph that the plan does not know; they went where most of their neighbours are."""
    gone: tuple[str, ...]
    """Ops of the plan that the graph does not have."""
    edges_left_out: int = 0
    """Control edges of the plan that the graph cannot have."""
    notes: tuple[str, ...] = ()
    """What is to be said of these."""


def follow(subject: Subject, options: Options, stored: PlanFile, unmatched: float = UNMATCHED) -> tuple[Plan, Match]:
    """A stored plan put on a graph, and how well they match.

    Raises InputError where more than such a share of the ops of either are not in the other, or a device of the plan is
    not among those planned for.
    """
    number = {device: d for d, device in enumerate(subject.problem.machine.devices)}
    device = {text: planned_name(parse(text), options.hosts) for text in sorted(set(stored.placement.values()))}
    if missing := [text for text in device if device[text] not in number]:
        raise InputError(f"the plan uses {missing[0]}; planned for are {', '.join(number)}: --gpus says which")
    chosen = {name: number[device[text]] for name, text in stored.placement.items()}
    known = np.array([chosen.get(name, -1) for name in subject.names], np.int32)
    new = tuple(name for name, d in zip(subject.names, known.tolist(), strict=True) if d < 0)
    gone = tuple(sorted(chosen.keys() - set(subject.names)))
    for names, count, where in (
        (new, len(known), "graph's ops are not in the plan"),
        (gone, len(chosen), "plan's ops are not in the graph"),
    ):
        if len(names) > unmatched * count:
            raise InputError(
                f"the plan is not for {subject.name}: {len(names)} of {count} of the {where} ({names[0]!r} is one); "
                "make a new one with `pardnn partition`"
            )
    place = _adopt(subject, known)
    order, listed = restored(subject, stored, place), len(stored.control_edges)
    plan = measured(with_order(subject, order.edges), options, place)
    match = Match(len(known) - len(new), new, gone, order.lost, order.notes(listed))
    return replace(plan, warnings=(*plan.warnings, *match.notes, *breaches(plan))), match


def breaches(plan: Plan) -> list[str]:
    """What TensorFlow would refuse in a placement that was made elsewhere."""
    problem, names, place = plan.subject.problem, plan.subject.names, plan.device
    wrong = [
        (np.flatnonzero((problem.pin >= 0) & (place != problem.pin)), "sits on another device than the one it needs"),
        (
            np.flatnonzero(place != place[problem.group_node[problem.group_ptr[problem.group]]]),
            "is apart from its group",
        ),
    ]
    return [
        f"{names[ops[0]]!r} {what}" + f" (and {len(ops) - 1} more)" * (len(ops) > 1) for ops, what in wrong if len(ops)
    ]


def _adopt(subject: Subject, known: Placement) -> Placement:
    """The placement with ops of unknown device (-1) where most of their producers and readers are, else on device 0."""
    dag, k = subject.problem.workload.dag, subject.problem.machine.k
    place = known.copy()
    votes = np.zeros((dag.n, k), np.int64)
    for a, b in ((dag.src, dag.dst), (dag.dst, dag.src)):
        informed = known[a] >= 0
        np.add.at(votes, (b[informed], known[a[informed]]), 1)
    votes[:, subject.problem.gpus :] = 0
    place[known < 0] = votes[known < 0].argmax(axis=1)
    return np.where(known >= 0, place, subject.problem.settle(place)).astype(np.int32)
