"""Tables of runs whose law is known."""

from __future__ import annotations

import itertools

import numpy as np

LAYERS, GPUS, BATCHES, CARDS = (2, 4, 8), (1, 2, 4), (8, 16, 64), ("k80", "v100")


def law(layers: float, gpus: float, batch: float, card: str) -> float:
    """2 + layers^1.1 batch^0.9 / gpus, half of the product on a v100."""
    return float(2 + layers**1.1 * batch**0.9 / gpus * (0.5 if card == "v100" else 1))


def runs(noise: float = 0.0, seed: int = 0) -> str:
    """A CSV of 54 runs by that law, each off by up to `noise` of it."""
    rng = np.random.default_rng(seed)
    lines = ["layers,gpus,batch,card,time"]
    for layers, gpus, batch, card in itertools.product(LAYERS, GPUS, BATCHES, CARDS):
        time = law(layers, gpus, batch, card) * (1 + rng.uniform(-noise, noise))
        lines.append(f"{layers},{gpus},{batch},{card},{time:.6f}")
    return "\n".join(lines) + "\n"
