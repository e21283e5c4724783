"""Variables made in the host's memory, for models that no single GPU could hold while they are built."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pardnn.machines.build import HOST
from pardnn.placers.needs import require_backend


@contextmanager
def build_on_host(device: str = HOST) -> Iterator[None]:
    """Variables and layers made inside the block are in the host's memory, not on the first GPU as Keras does it.

    Build the model in it, then place it: the first step brings each variable to its own device.

    Raises InputError where TensorFlow is not installed.
    """
    require_backend()
    import tensorflow as tf

    with tf.device(device):
        yield
