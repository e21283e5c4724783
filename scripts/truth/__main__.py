"""Real steps on two workers beside the simulator's: everything from models to tables and plots with one command.

    python -m scripts.truth [--folder truth] [--stages prepare,company,micro,plan,run,report] [MODEL...]

prepare   each model's step as files, and its ops' times on one core
company   the ops' times on one core while the same step runs on the other
micro     the link between the workers and what sending costs, on graphs made for it
plan      a placement for each plan, from these
run       all of them on pairs of workers, some steps each
report    tables, and plots where matplotlib is installed

Needs TensorFlow, two cores, and a machine that does nothing else; takes about 20 minutes.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scripts.truth.settings import MODELS, RUNS
from scripts.truth.workers import cores, pinned

STAGES = ("prepare", "company", "micro", "plan", "run", "report")


def main() -> int:
    """Run the stages asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="all of them if none is named")
    parser.add_argument("--folder", type=Path, default=Path("truth"))
    parser.add_argument("--stages", default=",".join(STAGES))
    asked = parser.parse_args()
    names = asked.models or [model.name for model in MODELS]
    stages = asked.stages.split(",")
    asked.folder.mkdir(parents=True, exist_ok=True)
    if "prepare" in stages:
        for name in names:
            _say(f"prepare {name}")
            pinned({cores(2)[1]: _profiled(name, asked.folder / name, "alone")})
    if "company" in stages:
        for name in names:
            _say(f"company {name}")
            pinned({core: _profiled(name, asked.folder / name, f"company{i}") for i, core in enumerate(cores(2))})
    if "micro" in stages:
        _say("micro")
        _program("micro", str(asked.folder))
    if "plan" in stages:
        from scripts.truth.plans import write_plans

        for name in names:
            _say(f"plan {name}")
            write_plans(asked.folder, name)
    if "run" in stages:
        for run in range(RUNS):
            _say(f"run {run + 1} of {RUNS}")
            _program("runs", str(asked.folder), str(run), *names)
    if "report" in stages:
        from scripts.truth.report import report

        print(report(asked.folder, names))
    return 0


def _profiled(name: str, folder: Path, table: str) -> list[str]:
    return ["-m", "scripts.truth.prepare", name, str(folder), table]


def _program(name: str, *words: str) -> None:
    import subprocess

    from scripts.truth.workers import ROOT

    subprocess.run([sys.executable, "-m", f"scripts.truth.{name}", *words], cwd=ROOT, check=True)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
