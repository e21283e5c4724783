"""Scaling: measured data-parallel steps beside `pardnn scale`'s, and times read off measured tables of links.

Nothing is fitted to a row that is predicted. vTrain has no run on one GPU: what a layer, the rest of the network and
the update take is fitted, for each width and micro-batch, to its runs with pipelines alone (no data parallelism). All
of its data-parallel runs are predicted. NeuSight's steps on one GPU give the times of the same step on four.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import nnls

from pardnn.distribute.policy import Policy
from pardnn.machines.spec import load_machine
from pardnn.machines.wires import Wires, load_wires
from scripts.prediction.extrapolated import extrapolated
from scripts.prediction.figures import Figure, Table
from scripts.prediction.layered import Part, replica, step_ms
from scripts.prediction.links import link_report

WORST, MEDIAN = 11.0, 5.0
SECONDS = 10.0
_VTRAIN = {
    "# GPUs": "gpus", "global batch": "batch", "micro batch": "micro", "hidden size": "h", "# layers": "layers",
    "sequence length": "s", "tensor parallelism": "t", "data parallelism": "d", "pipeline parallelism": "p",
    "iteration time (ms)": "ms",
}  # fmt: skip
_VOCABULARY = 51_200
"""Megatron's, padded."""
_HALF, _SINGLE = 2, 4
_MEGATRON = Policy(fusion_bytes=500_000_000)
"""DeepSpeed's bucket."""
_TORCH = Policy(fusion_bytes=25 * 2**20)
"""DistributedDataParallel's."""
_GPT2_LARGE = {"layers": 36, "h": 1280, "vocabulary": 50_257, "positions": 1024}


@dataclass(frozen=True)
class Fitted:
    """What one GPU takes, in milliseconds: a layer and all else, forward and backward of a micro-batch; a parameter."""

    layer: float
    rest: float
    update: float
    off: float
    """Mean error on the rows it was fitted to."""


def report(perf: Path) -> Iterator[Figure | Table | str]:
    """Data-parallel steps, then links, then how long 1,024 workers take to simulate."""
    yield from _steps(perf)
    yield from link_report(perf)
    yield from extrapolated(perf)
    yield from _speed()


def _steps(perf: Path) -> Iterator[Figure | Table | str]:
    rows = vtrain(perf)
    overlapped, after = (vtrain_errors(rows, overlap) for overlap in (True, False))
    costs = fitted(rows, load_wires("a100-nvswitch", load_machine("dgx-a100")))
    yield Table(
        "vTrain, one GPU, from pipelines alone: milliseconds",
        ("width, micro-batch", "layer", "rest", "update", "off %"),
        [
            (f"{h}, {micro}", cost.layer, cost.rest, cost.update * sum(parameters(h, 12, 1024)), 100 * cost.off)
            for (h, micro), cost in sorted(costs.items())
        ],
    )  # fmt: skip
    yield f"vTrain: {len(overlapped)} data-parallel runs (tensor = pipeline = 1), costs from runs with pipelines alone"
    yield Table(
        "  error in %, signed", ("gpus", "runs", "median", "least", "most"),
        [
            (d, len(off), *(100 * float(f(off)) for f in (np.median, np.min, np.max)))
            for d in (2, 4, 8) for off in [overlapped[overlapped.d == d].off]
        ],
    )  # fmt: skip
    table, whole, least = neusight(perf)
    yield table
    ours = 100 * np.abs(overlapped.off.to_numpy())
    every, also = (np.concatenate([ours, 100 * np.abs(off)]) for off in (whole, least))
    yield Figure(f"vTrain's {len(ours)}: worst", float(ours.max()), mark=WORST)
    yield Figure("vTrain's: median", float(np.median(ours)), mark=MEDIAN)
    yield Figure("vTrain's: worst, with nothing overlapped", 100 * float(after.off.abs().max()))
    yield Figure("vTrain's: median, with nothing overlapped", 100 * float(after.off.abs().median()))
    yield Figure("NeuSight's dp4, costs of whole steps on one GPU: worst", 100 * float(np.abs(whole).max()), mark=WORST)
    yield Figure("NeuSight's dp4, of each phase the less of step and ops: worst", 100 * float(np.abs(least).max()))
    yield Figure(f"all {len(every)}: worst", float(every.max()), mark=WORST)
    yield Figure(f"all {len(every)}: median", float(np.median(every)), mark=MEDIAN)
    yield Figure(f"all {len(every)}, with that less: worst", float(also.max()))


def vtrain(perf: Path) -> pd.DataFrame:
    """The runs on one host without tensor parallelism; `k` micro-batches follow each other in a step."""
    rows = pd.read_csv(perf / "vtrain" / "ground_truth_single.csv").rename(columns=_VTRAIN)
    rows = rows[rows.t == 1].copy()
    rows["k"] = rows.batch // (rows.d * rows.micro)
    return rows


def parameters(h: int, layers: int, s: int) -> tuple[int, int]:
    """Of one layer of a GPT, and of what is not in layers."""
    return 12 * h * h + 13 * h, (_VOCABULARY + s + 2) * h


def fitted(rows: pd.DataFrame, wires: Wires) -> dict[tuple[int, int], Fitted]:
    """By width and micro-batch, from the pipelines of one GPU a stage: least squares of relative errors.

    A step of k micro-batches takes the slowest stage, the last with the output layer, k - 1 times and every stage once;
    then its parameters are updated and the two copies of the embedding summed up.
    """
    found = {}
    for (h, micro), those in rows[(rows.d == 1) & (rows.p > 1)].groupby(["h", "micro"]):
        design, sync = [], []
        for row in those.itertuples():
            layer, rest = parameters(h, row.layers, row.s)
            stage = row.layers / row.p
            design.append([(row.k - 1) * stage + row.layers, row.k, stage * layer + rest])
            embedding = wires.all_reduce_ns(1, 2, _HALF * rest)
            assert embedding is not None
            sync.append(embedding / 1e6)
        ms, columns = those.ms.to_numpy(), np.array(design)
        told, _ = nnls(columns / ms[:, None], (ms - sync) / ms)
        off = np.abs(columns @ told + sync - ms) / ms
        found[int(h), int(micro)] = Fitted(float(told[0]), float(told[1]), float(told[2]), float(off.mean()))
    return found


def vtrain_errors(rows: pd.DataFrame, overlap: bool = True) -> pd.DataFrame:
    """The data-parallel runs with `off`, the signed relative error of what is simulated."""
    wires = load_wires("a100-nvswitch", load_machine("dgx-a100"))
    costs = fitted(rows, wires)
    test = rows[(rows.p == 1) & (rows.d > 1)].copy()
    policy = Policy(overlap, _MEGATRON.fusion_bytes)
    told = [vtrain_step_ms(row, costs[row.h, row.micro], wires, policy) for row in test.itertuples()]
    return test.assign(told=told, off=np.array(told) / test.ms.to_numpy() - 1)


def vtrain_step_ms(row: object, cost: Fitted, wires: Wires, policy: Policy) -> float:
    """One run: k - 1 micro-batches, then one whose gradients are synchronised; half-precision gradients."""
    h, layers, s, k, d = (int(getattr(row, name)) for name in ("h", "layers", "s", "k", "d"))
    layer, rest = parameters(h, layers, s)
    body = Part(1e6 * cost.layer / 3, 2e6 * cost.layer / 3, 1e6 * cost.update * layer, _HALF * layer)
    head = Part(1e6 * cost.rest / 3, 2e6 * cost.rest / 3, 0, 0)
    embedding = Part(0, 0, 1e6 * cost.update * rest, _HALF * rest)  # tied to the head: its gradient is there last
    before = (k - 1) * 1e6 * (layers * cost.layer + cost.rest)
    return step_ms(replica([embedding, *[body] * layers, head], before), d, wires, policy)


def neusight(perf: Path) -> tuple[Table, np.ndarray, np.ndarray]:
    """GPT-2 large on four GPUs: errors with costs of whole steps, and with the less of these and of single ops."""
    labels = pd.read_csv(perf / "neusight" / "e2e_labels.csv")
    train = labels[(labels["mode"] == "train") & (labels.model == "gpt2_large")]
    cards = {
        "NVIDIA_A100-SXM4-40GB": ("NVIDIA_A100_80GB_PCIe", "a100-nvswitch", "dgx-a100"),
        "NVIDIA_H100_80GB_HBM3": ("NVIDIA_H100_80GB_HBM3", "h100-nvswitch", "dgx-h100"),
    }
    rows, whole, least = [], [], []
    for row in train[train.option == "dp4"].itertuples():
        card, link, machine = cards[row.device]
        of_one = train[(train.device == card) & train.option.isna() & (train.batch == row.batch // 4)].iloc[0]
        steps = (float(of_one.fw_latency), float(of_one.bwall_latency))
        ops = op_sums(perf, card, row.batch // 4)
        wires = load_wires(link, load_machine(machine))
        less = (min(steps[0], ops[0]), min(steps[1], ops[1]))
        told = [_gpt2_ms(forward, backward, wires) for forward, backward in (steps, less)]
        off = [ms / row.e2e_latency - 1 for ms in told]
        whole.append(off[0])
        least.append(off[1])
        rows.append((
            row.device, row.batch, sum(steps), sum(ops), row.e2e_latency, told[0], 100 * off[0], told[1], 100 * off[1],
        ))  # fmt: skip
    heads = (
        "NeuSight, GPT-2 large dp4",
        "batch",
        "one GPU",
        "its ops",
        "measured",
        "told",
        "off %",
        "with the less",
        "off %",
    )
    return (
        Table("milliseconds; the A100's costs are another card's (PCIe, 80 GB)", heads, rows),
        np.array(whole),
        np.array(least),
    )


def op_sums(perf: Path, card: str, batch: int) -> tuple[float, float]:
    """Forward and backward of single ops added up: the table has one layer, which the model has many times."""
    ops = pd.read_parquet(perf / "neusight" / "label_op_traces.parquet")
    ops = ops[(ops.device == card) & (ops.model == "gpt2_large") & (ops["mode"] == "train") & (ops.batch == batch)]
    inside = np.flatnonzero(ops.Name.str.contains("_h_0_"))
    times = np.ones(len(ops))
    times[inside[0] : inside[-1] + 2] = _GPT2_LARGE["layers"]  # the last is the sum with what went round the layer
    return float(times @ ops.fw_latency), float(times @ (ops.bw_latency + ops.acc_latency))


def _gpt2_ms(forward_ms: float, backward_ms: float, wires: Wires) -> float:
    """A step without update on four GPUs; layers and head share the times by their multiplications."""
    h, layers, vocabulary = (_GPT2_LARGE[name] for name in ("h", "layers", "vocabulary"))
    s = _GPT2_LARGE["positions"]
    layer, head = 12 * h * h + 2 * s * h, vocabulary * h
    share = layer / (layers * layer + head)
    body = Part(1e6 * forward_ms * share, 1e6 * backward_ms * share, 0, _SINGLE * (12 * h * h + 13 * h))
    last = 1 - layers * share
    top = Part(1e6 * forward_ms * last, 1e6 * backward_ms * last, 0, 0)
    embedding = Part(0, 0, 0, _SINGLE * (vocabulary + s) * h)
    return step_ms(replica([embedding, *[body] * layers, top]), 4, wires, _TORCH)


def _speed() -> Iterator[Figure | str]:
    """1, 2, 4, ... 1,024 workers for a step of 10,000 ops, gradients one by one and fused."""
    part = Part(1e5, 2e5, 1e4, 4_000_000)
    one = replica([part] * 3333)
    wires = load_wires("a100-nvswitch", load_machine("dgx-a100"))
    for fusion in (0, 64_000_000):
        step_ms(one, 2, wires, Policy(fusion_bytes=fusion))  # compiles
        began = time.process_time()
        for exponent in range(11):
            step_ms(one, 2**exponent, wires, Policy(fusion_bytes=fusion))
        took = time.process_time() - began
        said = "one by one" if not fusion else "fused"
        yield Figure(
            f"11 numbers of workers up to 1,024, {one.workload.dag.n} ops, gradients {said}", took, "s", SECONDS
        )
