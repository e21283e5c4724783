"""`pardnn estimate`: figures that add up, and a table of costs that reads back to the same plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Program


def test_the_kinds_of_memory_add_up_to_the_simulator_s_peak(pardnn: Program, example_graph: Path) -> None:
    found = pardnn("estimate", example_graph, "--json").result
    planned = pardnn("partition", example_graph, "--gpus", 1, "--method", "single", "--dry-run", "--json").result
    step = found["steps"][0]
    assert step["step_us"] == planned["makespan_us"]
    assert step["memory"][0]["peak_bytes"] == planned["peak_bytes"][0]
    held = found["held_bytes"]
    assert held["weights"] == found["gradient_bytes"] == 4 * 2_836_200  # the network's parameters
    assert held["slots"] == held["frozen"] == 0
    at_peak = step["memory"][0]["at_peak"]
    assert {kind: at_peak[kind] for kind in held} == held
    assert sum(at_peak.values()) == planned["peak_bytes"][0]
    rows = found["op_types"]
    assert sum(row["count"] for row in rows) == found["placed"] == 346
    assert sum(row["flops"] for row in rows) == found["flops"]
    assert sum(row["time_us"] for row in rows) == pytest.approx(found["time_us"])
    assert len(found["top_ops"]) == 10
    assert found["top_ops"][0]["time_us"] == max(op["time_us"] for op in found["top_ops"])
    assert {op["source"] for op in found["top_ops"]} <= set(found["bands"]) == {"learned", "roofline"}


def test_the_host_has_figures_of_its_own(pardnn: Program, shared: Path) -> None:
    graph = shared / "data/graphs/metagraph/ssd_hikapok_model.ckpt-120000.meta"
    planned = pardnn("partition", graph, "--gpus", 1, "--method", "single", "--dry-run", "--json").result
    memory = pardnn("estimate", graph, "--json").result["steps"][0]["memory"]
    assert [row["device"] for row in memory] == ["GPU", "host"]
    assert [row["peak_bytes"] for row in memory] == [row["peak_bytes"] for row in planned["per_device"]]


def test_unlike_cards_are_estimated_one_by_one(pardnn: Program, diamond: Path) -> None:
    steps = pardnn("estimate", diamond, "--mem", "5kB,50kB", "--speed", "1,2", "--json").result["steps"]
    assert [(step["step_us"], step["fits"]) for step in steps] == [(1020.0, False), (510.0, True)]
    assert len(pardnn("estimate", diamond, "--gpus", 8, "--json").result["steps"]) == 1


def test_a_cost_graph_has_no_kinds_of_variables(pardnn: Program, diamond: Path) -> None:
    found = pardnn("estimate", diamond, "--json").result
    assert found["held_bytes"] == {"resident": 8200}
    assert (found["gradient_bytes"], found["flops"], found["workspace_bytes"]) == (None, None, 500)
    assert found["steps"][0]["memory"][0]["peak_bytes"] == 8200 + 1000 + 1000 + 1000 + 500
    text = pardnn("estimate", diamond, "--top", 1)
    assert (text.code, "8.01 KiB held" in text.out, "work" in text.out) == (0, True, True)
    refused = pardnn("estimate", diamond, "-o", "costs.csv")
    assert (refused.code, "brings its own costs" in refused.err) == (2, True)


@pytest.mark.parametrize("name", ["costs.csv", "costs.json"])
@pytest.mark.parametrize("options", [(), ("--speed", "1,3", "--machine", "dgx-a100"), ("--batch-size", 5)], ids=str)
def test_costs_read_back_give_the_same_plan(
    pardnn: Program, example_graph: Path, name: str, options: tuple[object, ...]
) -> None:
    assert pardnn("estimate", example_graph, "--gpus", 2, *options, "-o", name).code == 0
    how = (example_graph, "--gpus", 2, *options, "--method", "heft", "--mem", "40GB")
    assert pardnn("partition", *how, "-o", "a.placement.json").code == 0
    done = pardnn("partition", *how, "--costs", f"measured:{name}", "-o", "b.placement.json", "--json")
    a, b = (json.loads(Path(f"{end}.placement.json").read_text()) for end in "ab")
    assert b["options"].pop("costs") == f"measured:{name}"
    assert a["options"].pop("costs") == "auto"
    assert a == b
    coverage = done.result["coverage"]
    assert coverage["learned"] + coverage["roofline"] == 346  # where the figures came from is not forgotten
    again = pardnn(
        "estimate", example_graph, "--gpus", 2, *options, "--costs", f"measured:{name}", "-o", f"again{name}"
    )
    assert again.code == 0
    assert Path(f"again{name}").read_bytes() == Path(name).read_bytes()


@pytest.mark.parametrize("graph", ["tf1_while_rnn_train.pb", "keras_lstm_train_functional_while.pb"])
def test_costs_of_loops_read_back_give_the_same_plan(pardnn: Program, shared: Path, graph: str) -> None:
    path = shared / "data/graphs/made" / graph
    assert pardnn("estimate", path, "-o", "c.csv").code == 0
    figures = [
        pardnn("partition", path, "--gpus", 2, "--method", "heft", "--dry-run", "--json", *costs).result
        for costs in ((), ("--costs", "measured:c.csv"))
    ]
    for key in ("makespan_us", "lower_bound_us", "peak_bytes", "comm_bytes", "single_device_us", "coverage"):
        assert figures[0][key] == figures[1][key], key


def test_an_edited_cost_counts(pardnn: Program, example_graph: Path) -> None:
    assert pardnn("estimate", example_graph, "-o", "c.json").code == 0
    costs = json.loads(Path("c.json").read_text())
    name = next(op for op in costs if op.endswith("logits_1/MatMul"))
    costs[name]["time_us"] += 1000
    costs[name]["source"] = "measured"
    Path("c.json").write_text(json.dumps(costs))
    before, after = (
        pardnn("estimate", example_graph, "--json", *options).result for options in ((), ("--costs", "measured:c.json"))
    )
    assert after["time_us"] == pytest.approx(before["time_us"] + 1000)
    assert after["coverage"]["measured"] == 1
    assert after["coverage"]["learned"] + after["coverage"]["roofline"] == 345


def test_an_output_is_never_overwritten_unasked(pardnn: Program, example_graph: Path) -> None:
    Path("c.csv").write_text("mine")
    done = pardnn("estimate", example_graph, "-o", "c.csv")
    assert (done.code, Path("c.csv").read_text()) == (2, "mine")
    assert pardnn("estimate", example_graph, "-o", "c.csv", "--force").code == 0


def test_a_cost_graph_ignores_costs_with_a_word(pardnn: Program, diamond: Path) -> None:
    done = pardnn("estimate", diamond, "--costs", "roofline")
    assert (done.code, "brings its own costs: --costs idle" in done.err) == (0, True)
    assert "--costs" not in pardnn("estimate", diamond).err


def test_unknown_dimensions_are_counted_or_given(pardnn: Program, shared: Path) -> None:
    path = shared / "data/graphs/made/negative_dims.pbtxt"
    found = {n: pardnn("estimate", path, *(["--batch-size", n] if n else []), "--json").result for n in (0, 1, 32, 64)}
    assert [found[n]["coverage"]["unknown_shape"] for n in found] == [1, 0, 0, 0]
    image = 224 * 224 * 3 * 4
    assert [found[n]["activation_bytes"] for n in found] == [image, image, 32 * image, 64 * image]
    assert any("unknown dimensions, which count as 1" in warning for warning in found[0]["warnings"])


def test_every_time_has_the_band_of_its_source(pardnn: Program, example_graph: Path) -> None:
    found = pardnn("estimate", example_graph, "--costs", "roofline", "--json").result
    for op in found["top_ops"]:
        assert op["low_us"] == pytest.approx(0.6 * op["time_us"])
        assert op["high_us"] == pytest.approx(2.5 * op["time_us"])
    step = found["steps"][0]
    assert found["time_band"] == pytest.approx([0.6, 2.5])
    assert (step["low_us"], step["high_us"]) == pytest.approx((0.6 * step["step_us"], 2.5 * step["step_us"]))
    assert " to " in pardnn("estimate", example_graph).out
    learned = pardnn("estimate", example_graph, "--costs", "learned", "--json").result
    assert {op["source"] for op in learned["top_ops"]} >= {"learned"}
    assert all(op["low_us"] < op["time_us"] < op["high_us"] for op in learned["top_ops"])
    planned = pardnn(
        "partition", example_graph, "--gpus", 2, "--method", "heft", "--costs", "roofline", "--dry-run", "--json"
    )
    assert planned.result["makespan_band"] == pytest.approx([0.6, 2.5])


def test_an_epoch_is_its_steps(pardnn: Program, example_graph: Path) -> None:
    found = pardnn("estimate", example_graph, "--samples", 1000, "--epochs", 3, "--json").result
    epoch = found["epochs"]
    assert (epoch["batch_size"], epoch["steps"]) == (192, 6)  # the graph's own batch; the last step is a small one
    assert epoch["epoch_s"] == pytest.approx(6 * found["steps"][0]["step_us"] / 1e6)
    assert epoch["total_s"] == pytest.approx(3 * epoch["epoch_s"])
    assert epoch["low_s"] < epoch["epoch_s"] < epoch["high_s"]
    assert "3 epochs" in pardnn("estimate", example_graph, "--samples", 1000, "--epochs", 3).out
    assert pardnn("estimate", example_graph, "--json").result["epochs"] is None


VGG = Path(__file__).parents[2] / "models/graphs/vgg16_sgd.pb.gz"


def test_several_batches_are_a_table_and_the_largest_is_planned(pardnn: Program) -> None:
    asked = ("estimate", VGG, "--batch-size", "4,8", "--mem", "3GB")
    found = pardnn(*asked, "--json").result
    small, large = found["batches"]
    assert (small["batch_size"], large["batch_size"]) == (4, 8)
    assert small["step_us"] < large["step_us"] < 2 * small["step_us"]
    assert small["peak_bytes"] < large["peak_bytes"] < large["allocator_bytes"]
    (row,) = found["largest_batches"]
    assert max(row["peak_bytes"]) <= 0.9 * 3e9
    beyond = pardnn("estimate", VGG, "--batch-size", row["batch_size"] * 2, "--mem", "3GB", "--json").result
    assert not beyond["steps"][0]["fits"]
    text = pardnn(*asked)
    assert (text.code, "on 1 card" in text.out) == (0, True)


def test_weights_gradients_and_slots_are_exact_to_the_byte(pardnn: Program) -> None:
    parameters = 4 * 138_357_544
    for name, slots in (("sgd", 0), ("adam", 2)):
        graph = VGG.with_name(f"vgg16_{name}.pb.gz")
        found = pardnn("estimate", graph, "--batch-size", 2, "--json").result
        assert found["held_bytes"]["weights"] == found["gradient_bytes"] == parameters
        assert found["held_bytes"]["slots"] == slots * parameters


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (("--batch-size", "4,x"), "--batch-size: 'x' is not a whole number"),
        (("--batch-size", "0"), "--batch-size: '0' is not a whole number"),
        (("--batch-size", "4,8", "--gpus", "0,2"), "--gpus: with several batch sizes it is a number of cards"),
        (("--batch-size", "4,8"), "the graph's batch is fixed in it"),
    ],
)
def test_wrong_batches_are_told(pardnn: Program, example_graph: Path, options: tuple[str, ...], told: str) -> None:
    done = pardnn("estimate", example_graph, *options)
    assert (done.code, told in done.err, done.out) == (2, True, "")


def test_epochs_of_no_known_size_are_refused(pardnn: Program, diamond: Path) -> None:
    done = pardnn("estimate", diamond, "--epochs", 3)
    assert (done.code, "--samples" in done.err) == (2, True)
