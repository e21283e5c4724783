#!/usr/bin/env python3
"""Figures of ParDNN: makespans against the authors' own program, seconds on large graphs with and without tight memory.

Usage: bench_pardnn.py [--peers PEERS.json] [--graphs FOLDER ...] [quality|speed]
The cost graphs, the peers' figures and the generator of the large graphs lie in the shared folder (judge/, data/);
speed looks for syn_*.json.gz. How fast text is read beside protobuf: `pytest tests/bench/bench_text_reader.py -s`.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import json
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np

from pardnn.errors import DoesNotFit
from pardnn.methods import Method
from pardnn.partitioners.pardnn import ParDNN
from pardnn.problem import Problem
from scheduler._jit import compile_seconds
from scheduler.dag import Dag
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload

LINKS = {"nvlink": (25_000, 140 * 10**9), "pcie": (10_000, 12 * 10**9)}  # latency in ns, bytes per second
MODES = {"b": ("blevel", "none"), "f": ("fifo", "link")}
SHARED = Path(__file__).resolve().parents[2] / "shared"


def whole(column: list[float], scale: int = 1) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Whole numbers, rounded as the execution model prescribes."""
    return np.floor(np.array(column, float) * scale + 0.5).astype(np.int64)


@functools.lru_cache(maxsize=1)
def columns(path: Path) -> tuple[Dag, list[Any]]:
    """A cost graph's dag and its columns: time in ns, then bytes."""
    with gzip.open(path, "rt") as file:
        graph = json.load(file)
    dag = Dag.from_edges(len(graph["time"]), graph["src"], graph["dst"])
    return dag, [whole(graph["time"], 1000), *(whole(graph[c]) for c in ("bytes", "resident", "output", "temp"))]


def problem(path: Path, k: int, link: str, mode: str, memory: int = UNLIMITED) -> Problem:
    """The cost graph on k equal GPUs."""
    dag, (op_ns, *rest) = columns(path)
    work = Workload.build(dag, np.repeat(op_ns[:, None], k, axis=1), *rest)
    machine = Machine.uniform(k, memory, *LINKS[link])
    alone, free = np.arange(dag.n, dtype=np.int32), np.full(dag.n, -1, np.int32)
    return Problem(work, machine, alone, free, k, *MODES[mode])


def quality(folders: list[Path], peers: Path) -> None:
    """Every row of the peers' figures that has the original."""
    ratios: dict[str, dict[str, float]] = {mode: {} for mode in MODES}
    for key, row in json.loads(peers.read_text()).items():
        name, link, k, mode = key.split("|")
        path = next((f / f"{name}.json.gz" for f in folders if (f / f"{name}.json.gz").exists()), None)
        if row["pardnn"] is None or path is None:
            continue
        case = problem(path, int(k), link, mode)
        placement = ParDNN()(case, np.random.default_rng(0))
        ratios[mode][key] = case.simulate(placement).makespan_ns / 1000 / row["pardnn"]
    for mode, found in ratios.items():
        mean = np.exp(np.mean(np.log(list(found.values()))))
        print(f"{'/'.join(MODES[mode])}: {len(found)} rows, geometric mean {mean:.3f}; the worst:")
        for key in sorted(found, key=lambda key: -found[key])[:5]:
            print(f"    {found[key]:.3f}  {key}")


def speed(folders: list[Path]) -> None:
    """Seconds on 16 devices without limits, and with each device's memory cut to a share of the largest peak."""
    paths = sorted((p for f in folders for p in f.glob("syn_*.json.gz")), key=lambda p: p.stat().st_size)
    print(f"{'graph':16} {'nodes':>8} {'memory':>9} {'processor':>10} {'wall':>8} {'us a node':>10}  result")
    for path in paths:
        free = problem(path, 16, "nvlink", "f")
        peak = int(free.peaks(free.simulate(ParDNN()(free, np.random.default_rng(0)))).max())
        if path == paths[0]:
            timed(problem(path, 16, "nvlink", "f", peak // 2))  # compiles
        for percent in (None, 90, 50, 25):
            case = problem(path, 16, "nvlink", "f", peak * percent // 100 if percent else UNLIMITED)
            processor, wall, result = timed(case)
            n, share = case.workload.dag.n, f"{percent} %" if percent else "unlimited"
            each = processor / n * 1e6
            name = path.name.split(".")[0]
            print(f"{name:16} {n:8} {share:>9} {processor:8.2f} s {wall:6.2f} s {each:10.1f}  {result}", flush=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{memory:.2f} GiB at most; importing numba and compiling or loading kernels {compile_seconds():.2f} s")


def timed(case: Problem) -> tuple[float, float, str]:
    """Seconds of processor and wall that ParDNN with Heuristic I takes, and what comes of it."""
    started = time.process_time(), time.perf_counter()
    try:
        placement = Method(ParDNN())(case, np.random.default_rng(0))
    except DoesNotFit as error:
        return time.process_time() - started[0], time.perf_counter() - started[1], f"refused: {error}"
    seconds = time.process_time() - started[0], time.perf_counter() - started[1]
    schedule = case.simulate(placement)
    kept = (case.peaks(schedule) <= case.machine.memory_bytes).all()
    return *seconds, f"{'keeps' if kept else 'BREAKS'} the limit, step {schedule.makespan_ns / 1e6:.0f} ms"


def main() -> None:
    """Parse, run, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["quality", "speed"], nargs="?")
    parser.add_argument("--peers", type=Path, default=SHARED / "judge" / "peers.json")
    parser.add_argument("--graphs", type=Path, action="append", default=[], metavar="FOLDER")
    asked = parser.parse_args()
    folders = [SHARED / "data" / "cost_graphs", *asked.graphs]
    if asked.what != "speed":
        quality(folders, asked.peers)
    if asked.what != "quality":
        speed(folders)


if __name__ == "__main__":
    main()
