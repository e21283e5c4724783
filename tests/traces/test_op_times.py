"""From events to figures per op: which rows count, and how robust the figures are."""

from pathlib import Path

import pytest

from pardnn.errors import InputError
from pardnn.traces.op_times import OpTime, op_times
from pardnn.traces.run_metadata import read_run_metadata
from pardnn.traces.trace import Event, Trace
from tests.traces.drawn import CPU, GPU, event, trace


def of(*traces: Trace) -> dict[str, OpTime]:
    return {op.name: op for op in op_times(traces).ops}


def test_one_slow_step_changes_the_median_little_and_the_spread_tells() -> None:
    (op,) = op_times([trace(event("a", ns)) for ns in (100, 110, 120, 130, 9000)]).ops
    assert (op.step_ns, op.least_ns, op.spread_ns, op.runs) == (120, 100, 20, 1)


def test_iterations_add_up_to_a_step() -> None:
    (op,) = op_times([trace(*(event("loop/a", 10 + i, start=i) for i in range(4)))] * 3).ops
    assert (op.step_ns, op.runs) == (46, 4)


def test_an_op_in_half_of_the_steps_takes_half() -> None:
    found = of(trace(event("a", 10), event("b", 30)), trace(event("a", 10)))
    assert (found["b"].step_ns, found["b"].runs) == (15, 0.5)


def test_the_same_entry_twice_counts_once_and_is_told() -> None:
    times = op_times([trace(event("a", 10, start=5), event("a", 10, start=5), event("a", 10, start=20))])
    assert times.ops[0].step_ns == 20
    assert times.dropped == {"the same twice": 1}


def test_a_copy_on_another_device_is_no_second_run() -> None:
    found = of(trace(event("c/replicate/_1", 10), event("c/replicate/_2", 14, track=CPU.replace("CPU:0", "CPU:1"))))
    assert (found["c"].step_ns, found["c"].runs) == (14, 1)


def test_tensorflow_s_own_entries_are_counted_apart() -> None:
    times = op_times(
        [trace(event("_SOURCE", 5), event("_retval_y_0_0", 5), event("_arg_x_0_1", 7), event("Func/w/a/_3", 2))]
    )
    assert {op.name: op.step_ns for op in times.ops} == {"x": 7, "w/a/_3": 2}
    assert times.dropped == {"the runtime's own": 2}


def gpu(name: str, ns: int, row: str, start: int = 0) -> Event:
    return event(name, ns, start, track=f"/device:GPU:0/{row}", op="MatMul")


def test_kernels_count_and_launches_do_not() -> None:
    times = op_times([
        trace(
            event("m", 900, track=GPU, output=64), event("shape", 3, track=GPU), event("h", 8),
            gpu("m", 20, "stream:all"), gpu("m", 30, "stream:all", 50),
            gpu("m", 20, "stream:7"), gpu("m", 30, "stream:7", 50),
            event("MEMCPYHtoD", 40, track="/device:GPU:0/memcpy"),
        )
    ])  # fmt: skip
    found = {op.name: (op.step_ns, op.runs, op.output_bytes) for op in times.ops}
    assert found == {"m": (50, 1, 64), "shape": (None, 1, None), "h": (8, 1, None)}
    assert times.rows == ("/device:GPU:0/stream:all", CPU)
    assert times.dropped == {
        "launches of kernels that have times of their own": 2,
        "in single streams, for stream:all has them": 2,
        "copies": 1,
    }


def test_single_streams_add_up_where_there_is_no_sum_of_them() -> None:
    found = of(trace(event("m", 900, track=GPU), gpu("m", 20, "stream:7"), gpu("m", 30, "stream:8")))
    assert found["m"].step_ns == 50


def test_launches_alone_are_refused() -> None:
    with pytest.raises(InputError, match=r"launched on .*GPU:0, but not how long its kernels ran"):
        op_times([trace(event("m", 900, track=GPU))])


def test_all_zeros_are_refused_and_some_are_told() -> None:
    with pytest.raises(InputError, match="no op in it took any time"):
        op_times([trace(event("a", 0))])
    assert op_times([trace(event("a", 0), event("b", 1))]).dropped == {"ops of zero duration, counted as 0": 1}


def test_a_real_gpu(shared: Path) -> None:
    data = (shared / "data/traces/tf_tfprof_run_meta.pb").read_bytes()
    times = op_times([read_run_metadata(data, "x.pb")])
    taken = {op.name: op.step_ns for op in times.ops if op.step_ns is not None}
    assert taken == {"Conv2D": 226_000, "Conv2D_1": 178_000}  # sums of its eleven and ten kernels
    assert times.dropped["in single streams, for stream:all has them"] == 21
