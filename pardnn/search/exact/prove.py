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
WORK_PER_SECOND = 0.13
"""CP-SAT's own measure of work, about so much a second."""
PHASES = ((1, 0.4), (8, 0.6))
"""(workers, share of the time): one worker proves most quickly, several that take turns improve most."""
ROUNDS, STEPS = 8, 4_000_000


@dataclass(frozen=True)
class Exact:
    """The fastest placement found, starting from `start`, and a bound that the solver or a short argument proves.

    All schedules shorter than the start's, in any order of nodes, are the solutions of a model (`Model`) that OR-Tools'
    CP-SAT minimises, in a way that repeats itself. Each better one it comes to is simulated in the mode asked
    for, made to fit if it does not, and the fastest is kept. So the answer is never worse than the start; it may be
    above the bound even when the solver is done, as the dispatch rule is not free to choose. Graphs with more than
    PAIRS clusters times devices keep the start and the bound of `scheduler.bounds`.
    """

    start: Partitioner
    fit: Refiner
    enough: Callable[[], bool] = lambda: False
    """Whether to stop with the best so far, asked once the start is there, and by the solver now and then."""
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
        bound, done = problem.lower_bound_ns, False
        for workers, share in PHASES:
            if done or (best.placement is not None and (bound >= best.makespan_ns or self.enough())):
                break
            proven, done = self._solve(problem, best, workers, share)
            bound = max(bound, proven)
        if best.placement is None:
            assert refused is not None
            raise refused
        return Answer(best.placement, min(bound, best.makespan_ns))

    def _solve(self, problem: Problem, best: _Best, workers: int, share: float) -> tuple[int, bool]:
        """Let the solver improve `best` for that share of the time; the bound it proves, and whether it is done."""
        most = best.makespan_ns if best.placement is not None else _long(problem)
        case = Case.of(problem.workload, problem.machine, problem.allowed, problem.group)
        forced = force(case, most - 1, *reached(case), ROUNDS, STEPS)
        if forced is None:
            return most, True
        if (int(forced.label.max()) + 1) * problem.gpus > PAIRS:
            return 0, True
        from pardnn.search.exact.model import Model
        from pardnn.search.exact.watch import Watch, solve
        from pardnn.solvers.cp_sat import cp_model

        model = Model(problem, case, forced, problem.lower_bound_ns, most)
        if best.placement is not None:
            model.hint(problem.simulate(best.placement))
        solver = cp_model.CpSolver()
        solver.parameters.num_workers = workers
        solver.parameters.interleave_search = workers > 1  # taking turns repeats itself, running side by side does not
        left = self.left_s()
        if left == math.inf:
            solver.parameters.max_deterministic_time = share * self.seconds * WORK_PER_SECOND
        else:
            solver.parameters.max_time_in_seconds = max(share * left, 0.1)
        status = solve(solver, model, Watch(model, best.offer), lambda: best.placement is not None and self.enough())
        if status == cp_model.INFEASIBLE:
            return most, True
        return min(most, math.floor(solver.best_objective_bound + 0.5)), status == cp_model.OPTIMAL


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
