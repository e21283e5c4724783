from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pardnn.graph.raw import AttrValue, Shape
from pardnn.graph.shape_rules import SHAPE_RULES, VALUE_RULES, Call, Held
from pardnn.graph.shape_rules.dims import Dims, Value, broadcast, refined
from tests.graph.drawn import built, inferred, shaped, wired


def test_what_the_file_states_stands_and_rules_fill_its_gaps() -> None:
    found = shaped(
        "a = Placeholder() dtype=float shape=[8,3]\nb = Relu(a) T=float -> [-1,3]\nc = Relu(b) T=float -> [9,3]"
    )
    assert found["b"] == ((8, 3),)
    assert found["c"] == ((9, 3),)


def test_a_batch_size_replaces_unknown_leading_dimensions_and_goes_through() -> None:
    text = """
        x = Placeholder() dtype=float shape=[-1,4] -> [-1,4]
        w = Const() dtype=float -> [4,5]
        y = MatMul(x, w) T=float -> [-1,5]
        z = MyOp(y) T=float -> [-1,7]
        time = Placeholder() dtype=float -> [6,-1]
    """
    assert shaped(text)["y"] == ((-1, 5),)
    found = shaped(text, batch_size=32)
    assert found["x"] == ((32, 4),)
    assert found["y"] == ((32, 5),)
    assert found["z"] == ((32, 7),)  # no rule for a custom op: it follows its input's batch
    assert found["time"] == ((6, -1),)


def test_what_stays_unknown_is_counted_in_ops() -> None:
    graph = built("a = Placeholder() dtype=float -> [-1,224] [?]\nb = Relu(a) T=float\nc = Const() dtype=float -> [3]")
    assert graph.unknown_shape == 2
    assert graph.output_shapes[2] == (Shape((3,)),)


def test_a_consumer_tells_its_producer() -> None:
    """The image has no shape, but the gradient spells it."""
    found = shaped(
        """
        x = _Arg() T=float
        y = Relu(x) T=float
        size = Const() dtype=int32 value={8,4,4,3}
        f = Const() dtype=float -> [3,3,3,5]
        up = Const() dtype=float -> [8,4,4,5]
        d = Conv2DBackpropInput(size, f, up) T=float padding='SAME'
        g = ReluGrad(d, y) T=float
        """
    )
    assert found["y"] == found["x"] == ((8, 4, 4, 3),)


def test_handles_carry_the_shape_of_their_variable_through_loops() -> None:
    found = shaped(
        """
        h = VarHandleOp() dtype=float shape=[5,6]
        in = Enter(h) T=resource frame_name='f'
        r = ReadVariableOp(in) dtype=float
        arg = _Arg() T=resource _handle_shapes=[7];
        s = ReadVariableOp(arg) dtype=float
        q = Placeholder() dtype=resource
        v = Const() dtype=float -> [2,2]
        set = AssignVariableOp(q, v) dtype=float
        t = ReadVariableOp(q) dtype=float
        """
    )
    assert found["r"] == ((5, 6),)
    assert found["s"] == ((7,),)
    assert found["t"] == ((2, 2),)


def test_stacks_and_arrays_give_back_what_was_put_in_even_where_the_file_puts_it_later() -> None:
    found = shaped(
        """
        st = StackV2() elem_type=float
        pop = StackPopV2(st) elem_type=float
        x = Const() dtype=float -> [4,4]
        push = StackPushV2(st, x) T=float
        n = Const() dtype=int32 value={3}
        ta = TensorArrayV3(n) dtype=float element_shape=[?]
        w = TensorArrayWriteV3(ta, n, x, ta:1) T=float
        i = Const() dtype=int32 value={0,1,2}
        all = TensorArrayGatherV3(ta, i, w) dtype=float element_shape=[?]
        """
    )
    assert found["pop"] == ((4, 4),)
    assert found["all"] == ((3, 4, 4),)
    assert found["ta"] == ((2,), ())


def test_sizes_are_followed_through_shape_arithmetic() -> None:
    """reshape(x, concat([shape(x)[:1], [-1]])) flattens all but the batch."""
    text = """
        x = Placeholder() dtype=float shape=[8,4,6]
        dims = Shape(x) T=float
        zero = Const() dtype=int32 value={0,}
        one = Const() dtype=int32 value={1,}
        lead = StridedSlice(dims, zero, one, one) T=int32
        rest = Const() dtype=int32 value={-1,}
        axis = Const() dtype=int32 value={0}
        to = ConcatV2(lead, rest, axis) T=int32 N=2
        flat = Reshape(x, to) T=float
    """
    assert shaped(text)["flat"] == ((8, 24),)
    wiring = wired(text)
    assert inferred(wiring).values[wiring.index["to"], 0] == (8, -1)


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ((3,), (5, 3), (5, 3)),
        ((5, 1), (1, 4), (5, 4)),
        ((-1, 4), (1, 4), (-1, 4)),
        ((-1, 4), (9, 4), (9, 4)),
        ((), (2,), (2,)),
        (None, (2,), None),
    ],
)
def test_broadcasting(a: Dims, b: Dims, expected: Dims) -> None:
    assert broadcast([a, b]) == broadcast([b, a]) == expected


def test_refining_never_overrules_the_first() -> None:
    assert refined((2, -1), (3, 4)) == (2, 4)
    assert refined((2,), (3, 4)) == (2,)


SIZES = st.one_of(st.none(), st.lists(st.sampled_from([-1, 0, 1, 2, 7, 224]), max_size=6).map(tuple))
NUMBERS = st.one_of(st.none(), st.lists(st.one_of(st.none(), st.integers(-9, 9)), max_size=9).map(tuple))
INPUTS = st.lists(st.tuples(SIZES, NUMBERS), max_size=8)
ATTRS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys(["axis", "batch_dims", "num_split", "begin_mask", "shrink_axis_mask"], st.integers(-3, 9)),
        **dict.fromkeys(["ellipsis_mask", "new_axis_mask", "block_size"], st.integers(0, 5)),
        **dict.fromkeys(["strides", "ksize", "dilations", "squeeze_dims"], st.lists(st.integers(-2, 5)).map(tuple)),
        **dict.fromkeys(["transpose_a", "adj_y", "keep_dims"], st.booleans()),
        "padding": st.sampled_from([b"SAME", b"VALID", b"EXPLICIT"]),
        "data_format": st.sampled_from([b"NHWC", b"NCHW", b"?"]),
        "equation": st.sampled_from([b"ab,bc->ac", b"...a->...", b"->", b"a"]),
    },
)


def call(op: str, inputs: Sequence[tuple[Dims, Value | None]], attrs: Mapping[str, AttrValue]) -> Call:
    held = [Held([dims]) if i % 2 else None for i, (dims, _) in enumerate(inputs)]
    return Call(op, attrs, [dims for dims, _ in inputs], [value for _, value in inputs], held, 3)


@given(st.sampled_from(sorted(SHAPE_RULES)), INPUTS, ATTRS)
@settings(max_examples=1000)
def test_no_rule_stumbles_over_shapes_and_attributes_that_contradict_each_other(
    op: str, inputs: list[tuple[Dims, Value | None]], attrs: dict[str, AttrValue]
) -> None:
    shapes = SHAPE_RULES[op](call(op, inputs, attrs))
    assert all(dims is None or min(dims, default=0) >= -1 for dims in shapes)


@given(st.sampled_from(sorted(VALUE_RULES)), INPUTS, ATTRS)
@settings(max_examples=300)
def test_no_value_rule_stumbles_either_nor_keeps_what_is_too_long(
    op: str, inputs: list[tuple[Dims, Value | None]], attrs: dict[str, AttrValue]
) -> None:
    values = VALUE_RULES[op](call(op, inputs, attrs))
    assert all(value is None or len(value) <= 64 for value in values)
