"""Exact: the shortest step there is, or how far from it at most."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from pardnn.errors import DoesNotFit
from pardnn.problem import Answer, Partitioner, Placement, Problem, Refiner
from scheduler.bounds import Case, force, reached

PAIRS = 40_000
"""Clusters x devices up to which a model is made: half a minute of building and presolving."""
WORK_PER_SECOND = 0.2
"""CP-SAT's own measure of work, about so much a second."""
ROUNDS, STEPS = 8, 4_000_000


@dataclass(frozen=True)
class Exact:
    """The fastest placement found, starting from `start`, and a bound that the solver or a short argument proves.

    All schedules shorter than the start's, in any order of nodes, are the solutions of a model (`Model`) that OR-Tools'
    CP-SAT minimises, on one thread, which repeats itself. Each better one it comes to is simulated in the mode asked
    for, made to fit if it does not, and the fastest is kept. So the answer is never worse than the start; it may be
    above the bound even when the solver is done, as the dispatch rule is not free to choose. Graphs with more than
    PAIRS clusters times devices keep the start and the bound of `scheduler.bounds`.
    """

    start: Partitioner
    fit: Refiner
    enough: Callable[[], bool] = lambda: False
    """Whether the start will do, asked once it is there."""
    left_s: Callable[[], float] = lambda: math.inf
    """Seconds left by the clock."""
    seconds: float = 60.0
    """Without such a limit: about so many, by the solver's count of its own work, so that answers repeat."""

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """The placement alone."""
        return self.prove(problem, rng).placement

    def prove(self, problem: Problem, rng: np.random.Generator) -> Answer:
        """Start, then prove or improve. Raises DoesNotFit where neither finds a placement that fits."""
        best = _Best(problem, self.fit, rng)
        refused: DoesNotFit | None = None
        try:
            best.offer(self.start(problem, rng))
        except DoesNotFit as error:
            refused = error
        bound = self._search(problem, best)
        if best.placement is None:
            assert refused is not None
            raise refused
        return Answer(best.placement, min(bound, best.makespan_ns))

    def _search(self, problem: Problem, best: _Best) -> int:
        """Let the solver improve `best`; the bound it proves."""
        case = Case.of(problem.workload, problem.machine, problem.allowed, problem.group)
        most = best.makespan_ns if best.placement is not None else _long(problem)
        if problem.lower_bound_ns >= most or (best.placement is not None and self.enough()):
            return min(most, problem.lower_bound_ns)
        forced = force(case, most - 1, *reached(case), ROUNDS, STEPS)
        if forced is None:
            return most
        if (int(forced.label.max()) + 1) * problem.gpus > PAIRS:
            return problem.lower_bound_ns
        from ortools.sat.python import cp_model

        from pardnn.search.exact.model import Model
        from pardnn.search.exact.watch import Watch

        model = Model(problem, case, forced, problem.lower_bound_ns, most)
        if best.placement is not None:
            model.hint(best.placement, problem.simulate(best.placement).start_ns, most)
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = 1
        solver.parameters.random_seed = 0
        left = self.left_s()
        if left == math.inf:
            solver.parameters.max_deterministic_time = self.seconds * WORK_PER_SECOND
        else:
            solver.parameters.max_time_in_seconds = max(left, 0.1)
        status = solver.solve(model.cp, Watch(model, best.offer))
        if status == cp_model.INFEASIBLE:
            return most
        return max(problem.lower_bound_ns, min(most, int(np.floor(solver.best_objective_bound + 0.5))))


class _Best:
    """The fastest placement that fits so far."""

    def __init__(self, problem: Problem, fit: Refiner, rng: np.random.Generator) -> None:
        self.problem, self.fit, self.rng = problem, fit, rng
        self.placement: Placement | None = None
        self.makespan_ns = -1

    def offer(self, placement: Placement) -> None:
        """Keep it, or what fits and is like it, if that is faster."""
        try:
            fitting = self.fit(self.problem, placement, self.rng)
        except DoesNotFit:
            return
        makespan_ns = self.problem.simulate(fitting).makespan_ns
        if self.placement is None or makespan_ns < self.makespan_ns:
            self.placement, self.makespan_ns = fitting, makespan_ns


def _long(problem: Problem) -> int:
    """A step that is longer than any without needless waiting."""
    machine, size = problem.machine, problem.workload.edge_bytes
    slowest = machine.latency_ns.max() + np.ceil(size / float(machine.bytes_per_s.min()) * 1e9).astype(np.int64)
    return int(problem.workload.time_ns.max(axis=1).sum() + slowest.sum())
