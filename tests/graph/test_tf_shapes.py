import importlib.util

import pytest

from pardnn.graph import tf_shapes
from pardnn.graph.build import build
from pardnn.graph.optypes import all_dtypes
from tests.graph.drawn import built, draw, wired

MODEL = """
    x = Placeholder() dtype=float shape=[-1,9]
    w = Const() dtype=float value={0}
    pic = Placeholder() dtype=float shape=[-1,32,32,3]
    f = VariableV2() dtype=float shape=[3,3,3,8]
    y = Conv2D(pic, f) T=float strides=1;2;2;1 padding='SAME'
    z = MyOwnOp(y) T=float
    a = Relu(z) T=float
    dims = Shape(y) T=float out_type=int32
    filled = Fill(dims, x) T=float index_type=int32
"""
needs_tensorflow = pytest.mark.skipif(importlib.util.find_spec("tensorflow") is None, reason="needs tensorflow")


@needs_tensorflow
def test_tensorflow_infers_around_ops_it_does_not_know() -> None:
    wiring = wired(MODEL.replace("filled = Fill(dims, x)", "filled = Reshape(y, dims)").replace("index_type", "Tshape"))
    found, note = tf_shapes.infer(wiring, all_dtypes(wiring))
    assert note is None
    assert found["y"] == [(-1, 16, 16, 8)]
    assert found["filled"] == [(-1, 16, 16, 8)]
    assert found["a"] == [None]
    assert "z" not in found
    assert tf_shapes.infer(wiring, all_dtypes(wiring), batch_size=4)[0]["filled"] == [(4, 16, 16, 8)]


@needs_tensorflow
def test_a_graph_that_tensorflow_refuses_is_shaped_by_rules_with_a_word() -> None:
    """Fill wants a scalar as its value."""
    graph = built(
        MODEL.replace("x = Placeholder() dtype=float shape=[-1,9]", "x = Placeholder() dtype=float shape=[2,9]")
    )
    told = build(draw(MODEL.replace("shape=[-1,9]", "shape=[2,9]")), tensorflow=True)
    assert told.output_shapes == graph.output_shapes
    assert any(note.startswith("TensorFlow does not take the graph (") for note in told.notes)


@needs_tensorflow
def test_rules_and_tensorflow_agree_on_the_model() -> None:
    text = MODEL.replace("filled = Fill(dims, x)", "filled = Reshape(y, dims)").replace("index_type", "Tshape")
    assert build(draw(text), tensorflow=True).output_shapes == built(text).output_shapes


def test_without_tensorflow_the_rules_do_with_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf_shapes, "find_spec", lambda name: None)
    graph = build(draw(MODEL), tensorflow=True)
    assert "tensorflow is not installed: shapes that the file lacks are inferred by our own rules" in graph.notes


def test_tensorflow_is_not_asked_where_nothing_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tf_shapes, "find_spec", lambda name: pytest.fail("asked for tensorflow"))
    assert build(draw("x = Placeholder() dtype=float shape=[2,3]"), tensorflow=True).unknown_shape == 0
