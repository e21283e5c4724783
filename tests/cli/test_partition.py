"""`pardnn partition`: what it writes, when it refuses, what it prints."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from pardnn.placers.plan import read_plan
from tests.cli.conftest import Program

KEYS = {
    "format", "method", "nodes", "edges", "devices", "order", "contention", "makespan_us", "single_device_us",
    "lower_bound_us", "gap", "peak_bytes", "limit_bytes", "fits", "comm_bytes", "transfers", "seconds", "coverage",
    "warnings", "outputs",
}  # fmt: skip


def without_devices(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("  device: ")]


def test_a_graph_gets_its_devices_and_a_plan(pardnn: Program, example_graph: Path, tmp_path: Path) -> None:
    done = pardnn("partition", example_graph, "--gpus", 4, "--mem", "16GB", "--method", "pardnn")
    assert done.code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "four_view_cnn.placed.pbtxt",
        "four_view_cnn.placement.json",
    ]
    placed = (tmp_path / "four_view_cnn.placed.pbtxt").read_text()
    assert without_devices(placed) == example_graph.read_text().splitlines()
    plan = read_plan(tmp_path / "four_view_cnn.placement.json")
    assert sorted(set(plan.placement.values())) == [f"/device:GPU:{d}" for d in range(4)]
    assert len(plan.placement) + len(plan.unplaced) == plan.graph_nodes == 390
    assert placed.count("  device: ") == len(plan.placement)


def test_the_table_says_what_matters(pardnn: Program, example_graph: Path) -> None:
    done = pardnn("partition", example_graph, "--gpus", 4, "--mem", "16GB", "--method", "pardnn", "--dry-run")
    first = [line.partition("  ")[0].strip() for line in done.out.splitlines()]
    assert first[:8] == [
        "graph", "method", "step time", "one device", "speed-up", "lower bound", "transfers", "ops",
    ]  # fmt: skip
    assert done.out.splitlines()[-2].endswith("times as fast as one GPU, which could not hold it.")
    assert done.out.splitlines()[-1] == "Data parallelism is no choice: there is no room for 4x1."
    assert "\x1b" not in done.out


def test_json_is_the_contract_s_object(pardnn: Program, diamond: Path) -> None:
    done = pardnn("partition", diamond, "--gpus", 2, "--method", "heft", "--json")
    result = done.result
    assert result.keys() >= KEYS
    assert result["seconds"].keys() == {"read", "cost", "partition", "write", "compile"}
    assert result["coverage"].keys() == {"measured", "learned", "roofline", "unknown_shape", "pruned", "grouped"}
    assert (result["nodes"], result["edges"], result["devices"]) == (4, 4, 2)
    assert result["makespan_us"] == 10 + 500 + 10.084 + 10
    assert (result["single_device_us"], result["lower_bound_us"]) == (1020, 530.084)
    assert result["limit_bytes"] == [None, None]
    assert result["outputs"] == ["diamond.placement.json"]
    assert result["fits"] is True
    assert (result["transfers"], result["comm_bytes"]) == (2, 2000)


def test_output_names_say_what_is_written(pardnn: Program, example_graph: Path, tmp_path: Path) -> None:
    options = ("--gpus", 2, "--method", "fill", "-q")
    assert pardnn("partition", example_graph, *options, "-o", "only.placement.json").code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["only.placement.json"]
    assert pardnn("partition", example_graph, *options, "-o", "g.pbtxt", "-o", "p.placement.json").code == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["g.pbtxt", "only.placement.json", "p.placement.json"]
    assert (tmp_path / "p.placement.json").read_bytes() == (tmp_path / "only.placement.json").read_bytes()


def test_a_gzip_stays_one_and_keeps_its_name(pardnn: Program, example_graph: Path, tmp_path: Path) -> None:
    packed = tmp_path / "in" / "x.pbtxt.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(example_graph.read_bytes()))
    done = pardnn("partition", packed, "--gpus", 2, "--method", "fill", "--json")
    assert done.result["outputs"] == ["x.placed.pbtxt.gz", "x.placement.json"]
    placed = gzip.decompress((tmp_path / "x.placed.pbtxt.gz").read_bytes()).decode()
    assert without_devices(placed) == example_graph.read_text().splitlines()


def test_existing_files_are_refused_before_the_work_and_kept(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    kept = tmp_path / "diamond.placement.json"
    kept.write_text("mine")
    done = pardnn("partition", diamond, "--gpus", 2, "--method", "none-such")
    assert (done.code, done.out) == (2, "")
    assert done.err == "pardnn: diamond.placement.json: exists already; --force replaces it, -o names another file\n"
    assert kept.read_text() == "mine"
    assert pardnn("partition", diamond, "--gpus", 2, "--method", "heft", "--force").code == 0
    assert read_plan(kept).placement.keys() == {"a", "b", "c", "d"}


@pytest.mark.parametrize("option", ["--force", "--quiet"])
def test_the_input_is_never_an_output(pardnn: Program, example_graph: Path, tmp_path: Path, option: str) -> None:
    mine = tmp_path / "mine.pbtxt"
    mine.write_bytes(example_graph.read_bytes())
    (tmp_path / "link.pbtxt").symlink_to(mine)
    done = pardnn("partition", mine, "--gpus", 2, "--method", "fill", option, "-o", "link.pbtxt")
    assert done.code == 2
    assert "link.pbtxt: is an input" in done.err
    assert mine.read_bytes() == example_graph.read_bytes()


def test_a_name_that_is_no_text_is_read_and_written(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    odd = os.fsdecode(b"odd\xff\n.json")
    diamond.rename(tmp_path / odd)
    done = pardnn("partition", odd, "--gpus", 2, "--method", "fill")
    assert done.code == 0
    assert read_plan(os.fsdecode(b"odd\xff\n.placement.json")).graph_name == "odd?\n.json"
    assert "wrote odd\\udcff\\n.placement.json" in done.out


def test_one_file_cannot_be_two_outputs(pardnn: Program, diamond: Path) -> None:
    done = pardnn("partition", diamond, "--gpus", 2, "-o", "x.placement.json", "-o", "./x.placement.json")
    assert (done.code, done.err) == (2, "pardnn: ./x.placement.json: is named twice\n")


def test_no_name_is_no_output(pardnn: Program, diamond: Path) -> None:
    done = pardnn("partition", diamond, "--gpus", 2, "-o", "")
    assert (done.code, done.err) == (2, "pardnn: '': is no name of a file\n")


def test_a_current_directory_that_is_gone(
    pardnn: Program, diamond: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    done = pardnn("partition", diamond, "--gpus", 2)
    assert (done.code, done.err) == (2, "pardnn: the current directory is gone: change to one that exists\n")


def test_a_cost_graph_yields_a_plan_only(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    done = pardnn("partition", diamond, "--gpus", 2, "-o", "x.json")
    assert done.code == 2
    assert "a cost graph yields a plan only; name it x.json.placement.json" in done.err
    assert [path.name for path in tmp_path.iterdir()] == ["diamond.json"]


@pytest.mark.parametrize(
    "old", [{}, {"g.pb": b"old"}, {"g.pb": b"old", "p.placement.json": b"older"}], ids=lambda old: f"{len(old)} old"
)
@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_where_one_file_fails_all_stays_as_it_was(
    pardnn: Program,
    example_graph: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    old: dict[str, bytes],
    step: str,
) -> None:
    for name, content in old.items():
        (tmp_path / name).write_bytes(content)
    done_before, real = [], getattr(os, step)

    def second_fails(*arguments: Any) -> Any:
        done_before.append(arguments)
        if len(done_before) == 2:
            raise OSError(28, "No space left on device")
        return real(*arguments)

    monkeypatch.setattr(os, step, second_fails)
    outputs = ("-o", "g.pb", "-o", "p.placement.json", "--force")
    done = pardnn("partition", example_graph, "--gpus", 2, "--method", "fill", *outputs)
    assert (done.code, done.out) == (2, "")
    assert "p.placement.json: cannot be written: No space left on device" in done.err
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == old


def test_a_dry_run_writes_nothing(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    (tmp_path / "diamond.placement.json").write_text("mine")
    done = pardnn("partition", diamond, "--gpus", 2, "--method", "heft", "--dry-run", "--json")
    assert (done.code, done.result["outputs"]) == (0, [])
    assert (tmp_path / "diamond.placement.json").read_text() == "mine"


def test_quiet_leaves_stderr_empty_and_json_carries_the_warnings(pardnn: Program, shared: Path) -> None:
    graph = shared / "data/graphs/made/negative_dims.pbtxt"
    loud = pardnn("partition", graph, "--gpus", 2, "--method", "fill", "--dry-run", "--json")
    quiet = pardnn("partition", graph, "--gpus", 2, "--method", "fill", "--dry-run", "--json", "-q")
    assert quiet.err == ""
    warnings = quiet.result["warnings"]
    assert [w for w in warnings if "unknown dimensions, which count as 1; --batch-size N" in w]
    assert loud.err.splitlines() == [f"pardnn: warning: {warning}" for warning in warnings]
    assert quiet.result["coverage"]["unknown_shape"] > 0


def test_a_time_limit_that_is_reached_is_exit_4_with_the_files_written(
    pardnn: Program, diamond: Path, tmp_path: Path
) -> None:
    done = pardnn("partition", diamond, "--gpus", 2, "--time-limit", "1ns", "--json")
    assert done.code == 4
    assert "the time limit of 1ns was reached: this is the best so far" in done.result["warnings"]
    assert json.loads((tmp_path / "diamond.placement.json").read_text())["placement"].keys() == {"a", "b", "c", "d"}


def test_where_one_gpu_is_as_fast_the_answer_says_so(pardnn: Program, tmp_path: Path) -> None:
    chain = {
        "time": [5, 5, 5], "resident": [1] * 3, "output": [1] * 3, "temp": [0] * 3,
        "src": [0, 1], "dst": [1, 2], "bytes": [10**6] * 2,
    }  # fmt: skip
    (tmp_path / "chain.json").write_text(json.dumps(chain))
    done = pardnn("partition", "chain.json", "--gpus", 2, "--dry-run")
    assert "One GPU is as fast as 2: do not split." in done.out.splitlines()
    assert "This plan is best unless the all-reduce is hidden" in done.out
    without = pardnn("partition", "chain.json", "--gpus", 2, "--dry-run", "--no-alternatives")
    assert without.out.splitlines()[-1] == "One GPU is as fast as 2: do not split."


def test_replicas_stand_beside_the_plan_in_json(pardnn: Program, diamond: Path) -> None:
    asked = ("partition", diamond, "--gpus", 2, "--dry-run", "--json")
    found = pardnn(*asked).result["alternatives"]
    assert [row["name"] for row in found["rows"]] == ["1x2", "2x1"]
    assert found["best"] == "2x1"
    assert "alternatives" not in pardnn(*asked, "--no-alternatives").result


def test_pins_and_gpu_ids_are_honoured(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    (tmp_path / "pins").write_text("b /device:GPU:3  # the second\n")
    assert pardnn("partition", diamond, "--gpus", "1,3", "--pin", "pins", "--method", "heft").code == 0
    plan = read_plan(tmp_path / "diamond.placement.json")
    assert plan.devices == ("/device:GPU:1", "/device:GPU:3")
    assert plan.placement["b"] == "/device:GPU:3"


def test_what_does_not_fit_names_a_memory_that_works(pardnn: Program, diamond: Path) -> None:
    options = ("--gpus", 2, "--method", "heft", "--dry-run", "-q")
    done = pardnn("partition", diamond, *options, "--mem", "5kB", "--json")
    assert (done.code, done.out) == (3, "")
    assert done.err.count("\n") == 1
    assert "op 'b' needs " in done.err or "op 'c' needs " in done.err
    typed = done.err.partition("; --mem ")[2].split()[0]
    assert pardnn("partition", diamond, *options, "--mem", typed).code == 0
    proven = done.err.partition("; below ")[2].split()[0]
    assert pardnn("partition", diamond, *options, "--mem", proven.replace("kB", "B")).code == 3


def test_a_list_of_memories_is_answered_with_a_command_that_works(pardnn: Program, diamond: Path) -> None:
    done = pardnn("partition", diamond, "--mem", "5kB,5.5kB", "--method", "heft", "--dry-run")
    assert done.code == 3
    answer = done.err.partition("; --gpus ")[2].split()
    assert answer[:2] == ["2", "--mem"]
    assert pardnn("partition", diamond, "--gpus", 2, "--mem", answer[2], "--method", "heft", "--dry-run").code == 0


def test_a_folder_that_cannot_be_written_is_told_at_once(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    done = pardnn("partition", diamond, "--gpus", 2, "-o", "nowhere/x.placement.json")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "there is no directory nowhere" in done.err
    assert os.listdir(tmp_path) == ["diamond.json"]
