"""TF1: a graph made in code, planned, made again under the plan, trained in a session: prints a JSON line of facts."""

from __future__ import annotations

import json
import os
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")


def build(tf: Any) -> tuple[Any, Any, Any]:
    """(init, train, loss) of two layers and Adam in the default graph, as people wrote it."""
    v1 = tf.compat.v1
    v1.set_random_seed(3)
    x = tf.random.stateless_normal((8, 6), [1, 2])
    w = v1.get_variable("w", (6, 5), use_resource=True)
    b = v1.get_variable("b", (5, 1), use_resource=True)
    loss = tf.reduce_mean((tf.tanh(x @ w) @ b - 1.0) ** 2, name="loss")
    train = v1.train.AdamOptimizer(0.1).minimize(loss, name="train")
    return v1.global_variables_initializer(), train, loss


def main() -> None:
    """Answer on stdout."""
    import tensorflow as tf

    import pardnn

    devices = [f"/device:CPU:{i}" for i in (1, 2, 3)]
    config = tf.compat.v1.ConfigProto(device_count={"CPU": 4}, allow_soft_placement=False)
    config.graph_options.rewrite_options.disable_meta_optimizer = True

    def losses(graph: Any, init: Any, train: Any, loss: Any) -> list[float]:
        with tf.compat.v1.Session(graph=graph, config=config) as session:
            session.run(init)
            return [float(session.run([loss, train])[0]) for _ in range(5)]

    with tf.Graph().as_default() as plain:
        made = build(tf)
    want = losses(plain, *made)
    definition = plain.as_graph_def(add_shapes=True)
    plan = pardnn.partition(definition, gpus=3, method="round-robin", targets=["train"])
    place = pardnn.device_function(plan, devices)
    with tf.Graph().as_default() as again, again.device(place):
        made = build(tf)
    with tf.Graph().as_default() as imported, imported.device(place):
        tf.import_graph_def(definition, name="")
    names = [op.name for op in made[:2]] + [made[2].name]
    twin = [imported.as_graph_element(name) for name in names]
    ops = [[graph.get_operation_by_name(name) for name in plan.placement] for graph in (again, imported)]
    elsewhere = [{op.type for op in placed if op.device != place(op)} for placed in ops]
    used = {op.device for op in ops[1]}
    facts = {
        "losses": want,
        "made": losses(again, *made),
        "imported": losses(imported, *twin),
        "elsewhere": [sorted(types) for types in elsewhere],
        "ops": len(plan.placement),
        "used": sorted(used),
    }
    print(json.dumps(facts))  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
