"""What the solver finds on its way, placement by placement."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Any

import numpy as np

from pardnn.problem import Placement
from pardnn.search.exact.model import Model
from pardnn.solvers.cp_sat import cp_model

_GLANCE_S = 0.05
"""Between two looks at whether to stop."""


def solve(solver: Any, model: Model, watch: Watch, enough: Callable[[], bool]) -> Any:
    """The solver's status; it stops early where `enough` or Ctrl-C say so.

    It runs beside this thread, as Python hears no signal in the thread that is inside the solver.
    """
    solver.parameters.catch_sigint_signal = False
    with ThreadPoolExecutor(1) as pool:
        status = pool.submit(solver.solve, model.cp, watch)
        try:
            while not (status.done() or enough()):
                wait([status], _GLANCE_S)
        finally:
            while not status.done():  # a stop that comes before the solver has begun is forgotten
                solver.stop_search()
                wait([status], _GLANCE_S)
        return status.result()


class Watch(cp_model.CpSolverSolutionCallback):  # type: ignore[misc] # OR-Tools has no types here
    """Hands each solution's placement [n] on."""

    def __init__(self, model: Model, offer: Callable[[Placement], None]) -> None:
        super().__init__()
        self._model, self._offer = model, offer

    def on_solution_callback(self) -> None:
        """The device of each cluster is that of its nodes."""
        device = [next(d for d, x in choice.items() if self.value(x)) for choice in self._model.on]
        self._offer(np.array(device, np.int32)[self._model.forced.label])
