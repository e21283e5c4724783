"""Ops that a control edge may join, and edges that do no harm."""

from pardnn.graph.waiting import Waiting
from tests.graph.drawn import draw


def test_ops_of_loops_and_branches_may_not_be_joined() -> None:
    """An op in a branch not taken is dead and would take others with it; after the Merge all is alive again."""
    text = """
        a = Const() -> []
        p = Const() -> []
        b = Neg(a) -> []
        s = Switch(b, p) -> [] []
        yes = Exp(s:1) -> []
        no = Exp(s) -> []
        m = Merge(no, yes) -> [] []
        c = Neg(m) -> []
        into = Enter(c) frame_name='f' -> []
        top = Merge(into, back) -> [] []
        turn = Neg(top) -> []
        on = Less(turn, turn) -> []
        go = LoopCond(on) -> []
        either = Switch(turn, go) -> [] []
        back = NextIteration(either:1) -> []
        out = Exit(either) -> []
        d = Neg(out) -> []
    """
    assert Waiting(draw(text).nodes).names == {"b", "c", "d"}


def test_edges_that_close_a_cycle_or_are_there_are_left_out() -> None:
    nodes = draw("""
        a = Rand() -> []
        b = Neg(a) -> []
        c = Neg(b) -> []
        d = Rand() -> []
    """).nodes
    edges = [("d", "b"), ("a", "b"), ("c", "a"), ("c", "d"), ("d", "d"), ("d", "gone")]
    assert Waiting(nodes).harmless(edges) == [("d", "b")]
