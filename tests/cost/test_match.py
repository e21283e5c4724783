"""Rows of a trace for ops that a runtime takes apart or puts together."""

from dataclasses import replace

import numpy as np

from pardnn.cost.estimate import estimate_graph
from pardnn.cost.match import Matched, match
from pardnn.cost.roofline import kernel_times
from pardnn.cost.table import CostTable, Row
from pardnn.graph.opgraph import OpGraph
from pardnn.machines.card import load_card
from tests.cost.factories import make_graph, node


def row(time_ns: int, runs: float | None = 1.0, op_type: str = "", output: int | None = None) -> Row:
    return Row("", time_ns, output, None, None, runs=runs, op_type=op_type)


def matched(graph: OpGraph, **rows: Row) -> Matched:
    costs = estimate_graph(graph)
    predicted = kernel_times(costs.costs, [load_card("v100")])[:, 0]
    return match(CostTable("t", {name.replace("__", "/"): r for name, r in rows.items()}), graph, costs, predicted)


def times(graph: OpGraph, found: Matched) -> dict[str, int | None]:
    return {name: None if r is None else r.time_ns for name, r in zip(graph.names, found.rows, strict=True)}


TRIPS = 4
LOOP = replace(
    make_graph(
        node("x", "Placeholder", "", (8, 8)), node("loop", "While", "x", (8, 8)), node("out", "Tanh", "loop", (8, 8))
    ),
    trips=np.array([1, TRIPS, 1]),
)
CONV = make_graph(
    node("x", "Placeholder", "", (8, 32, 32, 16)),
    node("w", "Placeholder", "", (3, 3, 16, 16)),
    node("b", "Placeholder", "", (16,)),
    node("conv", "Conv2D", "x w", (8, 32, 32, 16)),
    node("bias", "BiasAdd", "conv b", (8, 32, 32, 16)),
    node("g", "Tanh", "bias", (8, 32, 32, 16)),
    node("to_w", "Conv2DBackpropFilter", "x w g", (3, 3, 16, 16)),
    node("to_b", "BiasAddGrad", "g", (16,)),
    node("other", "BiasAddGrad", "bias", (16,)),
)


def test_what_ran_inside_a_loop_is_the_loop_s() -> None:
    """loop/body/a and loop/cond/b ran 5 and 6 times; the graph has no op of that name, only the loop."""
    found = matched(LOOP, loop__body__a=row(100, 5), loop__cond__b=row(10, 6), loop=row(7), out=row(1), lo=row(9))
    assert times(LOOP, found) == {"x": None, "loop": round((5 * 100 + 6 * 10 + 7) / TRIPS), "out": 1}
    assert found.strangers == 1  # "lo" is nobody's


def test_an_op_of_a_loop_takes_in_a_step_what_it_took_however_many_turns_are_assumed() -> None:
    found = matched(LOOP, loop=row(1000, runs=3, output=64))
    assert found.rows[1] is not None
    assert found.rows[1].time_ns == 3000 / TRIPS
    assert found.rows[1].output_bytes is None  # of the last turn, not of all


def test_without_runs_a_time_is_that_of_any_run() -> None:
    assert times(LOOP, matched(LOOP, loop=row(1000, runs=None)))["loop"] == 1000


def test_a_fused_kernel_s_time_is_shared_by_the_ops_it_does() -> None:
    found = matched(
        CONV,
        bias=row(10_000, op_type="_MklNativeConv2DWithBias"),
        to_w=row(8000, op_type="_MklNativeConv2DBackpropFilterWithBias"),
        g=row(5, op_type="Tanh"),
    )
    got = times(CONV, found)
    assert got["conv"] is not None
    assert got["bias"] is not None
    assert got["conv"] + got["bias"] == 10_000
    assert got["conv"] > got["bias"] > 0
    assert (got["to_w"] or 0) + (got["to_b"] or 0) == 8000
    assert (got["x"], got["other"], got["g"]) == (None, None, 5)
    assert found.fused == 2


def test_an_op_with_a_row_of_its_own_is_in_no_fused_kernel() -> None:
    found = matched(CONV, bias=row(10_000, op_type="_FusedConv2D"), conv=row(3))
    assert (times(CONV, found)["bias"], times(CONV, found)["conv"], found.fused) == (10_000, 3, 0)


def test_an_ordinary_kernel_shares_nothing() -> None:
    found = matched(CONV, bias=row(10_000, op_type="BiasAdd"))
    assert (times(CONV, found)["bias"], times(CONV, found)["conv"]) == (10_000, None)
    assert np.flatnonzero(found.known).tolist() == [4]


def test_a_model_made_again_has_other_numbers_in_the_same_order() -> None:
    """Two layers, which were d_1 and d_2 when they were traced and are d_2 and d_3 now: d_2 is not d_2."""
    graph = make_graph(
        node("x", "Placeholder", "", (8, 8)), node("net_4/d_2/act", "Tanh", "x", (8, 8)),
        node("net_4/d_3/act", "Tanh", "net_4/d_2/act", (8, 8)), node("loop_7", "While", "net_4/d_3/act", (8, 8)),
    )  # fmt: skip
    rows = {"net/d_1/act": row(10), "net/d_2/act": row(20), "loop_2/body/_12/net/d_1/a": row(5, 3), "x": row(1)}
    found = matched(graph, **rows)
    assert times(graph, found) == {"x": 1, "net_4/d_2/act": 10, "net_4/d_3/act": 20, "loop_7": 15}
    assert (found.renumbered, found.strangers) == (2, 0)


def test_where_the_numbers_tell_nothing_only_the_very_name_counts() -> None:
    graph = make_graph(node("x", "Placeholder", "", (8, 8)), node("d_2", "Tanh", "x", (8, 8)))
    assert times(graph, matched(graph, d_1=row(10), d_2=row(20))) == {"x": None, "d_2": 20}
    assert times(graph, matched(graph, d_1=row(10, runs=None))) == {"x": None, "d_2": None}  # not from a trace
