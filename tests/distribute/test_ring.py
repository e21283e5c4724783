"""The ring all-reduce, by hand: one byte takes one nanosecond."""

from __future__ import annotations

import numpy as np
import pytest

from pardnn.distribute.ring import ring_ns
from scheduler.machine import UNLIMITED, Machine


def machine(k: int, hosts: list[int] | int = 0, latency: int = 10) -> Machine:
    return Machine.ported(tuple(map(str, range(k))), UNLIMITED, latency, 10**9, hosts)


def ring(machine: Machine, where: list[list[int]], sizes: list[int], contention: str = "link") -> int:
    return ring_ns(machine, [np.array(w, np.int32) for w in where], np.array(sizes, np.int64), contention)


@pytest.mark.parametrize(("replicas", "took"), [(1, 0), (2, 2 * (10 + 60)), (3, 4 * (10 + 40)), (4, 6 * (10 + 30))])
def test_every_replica_sends_its_pieces_twice_round(replicas: int, took: int) -> None:
    assert ring(machine(replicas), [[d] for d in range(replicas)], [120]) == took


def test_pieces_are_whole_bytes() -> None:
    assert ring(machine(3), [[0], [1], [2]], [100]) == 4 * (10 + 34)


def test_what_a_replica_shares_out_is_sent_side_by_side() -> None:
    """Two GPUs each: the one with more to send decides, its weights go in one piece."""
    assert ring(machine(4), [[0, 1, 1], [2, 3, 3]], [50, 60, 40]) == 2 * (10 + 50)


def test_two_hosts_send_through_one_card_one_after_the_other() -> None:
    """GPUs 0 and 1 in one host, 2 and 3 in the other; without contention nobody waits."""
    apart = machine(4, [0, 0, 1, 1])
    assert ring(apart, [[0, 1], [2, 3]], [100, 100]) == 2 * 2 * (10 + 50)
    assert ring(apart, [[0, 1], [2, 3]], [100, 100], "none") == 2 * (10 + 50)


def test_replicas_that_are_shared_out_differently_send_to_whoever_has_the_weight() -> None:
    """Each weight stays apart from its copy; 0 sends to 2 and 3, so its port is held twice."""
    assert ring(machine(4), [[0, 0], [2, 3]], [100, 60]) == 2 * ((10 + 50) + (10 + 30))


def test_weights_on_the_one_host_are_the_same_for_all() -> None:
    assert ring(machine(3), [[2], [2]], [1000]) == 0
