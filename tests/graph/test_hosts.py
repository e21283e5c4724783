import numpy as np
import pytest

from pardnn.errors import DoesNotFit
from pardnn.graph.opgraph import OpGraph
from tests.graph.drawn import built


def hosts(graph: OpGraph) -> list[str]:
    return [name for name, host in zip(graph.names, graph.host.tolist(), strict=True) if host]


def test_ops_without_a_gpu_kernel_go_to_the_cpu() -> None:
    graph = built(
        """
        x = Placeholder() dtype=float
        s = AsString(x) T=float
        t = Const() dtype=string
        p = Print(x, x) T=float
        y = Relu(x) T=float
        h = HistogramSummary(t, x) T=float
        """
    )
    assert hosts(graph) == ["s", "t", "p", "h"]


@pytest.mark.parametrize(("kind", "expected"), [("float", []), ("int32", ["w"]), ("string", ["w"]), ("half", [])])
def test_it_depends_on_the_type_where_the_kernels_do(kind: str, expected: list[str]) -> None:
    assert hosts(built(f"w = VariableV2() dtype={kind} shape=[3]")) == expected


def test_a_group_with_one_cpu_op_goes_there_whole_and_the_note_names_it() -> None:
    graph = built(
        """
        w = VariableV2() dtype=float shape=[3]
        read = Identity(w) T=float loc=w
        s = AsString(read) T=float loc=w
        y = Relu(read) T=float
        """
    )
    assert hosts(graph) == ["w", "read", "s"]
    assert [note for note in graph.notes if "runs on the CPU only" in note] == [
        "'s' (AsString) runs on the CPU only, so its colocation group of 3 ops goes there"
    ]


def test_a_group_that_no_device_can_run_is_refused_naming_both_ops() -> None:
    with pytest.raises(
        DoesNotFit, match=r"'s' \(AsString\) has only a CPU kernel and 'r' \(CudnnRNNBackprop\) only a GPU"
    ):
        built("x = Placeholder() dtype=float\ns = AsString(x) T=float\nr = CudnnRNNBackprop(x) T=float loc=s")


def test_an_iterator_stays_on_the_cpu_as_tensorflow_prefers() -> None:
    assert hosts(built("it = IteratorV2()\nnext = IteratorGetNext(it) output_types=float;")) == ["it", "next"]


def test_custom_ops_are_taken_to_run_anywhere_and_counted() -> None:
    graph = built("g = Placeholder() dtype=float\nh = HorovodAllreduce(g) T=float\nz = MyConv(h, ^g)")
    assert not np.any(graph.host)
    assert "ops of unknown type, taken to run on GPU and CPU: 2 (HorovodAllreduce, MyConv)" in graph.notes
    assert [len(types) for types in graph.output_dtypes] == [1, 1, 0]
