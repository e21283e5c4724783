"""Training: gradients against differences, and that it learns."""

import numpy as np

from pardnn.cost.learned.ensemble import loss_of_log, times
from pardnn.cost.learned.network import Floats, Network, initial, without_last
from pardnn.cost.learned.training import Recipe, _gradients, train


def test_gradients_are_those_of_the_loss() -> None:
    rng = np.random.default_rng(0)
    x = rng.standard_normal((20, 3)).astype(np.float32)
    network = initial(x, (8, 8), rng)
    y = rng.standard_normal(20).astype(np.float32)

    def loss(out: Floats) -> tuple[float, Floats]:
        return float(np.mean((out - y) ** 2)), (2 * (out - y) / 20).astype(np.float32)

    params = [p.copy() for pair in zip(network.weights, network.biases, strict=True) for p in pair]
    scaled = (x - network.shift) * network.scale
    found = _gradients(params, scaled, loss, Recipe(), rng)
    for at, (p, gradient) in enumerate(zip(params, found, strict=True)):
        where = tuple(0 for _ in p.shape)
        values = []
        for step in (1e-2, -1e-2):
            moved = [q.copy() for q in params]
            moved[at][where] += step
            there = Network(network.shift, network.scale, tuple(moved[::2]), tuple(moved[1::2]))
            values.append(loss(there(x))[0])
        assert abs((values[0] - values[1]) / 2e-2 - gradient[where]) < 2e-2 * max(1, abs(gradient[where]))


def test_it_learns_a_utilisation_and_never_undercuts_the_roofline() -> None:
    rng = np.random.default_rng(1)
    x = rng.uniform(0, 1, (2000, 2)).astype(np.float32)
    least = np.exp(rng.uniform(-3, 3, 2000))
    over = np.full(2000, 0.1)
    measured = over + least * (1 + np.exp(2 * x[:, 0] - x[:, 1]))
    start = initial(x, (16,), rng)
    done = train(start, x, loss_of_log(measured, least, over), Recipe(epochs=30, batch=64, rate=1e-2), rng)
    predicted = times(done(x), least, over)
    assert np.mean(np.abs(predicted / measured - 1)) < 0.03
    assert (times(np.full(2000, -50, np.float32), least, over) >= least).all()


def test_the_same_seed_gives_the_same_weights_and_a_blind_network_sees_nothing() -> None:
    x = np.random.default_rng(2).standard_normal((50, 4)).astype(np.float32)
    loss = loss_of_log(np.exp(x[:, 0].astype(float)), np.full(50, 0.01), np.zeros(50))
    start = initial(x, (8,), np.random.default_rng(3))
    one, two = (train(start, x, loss, Recipe(epochs=2), np.random.default_rng(4)) for _ in range(2))
    assert all((a == b).all() for a, b in zip(one.weights, two.weights, strict=True))
    blind = without_last(one, 2)
    other = x.copy()
    other[:, 2:] = 99
    assert (blind(x) == blind(other)).all()
    assert (one(x) != one(other)).any()
