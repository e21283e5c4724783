"""Against the authors' own program, on the rows it was measured on."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from pardnn.partitioners.pardnn import ParDNN
from pardnn.problem import Problem
from scheduler.dag import Dag
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload

LINKS = {"nvlink": (25_000, 140 * 10**9), "pcie": (10_000, 12 * 10**9)}  # latency in ns, bytes per second
MODES = {"b": ("blevel", "none"), "f": ("fifo", "link")}


def workload(path: Path, k: int) -> Workload:
    with gzip.open(path, "rt") as file:
        graph = json.load(file)
    dag = Dag.from_edges(len(graph["time"]), graph["src"], graph["dst"])
    time = np.floor(np.array(graph["time"]) * 1000 + 0.5).astype(np.int64)
    columns = (
        np.floor(np.array(graph[c], float) + 0.5).astype(np.int64) for c in ("bytes", "resident", "output", "temp")
    )
    return Workload.build(dag, np.repeat(time[:, None], k, axis=1), *columns)


@pytest.mark.parametrize("mode", ["b", "f"])
def test_as_fast_as_the_original(shared: Path, mode: str) -> None:
    """The generated graphs, which are not in the shared folder, are run by scripts/bench_quality."""
    ratios = {}
    for key, row in json.loads((shared / "judge" / "peers.json").read_text()).items():
        name, link, k, run = key.split("|")
        path = shared / "data" / "cost_graphs" / f"{name}.json.gz"
        if run != mode or row["pardnn"] is None or not path.exists():
            continue
        work = workload(path, int(k))
        n = work.dag.n
        machine = Machine.uniform(int(k), UNLIMITED, *LINKS[link])
        alone, free = np.arange(n, dtype=np.int32), np.full(n, -1, np.int32)
        problem = Problem(work, machine, alone, free, int(k), *MODES[run])
        placement = ParDNN()(problem, np.random.default_rng(0))
        ratios[key] = problem.simulate(placement).makespan_ns / 1000 / row["pardnn"]
    assert len(ratios) >= 36
    assert np.exp(np.mean(np.log(list(ratios.values())))) <= 1.0
    assert max(ratios.values()) <= 1.1, max(ratios, key=lambda key: ratios[key])
