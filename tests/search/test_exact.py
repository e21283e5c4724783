"""The exact search: what it proves is true, and what it finds is no worse than where it starts."""

import gzip
import json
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from pardnn.errors import DoesNotFit
from pardnn.methods import Method, method
from pardnn.partitioners.heft import Heft
from pardnn.pipeline import partition
from pardnn.problem import Answer, Problem
from pardnn.refine.fit import Fit
from pardnn.search.exact import prove
from pardnn.search.exact.model import running_bytes
from pardnn.search.exact.prove import Exact
from tests import oracle, strategies
from tests.factories import drawn, layered
from tests.instances import instance

PACKED = drawn("A=6 B=2 C=9 D=7 E=10 F=6")
"""40 of work for two devices, none of which can do just 20."""


def proven(problem: Problem, **options: Any) -> Answer:
    exact = method("exact", "fast", **options)
    assert isinstance(exact, Exact)
    return replace(exact, seconds=1).prove(problem, np.random.default_rng(0))


def test_it_proves_what_short_arguments_do_not() -> None:
    problem = PACKED.problem(gpus=2)
    assert problem.lower_bound_ns == 20
    answer = proven(problem)
    assert problem.simulate(answer.placement).makespan_ns == answer.bound_ns == 21


def test_the_plan_reports_what_was_proven(tmp_path: Path) -> None:
    times = [6, 2, 9, 7, 10, 6]
    none = {name: [0] * 6 for name in ("resident", "output", "temp")}
    graph = {"time": times, **none, "src": [], "dst": [], "bytes": []}
    path = tmp_path / "packed.json"
    path.write_text(json.dumps(graph))
    plan = partition(path, gpus=2, method="exact")
    assert (plan.makespan_us, plan.lower_bound_us, plan.gap) == (21, 21, 0)
    assert partition(path, gpus=2, method="heft").lower_bound_us == 20


def test_a_start_that_is_enough_is_not_improved() -> None:
    answer = proven(PACKED.problem(gpus=2), enough=lambda: True)
    assert answer.bound_ns == 20


def test_too_many_choices_keep_the_start_and_the_short_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prove, "PAIRS", 11)
    assert proven(PACKED.problem(gpus=2)).bound_ns == 20


def test_the_same_input_gives_the_same_answer() -> None:
    problem = layered().problem(gpus=3)
    first, second = proven(problem), proven(problem)
    assert first.placement.tolist() == second.placement.tolist()
    assert first.bound_ns == second.bound_ns


def test_a_clock_ends_it() -> None:
    answer = proven(layered().problem(gpus=3), left_s=lambda: 0.1)
    assert answer.bound_ns > 0


def test_what_a_node_needs_while_it_runs() -> None:
    """C has 3 of its own and A's output or its copies, whichever is less; B takes no time and counts nothing."""
    sketch = drawn("A=1 B=0 C=1 A-B:7 A-C:7 A-C:5 A-C:5", output=[10, 2, 2], temp=[0, 0, 1])
    assert running_bytes(sketch.problem()).tolist() == [10, 0, 13]


@given(problem=strategies.problems(max_nodes=6, max_gpus=2))
@settings(max_examples=40)
def test_bound_and_answer_embrace_the_optimum(problem: Problem) -> None:
    best = oracle.optimum(problem)
    assert best is not None
    answer = proven(problem)
    assert answer.bound_ns <= problem.simulate(best).makespan_ns <= problem.simulate(answer.placement).makespan_ns
    assert answer.bound_ns >= problem.lower_bound_ns
    assert problem.settle(answer.placement).tolist() == answer.placement.tolist()


@given(problem=strategies.problems(max_nodes=6, max_gpus=2, limited=True))
@settings(max_examples=40)
def test_memory_is_kept_and_bounds_stay_true(problem: Problem) -> None:
    best = oracle.optimum(problem)
    quick = Fit(trials=0)
    try:
        answer = Exact(Method(Heft(), (quick,)), quick, seconds=2).prove(problem, np.random.default_rng(0))
    except DoesNotFit:
        return
    assert best is not None
    assert answer.bound_ns <= problem.simulate(best).makespan_ns
    assert oracle.fits(problem, answer.placement)


def test_with_and_without_busy_links_the_bound_is_true_and_mostly_met() -> None:
    """Drawn instances, half of them with limits, pins or unlike cards; the start is plain HEFT."""
    quick, found, met = Fit(trials=0), 0, 0
    for seed, (order, contention) in product(range(60), (("fifo", "link"), ("blevel", "none"))):
        problem = replace(instance(seed), order=order, contention=contention)
        try:
            answer = Exact(Method(Heft(), (quick,)), quick, seconds=2).prove(problem, np.random.default_rng(0))
        except DoesNotFit:
            continue
        best = oracle.optimum(problem)
        assert best is not None
        optimum = problem.simulate(best).makespan_ns
        assert answer.bound_ns <= optimum <= problem.simulate(answer.placement).makespan_ns, seed
        found, met = found + 1, met + (answer.bound_ns == optimum)
    assert met > 0.8 * found > 80


@pytest.mark.slow
@pytest.mark.parametrize(("name", "optimum_ms"), [("lat_layer_bert24", 96.31), ("lat_layer_gnmt", 200.75)])
def test_known_optima_are_proven(shared: Path, name: str, optimum_ms: float) -> None:
    path = shared / "data" / "cost_graphs" / f"{name}.json.gz"
    machine = json.loads(gzip.decompress(path.read_bytes()))["machine"]
    plan = partition(
        path, gpus=machine["devices"], mem=int(machine["memory_bytes"]), mem_fraction=1, latency="0us",
        bandwidth=f"{machine['bandwidth_bytes_per_s']}B/s", order="blevel", contention="none", method="exact",
    )  # fmt: skip
    assert plan.makespan_us / 1000 == pytest.approx(optimum_ms, abs=0.005)
    assert plan.gap == 0
