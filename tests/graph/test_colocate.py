from pardnn.graph.colocate import colocate
from pardnn.graph.optypes import all_dtypes
from tests.graph.drawn import together, wired


def test_a_class_ties_an_op_to_the_one_it_names_and_chains_hold() -> None:
    assert together("a = Const()\nb = Const() loc=a\nc = Const() loc=b\nd = Const()") == ["a b c"]


def test_a_class_that_names_two_ties_all_three() -> None:
    assert together("v = VarHandleOp()\nw = VarHandleOp()\ng = AddN(v, w) loc=v,w T=float N=2") == ["v w g"]


def test_ops_that_name_the_same_missing_op_stay_together_and_it_is_noted() -> None:
    text = "a = Const() loc=gone\nb = Const() loc=gone\nc = Const()"
    wiring = wired(text)
    _, note = colocate(wiring, all_dtypes(wiring))
    assert together(text) == ["a b"]
    assert note == "2 colocation references name ops that are not in the graph (first: 'gone')"


def test_a_reference_ties_the_update_but_not_the_read() -> None:
    """An Identity of a reference variable copies it: it may sit elsewhere."""
    assert together(
        """
        w = VariableV2() dtype=float shape=[3]
        read = Identity(w) T=float
        g = Neg(read) T=float
        up = ApplyGradientDescent(w, g, g) T=float
        """
    ) == ["w up"]


def test_every_slot_of_an_update_is_tied() -> None:
    assert together(
        """
        w = VariableV2() dtype=float
        m = VariableV2() dtype=float
        v = VariableV2() dtype=float
        x = Const() dtype=float
        up = ApplyAdam(w, m, v, x, x, x, x, x, x, x) T=float
        """
    ) == ["w m v up"]


def test_a_resource_ties_its_users_through_whatever_it_passes() -> None:
    assert together(
        """
        h = VarHandleOp() dtype=float shape=[3]
        in = Enter(h) T=resource frame_name='f'
        same = Identity(in) T=resource
        read = ReadVariableOp(same) dtype=float
        y = Neg(read) T=float
        """
    ) == ["h in same read"]


def test_an_op_that_touches_two_resources_ties_them() -> None:
    assert together(
        """
        w = _Arg() T=resource
        m = _Arg() T=resource
        x = Const() dtype=float
        up = ResourceApplyMomentum(w, m, x, x, x) T=float
        r = ReadVariableOp(w) dtype=float
        """
    ) == ["w m up r"]


def test_a_call_does_not_tie_what_it_captures_but_a_loop_does() -> None:
    captured = "a = VarHandleOp() dtype=float\nb = VarHandleOp() dtype=float\n"
    assert together(captured + "call = StatefulPartitionedCall(a, b)") == []
    assert together(captured + "call = StatefulPartitionedCall(a, b) _XlaMustCompile=True") == ["a b call"]
    assert together(captured + "loop = While(a, b)") == ["a b loop"]


def test_stacks_and_arrays_hold_their_users_by_any_kind_of_handle() -> None:
    assert together(
        """
        s = StackV2() elem_type=float
        x = Const() dtype=float
        push = StackPushV2(s, x) T=float
        pop = StackPopV2(s) elem_type=float
        """
    ) == ["s push pop"]
    assert together(
        """
        n = Const() dtype=int32
        t = TensorArrayV2(n) dtype=float
        i = Const() dtype=int32
        x = Const() dtype=float
        w = TensorArrayWriteV2(t, i, x, x) T=float
        """
    ) == ["t w"]


def test_chains_of_a_hundred_thousand_need_no_recursion() -> None:
    text = "\n".join(f"n{i} = Const() loc=n{i + 1}" for i in range(99_999)) + "\nn99999 = Const()"
    assert [len(group.split()) for group in together(text)] == [100_000]
