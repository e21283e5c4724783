"""`pardnn scale` as a whole: the table, the epoch, where it pays, and what is refused."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

import pardnn
from pardnn.answers.scaling import Scaling
from pardnn.errors import DoesNotFit, InputError
from pardnn.registry import strategies

MORE: dict[str, Any] = {"mem": "unlimited"}


def scale(graph: Path, workers: list[int], **options: Any) -> Scaling:
    return pardnn.scale(str(graph), workers, **MORE | options)


@pytest.fixture
def costs(tmp_path: Path) -> Path:
    """a -> b of 100 us each, 4 kB of weights in either."""
    columns = {
        "time": [100, 100], "resident": [4000, 4000], "output": [0, 0], "temp": [0, 0],
        "src": [0], "dst": [1], "bytes": [1],
    }  # fmt: skip
    path = tmp_path / "g.json"
    path.write_text(json.dumps(columns))
    return path


def test_a_cost_graph_is_synchronised_at_its_end(costs: Path) -> None:
    """200 us, then 2 (N - 1) rounds of 1 us and an N-th of 8 us."""
    found = scale(costs, [1, 2, 8], latency="1us", bandwidth="1GB/s")
    assert [row.step_us for row in found.rows] == [200, 200 + 2 * 5, 200 + 14 * 2]
    assert [round(row.scaling_factor, 3) for row in found.rows] == [1, 0.952, 0.877]
    assert not found.gradients_exact
    assert "upper bound" in found.warnings[-1]


def test_an_epoch(costs: Path) -> None:
    """1,000 samples, 8 workers of 16 each: 8 steps of 228 us, 3 times."""
    row = scale(costs, [8], latency="1us", bandwidth="1GB/s", batch_size=16, samples=1000, epochs=3).rows[0]
    assert row.epoch_s == pytest.approx(8 * 228e-6)
    assert row.total_s == pytest.approx(24 * 228e-6)
    assert row.per_second == pytest.approx(8 * 16 / 228e-6)


def test_where_more_workers_stop_paying(costs: Path) -> None:
    """A link of 100 us: 2 workers take twice as long as one, each further pair of rounds as long again."""
    found = scale(costs, [1, 2, 4, 64], latency="100us", bandwidth="1GB/s")
    assert found.pays_up_to == 1
    assert found.rows[1].gain == pytest.approx(2 * 200 / 408 - 1)
    assert found.rows[-1].bottleneck.endswith("latency, last gradients") or "latency" in found.rows[-1].bottleneck
    assert "It pays up to 1 worker: one more brings 0.0 % of its own (link latency" in found.summary()


def test_the_batch_of_a_graph_is_its_own(example_graph: Path) -> None:
    assert scale(example_graph, [1]).batch == 192


@pytest.mark.parametrize("sync", strategies.all())
def test_overlap_never_costs(example_graph: Path, sync: str) -> None:
    slow = {"link": "50us,0.05GB/s", "network": "90us,0.02GB/s", "sync": sync, "fusion": "1MB"}
    beside, after = (scale(example_graph, [1, 2, 8, 64], overlap=overlap, **slow) for overlap in (True, False))
    for one, other in zip(beside.rows, after.rows, strict=True):
        assert one.step_us <= other.step_us
    assert beside.rows[1].added_us < 0.5 * after.rows[1].added_us


def test_a_plan_is_one_worker(example_graph: Path, tmp_path: Path) -> None:
    """Model and data parallel: the step of one worker is the plan's, and its four GPUs synchronise side by side."""
    plan = pardnn.partition(str(example_graph), gpus=4, mem="16GB", method="heft")
    plan.save(path := tmp_path / "four.placement.json")
    found = pardnn.scale(str(example_graph), [1, 2], plan=str(path))
    assert found.rows[0].step_us == plan.makespan_us
    assert (found.rows[1].gpus, found.gpus_per_replica) == (8, 4)
    assert found.peak_bytes == plan.peak_bytes
    assert found.rows[1].sync_us < scale(example_graph, [2]).rows[0].sync_us


def test_refusals(example_graph: Path, costs: Path) -> None:
    wrong: dict[str, dict[str, Any]] = {
        "no strategy 'star'": {"sync": "star"},
        "--fusion: not a size": {"fusion": "much"},
        "--compression: 'zip'": {"compression": "zip"},
        "--priority layer needs to know": {"priority": "layer"},
        "--hosts: 2 hosts of 4 GPUs": {"hosts": 2, "gpus_per_host": 4},
        "does not fit into a host": {"gpus_per_replica": 16},
        "give --batch-size": {"samples": 10},
        "--epochs: of how many samples": {"epochs": 3},
        "unknown link": {"link": "string"},
        "--compression: '1e-999999999'": {"compression": "1e-999999999"},
        "--compression: '1/0'": {"compression": "1/0"},
        "would take years": {"link": "9000000000s,1B/s"},
    }
    with pytest.raises(InputError, match=r"--partition 1B: cuts .* of gradients into .* pieces"):
        scale(example_graph, [2], partition="1B")
    for said, options in wrong.items():
        with pytest.raises(InputError, match=said):
            scale(costs, [1, 16], **options)
    with pytest.raises(InputError, match="numbers from 1"):
        scale(costs, [0])
    with pytest.raises(InputError, match="does not fit into a host with 8"):
        scale(example_graph, [1], gpus_per_replica=1000)
    with pytest.raises(DoesNotFit, match="--mem"):
        pardnn.scale(str(example_graph), [1], mem="1GB")


def test_ten_thousand_ops_on_a_thousand_workers(tmp_path: Path) -> None:
    """Eleven numbers of workers up to 1,024 in less than 10 s of processor time; a third of 10,000 ops has weights."""
    n = 10_000
    columns = {
        "time": [50] * n, "resident": [40_000 * (v % 3 == 0) for v in range(n)], "output": [0] * n, "temp": [0] * n,
        "src": list(range(n - 1)), "dst": list(range(1, n)), "bytes": [8] * (n - 1),
    }  # fmt: skip
    (tmp_path / "long.json").write_text(json.dumps(columns))
    began = time.process_time()
    found = scale(tmp_path / "long.json", [2**i for i in range(11)], fusion="0")
    assert time.process_time() - began < 10
    assert found.rows[-1].workers == 1024
    assert found.buckets == 3334
