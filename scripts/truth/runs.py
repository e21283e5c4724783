"""Steps of every model under every plan on a pair of workers: untraced for the clock, one traced for the rest.

    python -m scripts.truth.runs FOLDER RUN SECONDS MODEL...

Reads what `prepare` wrote and FOLDER/MODEL/PLAN.json (op -> task); writes FOLDER/MODEL/PLAN.RUN.json and .pb of the
plans that lack them, with what a step on one worker took beside them. Begins no model after so many seconds, but one at
least.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from scripts.truth.micro import Bench, transfer_costs
from scripts.truth.settings import ALL_PLANS, ONE, PROBE_STEPS, PROBED, STEPS, WARM_UP, WORKERS
from scripts.truth.workers import Workers, device, workers

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
EMPTY = "truth/empty"


@dataclass
class Running:
    """A plan of a model in its session, and the seconds of what it ran."""

    runner: Any
    feeds: dict[str, Any]
    step_s: list[float] = field(default_factory=list)
    call_s: list[float] = field(default_factory=list)
    busy_s: list[list[float]] = field(default_factory=list)
    """Processor time of each worker in a step."""

    def round(self, workers: Workers, count: bool) -> None:
        """A call that only brings the feeds to their worker, then a step."""
        from pardnn.placers.extract import TRAIN_OP

        began = time.perf_counter()
        self.runner.step(self.feeds, targets=[EMPTY])
        called = time.perf_counter()
        before = workers.seconds()
        self.runner.step(self.feeds, targets=[TRAIN_OP])
        ended = time.perf_counter()
        if count:
            self.busy_s.append([end - begin for begin, end in zip(before, workers.seconds(), strict=True)])
            self.call_s.append(called - began)
            self.step_s.append(ended - called)


def placed(folder: Path, plan: str, feeds: dict[str, Any]) -> Any:
    """The GraphDef of a model under a plan, with an empty step beside it."""
    from tensorflow.core.framework import graph_pb2

    from pardnn.placers.runner import with_devices
    from pardnn.placers.trace import Devices

    message = graph_pb2.GraphDef.FromString((folder / "graph.pb").read_bytes())
    tasks = json.loads((folder / f"{plan}.json").read_text())
    ops = {op: device(task) for op, task in tasks.items()}
    message = with_devices(message, Devices(ops))
    kinds = {node.name: node.attr["dtype"].type for node in message.node if node.name in feeds}
    used = sorted(set(tasks.values()))
    ends = [message.node.add(name=f"{EMPTY}/{task}", op="NoOp", device=device(task)).name for task in used]
    for name in feeds:
        node = message.node.add(name=f"{EMPTY}/{name}", op="Identity", input=[name], device=ops[name])
        node.attr["T"].type = kinds[name]
        ends.append(node.name)
    message.node.add(name=EMPTY, op="NoOp", device=device(0)).input.extend(f"^{end}" for end in ends)
    return message


def lacking(folder: Path, run: int) -> list[str]:
    """The plans of a model that have no result of a run yet."""
    return [plan for plan in ALL_PLANS if not (folder / f"{plan}.{run}.json").exists()]


def run_model(folder: Path, run: int, workers: Workers) -> None:
    """The plans of a model that are lacking, by turns, and always the one on one worker."""
    import tensorflow as tf

    from pardnn.placers.extract import TRAIN_OP
    from pardnn.placers.runner import Runner

    values, feeds = (dict(np.load(folder / f"{name}.npz")) for name in ("values", "feeds"))
    wanted = lacking(folder, run)
    sent = transfer_costs(Bench(workers), PROBED, PROBE_STEPS)
    target = f"grpc://{workers.addresses[0]}"
    with contextlib.ExitStack() as opened:
        running = {}
        for plan in dict.fromkeys([ONE, *wanted]):
            runner = Runner(placed(folder, plan, feeds), target=target, rewriting=False)
            running[plan] = Running(opened.enter_context(runner), feeds)
            runner.assign(values)
        for turn in range(WARM_UP + STEPS):
            for one in running.values():
                one.round(workers, count=turn >= WARM_UP)
        found = {}
        for plan in wanted:
            one = running[plan]
            for _ in range(2):  # the first one also sets the tracer up
                began = time.perf_counter()
                _, metadata = one.runner.traced(feeds, targets=[TRAIN_OP])
                traced = time.perf_counter() - began
            (folder / f"{plan}.{run}.pb").write_bytes(metadata.SerializeToString())
            found[plan] = {
                "step_s": one.step_s, "call_s": one.call_s, "busy_s": one.busy_s, "sent": sent, "traced_s": traced,
                "one_step_s": running[ONE].step_s, "one_call_s": running[ONE].call_s,
                "at": time.time(), "load": os.getloadavg()[0],
            }  # fmt: skip
        for plan, facts in found.items():
            (folder / f"{plan}.{run}.json").write_text(json.dumps(facts))
    tf.compat.v1.Session.reset(target)  # frees the variables


def main(folder: str, run: str, seconds: str, *names: str) -> None:
    """Run the models on two workers that are started for it."""
    until = time.monotonic() + float(seconds)
    with workers(WORKERS) as running:
        for name in names:
            run_model(Path(folder) / name, int(run), running)
            if time.monotonic() > until:
                return


if __name__ == "__main__":
    main(*sys.argv[1:])
