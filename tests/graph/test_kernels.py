import json
from importlib.resources import files

import pytest

from pardnn.graph.kernels import UNKNOWN, facts, op_types, runs_on
from pardnn.graph.optypes import output_dtypes
from pardnn.graph.raw import AttrValue, DType, RawNode

FLOAT, INT32, STRING = DType(1), DType(3), DType(7)


def types(op: str, at_least: int = 0, **attrs: AttrValue) -> list[int]:
    return [int(dtype) for dtype in output_dtypes(RawNode("n", op, attrs=attrs), at_least)]


def test_output_types_come_from_attributes_defaults_lists_and_fixed_types() -> None:
    assert types("MatMul", T=FLOAT) == [1]
    assert types("Shape", T=FLOAT) == [3]
    assert types("Shape", T=FLOAT, out_type=DType(9)) == [9]
    assert types("Split", T=FLOAT, num_split=3) == [1, 1, 1]
    assert types("IteratorGetNext", output_types=(FLOAT, DType(9))) == [1, 9]
    assert types("VarHandleOp", dtype=FLOAT) == [20]
    assert types("VariableV2", dtype=FLOAT) == [101]
    assert types("FusedBatchNormV3", T=DType(19), U=FLOAT) == [19, 1, 1, 1, 1, 1]
    assert types("NoOp") == []


def test_an_unknown_op_has_the_outputs_its_consumers_name() -> None:
    assert types("MyConv", 2, T=FLOAT) == [1, 1]
    assert types("MyConv", 1) == [UNKNOWN]


@pytest.mark.parametrize(
    ("op", "attrs", "gpu"),
    [
        ("MatMul", {"T": FLOAT}, True),
        ("MatMul", {"T": INT32}, False),
        ("AddV2", {"T": INT32}, True),
        ("Const", {"dtype": STRING}, False),
        ("SparseApplyAdam", {}, None),
        ("ResourceSparseApplyAdagrad", {"T": FLOAT, "Tindices": INT32}, True),
        ("ResourceSparseApplyMomentum", {"T": FLOAT, "Tindices": INT32}, False),
        ("RandomShuffle", {"T": FLOAT}, False),
        ("SaveV2", {"dtypes": (FLOAT,)}, False),
        ("PyFunc", {"Tin": (), "Tout": ()}, False),
    ],
)
def test_gpu_kernels_are_those_of_tensorflows_registry(op: str, attrs: dict[str, AttrValue], gpu: bool | None) -> None:
    known = facts(op)
    if gpu is None:
        assert known is None
    else:
        assert known is not None
        assert runs_on(known.gpu, RawNode("n", op, attrs=attrs), known.types) is gpu


def test_the_reference_inputs_of_updates_are_known() -> None:
    adam, merge, conv = facts("ApplyAdam"), facts("RefMerge"), facts("Conv2D")
    assert adam is not None
    assert adam.refs == (0, 3)
    assert merge is not None
    assert merge.refs[1] > 1000
    assert conv is not None
    assert conv.refs == (0, 0)


def test_the_table_is_small_names_its_tensorflow_and_every_record_can_be_read() -> None:
    data = files("pardnn.graph").joinpath("kernels.json").read_bytes()
    assert len(data) < 150_000
    assert json.loads(data)["tensorflow"] >= "2.21"
    assert len(op_types()) > 1500
    assert all(facts(op) is not None for op in op_types())
