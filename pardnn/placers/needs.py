"""What placing live things needs, told in one line before anything is done; and what it cannot have."""

from __future__ import annotations

from pardnn.errors import InputError

JIT_OFF = "jit_compile is turned off: XLA would run the whole step on one device"


def require_tensorflow() -> None:
    """Raise InputError where there is no TensorFlow."""
    try:
        import tensorflow as tf  # noqa: F401 - the question is whether it is there
    except ImportError:
        raise InputError("this needs TensorFlow: pip install 'pardnn[tensorflow]'") from None


def require_backend() -> None:
    """Raise InputError where there is no TensorFlow, or Keras runs on something else."""
    require_tensorflow()
    try:
        import keras
    except ImportError as error:
        raise InputError(f"Keras cannot be imported: {error}; is KERAS_BACKEND=tensorflow set?") from None
    if keras.backend.backend() != "tensorflow":
        raise InputError(
            f"Keras runs on {keras.backend.backend()} here: set KERAS_BACKEND=tensorflow before it is imported"
        )
