"""The version of TensorFlow in another process of a cluster: TensorFlow itself does not tell it over the network.

Each server keeps it in a variable of its own, where whoever joins finds it by name.
"""

from __future__ import annotations

from typing import Any

_CPU = "/device:CPU:0"


def put(server: Any, task_device: str, version: str) -> None:
    """Keep this process's version in its server."""
    import tensorflow as tf

    with tf.Graph().as_default(), tf.device(f"{task_device}{_CPU}"):
        kept = tf.raw_ops.AssignVariableOp(resource=_variable(), value=tf.constant(version))
        with tf.compat.v1.Session(server.target) as session:
            session.run(kept)


def of(task_device: str) -> str | None:
    """The version kept in a task's server; None if it is a server that keeps none."""
    import tensorflow as tf

    try:
        with tf.device(f"{task_device}{_CPU}"):
            return str(tf.raw_ops.ReadVariableOp(resource=_variable(), dtype=tf.string).numpy().decode())
    except tf.errors.OpError:
        return None


def _variable() -> Any:
    import tensorflow as tf

    return tf.raw_ops.VarHandleOp(dtype=tf.string, shape=[], container="pardnn", shared_name="tensorflow_version")
