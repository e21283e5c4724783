"""Milliseconds that single ops take on this machine's device, as TensorFlow runs them."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

COPIES = 4
"""Runs of the op in one step, one after the other: what the step itself costs is shared among them."""
TOLD_APART = 0.25
"""Of an empty step's time, the least that counts: what is less is mostly the clock's."""


def device_name() -> str:
    """The first GPU, else the CPU."""
    import tensorflow as tf

    return "/device:GPU:0" if tf.config.list_physical_devices("GPU") else "/device:CPU:0"


def timed(
    family: str, rows: Mapping[str, NDArray[np.float64]], names: tuple[str, ...], *, warmup: int, repeats: int,
    tell: Callable[[int], None] = lambda done: None,
) -> NDArray[np.float64]:  # fmt: skip
    """[r] median ms of one run of each op; an empty step's median is subtracted. NaN where the device has no room
    or the op is too short to be told from an empty step.

    `names` are the vector ops by their code.
    """
    import tensorflow as tf

    tf.config.optimizer.set_experimental_options({"disable_meta_optimizer": True})  # equal ops must not become one
    found = []
    count = len(next(iter(rows.values())))
    for at in range(count):
        one = {name: float(column[at]) for name, column in rows.items()}
        try:
            with tf.device(device_name()):
                op, inputs = _op(family, one, names)
                full, empty = _step(op, inputs, COPIES), _step(op, inputs, 0)
                nothing = _median_ms(empty, warmup, repeats)
                took = _median_ms(full, warmup, repeats) - nothing
            found.append(took / COPIES if took > TOLD_APART * nothing else float("nan"))
        except tf.errors.ResourceExhaustedError:
            found.append(float("nan"))
        tell(at + 1)
    return np.array(found)


def _step(op: Callable[..., Any], inputs: list[Any], copies: int) -> Callable[[], Any]:
    """A step that runs the op so many times in a row and gives one number of the result, to be waited for."""
    import tensorflow as tf

    def run() -> Any:
        result = inputs[0].read_value()
        values = [variable.read_value() for variable in inputs]
        for _ in range(copies):
            with tf.control_dependencies([result]):
                result = op(*values)
        return tf.reshape(result, [-1])[0]

    step: Callable[[], Any] = tf.function(run, autograph=False)
    step()  # traced here, not while the clock runs
    return step


def _median_ms(step: Callable[[], Any], warmup: int, repeats: int) -> float:
    for _ in range(warmup):
        step().numpy()
    took = []
    for _ in range(repeats):
        start = time.perf_counter()
        step().numpy()
        took.append(time.perf_counter() - start)
    return median(took) * 1e3


def _op(family: str, one: Mapping[str, float], names: tuple[str, ...]) -> tuple[Callable[..., Any], list[Any]]:
    """The op, and the variables it takes."""
    import tensorflow as tf

    def variable(*dims: float) -> Any:
        return tf.Variable(tf.fill([int(d) for d in dims], 0.5))

    if family == "product":
        stack = [one["batch"]] if one["batched"] else []
        return tf.linalg.matmul, [variable(*stack, one["m"], one["k"]), variable(*stack, one["k"], one["n"])]
    if family == "convolution":
        image = variable(one["batch"], one["size"], one["size"], one["channels_in"])
        taps = variable(one["kernel"], one["kernel"], one["channels_in"], one["channels_out"])
        stride, padding = int(one["stride"]), "SAME" if one["same_padding"] else "VALID"
        return (lambda x, w: tf.nn.conv2d(x, w, stride, padding)), [image, taps]
    name = names[int(one["op"])]
    ops: dict[str, Callable[..., Any]] = {
        "add": tf.add, "mul": tf.multiply, "addu": lambda x: x + 1.0, "relu": tf.nn.relu, "tanh": tf.tanh,
        "softmax": tf.nn.softmax,
    }  # fmt: skip
    x = variable(one["rows"], one["width"])
    return ops[name], [x, variable(one["rows"], one["width"])] if name in ("add", "mul") else [x]
