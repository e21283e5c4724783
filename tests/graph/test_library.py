from dataclasses import replace

from pardnn.graph.build import build
from pardnn.graph.raw import FunctionRef, RawFunction, RawGraph
from tests.graph.drawn import draw

Dims = tuple[int, ...] | None


def function(name: str, arguments: str, body: str, **results: str) -> RawFunction:
    nodes = draw(body).nodes if body else ()
    return RawFunction(name, tuple(arguments.split()), nodes, results, outputs=tuple(results))


def calling(text: str, *functions: RawFunction, **calls: str) -> RawGraph:
    """The drawing, its ops named in `calls` given the function they call; the calls stay ops of their own."""
    raw = draw(text)
    nodes = [
        replace(node, attrs={**node.attrs, "f": FunctionRef(calls[node.name]), "_noinline": True})
        if node.name in calls
        else node
        for node in raw.nodes
    ]
    return replace(raw, nodes=tuple(nodes), functions=functions)


def shapes(raw: RawGraph) -> dict[str, tuple[Dims, ...]]:
    graph = build(raw)
    return {name: tuple(s.dims for s in found) for name, found in zip(graph.names, graph.output_shapes, strict=True)}


HALVES = function(
    "halves", "x axis", "parts = Split(axis, x) T=float num_split=2", low="parts:output:0", high="parts:output:1"
)
NORM = function(
    "norm",
    "x scale",
    "n = FusedBatchNormV3(x, scale, scale, scale, scale) T=float U=float\nv = Neg(n:batch_variance:0) T=float",
    y="n:y:0",
    variance="v:y:0",
)
TOP = """
    x = Placeholder() dtype=float shape=[8,6,6,4]
    s = Const() dtype=float -> [4]
    last = Const() dtype=int32 value={3}
"""


def test_a_call_is_shaped_by_its_body_and_constants_go_in() -> None:
    raw = calling(TOP + "c = PartitionedCall(x, last) Tout=float;float", HALVES, c="halves")
    assert shapes(raw)["c"] == ((8, 6, 6, 2), (8, 6, 6, 2))


def test_named_outputs_of_a_body_are_found_at_their_port() -> None:
    raw = calling(TOP + "c = StatefulPartitionedCall(x, s) Tout=float;float", NORM, c="norm")
    assert shapes(raw)["c"] == ((8, 6, 6, 4), (4,))


def test_an_op_may_be_a_function_itself_and_is_then_no_unknown_op() -> None:
    graph = build(calling(TOP + "c = norm(x, s) _noinline=True\nd = Neg(c:1) T=float", NORM))
    assert [s.dims for s in graph.output_shapes[graph.names.index("c")]] == [(8, 6, 6, 4), (4,)]
    assert not any("unknown type" in note for note in graph.notes)


def test_bodies_may_call_other_functions_and_read_variables() -> None:
    read = function("read", "h", "r = ReadVariableOp(h) dtype=float", value="r:value:0")
    outer = replace(
        function(
            "outer", "h x", "w = PartitionedCall(h) Tout=float;\nm = MatMul(x, w:output:0) T=float", m="m:product:0"
        )
    )
    inner = [replace(n, attrs={**n.attrs, "f": FunctionRef("read")}) if n.name == "w" else n for n in outer.nodes]
    outer = replace(outer, nodes=tuple(inner))
    text = "h = VarHandleOp() dtype=float shape=[3,5]\nx = Placeholder() dtype=float shape=[8,3]\n"
    raw = calling(text + "c = PartitionedCall(h, x) Tout=float;", read, outer, c="outer")
    assert shapes(raw)["c"] == ((8, 5),)


def test_a_function_that_calls_itself_ends_unknown() -> None:
    endless = function("endless", "x", "again = endless(x)", y="again:y:0")
    assert shapes(calling(TOP + "c = endless(x)\nd = Neg(c) T=float", endless))["d"] == (None,)


def test_a_broken_body_leaves_its_calls_unknown() -> None:
    broken = function("broken", "x", "y = Neg(ghost:y:0) T=float", y="y:y:0")
    assert shapes(calling(TOP + "c = PartitionedCall(x) Tout=float;", broken, c="broken"))["c"] == (None,)


def test_without_the_signatures_order_several_results_are_not_guessed() -> None:
    raw = calling(TOP + "c = PartitionedCall(x, last) Tout=float;float", replace(HALVES, outputs=()), c="halves")
    assert shapes(raw)["c"] == (None, None)
