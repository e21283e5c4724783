"""Ops to measure on a device: drawn over the sizes that training steps have, small enough for its memory."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from pardnn.cost.learned import convolution, product, vector
from pardnn.cost.learned.device import Column

LEAST = 0.01
"""Of the limits, what an op takes at least: shorter ones cannot be told from nothing."""
Rows = dict[str, Column]


def drawn(count: int, limit_bytes: int, limit_flops: float, rng: np.random.Generator) -> Mapping[str, Rows]:
    """Per family `count` ops of no more than so many bytes and operations, and no less than a share of one of these."""
    makers = {"product": _products, "convolution": _convolutions, "vector": _vectors}
    rules = {"product": product, "convolution": convolution, "vector": vector}
    found = {}
    for name, make in makers.items():
        rows = make(40 * count, rng)
        share = np.maximum(rules[name].bytes_of(rows) / limit_bytes, rules[name].flops_of(rows) / limit_flops)
        at = np.flatnonzero((share <= 1) & (share >= LEAST))[:count]
        found[name] = {column: values[at] for column, values in rows.items()}
    return found


def _sizes(count: int, low: int, high: int, rng: np.random.Generator) -> Column:
    """Whole numbers, as many of each order of magnitude."""
    return np.floor(np.exp(rng.uniform(np.log(low), np.log(high + 1), count)))


def _products(count: int, rng: np.random.Generator) -> Rows:
    batched = (rng.random(count) < 0.5).astype(np.float64)
    return {
        "batch": np.where(batched > 0, _sizes(count, 2, 256, rng), 1), "m": _sizes(count, 16, 4096, rng),
        "n": _sizes(count, 16, 4096, rng), "k": _sizes(count, 16, 4096, rng), "batched": batched,
    }  # fmt: skip


def _convolutions(count: int, rng: np.random.Generator) -> Rows:
    zeros, kernel = np.zeros(count), rng.choice([1.0, 3.0, 3.0, 5.0, 7.0], count)
    return {
        "batch": _sizes(count, 1, 64, rng), "size": np.maximum(_sizes(count, 7, 224, rng), kernel), "kernel": kernel,
        "stride": rng.choice([1.0, 1.0, 2.0], count), "channels_in": _sizes(count, 3, 512, rng),
        "channels_out": _sizes(count, 8, 512, rng), "same_padding": rng.choice([0.0, 1.0], count), "bias": zeros,
        "activation": zeros, "passes": zeros + 1, "slots": zeros, "optimiser": zeros, "session": zeros,
    }  # fmt: skip


def _vectors(count: int, rng: np.random.Generator) -> Rows:
    ops = np.array([vector.OPS.index(name) for name in ("add", "mul", "addu", "relu", "tanh", "softmax")], np.float64)
    return {"rows": _sizes(count, 16, 16384, rng), "width": _sizes(count, 16, 4096, rng), "op": rng.choice(ops, count)}
