"""What the ops of a prepared step take on one core: while the other core is idle, and while it runs the same step.

    python -m scripts.truth.costs FOLDER/MODEL CORE

To be run pinned to one core; CORE is the other. There a second process runs step after step and is stopped and let go
by turns, so that both tables (alone.csv, company.csv) come from the same minute: cores share caches, the way to memory,
and whatever else the host does.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from scripts.truth.settings import PROFILED_STEPS
from scripts.truth.workers import ROOT

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
NAMES = ("alone", "company")


def _read(folder: Path) -> tuple[Any, dict[str, Any], dict[str, Any]]:
    """(the step's GraphDef, values of variables, feeds)."""
    from tensorflow.core.framework import graph_pb2

    message = graph_pb2.GraphDef.FromString((folder / "graph.pb").read_bytes())
    values, feeds = (dict(np.load(folder / f"{name}.npz")) for name in ("values", "feeds"))
    return message, values, feeds


@contextlib.contextmanager
def neighbour(folder: Path, core: int) -> Iterator[subprocess.Popen[str]]:
    """The other process, stopped; ended with the block."""
    usual = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {core})  # a new process has its parent's
    words = [sys.executable, "-m", "scripts.truth.costs", str(folder)]
    process = subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    os.sched_setaffinity(0, usual)
    try:
        assert process.stdout
        if not process.stdout.readline():
            raise SystemExit(f"{folder}: the step beside does not run")
        process.send_signal(signal.SIGSTOP)
        yield process
    finally:
        process.kill()
        process.wait()


def measure(folder: Path, core: int) -> None:
    """Write alone.csv, company.csv, and the figures of both in costs.json."""
    from pardnn.config import Options
    from pardnn.placers.extract import TRAIN_OP
    from pardnn.placers.profile import Clock, run_steps
    from pardnn.subject import pose
    from pardnn.traces.run_metadata import trace_of

    message, values, feeds = _read(folder)
    subject = pose(message, Options.of(gpus=1, targets=(TRAIN_OP,)))
    traces: list[list[Any]] = [[], []]
    with neighbour(folder, core) as process:

        def seen(metadata: Any) -> None:
            both = len(traces[0]) > len(traces[1])
            traces[both].append(trace_of(metadata, folder.name))
            process.send_signal(signal.SIGSTOP if both else signal.SIGCONT)

        clock = run_steps(
            message, (TRAIN_OP,), feeds, values, seen,
            name=folder.name, steps=2 * PROFILED_STEPS, warmup=2, used=subject.names,
        )  # fmt: skip
    figures = {}
    for i, name in enumerate(NAMES):
        own = Clock(clock.call_s[i::2], clock.plain_s[i::2], clock.traced_s[i::2])
        found = _profile(folder.name, subject, own, traces[i])
        found.save(folder / f"{name}.csv", force=True)
        figures[name] = {"step_s": own.plain_s, "traced_s": own.traced_s, "overhead_ns": found.overhead_ns}
    (folder / "costs.json").write_text(json.dumps(figures))


def _profile(name: str, subject: Any, clock: Any, traces: list[Any]) -> Any:
    from pardnn.measured import rows_of
    from pardnn.profiling.profile import Profile
    from pardnn.profiling.run import overhead_ns
    from pardnn.traces.op_times import op_times

    times = op_times(traces)
    overhead = overhead_ns(clock, times)
    return Profile(name, rows_of(times, name, overhead), times, clock, overhead, subject, ())


def keep_running(folder: Path) -> None:
    """Run the step again and again, until this process is ended; says when it has begun."""
    from pardnn.placers.extract import TRAIN_OP
    from pardnn.placers.runner import Runner

    message, values, feeds = _read(folder)
    with Runner(message, rewriting=False, serial=True) as runner:
        runner.assign(values)
        runner.step(feeds, targets=[TRAIN_OP])
        print("running", flush=True)
        while True:
            runner.step(feeds, targets=[TRAIN_OP])


def main(folder: str, core: str = "") -> None:
    """Measure, or with no other core be the one beside."""
    from pardnn.placers.profile import start

    start(threads=1)
    if core:
        measure(Path(folder), int(core))
    else:
        keep_running(Path(folder))


if __name__ == "__main__":
    main(*sys.argv[1:])
