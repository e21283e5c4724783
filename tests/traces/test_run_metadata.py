"""RunMetadata read without TensorFlow."""

from pathlib import Path

import pytest

from pardnn.errors import InputError
from pardnn.traces.run_metadata import read_run_metadata
from tests.traces.drawn import CPU, metadata


def entry(name: str, start: int, end: int, **more: object) -> dict[str, object]:
    return {"node_name": name, "op_start_rel_nanos": start, "op_end_rel_nanos": end, **more}


def test_a_session_of_tensorflow_2_21(shared: Path) -> None:
    path = shared / "data/graphs/made/tf221_v1session_2cpu_run_metadata.pb"
    events = read_run_metadata(path.read_bytes(), "x.pb").events
    assert len(events) == 67
    by_name = {event.name: event for event in events}
    product = by_name["gradients/MatMul_3_grad/MatMul_1"]  # its label begins with what it allocated
    assert (product.op, product.duration_ns, product.output_bytes, product.temp_bytes) == (
        "MatMul",
        549_210,
        262_144,
        0,
    )
    assert product.track.endswith("device:CPU:1")
    assert by_name["_arg_Placeholder_0_0"].op == "_Arg"
    assert by_name["Adam/update_w3/ApplyAdam"].op == "ApplyAdam"


def test_a_gpu_of_2017_in_microseconds(shared: Path) -> None:
    events = read_run_metadata((shared / "data/traces/tf_tfprof_run_meta.pb").read_bytes(), "x.pb").events
    assert len(events) == 54
    launch = next(event for event in events if event.name == "Conv2D" and event.track.endswith("/gpu:0"))
    assert (launch.duration_ns, launch.output_bytes, launch.temp_bytes) == (4_066_000, 432, 5888)
    kernels = [event for event in events if event.track == "/gpu:0/stream:all"]
    assert {(event.name, event.op) for event in kernels} == {("Conv2D", "Conv2D"), ("Conv2D_1", "Conv2D")}
    copies = [event.op for event in events if event.track == "/gpu:0/memcpy"]
    assert copies == ["MEMCPYHtoD", "MEMCPYDtoHAsync"]


def test_negative_durations_are_dropped_and_counted() -> None:
    data = metadata((CPU, [entry("a", 5, 3), entry("b", 5, 9), entry("c", 4, 4)]))
    found = read_run_metadata(data, "x.pb")
    assert [(event.name, event.duration_ns) for event in found.events] == [("b", 4), ("c", 0)]
    assert found.dropped == {"of negative duration": 1}


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "it has no step statistics: run a step with FULL_TRACE in a tf.compat.v1.Session"),
        (metadata((CPU, [])), "it has no step statistics"),
        (metadata((CPU, [entry("a", 5, 3)])), "its 1 entries have negative durations"),
        (b"\x0a\xff\xff", "not a table of costs"),
    ],
    ids=["empty", "eager", "negative", "damaged"],
)
def test_what_holds_no_times_is_refused(data: bytes, words: str) -> None:
    with pytest.raises(InputError, match=words) as error:
        read_run_metadata(data, "x.pb")
    assert str(error.value).startswith("x.pb: ")


def test_scratch_taken_several_times_counts_once() -> None:
    twice = {"memory_stats": {"temp_memory_size": 800}, "memory": [{"peak_bytes": 500}]}
    data = metadata((CPU, [entry("a", 0, 1, **twice), entry("b", 0, 1, memory_stats={"temp_memory_size": 7})]))
    assert [event.temp_bytes for event in read_run_metadata(data, "x.pb").events] == [500, 7]
