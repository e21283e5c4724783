"""Real steps on two workers beside the simulator's: everything from models to tables and plots with one command.

    python -m scripts.truth [--folder truth] [--stages prepare,costs,micro,plan,run,report] [--minutes M] [MODEL...]

prepare   each model's step as files
costs     the ops' times on one core, while the other is idle and while the same step runs there
micro     the link between the workers and what sending costs, on graphs made for it
plan      a placement for each plan, from these
run       all of them on pairs of workers, some steps each
report    tables, and plots where matplotlib is installed

What is there already is not done again: remove it from the folder to have it measured anew. With --minutes nothing new
is begun after so long; the exit status is then 3, and the same command goes on where it ended. Needs TensorFlow, two
cores, and for costs, micro and run a machine that does nothing else; takes about 40 minutes.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

from scripts.truth.runs import lacking
from scripts.truth.settings import ALL_PLANS, MODELS, RUNS
from scripts.truth.workers import ROOT, cores, pinned

STAGES = ("prepare", "costs", "micro", "plan", "run", "report")
UNFINISHED = 3


class OutOfTimeError(Exception):
    """The minutes asked for are over."""


def main() -> int:
    """Run the stages asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", metavar="MODEL", help="all of them if none is named")
    parser.add_argument("--folder", type=Path, default=Path("truth"))
    parser.add_argument("--stages", default=",".join(STAGES))
    parser.add_argument("--minutes", type=float, default=float("inf"))
    asked = parser.parse_args()
    names = asked.models or [model.name for model in MODELS]
    asked.folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + 60 * asked.minutes
    try:
        for stage in asked.stages.split(","):
            _stage(stage, asked.folder.resolve(), names, until)
    except OutOfTimeError:
        _say(f"{asked.minutes:g} minutes are over; the same command goes on from here")
        return UNFINISHED
    return 0


def _stage(stage: str, folder: Path, names: list[str], until: float) -> None:
    if stage == "prepare":
        program = ["-m", "scripts.truth.prepare"]
        _each(stage, folder, names, "by_layer.json", until, lambda name: pinned({
            cores(1)[0]: [*program, name, str(folder / name)]}))  # fmt: skip
    elif stage == "costs":
        other, own = cores(2)
        program = ["-m", "scripts.truth.costs"]
        _each(stage, folder, names, "costs.json", until, lambda name: pinned({
            own: [*program, str(folder / name), str(other)]}))  # fmt: skip
    elif stage == "micro":
        if not (folder / "micro.json").exists():
            _check(until)
            _say("micro")
            _program("micro", str(folder))
    elif stage == "plan":
        from scripts.truth.plans import write_plans

        for plan in ALL_PLANS:
            _each(f"plan {plan}", folder, names, f"{plan}.json", until, lambda name, p=plan: write_plans(  # type: ignore[misc]
                folder, name, p))  # fmt: skip
    elif stage == "run":
        for run in range(RUNS):
            while left := [name for name in names if lacking(folder / name, run)]:
                _check(until)
                _say(f"run {run + 1} of {RUNS}: {', '.join(left)}")
                seconds = max(min(until - time.monotonic(), 1e6), 0)
                _program("runs", str(folder), str(run), f"{seconds:.0f}", *left)
    elif stage == "report":
        from scripts.truth.report import report

        print(report(folder, names))
    else:
        raise SystemExit(f"no stage {stage!r}; there are {', '.join(STAGES)}")


def _each(
    told: str, folder: Path, names: list[str], made: str, until: float, make: Callable[[str], None]
) -> None:  # fmt: skip
    """Make what is not there yet of each model."""
    for name in names:
        if not (folder / name / made).exists():
            _check(until)
            _say(f"{told} {name}")
            make(name)


def _check(until: float) -> None:
    if time.monotonic() > until:
        raise OutOfTimeError


def _program(name: str, *words: str) -> None:
    subprocess.run([sys.executable, "-m", f"scripts.truth.{name}", *words], cwd=ROOT, check=True)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    raise SystemExit(main())
