"""Advice on small steps: each piece fits where it says, and comes to the same figures when it is simulated again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pardnn
from pardnn.answers.advice import Advice, advice
from pardnn.answers.changed import files
from pardnn.answers.lighter import may_run_twice
from pardnn.config import Options
from pardnn.graph.roles import find_roles
from pardnn.pipeline import prepare
from pardnn.remedy import first_fit
from pardnn.report.advice import advice_report
from pardnn.report.layout import plain
from tests.optimize.drawn import ladder

LINK: dict[str, Any] = {"latency": "1us", "bandwidth": "100GB/s", "mem_fraction": 1, "effort": "fast"}


def step(folder: Path, layers: int = 16) -> Path:
    """A ladder with 40 us an op and outputs of 100 kB, of which the last waits for the first."""
    sketch = ladder(layers, size=100_000)
    columns = {
        "name": list(sketch.names), "time": [10 * t for t in sketch.time], "resident": [1000] * len(sketch.names),
        "output": [100_000] * len(sketch.names), "temp": [0] * len(sketch.names),
        "src": [a for a, _, _ in sketch.edges], "dst": [b for _, b, _ in sketch.edges],
        "bytes": [size for _, _, size in sketch.edges],
    }  # fmt: skip
    path = folder / "ladder.json"
    path.write_text(json.dumps(columns))
    return path


def told(graph: Path, **options: Any) -> Advice:
    asked = Options.of(**LINK | options)
    return advice(prepare(graph, asked), asked)


@pytest.fixture(scope="module")
def tight(tmp_path_factory: pytest.TempPathFactory) -> Advice:
    """A ladder that holds 1.7 MB, on a GPU of 1 MB."""
    return told(step(tmp_path_factory.mktemp("tight")), gpus=1, mem="1MB")


def test_each_piece_keeps_every_device_within_its_limits(tight: Advice) -> None:
    assert [piece.kind for piece in tight.pieces] == ["gpus", "recomputation", "offload"]
    for piece in tight.pieces:
        problem = piece.subject.problem
        schedule = problem.simulate(piece.placement)
        assert schedule.makespan_ns / 1000 == piece.step_us
        assert (problem.peaks(schedule) <= problem.machine.memory_bytes).all()


def test_what_does_not_fit_is_told_with_a_memory_that_works_and_the_bound(tight: Advice) -> None:
    found = tight.result()
    assert not found["fits"]
    assert found["reason"].startswith("no placement within the memory was found")
    assert found["memory_works"].startswith("--mem ")
    assert found["memory_bound"]
    assert "no shapes, so no batch" in found["no_advice"]["batch"]


def test_recomputation_takes_time_and_offload_moves_bytes(tight: Advice) -> None:
    by_kind = {piece.kind: piece for piece in tight.pieces}
    again, moved = by_kind["recomputation"], by_kind["offload"]
    assert again.step_us == pytest.approx(32 * 40 + again.details["again_us"])
    assert again.details["ops_again"] == again.result()["nodes"] - 32
    assert moved.details["activation_bytes"] >= 700_000
    assert moved.result()["comm_bytes"] == 2 * moved.details["activation_bytes"]
    assert moved.details["slot_bytes"] == 0


def test_the_files_of_a_changed_graph_hold_what_was_simulated(tight: Advice, tmp_path: Path) -> None:
    from pardnn.cli.stored import follow_stored

    written = dict(files(tight.pieces))
    assert sorted(written) == [
        "offload.json.gz", "offload.placement.json", "recomputation.json.gz", "recomputation.placement.json",
    ]  # fmt: skip
    for name, content in written.items():
        (tmp_path / name).write_bytes(content)
    for piece in tight.pieces[1:]:
        graph, plan = (str(tmp_path / f"{piece.kind}{end}") for end in (".json.gz", ".placement.json"))
        made, match = follow_stored(graph, plan, {}, lambda _: None)
        assert (made.makespan_us, made.fits, match.new, match.gone) == (piece.step_us, True, (), ())
        assert made.peak_bytes == piece.result()["peak_bytes"]


def test_the_report_has_a_row_for_each_and_says_what_there_is_not(tight: Advice) -> None:
    text = plain(advice_report(tight.result()))
    assert text.startswith("It does not fit; --mem ")
    assert "\n--gpus " in text
    assert text.count("activations") == 2
    assert "no batch: a cost graph has no shapes" in text


def test_an_op_too_large_for_any_card_leaves_nothing_to_advise(tmp_path: Path) -> None:
    found = told(step(tmp_path), gpus=2, mem="250kB").result()
    assert found["advice"] == []
    assert found["no_advice"]["gpus"] == found["no_advice"]["offload"]
    assert found["no_advice"]["gpus"].startswith("an op, with what must sit with it, takes 294 KiB alone")


def test_of_a_step_that_fits_the_fewest_gpus_are_told(tmp_path: Path) -> None:
    answer = pardnn.advise(step(tmp_path), gpus=4, mem="2MB", **LINK)
    found = answer.result()
    assert (found["fits"], found["memory_works"]) == (True, None)
    assert [piece["change"] for piece in found["advice"]] == ["--gpus 1"]
    assert answer.summary().startswith("It fits as it is.")


def node(
    name: str, op: str, *inputs: str, kind: str = "T", shape: tuple[int, ...] | None = None, more: str = ""
) -> str:
    """A node of floats as text."""
    sizes = "".join(f"dim {{ size: {size} }} " for size in shape or ())
    shaped = "" if shape is None else f'attr {{ key: "shape" value {{ shape {{ {sizes}}} }} }}'
    read = " ".join(f'input: "{text}"' for text in inputs)
    typed = f'attr {{ key: "{kind}" value {{ type: DT_FLOAT }} }}'
    return f'node {{ name: "{name}" op: "{op}" {read} {typed} {shaped} {more} }}\n'


def flag(name: str) -> str:
    return f'attr {{ key: "{name}" value {{ b: true }} }}'


ONE = 'attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 1 } } }'
OPEN = (
    node("x", "Placeholder", kind="dtype", shape=(-1, 1000))
    + node("w", "VariableV2", kind="dtype", shape=(1000, 1000))
    + node("m", "VariableV2", kind="dtype", shape=(1000, 1000))
    + node("lr", "Const", kind="dtype", more=ONE)
    + node("wr", "Identity", "w")
    + node("y", "MatMul", "x", "wr")
    + node("r", "Relu", "y")
    + node("z", "MatMul", "r", "wr")
    + node("q", "Relu", "z")
    + node("dz", "ReluGrad", "q", "q")
    + node("dr", "MatMul", "dz", "wr", more=flag("transpose_b"))
    + node("dy", "ReluGrad", "dr", "r")
    + node("dw", "MatMul", "x", "dy", more=flag("transpose_a"))
    + node("u", "ApplyMomentum", "w", "m", "lr", "dw", "lr")
)


@pytest.fixture
def open_batch(tmp_path: Path) -> Path:
    """Two dense layers of 4 MB with momentum, whose batch is open: 4 kB an example and layer."""
    path = tmp_path / "open.pbtxt"
    path.write_text(OPEN)
    return path


def test_the_largest_batch_is_one_that_fits_and_a_fifth_more_does_not(open_batch: Path) -> None:
    found = told(open_batch, gpus=1, mem="40MB", batch_size=8000)
    batches = [piece for piece in found.pieces if piece.kind == "batch"]
    assert [piece.change for piece in batches] == [f"--gpus 1 --batch-size {batches[0].details['batch_size']}"]
    size = batches[0].details["batch_size"]
    for batch, fits in ((size, True), (size + size // 5, False)):
        asked = Options.of(gpus=1, mem="40MB", batch_size=batch, **LINK)
        assert (first_fit(prepare(open_batch, asked).problem, asked) is not None) == fits


def test_gradients_of_several_runs_are_summed_in_one_graph(open_batch: Path) -> None:
    (piece,) = [p for p in told(open_batch, gpus=1, mem="40MB", batch_size=8000).pieces if p.kind == "accumulation"]
    runs, small = piece.details["runs"], prepare(open_batch, piece.options)
    assert runs * piece.details["batch_size"] >= 8000
    assert piece.details["gradient_bytes"] == 4_000_000
    names = piece.subject.names
    assert sum(name.startswith("dw/") and "/run_" in name for name in names) == runs - 1
    assert sum(piece.subject.ops[v] == "ApplyMomentum" for v in range(len(names))) == 1
    assert int(piece.subject.problem.workload.resident_bytes.sum()) == 4_000_000 + int(
        small.problem.workload.resident_bytes.sum()
    )


def test_slots_and_what_may_not_run_twice_are_told_from_the_graph(open_batch: Path) -> None:
    subject = prepare(open_batch, Options.of(gpus=1, batch_size=4))
    assert subject.graph is not None
    assert find_roles(subject.graph).variables[subject.names.index("m")] == "slots"
    twice = dict(zip(subject.names, np.asarray(may_run_twice(subject)).tolist(), strict=True))
    assert not any(twice[name] for name in ("x", "w", "m", "u", "lr"))
    assert not twice["wr"], "it reads a variable, which may have changed by then"
    assert twice["y"]
    assert twice["r"]


@pytest.mark.parametrize(("given", "why"), [({}, "say with --batch-size N"), ({"batch_size": 2}, None)])
def test_an_open_batch_must_be_said(open_batch: Path, given: dict[str, int], why: str | None) -> None:
    found = told(open_batch, gpus=1, mem="40GB", **given).result()["no_advice"]
    assert (why is None) == ("batch" not in found)
    assert why is None or why in found["batch"]
