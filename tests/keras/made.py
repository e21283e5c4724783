"""Functions whose models `pardnn extract` writes down."""

from __future__ import annotations

from typing import Any

from tests.keras.networks import NETWORKS


def functional() -> Any:
    """A model that says what its inputs are."""
    return NETWORKS["two_in_two_out"]()[0]


def sequential() -> Any:
    """A model with a functional one inside."""
    return NETWORKS["cnn"]()[0]


def with_data() -> Any:
    """A subclassed model and a batch."""
    model, x, y = NETWORKS["own_train_step"]()
    return model, x[:6], y[:6]


def without_data() -> Any:
    """A subclassed model alone, which does not say what its inputs are."""
    return NETWORKS["own_train_step"]()[0]


def not_compiled() -> Any:
    """A model that has no training step."""
    import keras

    return keras.Sequential([keras.Input((2,)), keras.layers.Dense(1)])


def broken() -> Any:
    """User code that fails."""
    raise ZeroDivisionError("no\nluck")


def nothing() -> None:
    """User code that makes no model."""
