"""Training by Adam on the loss of a head: no framework, so that a device can be learned wherever the package runs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from pardnn.cost.learned.network import Floats, Network

Loss = Callable[[Floats, NDArray[np.intp]], tuple[float, Floats]]
"""(what the network says of the rows, which rows) -> (mean loss, its derivative by each of these)."""


@dataclass(frozen=True)
class Recipe:
    """How long, and in what steps."""

    epochs: int = 60
    batch: int = 512
    rate: float = 2e-3
    """Falls to zero along half a cosine."""
    decay: float = 1e-5
    """Of the weights, per step, relative to the rate."""
    epsilon: float = 1e-7
    halve_every: int | None = None
    """Halve the rate every so many epochs, instead of the cosine."""
    penalty: float = 0.0
    """L2 penalty on the weights in the loss."""
    dropout: float = 0.0
    """Share of the last hidden layer that is left out."""


def train(
    start: Network, features: Floats, loss: Loss, recipe: Recipe, rng: np.random.Generator,
    after: Callable[[int, Network], None] = lambda epoch, network: None,
) -> Network:  # fmt: skip
    """The trained network. `after` sees it at the end of each epoch. O(epochs * rows * weights)."""
    x = (features - start.shift) * start.scale
    params = [p.copy() for pair in zip(start.weights, start.biases, strict=True) for p in pair]
    mean, square = [np.zeros_like(p) for p in params], [np.zeros_like(p) for p in params]
    steps = -(-len(x) // recipe.batch)
    for epoch in range(recipe.epochs):
        order = rng.permutation(len(x))
        for step in range(steps):
            rows = order[step * recipe.batch : (step + 1) * recipe.batch]
            done = epoch * steps + step
            gradients = _gradients(params, x[rows], lambda out, rows=rows: loss(out, rows), recipe, rng)  # type: ignore[misc]
            _adam(
                params, gradients, mean, square, done + 1, _rate(recipe, epoch, done / (recipe.epochs * steps)), recipe
            )
        after(epoch, _network(start, params))
    return _network(start, params)


def _network(start: Network, params: list[Floats]) -> Network:
    return replace(start, weights=tuple(params[::2]), biases=tuple(params[1::2]))


def _rate(recipe: Recipe, epoch: int, passed: float) -> float:
    if recipe.halve_every is not None:
        return float(recipe.rate * 0.5 ** (epoch // recipe.halve_every))
    warm = min(1.0, passed / 0.02 + 0.05)
    return float(recipe.rate * warm * 0.5 * (1 + np.cos(np.pi * passed)))


def _gradients(
    params: list[Floats], x: Floats, loss: Callable[[Floats], tuple[float, Floats]], recipe: Recipe,
    rng: np.random.Generator,
) -> list[Floats]:  # fmt: skip
    """By back-propagation, aligned with the parameters."""
    layers = [x]
    for weight, bias in zip(params[:-2:2], params[1:-2:2], strict=True):
        hidden = layers[-1] @ weight
        hidden += bias
        layers.append(np.maximum(hidden, 0, out=hidden))
    if recipe.dropout:
        kept = rng.random(layers[-1].shape, np.float32) >= recipe.dropout
        layers[-1] = np.asarray(layers[-1] * kept / (1 - recipe.dropout), np.float32)
    _, by_output = loss((layers[-1] @ params[-2] + params[-1])[:, 0])
    flowing = by_output[:, None].astype(np.float32)
    gradients: list[Floats] = []
    for at in range(len(layers) - 1, -1, -1):
        weight = params[2 * at]
        gradients += [flowing.sum(0), layers[at].T @ flowing + np.float32(2 * recipe.penalty) * weight]
        if at:
            flowing = flowing @ weight.T
            flowing *= layers[at] > 0
            if recipe.dropout and at == len(layers) - 1:
                flowing /= np.float32(1 - recipe.dropout)
    return gradients[::-1]


def _adam(
    params: list[Floats], gradients: list[Floats], mean: list[Floats], square: list[Floats], step: int, rate: float,
    recipe: Recipe,
) -> None:  # fmt: skip
    """One step in place. [1] Kingma, Ba, Adam, ICLR 2015, Alg. 1; weight decay apart, as in AdamW."""
    size = np.float32(rate * np.sqrt(1 - 0.999**step) / (1 - 0.9**step))
    for p, g, m, v in zip(params, gradients, mean, square, strict=True):
        m *= np.float32(0.9)
        m += np.float32(0.1) * g
        v *= np.float32(0.999)
        v += np.float32(0.001) * g * g
        if recipe.decay and p.ndim == 2:
            p *= np.float32(1 - rate * recipe.decay)
        p -= size * m / (np.sqrt(v) + np.float32(recipe.epsilon))
