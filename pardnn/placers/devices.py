"""The devices that TensorFlow has: asked before anything is placed, for it runs ops of a missing device elsewhere."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.errors import InputError


def available(wanted: Sequence[str]) -> tuple[list[str | None], list[str]]:
    """(TensorFlow's name of each device wanted, None where it is not there; all it has)."""
    import tensorflow as tf

    there = [device.name for device in tf.config.list_logical_devices()]
    found = {_key(name): name for name in reversed(there)}
    return [found.get(_key(text)) for text in wanted], there


def _key(text: str) -> tuple[str, int]:
    """(type, number) of a device's name."""
    from tensorflow import DeviceSpec

    try:
        spec = DeviceSpec.from_string(text if "/" in text else f"/{text}")
    except (ValueError, TypeError, AttributeError):
        raise InputError(f"devices: {text!r} is no device's name; write it like /device:GPU:0") from None
    if spec.device_type is None or spec.device_index is None:
        raise InputError(f"devices: {text!r} leaves type or number open; write it like /device:GPU:0")
    return spec.device_type, spec.device_index
