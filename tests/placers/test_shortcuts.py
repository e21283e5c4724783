"""An op that passes many tensors on is no reason to bring them to one device."""

from importlib.util import find_spec

import pytest

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_spec("tensorflow") is None, reason="rewires a graph of tensorflow"),
]


def test_readers_read_what_is_passed_on() -> None:
    import tensorflow as tf

    from pardnn.placers.shortcuts import take_shortcuts

    def step(x: tf.Tensor, y: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        a, b = tf.identity_n([tf.identity_n([x + 1.0, y])[0], y * 2.0])
        return a * 3.0, a - b

    graph = tf.function(step).get_concrete_function(tf.TensorSpec([2]), tf.TensorSpec([2])).graph
    take_shortcuts(graph, graph.outputs)
    readers = [op for op in graph.get_operations() if op.type in ("Mul", "Sub")]
    assert {tensor.op.type for op in readers for tensor in op.inputs} == {"AddV2", "Mul", "Const", "Placeholder"}
    with tf.compat.v1.Session(graph=graph) as session:
        feeds = {graph.inputs[0].name: [1.0, 2.0], graph.inputs[1].name: [3.0, 4.0]}
        first, second = session.run([tensor.name for tensor in graph.outputs], feeds)
    assert first.tolist() == [6.0, 9.0]
    assert second.tolist() == [-4.0, -5.0]


def test_a_gradient_of_one_s_own_is_kept() -> None:
    import tensorflow as tf

    from pardnn.placers.shortcuts import take_shortcuts

    def step(x: tf.Tensor) -> tf.Tensor:
        return tf.custom_gradient(lambda a: (a * 2.0, lambda slope: slope * 100.0))(x + 1.0) * 3.0

    function = tf.function(step).get_concrete_function(tf.TensorSpec([]))
    take_shortcuts(function.graph, function.graph.outputs)
    x = tf.constant(5.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    assert (float(y), float(tape.gradient(y, x))) == (36.0, 300.0)


def test_equal_reads_are_one() -> None:
    """Of the reads before the write and of those after it, one is left each; the result's own read stays."""
    import tensorflow as tf

    from pardnn.placers.shortcuts import take_shortcuts

    rate, total = tf.Variable(3.0), tf.Variable(0.0)

    def step() -> tf.Tensor:
        total.assign_add(rate * 2.0)
        total.assign_add(rate * 5.0)
        rate.assign(10.0)
        total.assign_add(rate * 7.0)
        return total + rate

    function = tf.function(step).get_concrete_function()
    take_shortcuts(function.graph, function.graph.outputs)
    products = [op for op in function.graph.get_operations() if op.type == "Mul"]
    reads = [op.inputs[0].op.name for op in products]
    assert len(products) == 3
    assert reads[0] == reads[1] != reads[2]
    twin = type(function).from_func_graph(function.graph, function.function_type, {})
    assert (float(twin()), float(total)) == (101.0, 91.0)


def test_the_gradients_of_a_keras_model_do_not_meet() -> None:
    """Two towers that share nothing: what one updates does not wait for the gradients of the other."""
    import keras
    import networkx as nx

    from pardnn.placers.extract import extracted

    inputs = [keras.Input((4,), 8) for _ in range(2)]
    outputs = [keras.layers.Dense(3, name=name)(x) for name, x in zip("ab", inputs, strict=True)]
    model = keras.Model(inputs, outputs)
    model.compile("sgd", ["mse", "mse"], jit_compile=False)
    message, _ = extracted(model, "towers")
    graph = nx.DiGraph()
    for node in message.node:
        graph.add_edges_from((text.removeprefix("^").partition(":")[0], node.name) for text in node.input)
    updates = [node.name for node in message.node if node.op == "AssignSubVariableOp"]
    assert len(updates) == 4
    for update in updates:
        products = [
            name for name in nx.ancestors(graph, update) if name.startswith("gradient_tape/") and "/MatMul" in name
        ]
        assert len({name.split("/")[2] for name in products}) <= 1, update
