"""A convolution's passes inside a step, out of layers that were measured in sessions of their own."""

from collections.abc import Callable

import numpy as np
import pytest

from pardnn.cost.learned import convolution, layer, store
from pardnn.cost.learned.device import Devices, devices, figures
from pardnn.cost.learned.family import Family, Prediction
from pardnn.machines.card import card_names, load_card

Rows = dict[str, np.ndarray]


def rows(batch: int, size: int, kernel: int, channels_in: int, channels_out: int) -> Rows:
    """One padded layer of stride 1."""
    given = {
        "batch": batch, "size": size, "kernel": kernel, "channels_in": channels_in, "channels_out": channels_out,
        "stride": 1, "same_padding": 1, "passes": 1,
    }  # fmt: skip
    return {name: np.array([float(given.get(name, 0))]) for name in convolution.COLUMNS}


def drawn(count: int) -> Rows:
    rng = np.random.default_rng(0)
    found = {name: np.zeros(count) for name in convolution.COLUMNS} | {"passes": np.ones(count)}
    spans = (("batch", 64), ("size", 224), ("channels_in", 2048), ("channels_out", 2048), ("stride", 3))
    found |= {name: np.floor(np.exp(rng.uniform(0, np.log(most), count))) for name, most in spans}
    return found | {"kernel": rng.choice([1.0, 3.0, 5.0, 7.0], count), "same_padding": np.ones(count)}


def on(card: str, count: int = 1) -> Devices:
    return devices([figures(load_card(card))], np.zeros(count, np.intp))


def networks() -> Family:
    return store.shipped()["convolution"]


def in_session(one: Rows, optimiser: str) -> float:
    which = convolution.OPTIMISERS.index(optimiser)
    passes, slots = (3 if which else 1), convolution.SLOTS[which]
    said = {"session": 1, "optimiser": which, "passes": passes, "slots": slots}
    return float(networks().predict(one | {k: np.array([float(v)]) for k, v in said.items()}, on("v100")).ms[0])


def test_a_3x3_convolution_is_predicted_as_the_op_that_was_measured() -> None:
    one = rows(32, 56, 3, 128, 256)
    assert layer.forward(networks(), one, on("v100")).ms[0] == networks().predict(one, on("v100")).ms[0]


@pytest.mark.parametrize("size", [(16, 28, 5, 128, 256), (16, 28, 3, 4096, 64)])
def test_another_is_what_its_layer_took_less_the_session(size: tuple[int, int, int, int, int]) -> None:
    one = rows(*size)
    expected = in_session(one, "None") - convolution.SESSION_MS
    assert layer.forward(networks(), one, on("v100")).ms[0] == pytest.approx(expected)


def test_passes_update_and_session_make_the_layer_s_training_step() -> None:
    one = rows(16, 28, 5, 128, 256)
    forward, gradient = (way(networks(), one, on("v100")).ms[0] for way in (layer.forward, layer.gradient))
    step = in_session(one, "SGD")
    held = 4 * (16 * 28**2 * 128 + 25 * 128 * 256)
    traffic = 3 * held / 900e6
    update = np.clip(in_session(one, "Momentum") - step, traffic, 2.5 * traffic)
    assert forward + 2 * gradient + update + convolution.SESSION_MS == pytest.approx(step, abs=0.01)


@pytest.mark.parametrize("way", [layer.forward, layer.gradient])
@pytest.mark.parametrize("card", [name for name in card_names() if name != "cpu"])
def test_none_undercuts_the_roofline(card: str, way: Callable[[Family, Rows, Devices], Prediction]) -> None:
    many = drawn(300)
    found = way(networks(), many, on(card, 300))
    assert (found.ms > convolution.least_ms(many, on(card, 300))).all()
    assert (found.low < 1).all()
    assert (found.high > 1).all()
    assert np.isfinite(found.high).all()


def test_a_gradient_is_less_sure_than_a_forward_pass() -> None:
    one = rows(32, 56, 3, 128, 256)
    forward, gradient = (way(networks(), one, on("v100")) for way in (layer.forward, layer.gradient))
    assert gradient.high[0] > forward.high[0]
