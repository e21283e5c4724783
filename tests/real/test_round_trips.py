"""What is written is read back the same: placed files, cost graphs, networkx."""

from pathlib import Path

import pytest

from pardnn.readers.costgraph import read_cost_graph, write_cost_graph
from pardnn.readers.networkx import from_networkx, to_networkx
from tests.real.command import pardnn
from tests.real.samples import Sample, cost_graph, graphs


def partition(graph: Path, folder: Path) -> tuple[bytes, bytes]:
    """(placed graph, plan)."""
    folder.mkdir()
    out, plan = folder / graph.name, folder / "p.placement.json"
    answer = pardnn("partition", graph, "--gpus", 2, "-o", out, "-o", plan)
    assert answer.code == 0, answer.err
    return out.read_bytes(), plan.read_bytes()


@pytest.mark.parametrize("sample", graphs(), ids=lambda sample: sample.name)
def test_placed_read_and_placed_again_gives_the_same_bytes(tmp_path: Path, sample: Sample) -> None:
    source = tmp_path / sample.name
    source.write_bytes(sample.data)
    once, plan = partition(source, tmp_path / "once")
    again, _ = partition(tmp_path / "once" / sample.name, tmp_path / "again")
    assert again == once
    (tmp_path / "p.placement.json").write_bytes(plan)
    applied = tmp_path / f"applied-{sample.name}"
    answer = pardnn("apply", tmp_path / "once" / sample.name, tmp_path / "p.placement.json", "-o", applied)
    assert answer.code == 0, answer.err
    assert applied.read_bytes() == once


def test_every_form_of_one_graph_gets_one_placement(tmp_path: Path) -> None:
    found = {}
    for sample in graphs()[1:]:  # the first has one op more
        path = tmp_path / sample.name
        path.write_bytes(sample.data)
        answer = pardnn("partition", path, "--gpus", 2, "-o", tmp_path / f"{sample.name}.placement.json", "--json")
        seen = answer.json
        found[sample.name] = (seen["makespan_us"], seen["peak_bytes"], seen["nodes"], seen["edges"], seen["coverage"])
    assert len({str(figures) for figures in found.values()}) == 1, found


def test_an_exported_graph_is_placed_as_its_cost_graph(tmp_path: Path) -> None:
    source, costs = tmp_path / graphs()[1].name, tmp_path / "costs.json"
    source.write_bytes(graphs()[1].data)
    assert pardnn("inspect", source, "--export", costs).code == 0
    graph = read_cost_graph(costs.read_bytes(), costs)
    assert write_cost_graph(graph, packed=False) == costs.read_bytes()


def test_networkx_out_and_in_is_the_same_cost_graph() -> None:
    graph = read_cost_graph(cost_graph().data, "costs.json")
    assert from_networkx(to_networkx(graph)) == graph
