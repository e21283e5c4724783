#!/usr/bin/env python3
"""Makespans of every method on the cost graphs, beside what other programs reach (peers.json): a row a line, means.

    scripts/bench_quality.py SHARED [--rows REGEX] [--methods a,b,auto/fast,...] [--generated FOLDER] [--slack 1.001]

SHARED is the folder with data/ and judge/; generated graphs (judge/generate.py) are looked for in --generated. The
search is asked for as auto/EFFORT; --seconds ends it early. With --keep FILE each figure is kept there as it is found
and not worked out again, so that a long table can be made in pieces. A row is graph|links|devices|mode, b = blevel +
none, f = fifo + link. Links "caps" stands for the memory limits and links of the graph's own, where the peer is the
best that is known and counts resident bytes only, while ours count copies too; nan = does not fit; "static" is the same
with copies not counted. All figures of a row are ratios to the best peer, except the last: best peer / lower bound, and
seconds of processor, over all cores. A star marks a row that is lost. Behind the table, by links and mode: each method
against the best peer, over all rows and over those where the peer is 2 % or more from the bound, where there is
something to gain; for four devices the share of that distance that is closed, summed in microseconds and summed in
shares of the bound.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from pardnn.errors import DoesNotFit
from pardnn.methods import method, summaries
from pardnn.problem import Partitioner, Problem
from pardnn.readers.costgraph import CostGraph, read_cost_graph
from scheduler.machine import UNLIMITED, Machine
from scheduler.workload import Workload

LINKS = {"nvlink": (25_000, 140_000_000_000), "pcie": (10_000, 12_000_000_000)}
MODES = {"b": ("blevel", "none"), "f": ("fifo", "link")}
PEERS = ("etf", "metis", "single", "pardnn")
CAPS_MS = {
    "lat_layer_bert24": 96.31,
    "lat_layer_gnmt": 200.75,
    "lat_op_bert_l3": 223.08,
    "lat_op_bert_l12": 668.2,
    "lat_layer_resnet50": 1143.0,
    "lat_layer_inceptionv3": 1096.6,
}
"""The shortest steps known within the memory limits of the graph's own machine."""
STATIC = 4096
"""Tensors and links so many times smaller leave times as they are, within 2 us a transfer; copies weigh nothing."""
WORTH = 1.02
"""From this ratio of best peer to bound on there is something to gain."""


def problem(graph: CostGraph, machine: Machine, mode: str) -> Problem:
    """The graph on alike GPUs."""
    n, k = len(graph.names), machine.k
    time_ns = np.repeat(graph.time_ns[:, None], k, axis=1)
    workload = Workload.build(
        graph.dag, time_ns, graph.edge_bytes, graph.resident_bytes, graph.output_bytes, graph.temp_bytes
    )
    return Problem(workload, machine, np.arange(n, dtype=np.int32), np.full(n, -1, np.int32), k, *MODES[mode])


def rows(shared: Path, generated: Path, pattern: str) -> Iterator[tuple[str, dict[str, Any], Problem]]:
    """(key, peers' figures, problem) of each row that matches and whose graph is there."""
    name, graph = "", None
    folders = (shared / "data" / "cost_graphs", generated)
    for key, peers in json.loads((shared / "judge" / "peers.json").read_text()).items():
        wanted, link, k, mode = key.split("|")
        path = next((p for p in (folder / f"{wanted}.json.gz" for folder in folders) if p.is_file()), None)
        if path and re.search(pattern, key):
            if wanted != name or graph is None:
                name, graph = wanted, read_cost_graph(gzip.decompress(path.read_bytes()), path)
            yield key, peers, problem(graph, Machine.uniform(int(k), UNLIMITED, *LINKS[link]), mode)
    yield from _capped(folders[0], pattern)


def _capped(folder: Path, pattern: str) -> Iterator[tuple[str, dict[str, Any], Problem]]:
    """The rows with memory limits."""
    for name, best_ms in CAPS_MS.items():
        path = folder / f"{name}.json.gz"
        text = gzip.decompress(path.read_bytes())
        own = json.loads(text)["machine"]
        latency_ns, rate = int(own["latency_us"] * 1000), int(own["bandwidth_bytes_per_s"])
        for what, shrunk in (("caps", 1), ("static", STATIC)):
            key = f"{name}|{what}|{own['devices']}|b"
            if re.search(pattern, key):
                graph = read_cost_graph(text, path)
                machine = Machine.uniform(own["devices"], int(own["memory_bytes"]), latency_ns, rate // shrunk)
                task = problem(replace(graph, edge_bytes=-(-graph.edge_bytes // shrunk)), machine, "b")
                yield key, {"best": best_ms * 1000, "bound": task.lower_bound_ns / 1000}, task


def chosen(names: str, seconds: float | None) -> dict[str, Callable[[], Partitioner]]:
    """By name: what makes the method afresh, its clock starting then."""

    def make(name: str) -> Partitioner:
        plain, _, effort = name.partition("/")
        until = time.process_time() + seconds if seconds else float("inf")
        return method(plain, effort or "balanced", lambda: time.process_time() > until)

    return {name: partial(make, name) for name in names.split(",")}


@dataclass(frozen=True)
class Kept:
    """Figures found before: a line of JSON each, (row, method, makespan in us, seconds)."""

    path: Path | None

    def known(self) -> dict[tuple[str, str], tuple[float, float]]:
        """(makespan, seconds) by row and method."""
        lines = self.path.read_text().splitlines() if self.path and self.path.is_file() else []
        return {(row, name): (makespan_us, seconds) for row, name, makespan_us, seconds in map(json.loads, lines)}

    def add(self, key: str, name: str, makespan_us: float, seconds: float) -> None:
        """One figure more."""
        if self.path:
            with self.path.open("a") as file:
                file.write(json.dumps([key, name, makespan_us, seconds]) + "\n")


def figure(make: Callable[[], Partitioner], task: Problem) -> tuple[float, float]:
    """The makespan in us, nan = does not fit, and the seconds of processor it took."""
    start = time.process_time()
    try:
        makespan_us = task.simulate(make()(task, np.random.default_rng(0))).makespan_ns / 1000
    except DoesNotFit:
        makespan_us = float("nan")
    return makespan_us, time.process_time() - start


def report(results: dict[str, list[tuple[str, dict[str, Any], float, float]]]) -> None:
    """The means behind the table, from (key, peers, makespan in us, seconds) by method."""
    for name, found in results.items():
        by_mode = defaultdict(list)
        for row in found:
            _, link, _, mode = row[0].split("|")
            by_mode[f"{link} {'/'.join(MODES[mode])}"].append(row)
        for where, those in sorted(by_mode.items()):
            worth = [r for r in those if r[1]["best"] >= WORTH * r[1]["bound"]]
            parts = [_mean("all", those), _mean("worth", worth)]
            four = [r for r in worth if r[0].split("|")[2] == "4"]
            if four:
                gains, gaps = (np.array(x) for x in zip(*((_gain(r), _gap(r)) for r in four), strict=True))
                bound = np.array([r[1]["bound"] for r in four])
                shares = gains.sum() / gaps.sum(), (gains / bound).sum() / (gaps / bound).sum()
                parts.append(f"closed at K = 4: {shares[0]:6.1%} of us, {shares[1]:6.1%} of bounds")
            print(f"{name:16} {where:18}", *parts, sep="  ")
        spent = [r[3] for r in found]
        print(f"{name:16} processor seconds: {sum(spent):.1f} in all, {max(spent):.2f} for a row at most")


def _gain(row: tuple[str, dict[str, Any], float, float]) -> float:
    return float(row[1]["best"] - row[2])


def _gap(row: tuple[str, dict[str, Any], float, float]) -> float:
    return float(row[1]["best"] - row[1]["bound"])


def _mean(what: str, those: list[tuple[str, dict[str, Any], float, float]]) -> str:
    ratios = [r[2] / r[1]["best"] for r in those if r[2] == r[2]]
    if not ratios:
        return ""
    return f"{what} {len(ratios):2} rows: mean {np.exp(np.log(ratios).mean()):.4f} worst {max(ratios):.4f}"


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    parser.add_argument("--rows", default="")
    parser.add_argument("--methods", default=",".join(summaries()))
    parser.add_argument("--generated", type=Path, default=Path("synth"))
    parser.add_argument("--slack", type=float, default=1.001)
    parser.add_argument("--seconds", type=float)
    parser.add_argument("--keep", type=Path)
    options = parser.parse_args()
    methods, kept = chosen(options.methods, options.seconds), Kept(options.keep)
    known = kept.known()

    results: dict[str, list[tuple[str, dict[str, Any], float, float]]] = defaultdict(list)
    print("row".ljust(32), *(name[-8:].rjust(8) for name in methods), "   min ", *PEERS, "best/bound seconds")
    for key, peers, task in rows(options.shared, options.generated, options.rows):
        for name, make in methods.items():
            if (key, name) not in known:
                known[key, name] = figure(make, task)
                kept.add(key, name, *known[key, name])
            results[name].append((key, peers, *known[key, name]))
        ours = [found[-1][2] / peers["best"] for found in results.values()]
        theirs = [peers.get(peer) and peers[peer] / peers["best"] for peer in PEERS]
        columns = [f"{ratio:8.4f}" for ratio in ours] + [f"{min(ours):8.4f}" + (" *"[min(ours) > options.slack])]
        columns += [f"{ratio:.3f}" if ratio else "  -  " for ratio in theirs]
        spent_on = " ".join(f"{found[-1][3]:.2f}" for found in results.values())
        print(key.ljust(32), *columns, f"{peers['best'] / peers['bound']:.3f}", spent_on, flush=True)
    report(results)


if __name__ == "__main__":
    main()
