#!/usr/bin/env python3
"""Gives damaged files to the whole command; exit 1 unless each ends with 0, 2 or 3 and one line, in time and memory.

    scripts/fuzz_files.py [SHARED] [--count 10000] [--seed 0] [--keep FOLDER]

Files made here in every form, and the small ones of SHARED, lose bytes, repeat parts, hold numbers out of range; cost
graphs and plans too. A case may take 20 s and ten times its size plus 1 GB. Failing files are kept by their seed:
`--seed S --count 1` repeats one.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.real.fuzz import run
from tests.real.samples import cost_graph, graphs, shared_files


def main() -> int:
    """Print how the cases ended, then the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path, nargs="?", help="the folder with data/graphs")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("fuzz_failures"))
    asked = parser.parse_args()
    samples = graphs() + (shared_files(asked.shared) if asked.shared else [])
    started = time.perf_counter()

    def tell(number: int) -> None:
        if number % 500 == 0 and sys.stderr.isatty():
            print(f"\r{number} of {asked.count}", end="", file=sys.stderr)

    tally = run(samples, cost_graph(), range(asked.seed, asked.seed + asked.count), asked.keep, tell)
    print(f"{asked.count} files from {len(samples) + 2} whole ones, seed {asked.seed}: "
          f"{time.perf_counter() - started:.0f} s")  # fmt: skip
    for code, number in sorted(tally.codes.items()):
        print(f"exit {code:2}  {number:6}")
    print(f"slowest: {tally.slowest[0]:.1f} s (seed {tally.slowest[1]})")
    for seed, what, name in tally.faults:
        print(f"seed {seed} ({name}): {what}")
    return int(bool(tally.faults))


if __name__ == "__main__":
    raise SystemExit(main())
