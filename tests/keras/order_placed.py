"""Models and functions placed with control edges: `python -m tests.keras.order_placed` prints facts as JSON."""

from __future__ import annotations

import json
import tempfile
from typing import Any

from tests.keras.equal import DEVICES, four_cpus


def of_a_model() -> dict[str, Any]:
    """A Keras model that trains with edges as it does without."""
    from tests.keras.cases import fresh, placed, weights

    plain, x, y = fresh()
    plain.fit(x, y, batch_size=8, verbose=0, shuffle=False)
    model, x, y = fresh()
    plan = placed(model, control_edges=True, method="round-robin")
    model.fit(x, y, batch_size=8, verbose=0, shuffle=False)
    return {"equal": weights(model) == weights(plain), "ok": plan.verify().ok, "edges": len(plan.plan.control_edges)}


def of_a_graph() -> dict[str, Any]:
    """A ConcreteFunction whose ops wait as the plan says, and no longer when it is removed."""
    import tensorflow as tf

    import pardnn

    @tf.function(autograph=False)  # type: ignore[untyped-decorator]
    def step(x: Any) -> Any:
        late = tf.matmul(x, x, name="late")
        urgent = tf.matmul(x, x, transpose_b=True, name="urgent")
        return tf.reduce_sum(late), tf.reduce_sum(tf.matmul(urgent, x, name="reader"))

    function = step.get_concrete_function(tf.TensorSpec((64, 64)))
    x = tf.random.stateless_uniform((64, 64), (1, 2)) / 64
    wanted = [float(value) for value in function(x)]

    def waits() -> list[list[str]]:
        return sorted([before.name, op.name] for op in function.graph.get_operations() for before in op.control_inputs)

    before = waits()
    with tempfile.NamedTemporaryFile("w", suffix=".pins") as pins:
        pins.write("late /device:GPU:0\nurgent /device:GPU:0\nreader /device:GPU:1\n")
        pins.flush()
        plan = pardnn.place(
            function, gpus=4, devices=DEVICES, method="single", cache=False, control_edges=True, pin=pins.name,
            latency="0us", bandwidth="1000GB/s",
        )  # fmt: skip
    got, edges = [float(value) for value in function(x)], [list(pair) for pair in plan.plan.control_edges]
    added = [pair for pair in waits() if pair not in before]
    ok = plan.verify().ok
    plan.remove()
    return {"equal": got == wanted, "ok": ok, "edges": len(edges), "as_planned": added == sorted(edges),
            "removed": waits() == before}  # fmt: skip


def main() -> None:
    """Answer on stdout."""
    four_cpus()
    print(json.dumps({"model": of_a_model(), "graph": of_a_graph()}))  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
