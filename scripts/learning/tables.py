"""The published tables as columns: ops, devices, milliseconds; and how they are split, fixed before any fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.learned import convolution, vector
from pardnn.cost.learned.device import Column, Devices, devices

SEED = 20181130
"""Of the 80/10/10 split of tables that have none of their own."""

DEVICES: Mapping[str, tuple[float, ...]] = {
    name: (gflops * 1e6, gbytes * 1e6, cores, clock, cache * 1e6, watts)
    for name, gflops, gbytes, cores, clock, cache, watts in (
        # Data sheets, per GPU, boost clocks: GFLOP/s, GB/s, cores, MHz, MB of cache, W
        ("K40", 5040, 288, 2880, 875, 1.5, 235),
        ("K80", 4370, 240, 2496, 875, 1.5, 150),
        ("M60", 4825, 160, 2048, 1178, 2, 150),
        ("1080ti", 11340, 484, 3584, 1582, 2.75, 250),
        ("P100", 9340, 732, 3584, 1303, 4, 250),
        ("V100", 15670, 900, 5120, 1530, 6, 300),
        ("Tesla P4", 5699, 192, 2560, 1113, 2, 75),
        ("Tesla P100-PCIE-16GB", 9519, 732, 3584, 1328, 4, 250),
        ("Tesla V100-PCIE-32GB", 14029, 900, 5120, 1370, 6, 250),
        ("Tesla T4", 8141, 320, 2560, 1590, 4, 70),
        ("NVIDIA A100-PCIE-40GB", 19492, 1555, 6912, 1410, 40, 250),
        ("NVIDIA A100 80GB PCIe", 19492, 1935, 6912, 1410, 40, 300),
        ("NVIDIA H100 80GB HBM3", 66908, 3430, 16896, 1980, 50, 700),
        ("NVIDIA L4", 31334, 300, 7424, 2040, 48, 72),
    )
}
NAMES = tuple(DEVICES)
CHIPS: Mapping[str, tuple[str, ...]] = {
    "V100": ("V100", "Tesla V100-PCIE-32GB"), "P100": ("P100", "Tesla P100-PCIE-16GB"), "P4": ("Tesla P4",),
    "T4": ("Tesla T4",), "A100": ("NVIDIA A100-PCIE-40GB", "NVIDIA A100 80GB PCIe"), "K40": ("K40",), "K80": ("K80",),
    "M60": ("M60",), "1080ti": ("1080ti",),
}  # fmt: skip
"""One is left out as a whole: two editions of a chip are no strangers to each other."""


@dataclass(frozen=True, eq=False)
class Measured:
    """[r] ops of one family, where they ran, and how long."""

    rows: Mapping[str, Column]
    device: NDArray[np.intp]
    """Positions in NAMES."""
    ms: Column

    @property
    def devices(self) -> Devices:
        """The figures beside the rows."""
        return devices(list(DEVICES.values()), self.device)

    def take(self, at: NDArray[Any]) -> Measured:
        """Some rows."""
        return Measured({name: column[at] for name, column in self.rows.items()}, self.device[at], self.ms[at])

    def on(self, *names: str) -> NDArray[np.bool_]:
        """[r] the row ran on one of these."""
        return np.isin(self.device, [NAMES.index(name) for name in names])


def joined(parts: Sequence[Measured]) -> Measured:
    """One table after another."""
    rows = {name: np.concatenate([part.rows[name] for part in parts]) for name in parts[0].rows}
    return Measured(rows, np.concatenate([p.device for p in parts]), np.concatenate([p.ms for p in parts]))


def split(count: int, seed: int = SEED) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Rows to train on, to choose and calibrate with, and to test: 80 / 10 / 10 of them."""
    order = np.random.default_rng(seed).permutation(count)
    first, second = int(0.8 * count), int(0.9 * count)
    return order[:first], order[first:second], order[second:]


def justus(perf: Path) -> Measured:
    """The 130,208 convolution layers of batches below 33, in the order of the file."""
    import pandas as pd

    table = pd.read_parquet(perf / "justus2018" / "conv_raw.parquet")
    table = table[table.batchsize < 33]
    which = _positions(table.optimizer, convolution.OPTIMISERS)
    rows = {
        "batch": table.batchsize, "size": table.matsize, "kernel": table.kernelsize, "stride": table.strides,
        "channels_in": table.channels_in, "channels_out": table.channels_out, "same_padding": table.padding,
        "bias": table.use_bias, "activation": _positions(table.activation_fct, convolution.ACTIVATIONS),
        "passes": np.where(which > 0, 3, 1), "slots": np.take(convolution.SLOTS, which), "optimiser": which,
        "session": np.ones(len(table)),
    }  # fmt: skip
    return _measured(rows, table.gpu_model, table.timeUsed_median)


def neusight(perf: Path, file: str) -> Measured:
    """A table of NeuSight on NVIDIA's cards: linear and batched products, convolutions or vector ops."""
    import pandas as pd

    table = pd.read_parquet(perf / "neusight" / f"{file}.parquet")
    table = table[table.Device.isin(DEVICES)]
    ones = np.ones(len(table))
    if "K" in table:
        # Theirs: [B, M, K] = [B, M, N] x [B, N, K]
        rows = {"batch": table.B, "m": table.M, "n": table.K, "k": table.N, "batched": table.OPName == "bmm"}
    elif "Input_Size" in table:
        rows = {
            "batch": table.B, "size": table.Input_Size, "kernel": table.Kernel_Szie, "stride": table.Stride,
            "channels_in": table.Input_Channel, "channels_out": table.Output_Channel, "same_padding": ones,
            "bias": 0 * ones, "activation": 0 * ones, "passes": ones, "slots": 0 * ones, "optimiser": 0 * ones,
            "session": 0 * ones,
        }  # fmt: skip
    else:
        rows = {"rows": table.B, "width": table.H, "op": _positions(table.OPName, vector.OPS)}
    return _measured(rows, table.Device, table.Latency)


def _measured(rows: Mapping[str, Any], device: Any, ms: Any) -> Measured:
    columns = {name: np.asarray(column, np.float64) for name, column in rows.items()}
    return Measured(columns, _positions(device, NAMES), np.asarray(ms, np.float64))


def _positions(column: Any, names: Sequence[str]) -> NDArray[np.intp]:
    return np.array([names.index(str(value)) for value in column], np.intp)
