import pytest

from tests.graph.drawn import built


def loop(condition: str, start: int, step: str, name: str = "f") -> str:
    return f"""
        from = Const() dtype=int32 value={{{start}}}
        in = Enter(from) T=int32 frame_name='{name}'
        m = Merge(in, next) T=int32 N=2
        {condition}
        cond = LoopCond(less)
        s = Switch(m, cond) T=int32
        by = Const(^s) dtype=int32 value={{{step}}}
        add = AddV2(s:1, by) T=int32
        next = NextIteration(add) T=int32
        out = Exit(s) T=int32
    """


def trips(text: str) -> dict[str, int]:
    graph = built(text)
    return dict(zip(graph.names, graph.trips.tolist(), strict=True))


@pytest.mark.parametrize(
    ("start", "limit", "step", "op", "expected"),
    [(0, 7, "1", "Less", 7), (2, 7, "2", "Less", 3), (0, 7, "1", "LessEqual", 8), (9, 7, "1", "Less", 1)],
)
def test_a_constant_bound_is_counted(start: int, limit: int, step: str, op: str, expected: int) -> None:
    text = loop(f"n = Const() dtype=int32 value={{{limit}}}\nless = {op}(m, n) T=int32", start, step)
    found = trips(text)
    assert found["add"] == found["in"] == found["out"] == expected
    assert found["from"] == 1


def test_a_bound_may_come_from_the_shape_of_a_tensor() -> None:
    text = """
        x = Placeholder() dtype=float shape=[8,31,4]
        dims = Shape(x) T=float
        at = Const() dtype=int32 value={1,}
        end = Const() dtype=int32 value={2,}
        by1 = Const() dtype=int32 value={1,}
        t = StridedSlice(dims, at, end, by1) T=int32 shrink_axis_mask=1
        tin = Enter(t) T=int32 frame_name='f' is_constant=True
        less = Less(m, tin) T=int32
    """
    assert trips(loop(text, 0, "1"))["add"] == 31


def test_of_two_conditions_the_tighter_holds() -> None:
    text = """
        n = Const() dtype=int32 value={100}
        five = Const() dtype=int32 value={5}
        a = Less(m, n) T=int32
        b = Less(m, five) T=int32
        less = LogicalAnd(a, b)
    """
    assert trips(loop(text, 0, "1"))["add"] == 5


def test_a_gradients_loop_goes_round_as_often_as_the_forward_one() -> None:
    forward = loop("n = Const() dtype=int32 value={12}\nless = Less(m, n) T=int32", 0, "1")
    found = trips(
        forward
        + """
        in2 = Enter(out) T=int32 frame_name='g'
        m2 = Merge(in2, next2) T=int32 N=2
        one = Const() dtype=int32 value={1}
        more = GreaterEqual(m2, one) T=int32
        cond2 = LoopCond(more)
        s2 = Switch(m2, cond2) T=int32
        sub = Sub(s2:1, one) T=int32
        next2 = NextIteration(sub) T=int32
        """
    )
    assert found["sub"] == 12


def test_a_bound_that_is_not_to_be_seen_is_assumed_and_noted() -> None:
    graph = built(loop("n = Placeholder() dtype=int32 shape=[]\nless = Less(m, n) T=int32", 0, "1"))
    assert max(graph.trips) == 10
    assert "1 of 1 loops have no constant bound and are taken to run 10 times" in graph.notes


def test_a_known_bound_leaves_no_note() -> None:
    graph = built(loop("n = Const() dtype=int32 value={3}\nless = Less(m, n) T=int32", 0, "1"))
    assert not any("loops" in note for note in graph.notes)
