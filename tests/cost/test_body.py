from pardnn.cost.estimate import estimate_graph
from pardnn.cost.memory import output_bytes, resident_bytes
from pardnn.graph.build import build
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.raw import RawFunction
from tests.graph.drawn import draw, function

TOP = """
    p = Placeholder() dtype=bool
    i = Const() dtype=int32 value={0}
    x = Placeholder() dtype=float shape=[100,100]
"""
SMALL = function("small", "x", "r = Relu(x) T=float", y="r:activations:0")
LARGE = function("large", "x", "a = MatMul(x, x) T=float\nb = MatMul(a:product:0, x) T=float", y="b:product:0")
UNTIL = function("until", "i x", "n = Const() dtype=int32 value={5}\nt = Less(i, n:output:0)", y="t:z:0")
TURN = function(
    "turn",
    "i x",
    "one = Const() dtype=int32 value={1}\nj = AddV2(i, one:output:0) T=int32\nm = MatMul(x, x) T=float",
    i="j:z:0",
    x="m:product:0",
)
PRODUCT = 2 * 100**3
TENSOR = 4 * 100**2


def graph_of(text: str, *functions: RawFunction) -> OpGraph:
    return build(draw(TOP + text, functions=functions))


def flops(text: str, *functions: RawFunction) -> dict[str, int]:
    graph = graph_of(text, *functions)
    return {name: cost.flops for name, cost in zip(graph.names, estimate_graph(graph).costs, strict=True)}


def test_a_call_that_stays_whole_has_the_work_of_its_body() -> None:
    assert flops("c = PartitionedCall(x) f=@large _XlaMustCompile=True Tout=float;", LARGE)["c"] == 2 * PRODUCT
    assert flops("c = large(x) _noinline=True", LARGE)["c"] == 2 * PRODUCT


def test_a_branch_has_the_work_of_the_dearer_side() -> None:
    text = "c = If(p, x) then_branch=@small else_branch=@large Tout=float;"
    assert flops(text, SMALL, LARGE)["c"] == 2 * PRODUCT


def test_a_loop_has_the_work_of_one_turn_and_runs_as_often_as_it_turns() -> None:
    graph = graph_of("w = While(i, x) T=int32;float cond=@until body=@turn", UNTIL, TURN)
    v = graph.names.index("w")
    assert graph.trips[v] == 5
    assert PRODUCT <= estimate_graph(graph).costs[v].flops < PRODUCT + 10


def test_a_loop_in_a_body_counts_each_of_its_turns() -> None:
    outer = function("outer", "i x", "w = While(i, x) T=int32;float cond=@until body=@turn", y="w:output:1")
    found = flops("c = PartitionedCall(i, x) f=@outer _noinline=True Tout=float;", UNTIL, TURN, outer)["c"]
    assert 5 * PRODUCT <= found < 5 * (PRODUCT + 10)


def test_a_symbolic_gradient_is_forward_once_and_backward_twice_the_work() -> None:
    assert flops("g = SymbolicGradient(x, x) f=@large Tin=float;float Tout=float;", LARGE)["g"] == 6 * PRODUCT


def test_what_lives_only_inside_is_scratch() -> None:
    graph = graph_of("c = PartitionedCall(x) f=@large _noinline=True Tout=float;", LARGE)
    cost = estimate_graph(graph).costs[graph.names.index("c")]
    assert (cost.output_bytes, cost.temp_bytes) == (TENSOR, TENSOR)  # a and b at once, b is the result


def test_what_a_loop_puts_on_a_list_stays_as_often_as_it_turns() -> None:
    turn = function(
        "turn",
        "i x l",
        "one = Const() dtype=int32 value={1}\nj = AddV2(i, one:output:0) T=int32\nn = Neg(x) T=float\n"
        "k = TensorListPushBack(l, n:y:0) element_dtype=float",
        i="j:z:0",
        x="x",
        l="k:output_handle:0",
    )
    until = function("until", "i x l", "n = Const() dtype=int32 value={5}\nt = Less(i, n:output:0)", y="t:z:0")
    text = "l = Placeholder() dtype=variant\nw = While(i, x, l) T=int32;float;variant cond=@until body=@turn"
    graph = graph_of(text, until, turn)
    v = graph.names.index("w")
    assert output_bytes(graph, estimate_graph(graph))[v] == 4 + TENSOR + 5 * TENSOR


def test_a_variable_that_only_a_body_reads_is_counted_where_it_comes_in() -> None:
    reads = function("reads", "h", "v = ReadVariableOp(h) dtype=float -> [50,100]", y="v:value:0")
    text = "h = Placeholder() dtype=resource\nc = If(p, h) then_branch=@reads else_branch=@reads Tout=float;"
    graph = graph_of(text, reads)
    assert resident_bytes(graph, estimate_graph(graph))[graph.names.index("h")] == TENSOR // 2


def test_bodies_that_double_at_each_level_are_costed_at_once() -> None:
    levels = [
        function(f"f{i}", "x", f"a = f{i - 1}(x) _noinline=True\nb = f{i - 1}(a:y:0) _noinline=True", y="b:y:0")
        for i in range(1, 14)
    ]
    base = function("f0", "x", "m = MatMul(x, x) T=float", y="m:product:0")
    cost = estimate_graph(graph_of("c = f13(x) _noinline=True", base, *levels)).costs[-1]
    assert cost.flops == 2**13 * PRODUCT
    assert [kernel.launches for kernel in cost.kernels] == [2**13]
