"""Learned op costs: the tables of Justus et al. and NeuSight, rows and devices that training never saw.

What is printed is computed here from the shipped networks, those of scripts/learning (left_out.npz: trained without one
device each; paper.npz: the paper's own architecture) and the test parts. scripts/train_learned.py made them.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from pardnn.cost.learned import layer, product, store, vector
from pardnn.cost.learned.device import Column
from pardnn.cost.learned.family import Family, Prediction
from scripts.learning import paper
from scripts.learning.roofline import as_shipped, at_peaks
from scripts.learning.tables import NAMES, Measured, justus, neusight, split
from scripts.prediction.figures import Figure, Table

_LEARNING = Path(__file__).resolve().parent.parent / "learning"
LINEAR, BATCHED = "linear", "batched"


def report(perf: Path) -> Iterator[Figure | Table | str]:
    """Every figure that the issue asks for."""
    families = store.load(store.SHIPPED)
    left_out = store.load(_LEARNING / "left_out.npz")
    yield from _justus(justus(perf), families["convolution"], left_out)
    yield from _neusight(perf, families)
    yield from _speed(families)


def mape(predicted: Column, measured: Column) -> float:
    """Mean absolute error, in per cent of the measured."""
    return float(100 * np.mean(np.abs(predicted / measured - 1))) if len(measured) else float("nan")


def rmse(predicted: Column, measured: Column) -> float:
    """Root of the mean squared error."""
    return float(np.sqrt(np.mean((predicted - measured) ** 2)))


def held(said: Prediction, ms: Column) -> float:
    """Per cent of the rows that the band holds."""
    ratio = ms / said.ms
    return float(100 * np.mean((ratio >= said.low) & (ratio <= said.high)))


def _justus(table: Measured, family: Family, left_out: dict[str, Family]) -> Iterator[Figure | Table | str]:
    test = table.take(split(len(table.ms))[2])
    said = family.predict(test.rows, test.devices)
    yield f"Justus: {len(table.ms):,} rows, {len(test.ms):,} of them test"
    yield Figure("Justus, test: RMSE", rmse(said.ms, test.ms), "ms", mark=3.66, stretch=3.0)
    yield Figure("Justus, test: MAPE", mape(said.ms, test.ms), mark=8.0)
    yield Figure("Justus, test: median error", float(100 * np.median(np.abs(said.ms / test.ms - 1))))
    yield Figure("Justus, test: rows within the 90 % band", held(said, test.ms), mark=90.0, better="more")
    rows: list[tuple[object, ...]] = []
    if (_LEARNING / "paper.npz").exists():
        own = paper.predict(paper.load((_LEARNING / "paper.npz").read_bytes()), test)
        rows.append((f"its own network, {paper.EPOCHS} epochs here", rmse(own, test.ms), mape(own, test.ms)))
    rows += [
        ("its own network, as published", 3.66, 10.9),
        ("ours", rmse(said.ms, test.ms), mape(said.ms, test.ms)),
        ("roofline at the peaks", rmse(at_peaks(test), test.ms), mape(at_peaks(test), test.ms)),
    ]
    yield Table("all six GPUs, test part", ("model", "RMSE ms", "MAPE %"), rows)
    rows = []
    for name in ("V100", "P100", "1080ti", "M60", "K40", "K80"):
        unseen = table.take(table.on(name))
        alone = left_out[f"convolution.{name}"]
        found = alone.predict(unseen.rows, unseen.devices)
        rows.append(
            (name, len(unseen.ms), rmse(found.ms, unseen.ms), mape(found.ms, unseen.ms), held(found, unseen.ms))
        )
        if name == "V100":
            yield Figure(
                "Justus, V100 left out: MAPE of all its rows", mape(found.ms, unseen.ms), mark=30.0, stretch=25.0
            )
    yield Table("one GPU left out of training", ("GPU", "rows", "RMSE ms", "MAPE %", "in band %"), rows)


def _neusight(perf: Path, families: dict[str, Family]) -> Iterator[Figure | Table | str]:
    everything: list[tuple[Prediction, Column]] = []
    below = outside = rows = 0
    for kind, name, tables in (
        (LINEAR, "product", [neusight(perf, "test_linear")]),
        (BATCHED, "product", [neusight(perf, "test_bmm")]),
        ("vector", "vector", [neusight(perf, "test_vec")]),
    ):
        family = families[name]
        for table in tables:
            said = family.predict(table.rows, table.devices)
            everything.append((said, table.ms))
            rows += len(table.ms)
            below += int((said.ms < at_peaks(table)).sum())
            outside += int((~said.inside).sum())
            lines = list(_lines(kind, table, said))
            yield Table(
                f"NeuSight, test rows: {kind}",
                ("device", "rows", "MAPE %", "peaks %", "pardnn's %", "in band %"),
                lines,
            )
            won = [
                line
                for line in lines
                if isinstance(line[2], float) and isinstance(line[3], float) and line[2] < line[3]
            ]
            yield Figure(
                f"{kind}: devices and kinds better than the roofline at the peaks",
                100 * len(won) / len(lines),
                mark=100,
                better="more",
            )
            ours = [
                line
                for line in lines
                if isinstance(line[2], float) and isinstance(line[4], float) and line[2] < line[4]
            ]
            yield Figure(
                f"{kind}: better than pardnn's own roofline, tuned to such tables", 100 * len(ours) / len(lines)
            )
            if kind in (LINEAR, BATCHED):
                h100 = table.on("NVIDIA H100 80GB HBM3")
                yield Figure(f"{kind} on H100, unseen: MAPE", mape(said.ms[h100], table.ms[h100]), mark=20.0)
    inside = [held(said, ms) * len(ms) for said, ms in everything]
    yield Figure("NeuSight: test rows within the 90 % band", sum(inside) / rows, mark=90.0, better="more")
    yield Figure("NeuSight: predictions below the roofline", float(below), "rows", mark=0.0)
    yield f"outside of the training range, by roofline and saying so: {outside} of {rows} rows"


def _lines(kind: str, table: Measured, said: Prediction) -> Iterator[tuple[object, ...]]:
    """Per device, and op where there are several."""
    ops = table.rows.get("op", np.zeros(len(table.ms)))
    for op in sorted(set(ops.tolist())):
        for device in sorted(set(table.device.tolist())):
            at = np.flatnonzero((table.device == device) & (ops == op))
            if not len(at):
                continue
            part, ms = table.take(at), table.ms[at]
            here = Prediction(said.ms[at], said.low[at], said.high[at], said.inside[at])
            name = NAMES[device] + (f", {vector.OPS[int(op)]}" if kind == "vector" else "")
            yield name, len(at), mape(here.ms, ms), mape(at_peaks(part), ms), mape(as_shipped(part), ms), held(here, ms)


def _speed(families: dict[str, Family]) -> Iterator[Figure]:
    """200,000 ops, none like another: of 20, 14 vector ops, 4 products, a convolution and a gradient of one."""
    rng = np.random.default_rng(0)
    from pardnn.cost.learned.device import devices, figures
    from pardnn.machines.card import load_card

    card = figures(load_card("v100"))

    def drawn(count: int, *spans: tuple[int, int]) -> list[Column]:
        return [rng.integers(low, high, count).astype(np.float64) for low, high in spans]

    vectors = dict(zip(vector.COLUMNS, drawn(140_000, (1, 16_000), (1, 4_000), (0, len(vector.OPS))), strict=True))
    products = dict(
        zip(product.COLUMNS, drawn(40_000, (1, 64), (8, 2_000), (8, 2_000), (8, 2_000), (0, 2)), strict=True)
    )
    names = ("batch", "size", "kernel", "stride", "channels_in", "channels_out", "same_padding")
    spans = ((1, 64), (8, 224), (1, 7), (1, 3), (1, 512), (1, 512), (0, 2))
    taps = dict(zip(names, drawn(20_000, *spans), strict=True))
    taps |= {name: np.zeros(20_000) for name in ("bias", "activation", "slots", "optimiser", "session")} | {
        "passes": np.ones(20_000)
    }
    took = []
    for _ in range(5):
        start = time.process_time()
        for name, columns in (("vector", vectors), ("product", products)):
            count = len(next(iter(columns.values())))
            families[name].predict(columns, devices([card], np.zeros(count, np.intp)))
        for way, half in ((layer.forward, slice(10_000)), (layer.gradient, slice(10_000, None))):
            part = {column: values[half] for column, values in taps.items()}
            way(families["convolution"], part, devices([card], np.zeros(10_000, np.intp)))
        took.append(time.process_time() - start)
    yield Figure("predicting 200,000 unlike ops: time of a processor", min(took), "s", mark=1.0)
