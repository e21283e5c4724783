"""The parts of the truth scripts that read logs and add up, on small made-up ones; what runs steps needs a machine."""

import json
from pathlib import Path
from types import SimpleNamespace as Made

import numpy as np
import pytest

from scheduler.machine import UNLIMITED, Machine
from scheduler.simulate import simulate
from scripts.truth.memory import held
from scripts.truth.order import _tau, begun
from scripts.truth.peaks import Peak, learned, table
from scripts.truth.plans import sharing_of
from scripts.truth.predict import Row
from scripts.truth.report import errors, regret, steps
from scripts.truth.runs import lacking
from scripts.truth.settings import ALL_PLANS, MODELS
from tests.factories import BYTES_PER_NS, drawn

OWN, OTHER = "/job:worker/replica:0/task:0/device:CPU:0", "/job:worker/replica:0/task:1/device:CPU:0"


def node(name: str, label: str, start_us: int, end_us: int, *records: tuple[int, int], in_use: int = 0) -> Made:
    """An op as a RunMetadata has it; records are (microsecond, bytes)."""
    kept = [Made(alloc_micros=at, alloc_bytes=size) for at, size in records]
    return Made(
        node_name=name, timeline_label=label, all_start_micros=start_us, op_end_rel_micros=end_us - start_us,
        all_start_nanos=1000 * start_us, op_start_rel_nanos=500, op_end_rel_nanos=1000 * (end_us - start_us),
        memory=[Made(allocator_bytes_in_use=in_use, allocation_records=kept)] if records else [],
    )  # fmt: skip


def trace(**devices: list[Made]) -> Made:
    names = {"own": OWN, "other": OTHER}
    rows = [Made(device=names[key], node_stats=nodes) for key, nodes in devices.items()]
    return Made(step_stats=Made(dev_stats=rows))


def test_what_ops_allocate_and_free_adds_up_to_the_peak() -> None:
    a = node("a", "a = Mul(x, y)", 0, 10, (1, 100), (30, -100), in_use=128)
    b = node("b", "b = Neg(a)", 10, 20, (11, 50), (40, -50), in_use=256)
    elsewhere = node("c", "c = Neg(b)", 0, 20, (1, 9999), (2, -9999))
    found = held(trace(own=[a, b], other=[elsewhere]), 0, {})
    assert (found.peak_bytes, found.in_use_bytes, found.at) == (150, 256, "b")


def test_a_received_tensor_is_held_from_its_arrival_to_its_last_reader() -> None:
    label = f"[1.0KB] [1.0Mb/s] edge_7_w/read from {OTHER} to {OWN}"
    received = node("RecvTensor", label, 0, 5)
    reader = node("r", "r = Neg(w/read_S3)", 10, 20, (12, 10), (50, -10))
    before = node("b", "b = Neg(x)", 0, 3, (1, 900), (4, -900))
    found = held(trace(own=[received, reader, before]), 0, {"w/read": 1024})
    assert (found.peak_bytes, found.at) == (1034, "r")
    assert held(trace(own=[received, reader, before]), 0, {}).peak_bytes == 1010, "else the size that the label tells"


def test_the_value_that_an_assignment_replaces_is_freed_then() -> None:
    made = node("new", "new = Sub(v, g)", 0, 10, (1, 100))  # never freed: it is the variable from now on
    assign = node("set", "set = AssignVariableOp(v, new)", 12, 14)
    after = node("late", "late = Neg(x)", 20, 30, (21, 90), (31, -90))
    assert held(trace(own=[made, assign, after]), 0, {}).peak_bytes == 100


def test_ops_begin_when_their_kernels_do() -> None:
    assert begun(trace(own=[node("a", "", 2, 9)], other=[node("b", "", 0, 1)])) == {"a": 2500}


def test_orders_agree_by_pairs_on_one_worker() -> None:
    names = ["a", "b", "c", "d"]
    real = {"a": 1, "b": 2, "c": 3, "d": 0}
    assert _tau([0, 1, 2], [0, 0, 0, 1], real, names, [10, 20, 30, 0]) == 1
    assert _tau([0, 1, 2], [0, 0, 0, 1], real, names, [30, 20, 10, 0]) == -1
    assert _tau([0, 1, 2, 3], [0, 0, 1, 1], real, names, [1, 2, 1, 2]) == 0, "one pair of each"
    assert np.isnan(_tau([0, 3], [0, 0, 0, 1], real, names, [1, 2, 3, 4]))


def test_what_is_measured_is_not_measured_again(tmp_path: Path) -> None:
    assert lacking(tmp_path, 1) == list(ALL_PLANS)
    (tmp_path / f"{ALL_PLANS[2]}.1.json").write_text(json.dumps({}))
    assert lacking(tmp_path, 1) == [plan for plan in ALL_PLANS if plan != ALL_PLANS[2]]
    assert lacking(tmp_path, 0) == list(ALL_PLANS)


def test_costs_of_a_transfer_are_those_of_the_ends() -> None:
    sent = [[size, 70e-6 + size * 5e-10, 60e-6 + size * 4e-10] for size in (4, 1 << 16, 1 << 20)]
    found = sharing_of(sent)
    assert (found.send_ns, found.receive_ns) == pytest.approx((70_000, 60_000), rel=1e-3)
    assert (found.send_s_per_byte, found.receive_s_per_byte) == pytest.approx((5e-10, 4e-10), rel=1e-3)


def row(plan: str, measured: tuple[float, ...], naive: float, shared: float, transfers: int = 3) -> Row:
    work = drawn("A").workload()
    machine = Machine.uniform(2, UNLIMITED, 0, BYTES_PER_NS)
    schedule = simulate(work, machine, np.zeros(1, np.int32))
    count = len(measured)
    said = {"naive": (naive,) * count, "shared": (shared,) * count}
    return Row(MODELS[0], plan, measured, said, transfers, 0, schedule, 0.5)


def test_an_error_is_near_enough_within_15_percent_or_twice_what_lies_between_runs() -> None:
    steady, wild = row("auto", (1.0, 1.0, 1.0), 0.8, 0.9), row("heft", (0.8, 1.0, 1.2), 0.3, 0.7)
    assert (steady.spread, steady.within("naive"), steady.within("shared")) == (0, False, True)
    assert wild.spread == pytest.approx(0.4)
    assert wild.within("shared")
    assert wild.error("shared") == pytest.approx(-0.3)


def test_tables_count_plans_that_send_and_tell_the_regret() -> None:
    rows = [row("one", (1.0,), 1.0, 1.0, transfers=0), row("auto", (1.1,), 0.9, 1.2), row("metis", (2.0,), 1.9, 1.8)]
    assert "| tuning: 2 | median | 11.6% | 9.5% |" in errors(rows)
    assert "| towers | one 1000 ms | auto +10.0% | one +0.0% |" in regret(rows)
    assert steps(rows).count("\n") == 4


def test_a_margin_is_learned_on_one_half_and_tried_on_the_other() -> None:
    seen, fresh = MODELS[0].name, next(model.name for model in MODELS if model.held_out)
    peaks = [Peak(seen, "one", 0, 120, 100, 110), Peak(fresh, "one", 0, 130, 100, 120)]
    told = learned(peaks)
    assert "whole outputs: 99 % of the tuning half within 1.20 x, and so 0.0% held out" in told[0]
    assert "reused buffers: 99 % of the tuning half within 1.09 x, and so 100.0% held out" in told[1]
    assert "reused buffers: median |error| 8.0%; measured at most 1.1 x predicted in 100.0%" in table(peaks)
