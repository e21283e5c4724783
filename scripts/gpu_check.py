#!/usr/bin/env python3
"""What `scripts/truth` does on processors, on a machine with GPUs: prints figures, and one line of JSON to send back.

    scripts/gpu_check.py [MODEL...] [--steps 20]

Per network of models/ in its full size: op times against the roofline of this card, by type; a step by the clock beside
the promise, on one GPU and on all of them; the most memory that TensorFlow's allocator held beside the plan's peak.
Each network runs in a process of its own. Where there is no GPU it says so and ends with 0.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from statistics import median
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
NETWORKS = ("four_view_cnn", "wide_resnet", "transformer", "word_rnn")
WARM_UP = 5


def main() -> int:
    """Check every network, or say that there is nothing to check on."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("models", nargs="*", default=NETWORKS)
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--here", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.here:
        name, _, part = asked.here.partition(":")
        print(json.dumps(PARTS[part](name, asked.steps)))
        return 0
    cards = gpus()
    if not cards:
        print("no GPU that TensorFlow can use here: nothing to check")
        return 0
    found: dict[str, Any] = {"cards": cards}
    for name in asked.models:
        found[name] = {part: _apart(name, part, asked.steps) for part in PARTS if part != "all" or len(cards) > 1}
        _tell(name, found[name])
    print("\nplease send back this line, with the driver's version and how the GPUs are joined (nvidia-smi topo -m):")
    print(json.dumps(found))
    return 0


def gpus() -> list[str]:
    """The names of the cards; none without TensorFlow too."""
    try:
        import tensorflow as tf
    except ImportError:
        return []
    devices = tf.config.list_physical_devices("GPU")
    details = tf.config.experimental.get_device_details
    return [str(details(device).get("device_name", device.name)) for device in devices]


def op_times(name: str, steps: int) -> dict[str, Any]:
    """Measured over predicted time by op type, for types that take a hundredth of the step or more."""
    import pardnn
    from pardnn.cost.estimate import estimate_graph
    from pardnn.cost.roofline import kernel_times
    from pardnn.machines.card import load_card
    from pardnn.machines.link import known_card

    profile = pardnn.profile(_made(name), steps=steps)
    card = known_card(gpus()[0]) or "v100"
    subject = profile.subject
    assert subject.graph is not None
    base = kernel_times(estimate_graph(subject.graph).costs, (load_card(card),))[:, 0]
    times: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])
    for op, kind, predicted in zip(subject.names, subject.ops, base.tolist(), strict=True):
        row = profile.rows.get(op)
        if row is not None and row.time_ns is not None:
            times[kind][0] += row.time_ns
            times[kind][1] += predicted
    whole = sum(both[0] for both in times.values())
    return {
        "card": card, "step_us": profile.step_us, "ops_us": profile.ops_us,
        "ratio": {kind: round(a / b, 3) for kind, (a, b) in sorted(times.items()) if a > 0.01 * whole and b > 0},
        "all": round(whole / max(sum(b for _, b in times.values()), 1.0), 3),
    }  # fmt: skip


def placed(name: str, steps: int, count: int | None) -> dict[str, Any]:
    """A step by the clock and the allocator's peaks, beside what the plan says."""
    import tensorflow as tf

    import pardnn

    cards = gpus()
    with pardnn.build_on_host():
        model, x, y = _made(name)
    plan = pardnn.place(model, gpus=count or len(cards), cache=False)
    for _ in range(WARM_UP):
        model.train_on_batch(x, y)
    devices = [device for device in plan.devices.values() if "GPU" in device]
    for device in devices:
        tf.config.experimental.reset_memory_stats(device)
    took = []
    for _ in range(steps):
        began = time.perf_counter()
        model.train_on_batch(x, y)
        took.append(time.perf_counter() - began)
    held = [tf.config.experimental.get_memory_info(device)["peak"] for device in devices]
    return {
        "step_us": 1e6 * median(took), "promised_us": plan.makespan_us, "verified": plan.verify().ok,
        "peak_bytes": held, "promised_bytes": plan.plan.peak_bytes,
    }  # fmt: skip


PARTS: dict[str, Callable[[str, int], dict[str, Any]]] = {
    "ops": op_times,
    "one": partial(placed, count=1),
    "all": partial(placed, count=None),
}


def _made(name: str) -> tuple[Any, Any, Any]:
    import importlib.util

    spec = importlib.util.spec_from_file_location(name, ROOT / "models" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    model = module.build()
    return model, *module.data(model, model.inputs[0].shape[0])


def _apart(name: str, part: str, steps: int) -> Any:
    """What a part says in a process of its own, or how that ended."""
    program = [sys.executable, __file__, f"--steps={steps}", f"--here={name}:{part}"]
    done = subprocess.run(program, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or ["without a word"])[-1][:300]}
    return json.loads(done.stdout.splitlines()[-1])


def _tell(name: str, found: dict[str, Any]) -> None:
    for part, facts in found.items():
        if "failed" in facts:
            print(f"{name} {part}: {facts['failed']}")
        elif part == "ops":
            print(f"{name}: op times are {facts['all']} x the roofline's; by type {facts['ratio']}")
        else:
            peaks = ", ".join(
                f"{held / 2**30:.2f} of {said / 2**30:.2f} GiB"
                for held, said in zip(facts["peak_bytes"], facts["promised_bytes"], strict=False)
            )
            print(
                f"{name} on {part}: {facts['step_us'] / 1e3:.1f} ms, promised {facts['promised_us'] / 1e3:.1f}; {peaks}"
            )


if __name__ == "__main__":
    raise SystemExit(main())
