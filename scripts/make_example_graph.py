#!/usr/bin/env python3
"""Write the training graph that ships with the project: one Keras step (forward, loss, backward, update) as text.

    python scripts/make_example_graph.py models/graphs/four_view_cnn.pbtxt

Needs tensorflow; the project itself does not.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import tensorflow as tf
from google.protobuf import text_format

sys.path.insert(0, str(Path(__file__).parents[1]))
from models import four_view_cnn
from pardnn.placers.trace import definition

TRAIN_OP = "train"


def trace(model: Any) -> Any:
    """The GraphDef of one traced `model.train_step`, to be loaded without the model.

    Each variable is the VarHandleOp that makes it. What the step must do is held together by one NoOp, as a session
    would fetch it.
    """
    data = ([tf.TensorSpec(x.shape, x.dtype) for x in model.inputs], tf.TensorSpec(model.inputs[0].shape[:1], tf.int32))
    model._symbolic_build(data_batch=data)  # makes the optimizer's variables first: else the step is traced twice
    step = tf.function(model.train_step, autograph=False).get_concrete_function(data)
    graph = definition(step.graph)
    train = graph.node.add(name=TRAIN_OP, op="NoOp")
    train.input.extend(f"^{op.name}" for op in step.graph.control_outputs)
    return graph


def main(path: str) -> None:
    """Trace the example model and write it to `path`."""
    graph = trace(four_view_cnn.build())
    Path(path).write_text(text_format.MessageToString(graph))
    edges = sum(len(node.input) for node in graph.node)
    print(f"{path}: {len(graph.node)} nodes, {edges} edges, {Path(path).stat().st_size} bytes")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    main(sys.argv[1])
