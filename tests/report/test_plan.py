"""The table of a plan, and the sentence below it."""

from __future__ import annotations

from typing import Any

import pytest

from pardnn.report.compare import comparison_report
from pardnn.report.layout import plain
from pardnn.report.plan import plan_report, verdict, warning_lines


def result(**changes: Any) -> dict[str, Any]:
    """Two GPUs share 100 us of work in 60 us."""
    row = {"device": "/device:GPU:0", "ops": 2, "busy_us": 45.0, "peak_bytes": 2**30, "limit_bytes": 2**31}
    return {
        "graph": "/somewhere/net.pbtxt", "method": "auto", "nodes": 5, "edges": 1, "devices": 2, "order": "fifo",
        "contention": "link", "makespan_us": 60.0, "single_device_us": 100.0, "single_device_fits": True,
        "lower_bound_us": 50.0, "gap": 0.2, "peak_bytes": [2**30, 2**30], "limit_bytes": [2**31, None], "fits": True,
        "per_device": [row, row | {"device": "/device:GPU:1", "limit_bytes": None, "busy_us": 60.0}],
        "comm_bytes": 1024, "transfers": 1, "coverage": {"measured": 0, "roofline": 4, "unknown_shape": 2, "pruned": 1},
        "seconds": {"partition": 1.5}, "warnings": [], "error": None,
    } | changes  # fmt: skip


def test_the_whole_table() -> None:
    assert (
        plain(plan_report(result()))
        == """\
graph        net.pbtxt: 5 nodes, 1 edge
method       auto (fifo order, contention link)
step time    60.0 us
one device   100 us
speed-up     1.67 x
lower bound  50.0 us: at most 20 % above the best possible
transfers    1 over the links, 1.00 KiB
ops          4 estimated by roofline, 2 of unknown shape, 1 pruned

device  ops   busy                  peak                  limit
GPU:0     2   75 %  ████████░░  1.00 GiB  █████░░░░░   2.00 GiB
GPU:1     2  100 %  ██████████  1.00 GiB              unlimited

1.67 times as fast as one GPU."""
    )


@pytest.mark.parametrize("width", [38, 40, 59, 71, 72, 80, 200])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    lines = plain(plan_report(result()), width=width).splitlines()
    table = lines[: lines.index("") + 4]
    assert max(map(len, table)) <= width
    assert table[-1].split()[:4] == ["GPU:1", "2", "100", "%"]
    assert table[-1].endswith("unlimited")
    assert ("██████████" in table[-1]) == (width >= 72)


@pytest.mark.parametrize(("makespan", "said"), [(0.0, "0 ns: nothing can be faster"), (1.0, "0 ns")])
def test_no_bound_above_no_time(makespan: float, said: str) -> None:
    table = plain(plan_report(result(makespan_us=makespan, lower_bound_us=0.0, gap=None))).splitlines()
    assert f"lower bound  {said}" in table


def test_without_limits_no_room_is_kept_for_their_bars() -> None:
    rows = [device | {"limit_bytes": None} for device in result()["per_device"]]
    table = plain(plan_report(result() | {"per_device": rows})).splitlines()
    assert "GPU:0     2   75 %  ████████░░  1.00 GiB  unlimited" in table


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({}, "1.67 times as fast as one GPU."),
        ({"single_device_fits": False}, "1.67 times as fast as one GPU, which could not hold it."),
        ({"single_device_us": 60.6}, "One GPU holds it all; splitting it makes the step only 1.0 % faster."),
        ({"single_device_us": 60.0}, "One GPU holds it all and is as fast: do not split."),
        ({"single_device_us": 30.0}, "One GPU holds it all and is 2.00 times as fast: do not split it like this."),
        (
            {"single_device_us": 30.0, "single_device_fits": False},
            "One GPU could not hold it; sharing it out costs 100 % more time than one that could.",
        ),
        ({"fits": False}, "It does not fit."),
        ({"devices": 1}, "It fits on the one GPU there is."),
        ({"makespan_us": 0.0, "single_device_us": 0.0}, "One GPU holds it all and is as fast: do not split."),
        ({"single_device_us": 0.0}, "One GPU holds it all and needs no time for it: do not split."),
        (
            {"single_device_us": 0.0, "single_device_fits": False},
            "One GPU could not hold it; all of the step's time is transfers.",
        ),
    ],
)
def test_the_verdict(changes: dict[str, Any], said: str) -> None:
    assert verdict(result(**changes)) == said


def test_a_placement_on_one_gpu_of_several_is_advice_not_to_split() -> None:
    rows = result()["per_device"]
    rows[1] = rows[1] | {"ops": 0}
    assert verdict(result(per_device=rows, single_device_us=60.0)) == "One GPU is as fast as 2: do not split."


def test_many_devices_are_cut_short() -> None:
    row = result()["per_device"][0]
    text = plain(plan_report(result(per_device=[row] * 100, devices=100)))
    assert text.count("GPU:0") == 32
    assert "... and 68 more" in text


def test_markup_and_control_characters_in_names_are_only_text() -> None:
    text = plain(plan_report(result(graph="[red]x\x1b[0m\n")), *warning_lines(result(warnings=["[b]\ny"])))
    assert "[red]x\\x1b[0m\\n" in text
    assert text.splitlines()[-1] == "warning: [b]\\ny"


def test_methods_side_by_side() -> None:
    failed = {"method": "fill", "error": "op 'x' is too big", "fits": False}
    text = plain(comparison_report("net", [result(), result(method="heft", makespan_us=75.0), failed])).splitlines()
    assert text[2].split() == ["auto", "60.0", "us", "0.0", "%", "1.67", "x", "1.00", "GiB", "1.00", "KiB", "1", "1.50"]
    assert text[3].split()[:5] == ["heft", "75.0", "us", "25", "%"]
    assert text[4].split() == ["fill", "does", "not", "fit"]
    assert text[5:] == ["fill: op 'x' is too big", "one device 100 us, no placement is faster than 50.0 us"]
