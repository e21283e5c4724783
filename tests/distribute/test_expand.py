"""What holds for every expanded step, on drawn graphs with drawn gradients."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pardnn.distribute.expand import Replica, expand
from pardnn.distribute.fleet import Fleet
from pardnn.distribute.gradients import Gradients
from pardnn.distribute.policy import Policy
from pardnn.distribute.step import step_of
from pardnn.registry import strategies
from scheduler.dag import frozen
from scheduler.simulate import simulate
from tests.distribute.networks import WIRES
from tests.strategies import machines, placements, workloads

POLICIES = st.builds(
    Policy,
    overlap=st.booleans(),
    fusion_bytes=st.sampled_from([0, 50, 10**6]),
    piece_bytes=st.sampled_from([0, 7]),
    priority=st.sampled_from(["ready", "layer"]),
)


@st.composite
def replicas(draw: st.DrawFn) -> Replica:
    """A drawn step on two devices of which some edges carry gradients."""
    work = draw(workloads(k=2, min_nodes=2))
    edges = draw(st.lists(st.integers(0, work.dag.m - 1), min_size=1, max_size=6, unique=True)) if work.dag.m else []
    sizes = draw(st.lists(st.integers(1, 100), min_size=len(edges), max_size=len(edges)))
    gradients = Gradients(
        frozen(work.dag.src[edges], np.int32), frozen(sizes, np.int64), frozen(work.dag.dst[edges], np.int32),
        frozen(np.arange(len(edges)), np.int32), frozen(np.zeros((0, 2)), np.int32),
    )  # fmt: skip
    return Replica(work, draw(machines(k=2)), draw(placements(work.dag.n, 2)), gradients)


@settings(max_examples=60, deadline=None)
@given(replicas(), POLICIES, st.sampled_from(list(strategies.all())), st.integers(2, 40), st.integers(1, 8))
def test_updates_wait_for_all_of_their_sums(one: Replica, policy: Policy, sync: str, workers: int, host: int) -> None:
    """No cycle; a bucket begins when its gradients are there, who waits for one begins when all of it is summed."""
    if not len(one.gradients.source):
        return
    alone = simulate(one.workload, one.machine, one.placement)
    fleet, strategy = Fleet(workers, host, WIRES), strategies.get(sync).make()
    made = expand(one, alone, fleet, strategy, policy)
    ran = made.simulate(one)
    of = one.gradients
    for bucket in made.buckets:
        tasks = list(bucket.tasks)
        for g in bucket.gradients:
            assert ran.finish_ns[of.source[g]] <= ran.start_ns[tasks].min()
            readers = of.reader[of.of_reader == g]
            assert (ran.start_ns[readers] >= ran.finish_ns[tasks].max()).all()
    assert sorted(g for bucket in made.buckets for g in bucket.gradients) == list(range(len(of.source)))
    sent = sum(task.nbytes for task in made.tasks if task.stream.startswith(("link", "network", "push")))
    assert sent >= of.total_bytes
    assert step_of(one, alone, fleet, strategy, policy).ns >= 0
