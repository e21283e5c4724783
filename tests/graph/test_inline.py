from collections.abc import Sequence
from dataclasses import replace

import pytest

from pardnn.errors import InputError
from pardnn.graph.build import build
from pardnn.graph.callgraph import CallGraph
from pardnn.graph.inline import Inlined, inline
from pardnn.graph.library import Library
from pardnn.graph.raw import RawFunction
from tests.graph.drawn import draw, function, groups

RELU = function("relu", "x", "r = Relu(x) T=float", y="r:activations:0")
BLOCK = function("block", "x w", "m = MatMul(x, w) T=float\nr = Relu(m:product:0) T=float", y="r:activations:0")
TWICE = "x = Placeholder()\na = PartitionedCall(x) f=@relu\nb = PartitionedCall(a) f=@relu\ny = Neg(b)"


def inlined(text: str, *functions: RawFunction, awaited: Sequence[str] = ()) -> Inlined:
    nodes = draw(text).nodes
    return inline(nodes, CallGraph(nodes, Library(functions)), awaited)


def read(found: Inlined) -> dict[str, str]:
    """The inputs by op name, as a text."""
    return {node.name: " ".join(node.inputs) for node in found.nodes}


def test_a_body_takes_the_calls_place_and_the_call_runs_nothing() -> None:
    found = inlined("x = Placeholder()\nv = Const()\nc = PartitionedCall(x, v) f=@block\ny = Neg(c)", BLOCK)
    assert read(found) == {"x": "", "v": "", "c/m": "x v", "c/r": "c/m", "c": "", "y": "c/r"}
    assert found.nodes[4].op == "NoOp"
    assert found.caller.tolist() == [-1, -1, 4, 4, -1, -1]


def test_a_function_called_once_has_devices_of_its_own_in_its_body() -> None:
    found = inlined("x = Placeholder()\nc = PartitionedCall(x) f=@relu", RELU)
    assert found.homes == {"c/r": ("relu", "r")}
    assert found.unit.tolist() == [-1, -1, -1]


def test_a_function_called_twice_is_a_unit_with_each_of_its_calls() -> None:
    found = inlined(TWICE, RELU)
    assert read(found) == {"x": "", "a/r": "x", "a": "", "b/r": "a/r", "b": "", "y": "b/r"}
    assert found.homes == {}
    assert groups(TWICE, RELU) == ["a/r a", "b/r b"]


def test_what_a_unit_does_with_a_variable_stays_at_the_variable() -> None:
    reads = function("reads", "h x", "v = ReadVariableOp(h) dtype=float\nm = Mul(x, v:value:0)", y="m:z:0")
    text = """
        h = VarHandleOp() dtype=float
        x = Placeholder() dtype=float
        a = StatefulPartitionedCall(h, x) f=@reads
        b = StatefulPartitionedCall(h, a) f=@reads
    """
    assert groups(text, reads) == ["h a/v b/v", "a/m a", "b/m b"]


def test_an_op_that_is_a_functions_name_runs_on_one_device() -> None:
    text = "x = Placeholder() dtype=float\nc = relu(x)\ny = Neg(c)"
    assert groups(text, RELU) == ["c/r c"]
    assert inlined(text, RELU).homes == {}


def test_a_cpu_op_takes_a_call_by_name_along_but_not_a_call_that_tensorflow_places() -> None:
    # AsString has no GPU kernel; op by op it is moved, a function that runs as one op is not
    says = function("says", "x", "r = Relu(x) T=float\ns = AsString(r:activations:0) T=float", y="s:output:0")
    for call, hosts in (("says(x)", ["c/r", "c/s", "c"]), ("PartitionedCall(x) f=@says", ["c/s"])):
        text = f"x = Placeholder() dtype=float\nc = {call}\nd = PartitionedCall(x) f=@says"
        graph = build(draw(text, functions=[says]))
        assert [n for n, host in zip(graph.names, graph.host, strict=True) if host and n[0] == "c"] == hosts


def test_bodies_call_functions_in_turn() -> None:
    outer = function("outer", "x", "in = PartitionedCall(x) f=@relu\nn = Neg(in:output:0)", y="n:y:0", z="in:output:0")
    found = inlined("x = Placeholder()\nc = PartitionedCall(x) f=@outer\ny = Add(c, c:1)", RELU, outer)
    assert read(found) == {"x": "", "c/in/r": "x", "c/in": "", "c/n": "c/in/r", "c": "", "y": "c/n c/in/r"}
    assert found.homes == {"c/in/r": ("relu", "r"), "c/in": ("outer", "in"), "c/n": ("outer", "n")}
    assert found.caller.tolist() == [-1, 2, 4, 4, -1, -1]


def test_below_a_unit_everything_belongs_to_the_unit() -> None:
    outer = function("outer", "x", "in = PartitionedCall(x) f=@relu", y="in:output:0")
    text = "x = Placeholder()\na = PartitionedCall(x) f=@outer\nb = PartitionedCall(x) f=@outer"
    assert groups(text, RELU, outer) == ["a/in/r a/in a", "b/in/r b/in b"]


def test_named_outputs_become_ports() -> None:
    norm = function("norm", "x s", "n = FusedBatchNormV3(x, s, s, s, s) T=float U=float", y="n:batch_variance:0")
    assert read(inlined("x = Const()\nc = PartitionedCall(x, x) f=@norm\ny = Neg(c)", norm))["y"] == "c/n:2"


def test_arguments_handed_through_are_followed_to_their_source() -> None:
    same = function("same", "x y", "", a="y", b="x")
    text = "p = Split()\nq = Const()\nc = PartitionedCall(p:1, q) f=@same\nd = PartitionedCall(c, c:1) f=@same\n"
    assert read(inlined(text + "y = Add(d, d:1)", same))["y"] == "p:1 q"


def test_a_call_that_waits_holds_up_what_reads_its_arguments_and_what_has_no_input() -> None:
    draws = function(
        "draws", "x", "s = Const()\nr = RandomUniform()\na = Add(x, r:output:0)\nn = Neg(a:z:0)", y="n:y:0"
    )
    found = read(inlined("w = NoOp()\nx = Const()\nc = PartitionedCall(x, ^w) f=@draws", draws))
    assert found == {"w": "", "x": "", "c/s": "", "c/r": "^w", "c/a": "x c/r ^w", "c/n": "c/a", "c": ""}


def test_who_waits_for_a_call_waits_for_its_results_and_its_effects() -> None:
    saves = function("saves", "h x", "u = AssignAddVariableOp(h, x)\nn = Neg(x)", awaited="u", y="n:y:0")
    text = "h = VarHandleOp()\nx = Const()\nc = StatefulPartitionedCall(h, x) f=@saves\ndone = NoOp(^c)"
    assert read(inlined(text, saves))["c"] == "^c/n ^c/u"
    unread = "h = VarHandleOp()\nx = Const()\nc = StatefulPartitionedCall(h, x) f=@saves"
    assert read(inlined(unread, saves))["c"] == ""
    assert read(inlined(unread, saves, awaited=["c"]))["c"] == "^c/n ^c/u"


def test_effects_of_calls_in_calls_are_waited_for() -> None:
    saves = function("saves", "h x", "u = AssignAddVariableOp(h, x)", awaited="u")
    outer = function("outer", "h x", "in = StatefulPartitionedCall(h, x) f=@saves", awaited="in")
    found = read(inlined("h = A()\nx = A()\nc = StatefulPartitionedCall(h, x) f=@outer\nd = NoOp(^c)", saves, outer))
    assert (found["c"], found["c/in"]) == ("^c/in", "^c/in/u")


def test_without_control_results_every_stateful_op_is_waited_for() -> None:
    old = function("old", "h x", "u = AssignAddVariableOp(h, x)\nn = Neg(x)", y="n:y:0")
    assert read(inlined("h = A()\nx = A()\nc = old(h, x)\nd = NoOp(^c)", old))["c"] == "^c/n ^c/u"


@pytest.mark.parametrize(
    ("call", "mark"),
    [("_noinline=True", {}), ("_XlaMustCompile=True", {}), ("", {"_noinline": True}), ("", {"_XlaMustCompile": True})],
)
def test_marked_calls_stay_one_op(call: str, mark: dict[str, bool]) -> None:
    found = inlined(f"x = Const()\nc = PartitionedCall(x) f=@relu {call}", replace(RELU, attrs=dict(mark)))
    assert [node.name for node in found.nodes] == ["x", "c"]


def test_functions_that_call_themselves_stay_one_op_and_are_told() -> None:
    even = function("even", "x", "o = odd(x)", y="o:y:0")
    odd = function("odd", "x", "e = even(x)\nr = PartitionedCall(e:y:0) f=@relu", y="r:output:0")
    graph = build(draw("x = Placeholder()\nc = even(x)\nr = PartitionedCall(c) f=@relu", functions=[even, odd, RELU]))
    assert graph.names == ("x", "c", "r/r", "r")
    assert any("2 library functions call themselves ('even')" in note for note in graph.notes)


def test_an_explosion_is_refused_in_one_line() -> None:
    doubling = [function(f"f{i}", "x", f"a = f{i - 1}(x)\nb = f{i - 1}(a:y:0)", y="b:y:0") for i in range(1, 64)]
    base = function("f0", "x", "r = Relu(x)", y="r:activations:0")
    with pytest.raises(InputError, match=r"unfold to \d+ ops, more than 2000000"):
        build(draw("x = Placeholder()\nc = f63(x)", functions=[base, *doubling]))


def test_calls_thousands_deep_need_no_recursion() -> None:
    chain = [function(f"f{i}", "x", f"a = PartitionedCall(x) f=@f{i - 1}", y="a:output:0") for i in range(1, 3000)]
    base = function("f0", "x", "r = Relu(x)", y="r:activations:0")
    found = inlined("x = Const()\nc = PartitionedCall(x) f=@f400", base, *chain)
    assert found.nodes[1].name == "c" + 400 * "/a" + "/r"
    whole = inlined("x = Const()\nc = PartitionedCall(x) f=@f2999", base, *chain)
    assert [node.name for node in whole.nodes] == ["x", "c"]


def test_names_that_are_taken_get_a_number() -> None:
    text = "x = Const()\nc = PartitionedCall(x) f=@relu\nr = Neg(c)"
    found = inlined(text.replace("r = Neg", "c/r = Neg"), RELU)
    assert read(found) == {"x": "", "c/r_1": "x", "c": "", "c/r": "c/r_1"}
    assert found.homes == {"c/r_1": ("relu", "r")}


def test_colocation_and_loops_of_a_body_are_its_own() -> None:
    body = "e = Enter(x) frame_name='loop'\nn = Neg(x) loc=e,elsewhere"
    found = inlined("x = Const()\nc = PartitionedCall(x) f=@body", function("body", "x", body, y="n:y:0"))
    assert found.nodes[1].attrs["frame_name"] == b"c/loop"
    assert found.nodes[2].attrs["_class"] == (b"loc:@c/e",)


def test_a_call_that_does_not_fit_its_function_stays_as_it_is() -> None:
    found = inlined("x = Const()\nc = PartitionedCall(x, x) f=@relu\ny = Neg(c)", RELU)
    assert read(found) == {"x": "", "c": "x x", "y": "c"}


def test_a_result_that_a_function_does_not_give_is_an_error() -> None:
    with pytest.raises(InputError, match="result 1 of call 'c' is used, but its function 'relu' gives 1"):
        inlined("x = Const()\nc = PartitionedCall(x) f=@relu\ny = Neg(c:1)", RELU)


def test_a_call_that_feeds_itself_is_an_error() -> None:
    with pytest.raises(InputError, match="call 'c' passes its own result on to itself"):
        inlined("c = PartitionedCall(c) f=@same\ny = Neg(c)", function("same", "x", "", y="x"))


def test_a_call_is_kept_with_its_body_and_its_inputs_shape_it() -> None:
    step = function("step", "v g", "u = ApplyGradientDescent(v, g, g) T=float", y="u:out:0")
    text = """
        v = VariableV2() dtype=float shape=[4,4]
        g = Const() dtype=float -> [4,4]
        c = PartitionedCall(v, g) f=@step
        s = ScalarSummary(g)
    """
    graph = build(draw(text, functions=[step]))
    assert graph.names == ("v", "g", "c/u", "c")
    assert dict(graph.unplaced) == {"s": "summary"}
    assert graph.output_shapes[2][0].dims == (4, 4)
    assert (graph.nodes_read, graph.edges_read) == (4, 3)


def test_a_function_with_an_impossible_result_is_broken_and_its_call_stays() -> None:
    far = function("far", "x", "n = Neg(x) T=float", y="n:y:99999999999")
    assert read(inlined("x = Const()\nc = PartitionedCall(x) f=@far", far)) == {"x": "", "c": "x"}
