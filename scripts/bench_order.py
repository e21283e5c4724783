#!/usr/bin/env python3
"""What control edges bring, by simulation (fifo + link): a line a graph and number of devices, then the means.

    scripts/bench_order.py SHARED [--gpus 2,4] [--effort fast] [--machine pcie3] [--graphs REGEX]

SHARED is the folder with data/: its cost graphs and training graphs are placed with and without edges. Both columns of
makespans are the whole method's: with edges it may choose another placement. Memory is the fullest GPU's.
"""

from __future__ import annotations

import argparse
import re
import time
from pathlib import Path

import numpy as np

import pardnn
from pardnn.errors import PardnnError

FILES = (
    "cost_graphs/*.json.gz", "graphs/made/keras_*.pb", "graphs/made/tf1_mlp_deep_2000.pb.gz", "graphs/made/tf1_*.pb",
    "graphs/graphdef/tf_keras_imagenet_main*.pbtxt", "graphs/graphdef/ssd_*.pbtxt", "graphs/graphdef/tf_open*.pbtxt.gz",
)  # fmt: skip


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path)
    for name, value in (("gpus", "2,4"), ("effort", "fast"), ("machine", "pcie3"), ("graphs", "")):
        parser.add_argument(f"--{name}", default=value)
    asked = parser.parse_args()
    ratios = []
    print(f"{'graph':34} K {'ops':>6} {'before ms':>10} {'time':>6} {'memory':>6} {'edges':>5} {'bound':>6} {'s':>5}")
    for path in (path for pattern in FILES for path in sorted((asked.shared / "data").glob(pattern))):
        if not re.search(asked.graphs, path.name):
            continue
        for gpus in map(int, asked.gpus.split(",")):
            started = time.process_time()
            try:
                plan = pardnn.partition(
                    path, gpus=gpus, effort=asked.effort, machine=asked.machine, control_edges=True, batch_size=32
                )
            except PardnnError as error:
                print(f"{path.name[:34]:34} {gpus} {error}")
                continue
            order = plan.result()["control_edges"]
            before, after = order["makespan_us_before"], order["makespan_us"]
            memory = max(order["peak_bytes"]) / max(1, *order["peak_bytes_before"])
            ratios.append(after / before)
            print(
                f"{path.name[:34]:34} {gpus} {len(plan.device):6} {before / 1000:10.2f} {after / before:6.3f} "
                f"{memory:6.2f} {order['count']:5} {plan.lower_bound_us / before:6.3f} "
                f"{time.process_time() - started:5.1f}",
                flush=True,
            )
    faster = sum(ratio <= 0.95 for ratio in ratios)
    print(f"{len(ratios)} rows: geometric mean {np.exp(np.mean(np.log(ratios))):.3f}, {faster} by 5 % or more")


if __name__ == "__main__":
    main()
