"""Pictures of the same: predicted against measured, and timelines one above the other."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from scripts.truth.predict import Row


def scatter(rows: Sequence[Row], how: str, path: Path) -> None:
    """Predicted against measured, a point per model and plan."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6, 6))
    axes = figure.subplots()
    for held_out, mark in ((False, "o"), (True, "^")):
        some = [row for row in rows if row.model.held_out == held_out]
        label = "held out" if held_out else "tuning"
        axes.plot([1e3 * r.step for r in some], [1e3 * r.said(how) for r in some], mark, label=label, alpha=0.7)
    ends = [1e3 * min(row.step for row in rows), 1e3 * max(row.step for row in rows)]
    axes.plot(ends, ends, color="black", linewidth=1)
    for factor in (0.85, 1.15):
        axes.plot(ends, [factor * end for end in ends], color="grey", linewidth=0.5)
    axes.set(xscale="log", yscale="log", xlabel="measured step, ms", ylabel=f"predicted step ({how}), ms")
    axes.legend()
    figure.savefig(path, dpi=80)


def timelines(row: Row, metadata: Any, path: Path) -> None:
    """What each worker really ran over time, above what the schedule says."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9, 3.2))
    axes = figure.subplots()
    real = _events(metadata)
    said = [
        (int(device), begin / 1e6, (end - begin) / 1e6)
        for device, begin, end in zip(
            row.schedule.placement.tolist(),
            row.schedule.start_ns.tolist(),
            row.schedule.finish_ns.tolist(),
            strict=True,
        )
    ]
    for y, events in ((3, real), (0.5, said)):
        for device in range(2):
            bars = [(begin, max(length, 0.02)) for d, begin, length in events if d == device]
            axes.broken_barh(bars, (y + 1 - device, 0.8), alpha=0.5, linewidth=0)
    axes.set_yticks([0.9, 1.9, 3.4, 4.4], ["predicted 1", "predicted 0", "measured 1", "measured 0"])
    axes.set(xlabel="ms", title=f"{row.model.name}, {row.plan}")
    figure.tight_layout()
    figure.savefig(path, dpi=80)


def _events(metadata: Any) -> list[tuple[int, float, float]]:
    """(worker, begin, length) in milliseconds of every op."""
    found = []
    for device in metadata.step_stats.dev_stats:
        worker = int("task:1/" in device.device)
        for node in device.node_stats:
            if node.all_start_nanos and not node.node_name.startswith("_"):
                begin = node.all_start_nanos + node.op_start_rel_nanos
                found.append((worker, begin, node.op_end_rel_nanos - node.op_start_rel_nanos))
    first = min(begin for _, begin, _ in found)
    return [(worker, (begin - first) / 1e6, length / 1e6) for worker, begin, length in found]


def write(folder: Path, rows: Sequence[Row], how: str, shown: Sequence[tuple[str, str]]) -> None:
    """predicted.png, and MODEL.PLAN.png for those to be shown, into the folder."""
    from tensorflow.core.protobuf import config_pb2

    scatter(rows, how, folder / "predicted.png")
    for row in rows:
        if (row.model.name, row.plan) in shown:
            data = (folder / row.model.name / f"{row.plan}.0.pb").read_bytes()
            timelines(row, config_pb2.RunMetadata.FromString(data), folder / f"{row.model.name}.{row.plan}.png")
