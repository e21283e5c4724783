"""A plan beside data parallelism, by hand: a kilobyte takes a microsecond, and each transfer one more."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import pardnn
from pardnn.answers.footprint import footprint
from pardnn.answers.replicas import replicas
from pardnn.report.replicas import choice

LINK: dict[str, Any] = {"latency": "1us", "bandwidth": "1GB/s"}


def graph(folder: Path, edges: Sequence[tuple[int, int]] = (), n: int = 4) -> Path:
    """n ops of 100 us with 4 kB of weights each."""
    columns = {
        "time": [100] * n, "resident": [4000] * n, "output": [0] * n, "temp": [0] * n,
        "src": [a for a, _ in edges], "dst": [b for _, b in edges], "bytes": [1] * len(edges),
    }  # fmt: skip
    path = folder / "g.json"
    path.write_text(json.dumps(columns))
    return path


def rows(graph: Path | str, **options: Any) -> dict[str, dict[str, Any]]:
    found = replicas(pardnn.partition(graph, **LINK | options))
    assert found is not None
    return {row["name"]: row for row in found["rows"]}


def test_ops_that_run_side_by_side(tmp_path: Path) -> None:
    """A B C D: four GPUs take one each; two replicas two each; four replicas all of it, and send more."""
    found = rows(graph(tmp_path), gpus=4)
    assert {name: (row["replica_us"], row["allreduce_us"]) for name, row in found.items()} == {
        "1x4": (100, 0),
        "2x2": (200, 2 * (1 + 8 / 2)),
        "4x1": (400, 6 * (1 + 16 / 4)),
    }
    assert [row["step_us"] for row in found.values()] == [100, 210, 430]
    assert [row["hidden_us"] for row in found.values()] == [100, 200, 400]
    assert [round(row["per_second"]) for row in found.values()] == [10_000, 9524, 9302]
    assert [row["peak_bytes"] for row in found.values()] == [4000, 8000, 16_000]
    told = replicas(pardnn.partition(graph(tmp_path), gpus=4, **LINK))
    assert told is not None
    assert told["best"] == "1x4"
    assert choice(told) == (
        "This plan is best: 2x2 trains 0.95 times as many batches a second, "
        "with 10.0 us of all-reduce (at most 15.6 KiB) after each step."
    )


def test_a_chain_is_better_copied_than_split(tmp_path: Path) -> None:
    """A-B-C-D: a second GPU makes no step shorter, but runs another."""
    told = replicas(pardnn.partition(graph(tmp_path, [(0, 1), (1, 2), (2, 3)]), gpus=2, **LINK))
    assert told is not None
    assert told["best"] == "2x1"
    assert told["rows"][1]["step_us"] == 400 + 2 * (1 + 8)
    assert choice(told).startswith("2x1 trains 1.91 times as many batches a second as this plan, with 18.0 us of")


def test_the_all_reduce_may_or_may_not_be_hidden(tmp_path: Path) -> None:
    """Over a slow link it takes longer than the step: then even hidden it is what the replicas wait for."""
    told = replicas(
        pardnn.partition(graph(tmp_path, [(0, 1), (1, 2), (2, 3)]), gpus=2, latency="1us", bandwidth="40MB/s")
    )
    assert told is not None
    row = told["rows"][1]
    assert (row["allreduce_us"], row["step_us"], row["hidden_us"]) == (402, 802, 402)
    assert choice(told) == (
        "This plan is best unless the all-reduce is hidden behind the step: "
        "wholly hidden, 2x1 trains 1.99 times as many batches a second."
    )


def test_what_has_no_room_is_said(tmp_path: Path) -> None:
    """16 kB of weights on four GPUs of 9 kB: two of them hold a replica, one does not."""
    found = rows(graph(tmp_path), gpus=4, mem=9000, mem_fraction=1)
    assert {name: row["fits"] for name, row in found.items()} == {"1x4": True, "2x2": True, "4x1": False}
    assert found["4x1"]["step_us"] is None
    tight = replicas(pardnn.partition(graph(tmp_path), gpus=4, mem=5000, mem_fraction=1, **LINK))
    assert tight is not None
    assert choice(tight) == "Data parallelism is no choice: there is no room for 2x2, 4x1."


def test_replicas_wait_for_the_slowest_card(tmp_path: Path) -> None:
    chain = graph(tmp_path, [(0, 1), (1, 2), (2, 3)])
    assert rows(chain, gpus=2, speed="1,4")["2x1"]["replica_us"] == 400
    assert rows(chain, gpus=2, speed="4,4")["2x1"]["replica_us"] == 100


def test_replicas_of_more_gpus_are_at_least_as_fast(shared: Path) -> None:
    found = rows(str(shared / "data" / "cost_graphs" / "pd_squeezenet1_0.json.gz"), gpus=8)
    assert found["8x1"]["replica_us"] >= found["4x2"]["replica_us"] >= found["2x4"]["replica_us"]


def test_what_does_not_search_compares_with_whole_copies_only(tmp_path: Path) -> None:
    assert list(rows(graph(tmp_path), gpus=4, method="heft")) == ["1x4", "4x1"]
    assert list(rows(graph(tmp_path), gpus=4, effort="fast")) == ["1x4", "4x1"]


def test_one_gpu_and_pinned_ops_have_no_replicas(tmp_path: Path) -> None:
    assert replicas(pardnn.partition(graph(tmp_path), gpus=1)) is None
    pins = tmp_path / "pins"
    pins.write_text("0 /device:GPU:1\n")
    told = replicas(pardnn.partition(graph(tmp_path), gpus=2, pin=str(pins)))
    assert told is not None
    assert told["rows"] == []
    assert choice(told).startswith("Data parallelism was not looked at: ops are pinned to GPUs")


def test_of_a_tensorflow_graph_the_trained_weights_are_sent(example_graph: Path) -> None:
    plan = pardnn.partition(example_graph, gpus=2, effort="fast")
    told = replicas(plan)
    assert told is not None
    assert told["gradients_exact"]
    assert told["gradient_bytes"] == footprint(plan.subject, 0)["held_bytes"]["weights"] > 10**7


OPEN = """
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: -1 } dim { size: 64 } } } } }
node { name: "w" op: "VariableV2" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "shape" value { shape { dim { size: 64 } dim { size: 64 } } } } }
node { name: "y" op: "MatMul" input: "x" input: "w" attr { key: "T" value { type: DT_FLOAT } } }
node { name: "l" op: "L2Loss" input: "y" attr { key: "T" value { type: DT_FLOAT } } }
"""


def test_a_step_without_any_time_is_no_bug(tmp_path: Path) -> None:
    path = tmp_path / "g.json"
    columns = {"time": [0, 0], "resident": [1, 1], "output": [0, 0], "temp": [0, 0], "src": [], "dst": [], "bytes": []}
    path.write_text(json.dumps(columns))
    told = replicas(pardnn.partition(path, gpus=2))
    assert told is not None
    assert choice(told) == "Data parallelism is no choice: the step takes no time."


def test_an_open_batch_counts_samples(tmp_path: Path) -> None:
    path = tmp_path / "g.pbtxt"
    path.write_text(OPEN)
    told = replicas(pardnn.partition(path, gpus=2, batch_size=32))
    assert told is not None
    assert told["unit"] == "samples"
    plan, copies = told["rows"]
    assert (plan["batch"], copies["batch"]) == (32, 64)
    assert plan["per_second"] == pytest.approx(32e6 / plan["step_us"])
    unknown = replicas(pardnn.partition(path, gpus=2))
    assert unknown is not None
    assert (unknown["unit"], unknown["rows"][0]["batch"]) == ("batches", None)
