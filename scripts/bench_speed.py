#!/usr/bin/env python3
"""Seconds of ParDNN with Heuristic I on large graphs: 16 devices without limits, and with tight memory.

    scripts/bench_speed.py FOLDER

FOLDER holds cost graphs syn_*.json.gz (the generator is judge/generate.py in the shared folder). Makespans beside those
of other programs: bench_quality.py; text read beside protobuf: `pytest tests/bench/bench_text_reader.py -s`.
"""

from __future__ import annotations

import argparse
import resource
import time
from dataclasses import replace
from pathlib import Path

from pardnn.config import Options
from pardnn.errors import DoesNotFit
from pardnn.pipeline import decide, prepare
from pardnn.subject import Subject, with_memory
from scheduler._jit import compile_seconds

ASKED = Options.of(gpus=16, machine="dgx2-v100", mem="unlimited", mem_fraction=1, method="pardnn")


def timed(subject: Subject, options: Options) -> tuple[float, float, str]:
    """Seconds of processor and wall that the decision takes, and what comes of it."""
    started = time.process_time(), time.perf_counter()
    try:
        plan = decide(subject, options)
        result = f"{'keeps' if plan.fits else 'BREAKS'} the limit, step {plan.makespan_us / 1000:.0f} ms"
    except DoesNotFit as error:
        result = f"refused: {error}"
    return time.process_time() - started[0], time.perf_counter() - started[1], result


def main() -> None:
    """Print the table; each limit is a share of the largest peak without one."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    paths = sorted(parser.parse_args().folder.glob("syn_*.json.gz"), key=lambda p: p.stat().st_size)
    print(f"{'graph':16} {'nodes':>8} {'memory':>9} {'processor':>10} {'wall':>8} {'us a node':>10}  result")
    for path in paths:
        free = prepare(path, ASKED)
        peak = max(decide(free, ASKED).peak_bytes)
        if path == paths[0]:
            tight = replace(ASKED, mem=peak // 2)
            timed(with_memory(free, tight), tight)  # compiles
        for percent in (None, 90, 50, 25):
            options = replace(ASKED, mem=peak * percent // 100) if percent else ASKED
            processor, wall, result = timed(with_memory(free, options), options)
            name, n, share = path.name.split(".")[0], len(free.names), f"{percent} %" if percent else "unlimited"
            each = processor / n * 1e6
            print(f"{name:16} {n:8} {share:>9} {processor:8.2f} s {wall:6.2f} s {each:10.1f}  {result}", flush=True)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    print(f"{memory:.2f} GiB at most; importing numba and compiling or loading kernels {compile_seconds():.2f} s")


if __name__ == "__main__":
    main()
