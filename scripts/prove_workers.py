#!/usr/bin/env python3
"""Trains a model with two heavy towers on one worker and on two, a core each; exit 1 unless two are 1.4 times as fast.

    scripts/prove_workers.py [--runs 3] [--steps 20] [--width 1500] [--batch 256]

Every run starts its two workers anew, and takes steps on one and on both by turns: what else the machine does hits both
alike. The medians over all runs count. Needs two cores, TensorFlow and a machine that does little else.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from pathlib import Path

PROMISED, MEASURED = 1.6, 1.4
CLOSE = 1e-6
"""So far may a loss be off, relatively: TensorFlow adds up in another order where ops are elsewhere."""


def main() -> int:
    """Print the figures of each run and their medians."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, value in (("runs", 3), ("steps", 20), ("width", 1500), ("batch", 256)):
        parser.add_argument(f"--{name}", type=int, default=value)
    asked = parser.parse_args()
    sizes = [str(size) for size in (asked.steps, asked.width, asked.batch)]
    found = []
    for run in range(1, asked.runs + 1):
        program = [sys.executable, "-m", "tests.keras.workers", *sizes]
        done = subprocess.run(program, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True, check=True)
        facts = json.loads(done.stdout)
        found.append(facts)
        one, two = (1000 * facts[name] for name in ("one", "two"))
        print(
            f"run {run}: one worker {one:.0f} ms, two {two:.0f} ms: {facts['measured']:.2f} x, promised "
            f"{facts['promised']:.2f} x; losses off by {facts['off']:.0e}; load {facts['load']:.1f}",
            flush=True,
        )
    promised, measured = (statistics.median(facts[name] for facts in found) for name in ("promised", "measured"))
    print(f"median of {len(found)} runs: {measured:.2f} x measured, {promised:.2f} x promised")
    return int(
        promised < PROMISED or measured < MEASURED or not all(facts["off"] < CLOSE and facts["ok"] for facts in found)
    )


if __name__ == "__main__":
    raise SystemExit(main())
