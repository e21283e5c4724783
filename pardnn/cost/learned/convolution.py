"""Convolutions as a network sees them: work, tiles, the sizes that Fourier's and Winograd's methods take, padding.

One row is a forward pass, or a training step of a layer (`passes` = 3: forward, both gradients; and the optimiser's
update of filter and input, as [1] measured it).

[1] Justus, Brennan, Bonner, McGough, Predicting the computational cost of deep learning models, 2018, arXiv 1811.11880.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.learned.device import Column, Devices
from pardnn.cost.learned.network import Floats

COLUMNS = (
    "batch", "size", "kernel", "stride", "channels_in", "channels_out", "same_padding", "bias", "activation", "passes",
    "slots", "optimiser", "session",
)  # fmt: skip
"""size: side of the square input; activation: 0 none, 1 relu, 2 tanh, 3 sigmoid; optimiser: 0 none, 1 to 6, see
OPTIMISERS; slots: tensors that it keeps beside each variable; session: 1 = timed as a TensorFlow 1 session that runs
nothing else, NHWC, with the transposes to NCHW and back."""
OPTIMISERS = ("None", "SGD", "Momentum", "Adagrad", "RMSProp", "Adam", "Adadelta")
SLOTS = (0, 0, 1, 1, 2, 2, 2)
ACTIVATIONS = ("None", "relu", "tanh", "sigmoid")
FEWEST = 0.25
"""Share of the multiplications of the definition that the cleverest method makes (Winograd F(4x4, 3x3), Fourier)."""
SESSION_MS = 0.12
"""What a session costs that runs one small op: near the least time in the table, 0.140 ms."""
RANGE = (1, 2, 3, 4, 5, 6)
"""Positions of the features that bound what is predicted: size, kernel, stride, channels in and out, work."""
OPEN_ABOVE = (6,)
"""Those of them that may be larger: a large op's utilisation no longer changes."""


def least_ms(rows: Mapping[str, Column], device: Devices) -> Column:
    """[r] the roofline at its peaks, which no prediction undercuts."""
    least = np.where(rows["kernel"] > 1, FEWEST, 1.0)
    return np.maximum(least * flops_of(rows) / device.flops, bytes_of(rows) / device.bandwidth)


def overhead_ms(rows: Mapping[str, Column]) -> Column:
    """[r] what is not the op's own: the session around it, or the start of a kernel."""
    return np.where(rows["session"] > 0, SESSION_MS, 0.004)


def features(rows: Mapping[str, Column], device: Devices) -> Floats:
    """[r, f]."""
    b, m, k, s = rows["batch"], rows["size"], rows["kernel"], rows["stride"]
    i, o, out = rows["channels_in"], rows["channels_out"], _out(rows)
    pad = np.where(rows["same_padding"] > 0, np.maximum((out - 1) * s + k - m, 0), 0)
    work, traffic = flops_of(rows) / device.flops, bytes_of(rows) / device.bandwidth
    log = np.log
    columns: list[NDArray[Any]] = [
        log(b), log(m), log(k), log(s), log(i), log(o), log(work), log(out), log(traffic), log(work / traffic),
        log(b * out**2), log(k * k * i), log(b * m * m * i), log(b * out**2 * o), log(k * k * i * o),
        log(b * m * m * i / device.bandwidth), log(b * out**2 * o / device.bandwidth),
        log(b * m * m * i / device.cache), m / 256, b / 16, pad, pad % 2, pad > 0,
        pad % 2 * log(b * m * m * i / bytes_of(rows)),
        rows["same_padding"], rows["bias"], rows["passes"] > 1, rows["session"],
    ]  # fmt: skip
    columns += _fourier(rows, m + pad, out, work * device.flops / rows["passes"])
    columns += [k == side for side in range(1, 8)] + [s == step for step in range(1, 5)]
    for size, steps in (
        (i, (2, 4, 8, 16, 32)),
        (o, (2, 4, 8, 16, 32)),
        (out, (2, 4, 8)),
        (m + pad, (2, 4, 8)),
        (i * k * k, (4, 8)),
    ):
        columns += [size % step == 0 for step in steps]
    for size, tiles in ((o, (32, 64, 128)), (i, (32, 64, 128))):
        columns += [np.ceil(size / tile) * tile / size - 1 for tile in tiles]
    columns += [np.minimum(i, 8) / 8, np.minimum(o, 8) / 8, i == 1, o == 1]
    columns += [log(np.ceil(b * out**2 / 128) * np.ceil(o / 64) / device.cores)]
    columns += [rows["optimiser"] == which for which in range(len(OPTIMISERS))]
    columns += [rows["activation"] == which for which in (1, 2, 3)]
    return np.stack([np.asarray(c, np.float32) for c in (*columns, *device.features())], 1)


def _fourier(rows: Mapping[str, Column], padded: Column, out: Column, flops: Column) -> list[NDArray[Any]]:
    """Whether cuDNN's Fourier methods, of the whole image or of tiles of 32, pay and fit in the scratch allowed."""
    b, i, o, k = rows["batch"], rows["channels_in"], rows["channels_out"], rows["kernel"]
    maps = b * i + b * o + i * o
    side = 2.0 ** np.ceil(np.log2(np.maximum(padded, 8)))
    whole = maps * 5 * side**2 * np.log2(side) + 4 * b * i * o * side**2
    scratch = 8 * side * (side / 2 + 1) * maps
    tiles = np.ceil(out / np.maximum(33 - k, 1)) ** 2
    pieces = b * (i + o) * tiles + i * o
    tiled, tiled_scratch = pieces * 1024 * 25 + 4 * b * i * o * tiles * 1024, 8 * 32 * 17 * pieces
    return [
        padded / 256, padded <= 256, np.log(side / padded), np.log(whole / flops), np.log(scratch),
        np.log(tiled / flops), np.log(tiled_scratch), padded <= 32, scratch > 2**32, tiled_scratch > 2**32,
    ]  # fmt: skip


def _out(rows: Mapping[str, Column]) -> Column:
    """[r] side of the output."""
    size, kernel, stride = rows["size"], rows["kernel"], rows["stride"]
    valid = np.ceil((size - kernel + 1) / stride)
    return np.maximum(np.where(rows["same_padding"] > 0, np.ceil(size / stride), valid), 1)


def flops_of(rows: Mapping[str, Column]) -> Column:
    """[r] operations; a multiply-add is two."""
    taps = rows["kernel"] ** 2 * rows["channels_in"] * rows["channels_out"]
    return 2 * rows["batch"] * _out(rows) ** 2 * taps * rows["passes"]


def bytes_of(rows: Mapping[str, Column]) -> Column:
    """[r] bytes that are read and written at least: tensors of each pass, of activation and update."""
    taken = 4 * rows["batch"] * rows["size"] ** 2 * rows["channels_in"]
    given = 4 * rows["batch"] * _out(rows) ** 2 * rows["channels_out"]
    filters = 4 * rows["kernel"] ** 2 * rows["channels_in"] * rows["channels_out"]
    training = rows["passes"] > 1
    update = np.where(training, (taken + filters) * (3 + 2 * rows["slots"]), 0)
    return (
        (taken + given + filters) * rows["passes"]
        + np.where(rows["activation"] > 0, 2 * given * (1 + training), 0)
        + update
    )
