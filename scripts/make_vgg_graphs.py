#!/usr/bin/env python3
"""VGG-16's training step as TensorFlow 1 built it, for scripts/prediction/vgg.py: fused optimisers, an open batch.

    scripts/make_vgg_graphs.py [FOLDER]     writes vgg16_sgd.pb.gz and vgg16_adam.pb.gz  [models/graphs]

Dense layers are convolutions over what is left of the image, as in the benchmark that measured it. Needs TensorFlow.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path
from typing import Any

STAGES = ((2, 64), (2, 128), (3, 256), (3, 512), (3, 512))
DENSE, CLASSES, SIDE = 4096, 1000, 224


def graph(optimizer: str) -> bytes:
    """A GraphDef: the op `logits` ends the forward pass, the op `train` does a step."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with tf.Graph().as_default() as made:
        x = v1.placeholder(tf.float32, (None, SIDE, SIDE, 3), "image")
        label = v1.placeholder(tf.int32, (None,), "label")
        for stage, (count, filters) in enumerate(STAGES, 1):
            for number in range(1, count + 1):
                x = tf.nn.relu(_conv(x, 3, filters, "SAME", f"conv{stage}_{number}"))
            x = tf.nn.max_pool2d(x, 2, 2, "SAME", name=f"pool{stage}")
        x = tf.nn.relu(_conv(x, x.shape[1], DENSE, "VALID", "dense1"))
        x = tf.nn.relu(_conv(x, 1, DENSE, "SAME", "dense2"))
        x = tf.reshape(_conv(x, 1, CLASSES, "SAME", "dense3"), (-1, CLASSES), "logits")
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=label, logits=x))
        by = {"sgd": v1.train.GradientDescentOptimizer, "adam": v1.train.AdamOptimizer}[optimizer]
        by(0.001).minimize(loss, name="train")
        data: bytes = made.as_graph_def().SerializeToString(deterministic=True)
    return data


def _conv(x: Any, size: int, filters: int, padding: str, name: str) -> Any:
    import tensorflow as tf

    v1 = tf.compat.v1
    with v1.variable_scope(name):
        taps = v1.get_variable("kernel", (size, size, x.shape[-1], filters))
        bias = v1.get_variable("bias", (filters,))
        return tf.nn.bias_add(tf.nn.conv2d(x, taps, 1, padding), bias)


def main() -> None:
    """Write both."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1] / "models" / "graphs"
    for optimizer in ("sgd", "adam"):
        path = folder / f"vgg16_{optimizer}.pb.gz"
        path.write_bytes(gzip.compress(graph(optimizer), 9, mtime=0))
        print(f"wrote {path}")


if __name__ == "__main__":
    main()
