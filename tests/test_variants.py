"""A subject on other devices: times, pins and memories go along."""

from __future__ import annotations

import networkx as nx
import pytest

from pardnn.config import Options
from pardnn.errors import InputError
from pardnn.machines.build import HOST
from pardnn.pipeline import prepare
from pardnn.subject import Subject
from pardnn.variants import with_gpus, with_host


def subject(**columns: str) -> Subject:
    graph = nx.DiGraph()
    graph.add_node("a", time_us=5, **columns)
    graph.add_node("b", time_us=7)
    return prepare(graph, Options.of(gpus=2, mem="16GB"))


@pytest.mark.parametrize("gpus", [1, 3])
def test_on_more_or_fewer_gpus(gpus: int) -> None:
    found = with_gpus(subject(device=HOST), Options.of(gpus=gpus, mem="16GB")).problem
    assert (found.gpus, found.machine.devices[-1], found.machine.k) == (gpus, HOST, gpus + 1)
    assert found.pin.tolist() == [gpus, -1]
    assert found.workload.time_ns.shape == (2, gpus + 1)


def test_an_op_pinned_to_a_gpu_keeps_it() -> None:
    pinned = subject(device="/device:GPU:1")
    assert with_gpus(pinned, Options.of(gpus=3)).problem.pin.tolist() == [1, -1]
    with pytest.raises(InputError, match="--gpus 1: an op is pinned"):
        with_gpus(pinned, Options.of(gpus=1))


def test_the_host_comes_last_and_once() -> None:
    options = Options.of(gpus=2, mem="16GB")
    found = with_host(subject(), options)
    assert found.problem.machine.devices[2:] == (HOST,)
    assert (found.problem.gpus, found.problem.pin.tolist()) == (2, [-1, -1])
    assert with_host(found, options) is found
