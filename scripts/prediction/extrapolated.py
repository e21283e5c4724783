"""Links beyond what was measured: SimAI's bus bandwidths of 8 to 128 hosts from those of 2 and 4 hosts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pandas as pd

from pardnn.machines.curve import Curve
from pardnn.machines.wires import Group, Wire, Wires
from scripts.prediction.figures import Figure, Table

_GPUS = 8
_KNOWN = (2, 4)
_RATE = 50e9
"""Bytes a second of a GPU's own network card at its best; relative errors do not depend on it."""


def extrapolated(perf: Path) -> Iterator[Figure | Table]:
    """By hosts: how far the time is off that rounds as long as in the largest known group make."""
    frame = pd.read_csv(perf / "simai" / "nic_ratio.csv")
    columns = dict(zip((2, 4, 8, 16, 32, 64, 128), frame.columns[2:9], strict=True))
    sizes = frame["Size"].to_numpy()

    def ns(hosts: int) -> np.ndarray:
        n = hosts * _GPUS
        told: np.ndarray = 2 * (n - 1) / n * sizes / (_RATE * frame[columns[hosts]].to_numpy()) * 1e9
        return told

    known = tuple(
        Group(hosts, _GPUS, Curve.of(list(zip(sizes.tolist(), ns(hosts).tolist(), strict=True)))) for hosts in _KNOWN
    )
    wire = Wire(0, 10**9)
    wires = Wires("SimAI", "", wire, wire, all_reduce=known)
    rows, every = [], []
    for hosts in columns:
        if hosts not in _KNOWN:
            told = np.array([wires.all_reduce_ns(hosts, _GPUS, int(size)) for size in sizes], float)
            off = told / ns(hosts) - 1
            every.append(np.abs(off))
            rows.append((f"{hosts} x 8", *(100 * float(f(off)) for f in (np.median, np.min, np.max))))
    yield Table("SimAI, all-reduce from 2 and 4 hosts, error in %, signed", ("hosts", "median", "least", "most"), rows)
    pooled = 100 * np.concatenate(every)
    yield Figure(f"SimAI, {len(pooled)} times of 64 to 1,024 GPUs from 16 and 32: median", float(np.median(pooled)))
    yield Figure("the same: worst", float(pooled.max()))
