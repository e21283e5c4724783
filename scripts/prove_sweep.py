#!/usr/bin/env python3
"""Kills a sweep half-way and lets it go on; exit 1 unless it, and one on a Dask cluster, give the table of a whole one.

    scripts/prove_sweep.py [SHARED] [--graphs 20] [--jobs 2] [--kills 2] [--backends dask]

SHARED: a folder with data/cost_graphs; its graphs come first, drawn ones fill up to the number asked for. 8 methods on
2 machines with 2, 4 and 8 devices, the second machine with too little memory for some graphs, and a damaged file more.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.factories import layered
from tests.real.swept import columns, finish, kill_at, lay_out, unlike, written

METHODS = ["auto", "pardnn", "heft", "etf", "m-etf", "metis", "frugal", "single"]
GPUS = [2, 4, 8]
LARGEST = 40_000
"""Bytes of a packed graph, so that the proof takes minutes."""


def main() -> int:
    """Print how each sweep went, then the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("shared", type=Path, nargs="?")
    parser.add_argument("--graphs", type=int, default=20)
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--kills", type=int, default=2)
    parser.add_argument("--backends", nargs="*", default=["dask"])
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        config, cells = prepared(folder, asked.shared, asked.graphs)
        faults = []
        sweep(config, folder / "whole", "--jobs", asked.jobs)
        kept: dict[str, int] = {}
        for number in range(1, asked.kills + 1):
            there = kept
            kept = kill_at(config, folder / "killed", cells * number // (asked.kills + 1), "--jobs", asked.jobs)
            print(f"killed with {len(kept)} of {cells} cells done")
            faults += repeated(there, kept)
        sweep(config, folder / "killed", "--jobs", asked.jobs)
        faults += repeated(kept, written(folder / "killed"))
        for backend in asked.backends:
            sweep(config, folder / backend, "--backend", backend, "--jobs", asked.jobs)
        for out in ("killed", *asked.backends):
            faults += [
                f"{out}: {file} is not that of the whole sweep" for file in unlike(folder / out, folder / "whole")
            ]
        print(
            *faults or [f"{cells} cells: tables and plots are the same to the byte, no cell was done twice"], sep="\n"
        )
    return int(bool(faults))


def prepared(folder: Path, shared: Path | None, number: int) -> tuple[Path, int]:
    """The sweep's file and its number of cells."""
    found = sorted((shared / "data" / "cost_graphs").glob("*.json.gz")) if shared else []
    given = [path for path in found if path.stat().st_size < LARGEST][:number]
    drawn = {f"drawn{seed}": columns(layered(12, 10, seed), 10**5, 10**5) for seed in range(number - len(given))}
    config = lay_out(folder, drawn, METHODS, GPUS, memory="1GB", extra='effort = "fast"\n')
    for path in given:
        shutil.copy(path, folder / "graphs")
    return config, (number + 1) * len(METHODS) * 2 * len(GPUS)


def sweep(config: Path, out: Path, *options: str) -> None:
    """Carry out a sweep to its end, print what it says and takes."""
    started = time.monotonic()
    said = finish(config, out, *options)
    print(f"{out.name}: {time.monotonic() - started:.0f} s\n{said}", flush=True)


def repeated(before: dict[str, int], after: dict[str, int]) -> list[str]:
    """A fault per cell that was there and was written again."""
    return [f"{name}: done twice" for name, when in before.items() if after.get(name) != when]


if __name__ == "__main__":
    raise SystemExit(main())
