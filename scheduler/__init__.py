"""The world: a graph with costs, a machine, and what a placement of the one on the other costs.

It knows neither TensorFlow nor how decisions are made, and imports nothing of `pardnn`, which stands on it.

Four frozen values: `dag.Dag`, `machine.Machine`, `workload.Workload`, `schedule.Schedule`.
What is asked of them: `simulate.simulate` (one step's schedule), `memory.peaks` (the most bytes each device holds),
`bounds.lower_bound_ns` (no placement is faster, with the proofs), `levels` (longest paths), `priority` (who runs next).
"""

# An unrelated package on PyPI has the same import name; `pardnn._world` knows ours by this line.
WORLD = "pardnn"
