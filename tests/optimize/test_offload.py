"""What waits in the host's memory: it is gone meanwhile, and back in time."""

from __future__ import annotations

import numpy as np
from hypothesis import given

from pardnn.optimize.draft import Changed
from pardnn.optimize.halves import Halves
from pardnn.optimize.offload import Slot, idle, offload, prefix
from pardnn.problem import Problem
from tests.factories import drawn
from tests.optimize.drawn import ladder, measure, reads, together
from tests.strategies import problems


def halves_of(problem: Problem) -> Halves:
    return Halves.of(problem, together(problem))


def test_an_output_goes_to_the_host_and_comes_back() -> None:
    sketch = ladder(4)
    halves = halves_of(sketch.problem(gpus=1))
    (first,) = [item for item in idle(halves, []) if item.op == sketch["f0"]]
    changed = offload(halves, [first])
    dag = changed.problem.workload.dag
    there, back = 8, 9
    assert changed.names(sketch.names)[8:] == ("f0/to_host", "f0/from_host")
    assert set(dag.dst[dag.src == sketch["f0"]].tolist()) == {sketch["f1"], there}
    assert dag.dst[dag.src == back].tolist() == [sketch["b0"]]
    assert set(dag.src[dag.dst == back].tolist()) == {there, sketch["b2"]}, "as early as the second half begins"


def test_a_fast_link_costs_little_time() -> None:
    """Twelve layers of 4 ns with outputs that take 1 ns to move: none waits longer than that."""
    sketch = ladder(12, size=1)
    problem = sketch.problem(gpus=1)
    halves = halves_of(problem)
    before, after = measure(problem), measure(offload(halves, prefix(idle(halves, []), 0.3)).problem)
    assert after[1] <= before[1] - 5
    assert after[0] <= before[0] + 12


def test_a_slow_link_holds_the_ops_back_and_memory_stays_low() -> None:
    """An output takes 10 ns to move and 4 to make: without waiting they would pile up."""
    sketch = ladder(24)
    problem = sketch.problem(gpus=1)
    halves = halves_of(problem)
    before, after = measure(problem), measure(offload(halves, idle(halves, [])).problem)
    assert after[1] < before[1] / 2
    assert after[0] > before[0]


def test_what_is_idle_longest_goes_first() -> None:
    sketch = ladder(6)
    items = idle(halves_of(sketch.problem(gpus=1)), [])
    assert [sketch.names[item.op] for item in items[:3]] == ["f0", "f1", "f2"]
    assert prefix(items, 1.0) == []
    assert prefix(items, 0.0) == items


def test_a_slot_lives_on_the_host_and_is_written_back() -> None:
    """G makes the gradient, U updates with slot S: S is fetched for U, and what U makes of it is sent back."""
    sketch = drawn("F=9 G=9 S=0 U=2 F-G:5 G-U:5 S-U:1", resident=[0, 0, 50, 0], output=[5, 5, 0, 0])
    problem = sketch.problem(gpus=1)
    halves = halves_of(problem)
    s, u = sketch["S"], sketch["U"]
    (item,) = [item for item in idle(halves, [Slot(s, 50, (u,), (u,))]) if item.slot]
    changed = offload(halves, [item]).problem
    assert changed.workload.resident_bytes[: len(sketch.names)].sum() == 0
    schedule = changed.simulate(together(changed))
    assert changed.peaks(schedule)[1] >= 50
    moved = list(zip(schedule.transfer_bytes.tolist(), schedule.transfer_device.tolist(), strict=True))
    assert sorted(device for size, device in moved if size == 50) == [0, 1]


@given(problems())
def test_every_op_reads_what_it_read(problem: Problem) -> None:
    """Whatever is moved: no cycle, and each op has the inputs that it had."""
    halves = halves_of(problem)
    changed = offload(halves, idle(halves, []))
    before, after = reads(Changed(problem, (), ()), problem), reads(changed, problem)
    for v in range(problem.workload.dag.n):
        assert after[v] == before[v]
    added = np.arange(problem.workload.dag.n, changed.problem.workload.dag.n)
    assert (changed.problem.pin[added] == problem.machine.k - 1).all()
