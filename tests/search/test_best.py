"""The search over starts."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings

from pardnn.errors import DoesNotFit
from pardnn.methods import method
from pardnn.problem import Placement, Problem
from pardnn.search.best import Best
from pardnn.search.walk import Walk
from scheduler.machine import Machine
from scheduler.sharing import Sharing
from scheduler.workload import Workload
from tests.factories import drawn
from tests.strategies import machines, workloads

RNG = np.random.default_rng(0)


def never() -> bool:
    return False


def on_all(problem: Problem, rng: np.random.Generator) -> Placement:
    """Node v on device v modulo K."""
    return problem.settle(np.arange(problem.workload.dag.n, dtype=np.int32) % problem.gpus)


def on_one(problem: Problem, rng: np.random.Generator) -> Placement:
    return problem.settle(np.zeros(problem.workload.dag.n, np.int32))


def nowhere(problem: Problem, rng: np.random.Generator) -> Placement:
    raise DoesNotFit("nothing fits")


def best(**starts: object) -> Best:
    return Best(starts, Walk, 3000, 3000, never)  # type: ignore[arg-type]


def test_fewer_devices_are_tried_too() -> None:
    """Over four devices the chain pays for three transfers, over two for none: its two halves do not talk."""
    sketch = drawn("A=1 B=1 C=1 D=1 A-C:100 B-D:100")
    problem = replace(sketch.problem(gpus=4), gpus=4)
    assert problem.simulate(best(spread=on_all)(problem, RNG)).makespan_ns == 2


@given(workload=workloads(k=4, max_nodes=12), machine=machines(k=4))
@settings(max_examples=10)
def test_more_devices_are_never_slower_than_fewer(workload: Workload, machine: Machine) -> None:
    """What is found on 2 of 4 devices is a start on 3 and on 4."""
    n = workload.dag.n
    free = Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), 4)
    found = {}
    for gpus in (1, 2, 3, 4):
        problem = replace(free, gpus=gpus)
        found[gpus] = problem.simulate(method("auto", "fast")(problem, np.random.default_rng(0))).makespan_ns
    assert found[1] >= found[2] >= max(found[3], found[4])


def test_fewer_devices_are_left_out_where_the_work_takes_longer_there() -> None:
    calls = []

    def counted(problem: Problem, rng: np.random.Generator) -> Placement:
        calls.append(problem.gpus)
        return on_all(problem, rng)

    problem = replace(drawn("A=2 B=2 C=2 D=2").problem(gpus=4), gpus=4)
    assert problem.simulate(best(spread=counted)(problem, RNG)).makespan_ns == 2
    assert calls == [4]


def test_one_device_is_chosen_where_sending_is_work_that_costs_more_than_it_saves() -> None:
    """A network too small to be split: on GPUs two branches pay, on cores the transfers keep both busy."""
    sketch = drawn("A=1 B=9 C=9 D=1 A-B:1 A-C:1 B-D:1 C-D:1")
    gpus = sketch.problem()
    cores = replace(gpus, sharing=Sharing(send_ns=20, receive_ns=20))
    split = Best({"all": on_all, "one": on_one}, Walk, 3000, 3000, never)
    assert len(set(split(gpus, RNG).tolist())) == 2
    assert len(set(split(cores, RNG).tolist())) == 1


def test_a_start_that_does_not_fit_is_passed_over() -> None:
    problem = drawn("A=3 B=3").problem()
    assert problem.simulate(best(bad=nowhere, good=on_all)(problem, RNG)).makespan_ns == 3


def test_if_none_fits_the_reason_is_told() -> None:
    with pytest.raises(DoesNotFit, match="nothing fits"):
        best(bad=nowhere)(drawn("A B").problem(), RNG)


def test_the_same_answer_every_time() -> None:
    problem = drawn("A=3 B=4 C=5 D=6 A-B:2 A-C:3 B-D C-D").problem(gpus=3)
    first, again = (best(spread=on_all)(problem, np.random.default_rng(1)) for _ in range(2))
    assert first.tolist() == again.tolist()


def test_large_graphs_are_given_up_after_some_starts_and_small_ones_after_all(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def counted(problem: Problem, rng: np.random.Generator) -> Placement:
        calls.append(problem.gpus)
        raise DoesNotFit("nothing fits")

    problem = replace(drawn("A B").problem(gpus=4), gpus=4)
    for affordable, tried in ((200_000, 20), (14, 7), (2, 4)):
        monkeypatch.setattr("pardnn.search.best._MANY", affordable)
        with pytest.raises(DoesNotFit, match="nothing fits"):
            best(**{str(number): counted for number in range(20)})(problem, RNG)
        assert calls == [4] * tried
        calls.clear()
