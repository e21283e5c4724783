"""A device of the user's own: drawn ops, its figures, the networks trained further."""

import numpy as np

from pardnn.cost.learned import store, vector
from pardnn.cost.learned.cases import drawn
from pardnn.cost.learned.device import devices
from pardnn.cost.learned.refit import measured_figures, refit


def test_ops_are_drawn_within_memory_and_work() -> None:
    cases = drawn(20, 10**8, 1e10, np.random.default_rng(0))
    for name, rows in cases.items():
        assert len(next(iter(rows.values()))) == 20
        assert (store.RULES[name].bytes_of(rows) <= 10**8).all()
        assert (store.RULES[name].flops_of(rows) <= 1e10).all()


def test_a_slow_device_is_learned() -> None:
    """Half of its bandwidth is reached, always, and a start takes 20 us."""
    rows = drawn(80, 10**8, 1e10, np.random.default_rng(0))["vector"]
    nbytes = vector.bytes_of(rows)
    ms = 0.02 + 2 * nbytes / 5e6
    figures = measured_figures({"vector": (vector.flops_of(rows), nbytes)}, {"vector": ms}, 4)
    assert 0.4 * 5e6 < figures[1] < 0.56 * 5e6
    found = refit(store.shipped()["vector"], rows, ms, figures)
    assert found.after < 15
    assert found.after < found.before
    device = devices([figures], np.zeros(80, np.intp))
    again = found.family.predict(rows, device)
    assert again.inside.all()
    assert np.mean((ms >= again.low * again.ms) & (ms <= again.high * again.ms)) > 0.8
