"""A Keras model with all its variables, the optimizer's among them, before its step is traced."""

from __future__ import annotations

from typing import Any


def build_all(model: Any, batch: Any) -> None:
    """Make what the model and its optimizer still lack, from a batch or its specifications: else Keras traces twice.

    A train step of the user's own is left alone, for what it makes is not known. Raises what Keras raises.
    """
    import keras

    if type(model).train_step is keras.Model.train_step:
        model._symbolic_build(data_batch=batch)
