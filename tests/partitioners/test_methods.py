"""What holds for every registered method, on every family of graphs."""

import json
import os
import subprocess
import sys
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings

from pardnn.errors import DoesNotFit
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioners
from scheduler.machine import Machine
from scheduler.workload import Workload
from tests import oracle, strategies
from tests.conftest import ROOT
from tests.factories import FAMILIES, Sketch, drawn, sketch

METHODS = sorted(partitioners.all())
every_method = pytest.mark.parametrize("method", METHODS)
every_family = pytest.mark.parametrize("make", FAMILIES.values(), ids=FAMILIES.keys())


def place(method: str, problem: Problem, seed: int = 0) -> Placement:
    placement: Placement = partitioners.get(method).make()(problem, np.random.default_rng(seed))
    return placement


def is_whole(problem: Problem, placement: Placement) -> bool:
    """One known device per node, pins honoured, groups together, nothing free on the host."""
    return (
        placement.dtype == np.int32
        and placement.tolist() == problem.settle(placement).tolist()
        and bool(problem.allowed[np.arange(len(placement)), placement].all())
    )


@every_method
@every_family
@pytest.mark.parametrize("gpus", [1, 2, 3, 16])
def test_every_family_is_placed_whole(method: str, make: Callable[[], Sketch], gpus: int) -> None:
    problem = make().problem(gpus=gpus)
    assert is_whole(problem, place(method, problem))


@every_method
@every_family
def test_the_same_input_gives_the_same_placement(method: str, make: Callable[[], Sketch]) -> None:
    problem = make().problem(gpus=3, order="blevel", contention="none")
    assert place(method, problem).tolist() == place(method, problem).tolist()


@every_method
@pytest.mark.parametrize("gpus", [1, 4])
def test_a_graph_without_nodes_has_an_empty_placement(method: str, gpus: int) -> None:
    assert place(method, sketch([], 0).problem(gpus=gpus)).tolist() == []


@every_method
def test_pins_hold_and_take_their_group_along(method: str) -> None:
    """A with C is pinned to the host, B to the second GPU; D is free."""
    problem = drawn("A-B-C-D").problem(groups="AC", pins={"A": 2, "B": 1})
    placement = place(method, problem)
    assert placement[:3].tolist() == [2, 1, 2]
    assert placement[3] < 2


@every_method
@given(problem=strategies.problems(max_nodes=9))
@settings(max_examples=30)
def test_groups_are_whole_and_pins_honoured(method: str, problem: Problem) -> None:
    assert is_whole(problem, place(method, problem))


@every_method
@given(problem=strategies.problems(max_nodes=6, max_gpus=2))
@settings(max_examples=15)
def test_no_method_beats_the_optimum(method: str, problem: Problem) -> None:
    best = oracle.optimum(problem)
    assert best is not None
    assert problem.simulate(place(method, problem)).makespan_ns >= problem.simulate(best).makespan_ns


@every_method
@given(problem=strategies.problems(max_nodes=9, limited=True))
@settings(max_examples=15)
def test_too_little_memory_breaks_no_method(method: str, problem: Problem) -> None:
    """The limit itself is another stage's promise; a method may also say that it knows no way."""
    try:
        placement = place(method, problem)
    except DoesNotFit:
        assert problem.limited
    else:
        assert is_whole(problem, placement)


@every_method
@given(workload=strategies.workloads(k=3, alike=False), machine=strategies.machines(k=3, alike=False))
@settings(max_examples=15)
def test_unlike_devices_and_links_are_fine(method: str, workload: Workload, machine: Machine) -> None:
    n = workload.dag.n
    problem = Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), 3)
    assert is_whole(problem, place(method, problem))


PLACE_ALL = """
import hashlib, json, sys
import numpy as np
from pardnn.registry import partitioners
from tests.factories import FAMILIES
found = {}
for method, entry in partitioners.all().items():
    for family, make in FAMILIES.items():
        for order, contention in (("fifo", "link"), ("blevel", "none")):
            for memory in (2**63 - 1, 500):
                problem = make().problem(gpus=3, memory=memory, order=order, contention=contention)
                try:
                    placement = entry.make()(problem, np.random.default_rng(0)).tolist()
                except Exception as error:
                    placement = type(error).__name__
                found[f"{method} {family} {order} {memory}"] = placement
json.dump(found, sys.stdout)
"""


def test_without_compilation_and_with_another_hash_seed_placements_are_the_same() -> None:
    found = []
    for jit, seed in (("0", "1"), ("1", "2")):
        environment = {**os.environ, "NUMBA_DISABLE_JIT": jit, "PYTHONHASHSEED": seed}
        command = [sys.executable, "-c", PLACE_ALL]
        found.append(json.loads(subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=-1).stdout))
    assert found[0] == found[1]
    assert len(found[0]) == len(METHODS) * len(FAMILIES) * 4
