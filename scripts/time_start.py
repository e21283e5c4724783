#!/usr/bin/env python3
"""Seconds that `import pardnn` and `pardnn --help` take, best of several fresh processes; exit 1 over the budget.

python scripts/time_start.py
"""

from __future__ import annotations

import subprocess
import sys
import time

RUNS = 7
BUDGETS = {
    "import pardnn": (0.3, [sys.executable, "-c", "import pardnn"]),
    "pardnn --help": (0.5, [sys.executable, "-m", "pardnn", "--help"]),
}


def seconds(command: list[str]) -> float:
    """Wall time of the command, the least of RUNS."""
    best = float("inf")
    for _ in range(RUNS):
        started = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, time.perf_counter() - started)
    return best


def main() -> int:
    """Print a line per command."""
    idle = seconds([sys.executable, "-c", ""])
    print(f"{'python alone':15} {idle:.3f} s")
    late = False
    for name, (budget, command) in BUDGETS.items():
        taken = seconds(command)
        late |= taken > budget
        print(f"{name:15} {taken:.3f} s of {budget} s")
    return int(late)


if __name__ == "__main__":
    raise SystemExit(main())
