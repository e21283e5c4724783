"""Hosts joined by a network: what goes from one to another holds a card of each, which all devices of a host share."""

import numpy as np
import pytest

from scheduler import referee
from scheduler.dag import Dag
from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import simulate
from scheduler.workload import Workload

HOSTS = [0, 0, 1, 1]
APART = np.not_equal.outer(HOSTS, HOSTS)
MACHINE = Machine.ported(
    tuple("abcd"), UNLIMITED, np.where(APART, 5, 0), np.where(APART, 5 * 10**8, 10**9), HOSTS
)  # within a host a byte takes 1 ns, on the network 2 ns and 5 ns before


def sent(pairs: list[tuple[int, int]], contention: str = "link") -> list[int]:
    """When each transfer of 10 bytes arrives; its sender computes for 1 ns, each node on a device of its own number."""
    sources, readers = [u for u, _ in pairs], list(range(len(pairs), 2 * len(pairs)))
    work = Workload.build(
        Dag.from_edges(2 * len(pairs), range(len(pairs)), readers), np.ones((2 * len(pairs), 4), np.int64),
        [10] * len(pairs), *[[0] * (2 * len(pairs))] * 3,
    )  # fmt: skip
    place = np.array([*sources, *(v for _, v in pairs)], np.int32)
    run = simulate(work, MACHINE, place, contention=contention)
    assert referee.faults(work, MACHINE, run, contention) == []
    arrival: list[int] = run.transfer_finish_ns.tolist()
    return arrival


def test_within_a_host_nothing_changes() -> None:
    assert sent([(0, 1)]) == [1 + 10]
    assert sent([(0, 1), (3, 2)]) == [11, 11]


def test_between_hosts_the_network_is_slower() -> None:
    assert sent([(0, 2)]) == [1 + 5 + 20]


def test_two_gpus_of_a_host_share_its_card() -> None:
    assert sent([(0, 2), (1, 3)]) == [26, 51]
    assert sent([(0, 2), (1, 3)], "none") == [26, 26]


def test_a_card_sends_and_receives_at_once() -> None:
    assert sent([(0, 2), (3, 1)]) == [26, 26]


def test_what_stays_in_the_host_does_not_wait_for_the_card() -> None:
    assert sent([(0, 2), (1, 0)]) == [26, 11]


@pytest.mark.parametrize("k", [1, 3])
def test_one_host_is_the_machine_without_hosts(k: int) -> None:
    names = tuple("abc"[:k])
    plain, hosted = Machine.ported(names, 7, 3, 9), Machine.ported(names, 7, 3, 9, [0] * k)
    assert hosted.links == plain.links == (*(f"{n} out" for n in names), *(f"{n} in" for n in names))
    assert hosted.path_ptr.tolist() == plain.path_ptr.tolist() == list(range(0, 2 * k * k + 1, 2))
    assert hosted.path_link.tolist() == plain.path_link.tolist()


def test_a_part_of_a_machine_is_the_machine_of_that_part() -> None:
    """GPUs 2 and 3 of two hosts with two each: their ports and their figures, and no network card."""
    whole = Machine.ported(tuple("abcd"), [1, 2, 3, 4], np.arange(16).reshape(4, 4), 100, [0, 0, 1, 1])
    part = whole.part(np.array([2, 3], np.int32))
    alone = Machine.ported(("c", "d"), [3, 4], [[10, 11], [14, 15]], 100)
    for column in ("memory_bytes", "latency_ns", "bytes_per_s", "path_ptr", "path_link"):
        assert np.array_equal(getattr(part, column), getattr(alone, column)), column
    assert (part.devices, part.links) == (alone.devices, alone.links)
