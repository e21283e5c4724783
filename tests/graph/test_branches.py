"""Branches taken apart as TensorFlow does it before it gives devices."""

from collections.abc import Sequence

import numpy as np

from pardnn.cost.branches import passed_over
from pardnn.graph.build import build
from pardnn.graph.raw import RawFunction
from tests.graph.drawn import draw, function, groups

THEN = function(
    "then", "h x", "v = ReadVariableOp(h) dtype=float\nm = Mul(x, v:value:0) T=float", y="m:z:0"
)  # fmt: skip
ELSE = function("else", "h x", "n = Neg(x) T=float", y="n:y:0")
IF = "If(p, {}) then_branch=@{} else_branch=@{} Tout=float; _lower_using_switch_merge=1"
GIVEN = """
    h = VarHandleOp() dtype=float
    k = VarHandleOp() dtype=float
    x = Placeholder() dtype=float
    p = Placeholder() dtype=bool
"""


def text_of(*branches: str) -> str:
    return GIVEN + "\n".join(branches) + "\ny = Neg(c) T=float"


def inputs(text: str, *functions: RawFunction) -> dict[str, str]:
    return {node.name: " ".join(node.inputs) for node in build(draw(text, functions=functions)).nodes}


def test_a_branch_is_two_calls_and_a_merge_and_waits_for_its_condition() -> None:
    found = inputs(text_of("c = " + IF.format("h, x", "then", "else")), THEN, ELSE)
    assert {name: found[name] for name in found if name[0] in "cy"} == {
        "c/then/v": "h ^p",
        "c/then/m": "x c/then/v ^p",
        "c/then": "^c/then/m ^c/then/v",
        "c/else/n": "x ^p",
        "c/else": "^c/else/n",
        "c": "c/then/m c/else/n ^c/then ^c/else",
        "y": "c",
    }


def test_ops_of_a_branch_have_devices_of_their_own_and_its_variables_need_not_be_together() -> None:
    both = function(
        "both", "h k x", "u = AssignAddVariableOp(h, x) dtype=float\nv = AssignAddVariableOp(k, x) dtype=float", y="x",
        awaited="u v",
    )  # fmt: skip
    none = function("none", "h k x", "", y="x")
    text = text_of("c = " + IF.format("h, k, x", "both", "none"))
    assert groups(text, both, none) == ["h c/then/u", "k c/then/v", "c/then c/else c"]
    homes = build(draw(text, functions=[both, none])).homes
    assert homes == {"c/then/u": ("both", "u"), "c/then/v": ("both", "v")}


def test_a_branch_that_tensorflow_runs_as_one_op_holds_its_variables() -> None:
    text = text_of("c = " + IF.format("h, x", "then", "else")).replace(" _lower_using_switch_merge=1", "")
    assert groups(text, THEN, ELSE) == ["h c"]
    assert "c/then/m" not in inputs(text, THEN, ELSE)


def test_functions_of_two_branches_are_units_with_each() -> None:
    twice = text_of("b = " + IF.format("h, x", "then", "else"), "c = " + IF.format("h, b", "then", "else"))
    assert groups(twice, THEN, ELSE) == [
        "h b/then/v c/then/v",
        "b/then/m b/then b/else/n b/else b",
        "c/then/m c/then c/else/n c/else c",
    ]
    assert build(draw(twice, functions=[THEN, ELSE])).homes == {}


def test_one_of_several_functions() -> None:
    case = "c = Case(p, h, x) branches=@then;@else Tout=float; _lower_using_switch_merge=1"
    found = inputs(text_of(case), THEN, ELSE)
    assert found["c"] == "c/branch0/m c/branch1/n ^c/branch0 ^c/branch1"
    assert found["c/branch0/m"] == "x c/branch0/v ^p"


def test_branches_in_calls_and_in_branches() -> None:
    inner = function("inner", "p h x", "i = " + IF.format("h, x", "then", "else"), y="i:output:0")
    outer = function("outer", "h x p", "f = StatefulPartitionedCall(p, h, x) f=@inner Tout=float;", y="f:output:0")
    left = function("left", "h x p", "", y="x")
    text = text_of("c = " + IF.format("h, x, p", "outer", "left"))
    graph = build(draw(text, functions=[THEN, ELSE, inner, outer, left]))
    assert graph.homes == {
        "c/then/f": ("outer", "f"),
        "c/then/f/i": ("inner", "i"),
        "c/then/f/i/then/v": ("then", "v"),
        "c/then/f/i/then/m": ("then", "m"),
        "c/then/f/i/else/n": ("else", "n"),
    }


def test_what_tensorflow_rather_has_on_the_cpu_stays_with_its_branch() -> None:
    kept = function("kept", "h x", "o = OptionalFromValue(x) Toutput_types=float;", y="o:optional:0")
    none = function("none", "h x", "o = OptionalNone()", y="o:optional:0")
    text = text_of("c = " + IF.format("h, x", "kept", "none").replace("Tout=float;", "Tout=variant;"))
    text = text.replace("y = Neg(c) T=float", "o = OptionalFromValue(x) Toutput_types=float;")
    graph = build(draw(text, functions=[kept, none]))
    assert [name for name, host in zip(graph.names, graph.host, strict=True) if host] == ["o"]


def test_what_cannot_be_taken_apart_stays_one_op() -> None:
    again = function("again", "h x", "c = " + IF.format("h, x", "again", "else"), y="c:output:0")
    more = function("more", "h x", "n = Neg(x) T=float", y="n:y:0", z="n:y:0")
    for name, functions in (("again", [again, ELSE]), ("more", [more, ELSE]), ("absent", [ELSE])):
        found = inputs(text_of("c = " + IF.format("h, x", name, "else")), *functions)
        assert found["c"] == "p h x", name
    taken = text_of("c = " + IF.format("h, x", "then", "else")) + "\nc/then = Neg(c) T=float"
    assert inputs(taken, THEN, ELSE)["c"] == "p h x"


def test_numbers_pass_a_merge_where_branches_agree() -> None:
    def made(*sizes: int) -> list[tuple[int, ...] | None]:
        parts = [function(f"f{i}", "h x", f"s = Const() value={{{n}}} dtype=int32", y="s:output:0") for i, n in
                 enumerate(sizes)]  # fmt: skip
        text = (
            GIVEN + "z = Const() value={0} dtype=float\nc = " + IF.format("h, x", "f0", "f1").replace("float", "int32")
        )
        text += "\ny = Fill(c, z) T=float index_type=int32"
        graph = build(draw(text, functions=parts))
        return [shape.dims for shape in graph.output_shapes[graph.names.index("y")]]

    assert made(7, 7) == [(7,)]
    assert made(7, 8) != [(7,)]


def passed(times: dict[str, int], text: str, functions: Sequence[RawFunction]) -> set[str]:
    graph = build(draw(text, functions=functions))
    column = np.array([times.get(name, 0) for name in graph.names], np.int64)
    return {name for name, over in zip(graph.names, passed_over(graph, column).tolist(), strict=True) if over}


def test_the_dearest_branch_takes_time() -> None:
    text = text_of("c = " + IF.format("h, x", "then", "else"))
    assert passed({"c/then/v": 1, "c/then/m": 2, "c/else/n": 4}, text, [THEN, ELSE]) == {
        "c/then/v",
        "c/then/m",
        "c/then",
    }
    assert passed({"c/then/v": 3, "c/then/m": 2, "c/else/n": 4}, text, [THEN, ELSE]) == {"c/else/n", "c/else"}


def test_branches_in_branches_count_with_their_dearest() -> None:
    outer = function("outer", "h x p", "i = " + IF.format("h, x", "then", "else"), y="i:output:0")
    other = function("other", "h x p", "o = Exp(x) T=float", y="o:y:0")
    text = text_of("c = " + IF.format("h, x, p", "outer", "other"))
    dear = {"c/then/i/then/m": 3, "c/then/i/else/n": 5, "c/else/o": 7}
    inner = {"c/then/i/then/v", "c/then/i/then/m", "c/then/i/then"}
    assert passed(dear, text, [THEN, ELSE, outer, other]) == inner | {
        "c/then/i/else/n", "c/then/i/else", "c/then/i", "c/then"
    }  # fmt: skip
    assert passed(dear | {"c/else/o": 4}, text, [THEN, ELSE, outer, other]) == inner | {"c/else/o", "c/else"}
