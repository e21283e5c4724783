"""What a step writes without its data stays with the iterator."""

from importlib.util import find_spec

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("tensorflow") is None, reason="traces with tensorflow")]


def test_a_counter_is_written_without_data_and_weights_are_not() -> None:
    """The counter with the constant it adds; not the sum, which needs data, nor a weight that decays: it is large."""
    import tensorflow as tf

    from pardnn.placers.unfed import unfed
    from pardnn.placers.variables import captured

    count, total, weight = tf.Variable(0), tf.Variable(0.0), tf.Variable(tf.ones([100]))

    def step(x: tf.Tensor) -> None:
        count.assign_add(1)
        total.assign_add(tf.reduce_sum(x))
        weight.assign_sub(0.1 * weight)

    graph = tf.function(step).get_concrete_function(tf.TensorSpec([2])).graph
    variables = {item.argument: item.variable for item in captured(graph)}
    found = [graph.get_operation_by_name(name) for name in unfed(graph, variables)]
    assert sorted(op.type for op in found) == ["AssignAddVariableOp", "Const", "Placeholder"]
    assert [variables[op.name] is count for op in found if op.type == "Placeholder"] == [True]
