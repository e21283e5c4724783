"""A step among many workers: what is hidden and what is not, by hand."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pardnn.distribute.expand import Replica, expand
from pardnn.distribute.fleet import Fleet
from pardnn.distribute.gradients import Gradients
from pardnn.distribute.policy import Policy
from pardnn.registry import strategies
from scheduler.dag import Dag, frozen
from scheduler.machine import UNLIMITED, Machine, link_ns
from scheduler.simulate import simulate
from scheduler.workload import Workload
from tests.distribute.networks import WIRES, layers, step

ALONE = Policy(fusion_bytes=0)
"""Each gradient by itself."""


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5000), st.integers(1, 10**7), st.integers(0, 10**6))
def test_a_ring_that_hides_nothing_is_its_closed_form(workers: int, nbytes: int, before: int) -> None:
    """The step, and after it 2 (N - 1) rounds of 10 ns and an N-th of the bytes, rounded as transfers are."""
    piece = np.array([-(-nbytes // workers)])
    one = layers([before], [nbytes], update=7)
    assert step(one, workers, ALONE).ns == 2 * before + 2 * (workers - 1) * link_ns(piece, 10, 10**9)[0] + 7
    assert step(one, workers, Policy(overlap=False)).ns == step(one, workers, ALONE).ns


@pytest.mark.parametrize(("workers", "nbytes"), [(2, 100), (3, 100), (5, 1), (8, 4096), (13, 999)])
def test_one_worker_stands_for_all(workers: int, nbytes: int) -> None:
    """All workers of a ring simulated, every piece of every round a transfer of its own: the same time."""
    piece, rounds = -(-nbytes // workers), 2 * (workers - 1)
    node = np.arange((rounds + 1) * workers).reshape(rounds + 1, workers)
    following = np.roll(np.arange(workers), -1)
    src = node[:-1].ravel()
    dst = node[1:][:, following].ravel()
    dag = Dag.from_edges(node.size, src, dst)
    none = np.zeros(dag.n, np.int64)
    work = Workload.build(dag, np.zeros((dag.n, workers)), np.full(dag.m, piece), none, none, none)
    whole = simulate(work, Machine.uniform(workers, UNLIMITED, 10, 10**9), np.tile(np.arange(workers), rounds + 1))
    assert whole.makespan_ns == step(layers([0], [nbytes]), workers, ALONE).ns


def test_what_is_ready_early_is_hidden() -> None:
    """f0 f1 b1 b0 of 100 ns. The last layer's gradient, ready at 300, is sent while b0 runs; the first one's is not.

    A worker of two sends half of 60 bytes twice, 2 (10 + 30) = 80 ns: the first is over at 380, the other at 480.
    """
    assert step(layers([100, 100], [60, 60]), 2, ALONE).ns == 480
    assert step(layers([100, 100], [60, 60]), 2, ALONE).tail_ns == 80
    assert step(layers([100, 100], [60, 60]), 2, Policy(overlap=False, fusion_bytes=0)).ns == 560


def test_fused_gradients_wait_for_each_other_and_save_rounds() -> None:
    assert step(layers([100, 100], [60, 60]), 2, Policy(fusion_bytes=120)).ns == 400 + 2 * (10 + 60)
    assert step(layers([100, 100], [60, 60]), 2, Policy(fusion_bytes=120)).buckets == 1
    assert step(layers([100, 100], [60, 60]), 2, Policy(fusion_bytes=119)).buckets == 2


def test_gradients_wait_for_the_link() -> None:
    """The second layer's takes 2 (10 + 100) from 300 on, the first one's waits until 520."""
    assert step(layers([100, 100], [60, 200]), 2, ALONE).ns == 300 + 220 + 80


def test_pieces_cost_rounds() -> None:
    assert step(layers([100], [60]), 2, Policy(fusion_bytes=0, piece_bytes=20)).ns == 200 + 3 * 2 * (10 + 10)


def test_compression_sends_less_and_takes_time() -> None:
    """A quarter is sent; 60 bytes are read and 15 written at 1 byte a ns, before and after."""
    half = Policy(fusion_bytes=0, compression=Fraction(1, 4), memory_bytes_per_s=10**9)
    assert step(layers([100], [60]), 2, half).ns == 200 + 75 + 2 * (10 + 8) + 75


def test_layer_by_layer_the_next_step_starts_early() -> None:
    """Three layers of 100 ns whose gradients take 2 (10 + 100) each.

    In order of readiness b2's goes at 400, the others after it: the next step begins at 400 + 3 x 220. Layer by layer
    it begins with f0 when u0 is there: b0's gradient passes b1's, f1 waits for that, and so on.
    """
    one = layers([100, 100, 100], [200, 200, 200])
    assert step(one, 2, ALONE).ns == 400 + 3 * 220
    assert step(one, 2, Policy(fusion_bytes=0, priority="layer")).ns < step(one, 2, ALONE).ns
    assert step(one, 2, Policy(fusion_bytes=0, priority="layer")).ns >= 3 * 220  # the link can do no more


def test_layer_by_layer_hides_all_there_is_room_for() -> None:
    """A gradient of the first layer that takes 40 of 400 ns of compute: nothing but itself is in its way."""
    one = layers([100, 100], [20, 20])
    assert step(one, 2, ALONE).ns == 400 + 2 * (10 + 10)
    assert step(one, 2, Policy(fusion_bytes=0, priority="layer")).ns == 400 + 40


@pytest.mark.parametrize("sync", strategies.all())
@pytest.mark.parametrize("policy", [ALONE, Policy(), Policy(overlap=False), Policy(priority="layer")], ids=repr)
@pytest.mark.parametrize("per_host", [1, 4, 64])
def test_every_strategy_keeps_the_order_of_things(sync: str, policy: Policy, per_host: int) -> None:
    """Alone nothing is added; more bytes never take less; nothing is quicker than its busiest link or the worker."""
    small, large = layers([100, 50, 10], [60, 600, 6000]), layers([100, 50, 10], [600, 6000, 60_000])
    assert step(small, 1, policy, sync, per_host).ns == 320
    for workers in (2, 3, 8, 100, 1024):
        one, ten = step(small, workers, policy, sync, per_host), step(large, workers, policy, sync, per_host)
        assert 320 < one.ns <= ten.ns
        assert max(load.busy_ns for load in one.streams.values()) <= one.ns
        assert all(load.latency_ns <= load.busy_ns for load in one.streams.values())
        assert one.ns <= 320 + sum(load.busy_ns for load in one.streams.values())


def test_ops_keep_the_order_of_their_replica() -> None:
    """Two gradients are ready at once; largest level first, the op with the longer way to the end goes before."""
    dag = Dag.from_edges(4, [0, 1, 2], [1, 3, 3])  # 0 -> 1 -> 3 <- 2: 2 is ready first too, and short
    none = np.zeros(4, np.int64)
    work = Workload.build(dag, [[10], [50], [10], [5]], np.zeros(3, np.int64), none, none, none)
    empty = frozen(np.zeros((0, 2)), np.int32)
    gradients = Gradients(frozen([1, 2], np.int32), frozen([4, 4], np.int64), empty[:, 0], empty[:, 0], empty)
    machine = Machine.uniform(1, UNLIMITED, 0, 10**12)
    made = {}
    for order in ("fifo", "blevel"):
        one = Replica(work, machine, np.zeros(4, np.int32), gradients, order)
        alone = simulate(work, machine, one.placement, order)
        expanded = expand(one, alone, Fleet(2, 8, WIRES), strategies.get("ring").make(), ALONE)
        ran = expanded.simulate(one)
        assert ran.start_ns[:4].tolist() == alone.start_ns.tolist()
        made[order] = ran.start_ns[:4].tolist()
    assert made == {"fifo": [0, 20, 10, 70], "blevel": [0, 10, 60, 70]}


@pytest.mark.parametrize("policy", [ALONE, Policy(), Policy(overlap=False), Policy(priority="layer")], ids=repr)
def test_a_gradient_behind_an_update_is_not_fused_with_those_before_it(policy: Policy) -> None:
    """b0 -> u0 -> b1 -> u1, as where a second loss waits for the first one's update: both wait, one after the other."""
    dag = Dag.from_edges(4, [0, 1, 2], [1, 2, 3])
    none = np.zeros(4, np.int64)
    work = Workload.build(dag, np.full((4, 1), 100), np.zeros(3, np.int64), none, none, none)
    gradients = Gradients(
        frozen([0, 2], np.int32), frozen([60, 60], np.int64), frozen([1, 3], np.int32), frozen([0, 1], np.int32),
        frozen(np.zeros((0, 2)), np.int32),
    )  # fmt: skip
    one = Replica(work, Machine.uniform(1, UNLIMITED, 0, 10**12), np.zeros(4, np.int32), gradients)
    assert step(one, 2, policy).ns == (400 if policy.priority == "layer" else 400 + 2 * 80)  # u1 waits beside b0
