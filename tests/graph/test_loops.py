import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.errors import InputError
from pardnn.graph.cycles import components_with_cycles
from pardnn.graph.loops import OUTSIDE, acyclic, find_frames, forward_edges
from pardnn.graph.wiring import Wiring
from scheduler.dag import Dag
from tests.graph.drawn import built, wired

COUNT = """
    zero = Const() dtype=int32 value={0}
    start = Enter(zero) T=int32 frame_name='outer'
    m = Merge(start, next) T=int32 N=2
    seven = Const(^m) dtype=int32 value={7}
    less = Less(m, seven) T=int32
    cond = LoopCond(less)
    s = Switch(m, cond) T=int32
    one = Const(^s) dtype=int32 value={1}
    add = AddV2(s:1, one) T=int32
    next = NextIteration(add) T=int32
    out = Exit(s) T=int32
    after = Neg(out) T=int32
"""


def frames(wiring: Wiring) -> dict[str, str]:
    found = find_frames(wiring, acyclic(wiring, forward_edges(wiring)))
    return {
        node.name: "" if number == OUTSIDE else found.names[number]
        for node, number in zip(wiring.nodes, found.frame.tolist(), strict=True)
    }


def test_only_the_edge_that_closes_the_loop_is_cut() -> None:
    wiring = wired(COUNT)
    cut = np.flatnonzero(~forward_edges(wiring)).tolist()
    assert [(wiring.nodes[wiring.src[e]].name, wiring.nodes[wiring.dst[e]].name) for e in cut] == [("next", "m")]


def test_a_frame_reaches_from_enter_to_exit_and_holds_what_waits_inside() -> None:
    found = frames(wired(COUNT))
    assert {name for name, frame in found.items() if not frame} == {"zero", "after"}
    assert set(found.values()) == {"", "outer"}


def test_a_loop_in_a_loop_has_a_frame_of_its_own() -> None:
    found = frames(
        wired(
            COUNT.replace("add = AddV2(s:1, one) T=int32", "add = Exit(s2) T=int32")
            + """
            in = Enter(s:1) T=int32 frame_name='inner'
            m2 = Merge(in, next2) T=int32 N=2
            c2 = LoopCond(m2)
            s2 = Switch(m2, c2) T=int32
            next2 = NextIteration(s2:1) T=int32
            """
        )
    )
    assert {found[name] for name in ("in", "m2", "c2", "s2", "next2", "add")} == {"inner"}
    assert {found[name] for name in ("s", "next", "out")} == {"outer"}
    assert found["after"] == ""


def test_a_loop_is_one_group_and_what_only_the_cpu_runs_does_not_drag_it_there() -> None:
    graph = built(COUNT + "text = Const(^s) dtype=string value={}\nsay = Print(add, text) T=int32 U=string;")
    group = dict(zip(graph.names, graph.group.tolist(), strict=True))
    host = dict(zip(graph.names, graph.host.tolist(), strict=True))
    inside = {"start", "m", "seven", "less", "cond", "s", "one", "add", "next", "out"}
    assert len({group[name] for name in inside}) == 1
    assert sum(number == group["m"] for number in group.values()) == len(inside)
    assert [name for name, is_host in host.items() if is_host] == ["text", "say"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("b = Identity(b)", "node depends on itself .*: b -> b"),
        ("a = NoOp(^b)\nb = NoOp(^a)", "cycle of 2 nodes .*: (a -> b -> a|b -> a -> b)"),
        ("a = Neg(c)\nb = Neg(a)\nc = Neg(b)\nd = Neg(c)", "cycle of 3 nodes without a NextIteration"),
        ("m = Merge(n)\nn = NextIteration(m)\nx = Neg(m, y)\ny = Neg(x)", "cycle of 2 nodes"),
    ],
)
def test_a_cycle_that_is_no_loop_is_listed(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        built(text)


def test_a_long_cycle_is_listed_in_short() -> None:
    names = [f"{i:03}" for i in range(200)]
    text = "\n".join(f"{name} = Neg({names[i - 1]})" for i, name in enumerate(names))
    with pytest.raises(InputError, match=r"cycle of 200 nodes .* \.\.\. 192 more \.\.\. -> ") as caught:
        built(text)
    assert len(str(caught.value)) < 300


def test_a_hundred_thousand_levels_need_no_recursion() -> None:
    n = 100_000
    text = "\n".join(f"n{i} = Neg(n{i - 1}) T=float" if i else "n0 = Const() dtype=float" for i in range(n))
    wiring = wired(text)
    ways = Dag.from_edges(n, wiring.src, wiring.dst)
    assert components_with_cycles(ways) == 0
    assert set(find_frames(wiring, acyclic(wiring, forward_edges(wiring))).frame.tolist()) == {OUTSIDE}


@given(
    st.integers(1, 12).flatmap(lambda n: st.lists(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=30))
)
def test_components_are_those_of_networkx(edges: list[tuple[int, int]]) -> None:
    n = max((max(edge) for edge in edges), default=0) + 1
    peer: nx.DiGraph[int] = nx.DiGraph(edges)
    expected = sum(len(component) > 1 for component in nx.strongly_connected_components(peer))
    ways = Dag.from_edges(n, [u for u, _ in edges], [v for _, v in edges])
    assert components_with_cycles(ways) == expected
