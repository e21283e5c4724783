import pytest

from pardnn.errors import InputError
from pardnn.graph.build import build
from pardnn.graph.opgraph import OpGraph
from tests.graph.drawn import built, draw

STEP = """
    x = Placeholder() dtype=float
    init = Const() dtype=float
    w = VariableV2() dtype=float shape=[3]
    w/Assign = Assign(w, init) T=float
    read = Identity(w) T=float
    y = Mul(x, read) T=float
    g = Neg(y) T=float
    rate = Const() dtype=float
    up = ApplyGradientDescent(w, rate, g) T=float
    count = VariableV2() dtype=float
    one = Const(^up) dtype=float
    train = AssignAdd(count, one) T=float
    tag = Const() dtype=string
    s = ScalarSummary(tag, y) T=float
    file = Const() dtype=string
    names = Const() dtype=string
    save = SaveV2(file, names, names, w) dtypes=float;
    back = RestoreV2(file, names, names) dtypes=float;
    w/Assign_1 = Assign(w, back) T=float
    restore_all = NoOp(^w/Assign_1)
    init_all = NoOp(^w/Assign)
    accuracy = Mean(y, rate) T=float
"""


def kept(graph: OpGraph) -> set[str]:
    return set(graph.names)


def test_the_optimisers_updates_what_they_need_and_what_is_chained_to_them_stay() -> None:
    graph = built(STEP)
    assert kept(graph) == {"x", "w", "read", "y", "g", "rate", "up", "count", "one", "train"}


def test_everything_else_is_out_with_its_reason() -> None:
    assert built(STEP).unplaced == {
        "init": "initialiser",
        "w/Assign": "initialiser",
        "init_all": "initialiser",
        "tag": "summary",
        "s": "summary",
        "file": "saver",
        "names": "saver",
        "save": "saver",
        "back": "saver",
        "w/Assign_1": "saver",
        "restore_all": "saver",
        "accuracy": "not needed by the training step",
    }


def test_loading_a_checkpoint_that_is_named_by_a_feed_is_no_training() -> None:
    graph = built("""
        file = Placeholder() dtype=string
        names = Const() dtype=string
        back = RestoreV2(file, names, names) dtypes=float;
        w = VarHandleOp() dtype=float shape=[3]
        a = AssignVariableOp(w, back) dtype=float
        y = ReadVariableOp(w) dtype=float
    """)
    assert kept(graph) == {"file", "names", "back", "w", "a", "y"}
    assert any("no training op found" in note for note in graph.notes)


def test_the_train_op_collection_gives_the_same_step() -> None:
    assert kept(build(draw(STEP, train_ops=["train"]))) == kept(built(STEP))


def test_targets_override_everything() -> None:
    graph = build(draw(STEP, train_ops=["train"]), targets=["accuracy:0", "s"])
    assert {"accuracy", "s", "tag", "y", "read", "w", "x"} < kept(graph)
    assert "g" not in kept(graph)


def test_what_kept_ops_are_colocated_with_by_name_is_kept_though_no_op_needs_it() -> None:
    """TensorFlow's importer gives an op the device of the op its class names, so a pruned loss would unseat these."""
    loss = "loss = Mean(y, rate) T=float loc=base\nbase = Neg(x) T=float\n"
    graph = built(STEP.replace("g = Neg(y) T=float", "g = Neg(y) T=float loc=loss,ghost") + loss)
    assert {"loss", "base"} < kept(graph)
    assert "accuracy" not in kept(graph)


def test_an_unknown_target_is_refused_by_name() -> None:
    with pytest.raises(InputError, match="target 'nope' is no op of the graph"):
        built(STEP, targets=["nope"])


def test_a_graph_without_training_is_kept_whole_with_a_note() -> None:
    graph = built("x = Placeholder() dtype=float\ny = Relu(x) T=float\ndead = Const() dtype=float")
    assert kept(graph) == {"x", "y", "dead"}
    assert any("no training op found" in note for note in graph.notes)


def test_a_lowered_function_keeps_its_results_and_its_side_effects() -> None:
    graph = built(
        """
        w = _Arg() T=resource
        x = _Arg() T=float
        y = Relu(x) T=float
        r = _Retval(y) T=float
        up = AssignAddVariableOp(w, x) dtype=float
        dead = Neg(x) T=float
        """
    )
    assert kept(graph) == {"w", "x", "y", "r", "up"}
    assert graph.unplaced == {"dead": "not needed by the training step"}


def test_without_an_optimiser_updates_count_that_depend_on_more_than_constants() -> None:
    graph = built(
        """
        w = VarHandleOp() dtype=float
        zero = Const() dtype=float
        w/init = AssignVariableOp(w, zero) dtype=float
        old = ReadVariableOp(w) dtype=float
        new = Neg(old) T=float
        w/step = AssignVariableOp(w, new) dtype=float
        """
    )
    assert kept(graph) == {"w", "old", "new", "w/step"}
    assert set(graph.unplaced.values()) == {"initialiser"}


def test_what_runs_in_other_threads_to_feed_the_step_is_the_input_pipeline() -> None:
    graph = built(
        STEP
        + """
        q = FIFOQueueV2()
        img = ReadFile(file)
        put = QueueEnqueueV2(q, img)
        full = QueueSizeV2(q)
        z = Cast(full) SrcT=int32 DstT=float
        s2 = ScalarSummary(tag, z) T=float
        """
    )
    assert {name for name, reason in graph.unplaced.items() if reason == "input pipeline"} == {
        "q",
        "file",
        "img",
        "put",
    }
    assert graph.unplaced["full"] == graph.unplaced["z"] == graph.unplaced["s2"] == "summary"


def test_a_loop_is_kept_with_its_back_edges() -> None:
    """The NextIteration is reached only against the cut edge."""
    graph = built(
        """
        w = VariableV2() dtype=float
        in = Enter(w) T=float frame_name='f'
        m = Merge(in, next) T=float N=2
        c = LoopCond(m)
        s = Switch(m, c) T=float
        body = Neg(s:1) T=float
        next = NextIteration(body) T=float
        out = Exit(s) T=float
        up = ApplyGradientDescent(w, out, out) T=float
        """
    )
    assert graph.unplaced == {}
    assert graph.loops == 1
    assert graph.dag.n == 9
