"""Schedules resumed from the first difference are those of a full simulation."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from scheduler import memory
from scheduler.priority import ORDERS
from scheduler.replay import Replay
from scheduler.simulate import CONTENTION, simulate
from tests.strategies import machines, placements, workloads


@given(data=st.data())
def test_resumed_is_what_a_full_simulation_says(data: st.DataObject) -> None:
    k = data.draw(st.integers(1, 4))
    work = data.draw(workloads(k, max_nodes=14, alike=data.draw(st.booleans())))
    everything = int((work.resident_bytes + work.output_bytes + work.temp_bytes).sum())
    limit = data.draw(st.sampled_from((2**63 - 1, everything // 2, everything)))
    machine = data.draw(machines(k, limit, alike=data.draw(st.booleans())))
    priority = ORDERS[data.draw(st.sampled_from(sorted(ORDERS)))](work, machine)
    contention = data.draw(st.sampled_from(CONTENTION))
    place = data.draw(placements(work.dag.n, k))
    try:
        known = Replay(work, machine, priority, contention, place)
    except ValueError:
        peaks = memory.peaks(work, machine, simulate(work, machine, place, priority, contention))
        assert (peaks > machine.memory_bytes).any()
        return
    for _ in range(6):
        nodes = data.draw(st.lists(st.integers(0, work.dag.n - 1), min_size=1, max_size=4, unique=True))
        device = data.draw(st.integers(0, k - 1))
        tried = known.placement.copy()
        tried[nodes] = device
        schedule = simulate(work, machine, tried, priority, contention)
        fits = bool((memory.peaks(work, machine, schedule) <= machine.memory_bytes).all())
        bound = data.draw(st.sampled_from((2**61, known.makespan_ns)))
        assert known.move(np.array(nodes, np.int32), device, bound) == (fits and schedule.makespan_ns <= bound)
        if fits and schedule.makespan_ns <= bound:
            assert known.makespan_ns == schedule.makespan_ns
            assert known.start_ns.tolist() == schedule.start_ns.tolist()
            assert known.finish_ns.tolist() == schedule.finish_ns.tolist()
