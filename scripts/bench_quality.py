#!/usr/bin/env python3
"""Makespans of every method on the cost graphs, beside what other programs reach (peers.json): a row a line, means.

    scripts/bench_quality.py SHARED [--rows REGEX] [--methods a,b,...] [--generated FOLDER] [--slack 1.001]

SHARED is the folder with data/ and judge/; generated graphs (judge/generate.py) are looked for in --generated.
All figures of a row are ratios to the best peer, except the last: best peer / lower bound. A star marks a row that is
lost. Behind the table, per mode: each method against the best peer, and against the peer of the same name.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pardnn.methods import method, summaries
from pardnn.problem import Problem
from pardnn.readers.costgraph import CostGraph, read_cost_graph
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload

LINKS = {"nvlink": (25_000, 140_000_000_000), "pcie": (10_000, 12_000_000_000)}
MODES = {"b": ("blevel", "none"), "f": ("fifo", "link")}
PEERS = ("etf", "metis", "single", "pardnn")


def problem(graph: CostGraph, link: str, k: int, mode: str) -> Problem:
    """The graph on k alike GPUs without memory limits."""
    n = len(graph.names)
    time_ns = np.repeat(graph.time_ns[:, None], k, axis=1)
    workload = Workload.build(
        graph.dag, time_ns, graph.edge_bytes, graph.resident_bytes, graph.output_bytes, graph.temp_bytes
    )
    machine = Machine.uniform(k, UNLIMITED, *LINKS[link])
    return Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), k, *MODES[mode])


def rows(shared: Path, generated: Path, pattern: str) -> Iterator[tuple[str, dict[str, Any], Problem]]:
    """(key, peers' figures, problem) of each row that matches and whose graph is there."""
    name, graph = "", None
    for key, peers in json.loads((shared / "judge" / "peers.json").read_text()).items():
        wanted, link, k, mode = key.split("|")
        paths = [folder / f"{wanted}.json.gz" for folder in (shared / "data" / "cost_graphs", generated)]
        path = next((p for p in paths if p.is_file()), None)
        if path and re.search(pattern, key):
            if wanted != name or graph is None:
                name, graph = wanted, read_cost_graph(gzip.decompress(path.read_bytes()), path)
            yield key, peers, problem(graph, link, int(k), mode)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--rows", default="")
    parser.add_argument("--methods", default=",".join(summaries()))
    parser.add_argument("--generated", type=Path, default=Path("synth"))
    parser.add_argument("--slack", type=float, default=1.001)
    options = parser.parse_args()
    methods = {name: method(name) for name in options.methods.split(",")}

    ratios: dict[str, list[float]] = defaultdict(list)
    seconds: dict[str, float] = defaultdict(float)
    print("row".ljust(28), *(name[:8].rjust(8) for name in methods), "   min ", *PEERS, "best/bound")
    for key, peers, task in rows(options.shared, options.generated, options.rows):
        mode = "/".join(MODES[key[-1]])
        ours = []
        for name, choose in methods.items():
            start = time.process_time()
            placement = choose(task, np.random.default_rng(0))
            seconds[name] += time.process_time() - start
            makespan = task.simulate(placement).makespan_ns / 1000
            ours.append(makespan / peers["best"])
            ratios[f"{name} to the best peer, {mode}"].append(ours[-1])
            if peers.get(name):
                ratios[f"{name} to the peers' {name}, {mode}"].append(makespan / peers[name])
        ratios[f"min to the best peer, {mode}"].append(min(ours))
        theirs = [peers[peer] and peers[peer] / peers["best"] for peer in PEERS]
        columns = [f"{ratio:8.3f}" for ratio in ours] + [f"{min(ours):8.4f}" + (" *"[min(ours) > options.slack])]
        columns += [f"{ratio:.3f}" if ratio else "  -  " for ratio in theirs]
        print(key.ljust(28), *columns, f"{peers['best'] / peers['bound']:.3f}", flush=True)
    for name, values in sorted(ratios.items()):
        print(f"{name:54} mean {np.exp(np.log(values).mean()):.4f} worst {max(values):8.4f} rows {len(values)}")
    print("processor seconds: " + ", ".join(f"{name} {spent:.1f}" for name, spent in seconds.items()))


if __name__ == "__main__":
    main()
