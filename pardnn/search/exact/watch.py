"""What the solver finds on its way, placement by placement."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from ortools.sat.python import cp_model

from pardnn.problem import Placement
from pardnn.search.exact.model import Model


class Watch(cp_model.CpSolverSolutionCallback):  # type: ignore[misc] # OR-Tools has no types here
    """Hands each solution's placement [n] on."""

    def __init__(self, model: Model, offer: Callable[[Placement], None]) -> None:
        super().__init__()
        self._model, self._offer = model, offer

    def on_solution_callback(self) -> None:
        """The device of each cluster is that of its nodes."""
        device = [next(d for d, x in choice.items() if self.value(x)) for choice in self._model.on]
        self._offer(np.array(device, np.int32)[self._model.forced.label])
