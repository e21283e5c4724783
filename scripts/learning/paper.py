"""The network of the paper, for comparison: its features, layers, loss and steps; fewer epochs than its 300.

[1] Justus, Brennan, Bonner, McGough, 2018, arXiv 1811.11880: convolution features, ReLU 32-64-128-128-128-128, dropout
0.2 after the last, L2 of 1e-5, one rectified output, mean squared error of log(1 + t), Adam with epsilon 0.1 and rate
0.1, batches of 128, the rate halved every 40 of 300 epochs. Differs from [1]: EPOCHS, the rate halved as often in all.
"""

from __future__ import annotations

import io

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.learned.convolution import ACTIVATIONS, OPTIMISERS
from pardnn.cost.learned.device import Column
from pardnn.cost.learned.network import Floats, Network, initial
from pardnn.cost.learned.training import Recipe, train
from scripts.learning.tables import Measured, split

EPOCHS = 30
_HALVED = 7


def features(table: Measured) -> Floats:
    """[r, f] as in [1]."""
    rows = table.rows
    columns: list[Column] = [
        rows["batch"], rows["size"] ** 2, rows["kernel"] ** 2, rows["channels_in"], rows["channels_out"],
        rows["same_padding"], rows["stride"], rows["bias"],
    ]  # fmt: skip
    columns += [rows["optimiser"] == which for which in range(1, len(OPTIMISERS))]
    columns += [rows["activation"] == which for which in range(1, len(ACTIVATIONS))]
    device = table.devices
    columns += [device.bandwidth, device.cores, device.clock_mhz]
    return np.stack([np.asarray(c, np.float32) for c in columns], 1)


def predict(network: Network, table: Measured) -> Column:
    """[r] ms."""
    return np.asarray(np.expm1(np.maximum(network(features(table)).astype(np.float64), 0)))


def trained(table: Measured, share: float = 1.0) -> Network:
    """The network, on the training part."""
    rows = table.take(split(len(table.ms))[0])
    x, y = features(rows), np.log1p(rows.ms).astype(np.float32)

    def loss(out: Floats, at: NDArray[np.intp]) -> tuple[float, Floats]:
        error = np.maximum(out, 0) - y[at]
        # A rectified output that is 0 everywhere would learn nothing: a little of the slope stays.
        return float(np.mean(error**2)), np.asarray(2 * error * np.where(out > 0, 1, 0.1) / len(at), np.float32)

    epochs = max(1, round(EPOCHS * share))
    recipe = Recipe(
        epochs,
        batch=128,
        rate=0.1,
        decay=0,
        epsilon=0.1,
        halve_every=max(1, epochs // _HALVED),
        penalty=1e-5,
        dropout=0.2,
    )
    start = initial(x, (32, 64, 128, 128, 128, 128), np.random.default_rng(0))
    return train(start, x, loss, recipe, np.random.default_rng(1))


def save(network: Network) -> bytes:
    """The network as a file of plain arrays."""
    content = io.BytesIO()
    pairs = enumerate(zip(network.weights, network.biases, strict=True))
    layers = {f"{kind}{i}": value for i, pair in pairs for kind, value in zip("wb", pair, strict=True)}
    np.savez_compressed(content, shift=network.shift, scale=network.scale, **layers)  # type: ignore[arg-type]
    return content.getvalue()


def load(content: bytes) -> Network:
    """The network of such a file."""
    with np.load(io.BytesIO(content), allow_pickle=False) as file:
        count = sum(key.startswith("w") for key in file.files)
        weights, biases = (tuple(file[f"{kind}{i}"] for i in range(count)) for kind in "wb")
        return Network(file["shift"], file["scale"], weights, biases)
