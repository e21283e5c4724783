#!/usr/bin/env python3
"""Kills the command at random moments and fills the disk under it; exit 1 unless each output is whole or absent.

    scripts/prove_atomic.py [GRAPH] [--times 200] [--seed 0] [--small-disk FOLDER]

GRAPH: the graph that ships with the project, unless given. A killed run may leave a file half written under its hidden
name, .pardnn-*.tmp, nothing else; a full disk leaves nothing. The full disk is a limit on the size of files; as root
FOLDER, an empty one, becomes a file system of 200 kB as well.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.real.atomic import command, filled, killed
from tests.real.placed import EXAMPLE


def main() -> int:
    """Print what was left, then the faults."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("graph", type=Path, nargs="?", default=EXAMPLE)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--small-disk", type=Path)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        left, faults = killed(asked.graph.resolve(), folder, asked.times, asked.seed)
        print(f"{asked.times} times kill -9:")
        for what, number in sorted(left.items()):
            print(f"  {number:4}  {what}")
        for most in (0, 1000, asked.graph.stat().st_size // 2):
            code, said, left, wrong = filled(asked.graph.resolve(), folder, most)
            faults += [f"disk full after {most} bytes: {fault}" for fault in wrong]
            if code != 2 or said.count("\n") != 1:
                faults.append(f"disk full after {most} bytes: exit {code}: {said}")
            print(f"disk full after {most} bytes: exit {code}, {', '.join(left)}")
    if asked.small_disk:
        faults += small_disk(asked.graph.resolve(), asked.small_disk)
    print(*faults, sep="\n")
    return int(bool(faults))


def small_disk(graph: Path, folder: Path) -> list[str]:
    """Faults on a real file system that is too small."""
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=200k", "tmpfs", str(folder)], check=True)  # noqa: S607
    try:
        done = subprocess.run(command(graph, folder), capture_output=True, text=True, check=False)
        left = [path.name for path in folder.iterdir()]
    finally:
        subprocess.run(["umount", str(folder)], check=True)  # noqa: S607
    print(f"file system of 200 kB: exit {done.returncode}, {len(left)} files left: {done.stderr.strip()}")
    return [f"file system of 200 kB: {left} left, exit {done.returncode}"] if left or done.returncode != 2 else []


if __name__ == "__main__":
    raise SystemExit(main())
