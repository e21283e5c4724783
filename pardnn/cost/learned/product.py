"""Matrix products as a network sees them: [batch] x [m, n] from sums over k."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pardnn.cost.learned.device import Column, Devices
from pardnn.cost.learned.network import Floats

COLUMNS = ("batch", "m", "n", "k", "batched")
"""batched: 1 = a product of stacks of matrices, 0 = a linear layer, whose batch is 1."""
LAUNCH_MS = 0.004
RANGE = (0, 1)
"""Positions of the features that bound what is predicted: work and traffic in time on the device."""
OPEN_ABOVE = (0, 1)
"""A large op's utilisation no longer changes."""
_TILES = ((128, 128), (64, 64), (32, 32), (128, 64), (256, 128))


def least_ms(rows: Mapping[str, Column], device: Devices) -> Column:
    """[r] the roofline at its peaks, which no prediction undercuts."""
    return np.maximum(flops_of(rows) / device.flops, bytes_of(rows) / device.bandwidth)


def overhead_ms(rows: Mapping[str, Column]) -> Column:
    """[r] the start of a kernel."""
    return np.full(len(rows["m"]), LAUNCH_MS)


def features(rows: Mapping[str, Column], device: Devices) -> Floats:
    """[r, f]. Sizes count in time on the device, in tiles per core and in caches: one device is then like another."""
    b, m, n, k = rows["batch"], rows["m"], rows["n"], rows["k"]
    work, traffic = flops_of(rows) / device.flops, bytes_of(rows) / device.bandwidth
    log = np.log
    smaller, larger = np.minimum(m, n), np.maximum(m, n)
    columns: list[Column] = [
        log(work), log(traffic), log(work / traffic), rows["batched"], log(k), log(smaller), log(larger), log(n / m),
        log(b), log(4 * m * k / device.cache), log(4 * n * k / device.cache), log(4 * m * n / device.cache),
        log(bytes_of(rows) / device.cache),
    ]  # fmt: skip
    units = device.cores / 64
    for high, wide in _TILES:
        tiles = b * np.ceil(m / high) * np.ceil(n / wide)
        filled = m * n * b / (tiles * high * wide)
        waves = tiles / units
        columns += [log(waves), log(filled), waves / np.ceil(waves), np.minimum(waves, 4)]
    for size in (m, n, k):
        columns += [size % step == 0 for step in (2, 4, 8, 32, 128)]
    figures = device.features()
    return np.stack([np.asarray(c, np.float32) for c in (*columns, *figures)], 1)


def flops_of(rows: Mapping[str, Column]) -> Column:
    """[r] operations; a multiply-add is two."""
    return 2 * rows["batch"] * rows["m"] * rows["n"] * rows["k"]


def bytes_of(rows: Mapping[str, Column]) -> Column:
    """[r] of both factors and the product."""
    m, n, k = rows["m"], rows["n"], rows["k"]
    return 4 * rows["batch"] * (m * k + k * n + m * n)
