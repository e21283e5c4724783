import pytest

from pardnn.graph.build import build
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.raw import RawFunction
from tests.graph.drawn import draw, function

COND = function("cond", "i n x", "n10 = Const() dtype=int32 value={10}\nt = Less(i, n10:output:0) T=int32", y="t:z:0")
BODY = function(
    "body",
    "i n x",
    "one = Const() dtype=int32 value={1}\nnext = AddV2(i, one:output:0) T=int32\nm = MatMul(x, x) T=float\n"
    "same = Identity(n) T=int32",
    i="next:z:0",
    n="same:output:0",
    x="m:product:0",
)
TOP = """
    i = Const() dtype=int32 value={0}
    n = Const() dtype=int32 value={7}
    x = Placeholder() dtype=float shape=[4,4]
"""
LOOP = TOP + "w = While(i, n, x) T=int32;int32;float cond=@cond body=@body"


def turns(cond: RawFunction, body: RawFunction = BODY, text: str = LOOP) -> int:
    graph = build(draw(text, functions=[cond, body]))
    return int(graph.trips[graph.names.index("w")])


def until(comparison: str) -> RawFunction:
    return function("cond", "i n x", f"c = Const() dtype=int32 value={{3}}\n{comparison}", y="t:z:0")


@pytest.mark.parametrize(
    ("comparison", "count"),
    [
        ("t = Less(i, c:output:0)", 3),
        ("t = LessEqual(i, c:output:0)", 4),
        ("t = Greater(c:output:0, i)", 3),
        ("t = Less(i, n)", 7),
        ("a = Less(i, n)\nb = Less(i, c:output:0)\nt = LogicalAnd(a:z:0, b:z:0)", 3),
        ("a = Less(i, c:output:0)\nt = Identity(a:z:0)", 3),
        ("t = Greater(i, c:output:0)", 10),  # counts up and is to be large: no bound of ours
        ("t = Less(n, i)", 10),
        ("t = NotEqual(i, c:output:0)", 10),
    ],
)
def test_turns_are_read_off_the_condition(comparison: str, count: int) -> None:
    assert turns(until(comparison)) == count


def test_a_counter_may_go_down_or_in_strides() -> None:
    down = function(
        "body", "i n x", "d = Const() dtype=int32 value={2}\ns = Sub(n, d:output:0) T=int32",
        i="i", n="s:z:0", x="x",
    )  # fmt: skip
    assert turns(until("t = Greater(n, c:output:0)"), down) == 2  # 7, 5


def test_a_loop_without_a_visible_bound_is_told() -> None:
    fed = LOOP.replace("n = Const() dtype=int32 value={7}", "n = Placeholder() dtype=int32 shape=[]")
    graph = build(draw(fed, functions=[until("t = Less(i, n)"), BODY]))
    assert graph.trips.max() == 10
    assert "1 of 1 functional loops have no constant bound and are taken to run 10 times" in graph.notes


def test_a_gradients_loop_runs_as_often_as_the_loop_it_undoes() -> None:
    # The gradient counts up to the count at which the forward loop ended, which is its result.
    text = LOOP + "\nz = Const() dtype=int32 value={0}\ng = StatelessWhile(z, w, w:2) cond=@until body=@body"
    graph = build(draw(text, functions=[COND, BODY, function("until", "i n x", "t = Less(i, n)", y="t:z:0")]))
    assert {n: int(t) for n, t in zip(graph.names, graph.trips, strict=True) if t > 1} == {"w": 10, "g": 10}
    assert graph.notes == ("no training op found: the whole graph is placed; name the step's ops with --targets",)


def inner(graph: OpGraph, op: str) -> dict[str, OpGraph]:
    return {inner.function: inner.graph for inner in graph.bodies[graph.names.index(op)]}


def test_shapes_go_into_bodies() -> None:
    body = inner(build(draw(LOOP, functions=[COND, BODY])), "w")["body"]
    assert body.names == ("i", "n", "x", "one", "next", "m", "same")
    assert body.output_shapes[body.names.index("m")][0].dims == (4, 4)
    assert body.unknown_shape == 0


def test_variables_are_known_inside() -> None:
    reads = function(
        "reads", "h x", "v = ReadVariableOp(h) dtype=float\nm = MatMul(x, v:value:0) T=float", y="m:product:0"
    )
    text = """
        h = VarHandleOp() dtype=float shape=[4,6]
        x = Placeholder() dtype=float shape=[2,4]
        p = Placeholder() dtype=bool
        c = If(p, h, x) then_branch=@reads else_branch=@reads Tout=float;
    """
    body = inner(build(draw(text, functions=[reads])), "c")["reads"]
    assert body.output_shapes[body.names.index("m")][0].dims == (2, 6)


def test_bodies_stand_in_bodies_and_calls_in_them_are_inlined() -> None:
    relu = function("relu", "x", "r = Relu(x) T=float", y="r:activations:0")
    outer = function(
        "outer",
        "i n x",
        "w = While(i, n, x) T=int32;int32;float cond=@cond body=@body\n"
        "c = PartitionedCall(w:output:2) f=@relu Tout=float;",
        y="c:output:0",
    )
    text = TOP + "o = PartitionedCall(i, n, x) f=@outer _noinline=True Tout=float;"
    body = inner(build(draw(text, functions=[COND, BODY, relu, outer])), "o")["outer"]
    assert body.names == ("i", "n", "x", "w", "c/r", "c")
    assert body.trips[3] == 10
    assert [i.function for i in body.bodies[3]] == ["body", "cond"]


def test_a_function_that_calls_itself_is_followed_so_far() -> None:
    graph = build(draw(TOP + "c = endless(x)", functions=[function("endless", "x", "a = endless(x)", y="a:y:0")]))
    depth, here = 0, graph
    while here.bodies:
        (found,) = here.bodies.values()
        depth, here = depth + 1, found[0].graph
    assert depth == 16
