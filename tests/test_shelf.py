"""Plans are kept for the same question, and a shelf that cannot be trusted is not read."""

from dataclasses import replace
from pathlib import Path

import networkx as nx
import pytest

from pardnn.config import Options
from pardnn.pipeline import prepare, solve
from pardnn.shelf import Shelf, key_of


def chain(time_us: float = 5, size: int = 8) -> "nx.DiGraph[str]":
    """a -> b"""
    graph: nx.DiGraph[str] = nx.DiGraph()
    graph.add_node("a", time_us=time_us, output_bytes=size)
    graph.add_node("b", time_us=5)
    graph.add_edge("a", "b", bytes=size)
    return graph


ASKED = Options.of(gpus=2, mem="1kB", method="heft")


def test_the_key_changes_with_whatever_the_plan_depends_on() -> None:
    key = key_of(prepare(chain(), ASKED), ASKED)
    assert key == key_of(prepare(chain(), ASKED), ASKED)
    others = [
        (chain(time_us=6), ASKED), (chain(size=9), ASKED), (nx.relabel_nodes(chain(), {"a": "c"}), ASKED),
        (chain(), replace(ASKED, gpus=3)), (chain(), replace(ASKED, mem="2kB")), (chain(), replace(ASKED, seed=1)),
        (chain(), replace(ASKED, method="etf")), (chain(), replace(ASKED, latency="1us")),
        (chain(), replace(ASKED, order="blevel")), (chain(), replace(ASKED, effort="best")),
    ]  # fmt: skip
    keys = {key_of(prepare(graph, asked), asked) for graph, asked in others}
    assert len(keys) == len(others)
    assert key not in keys


def test_a_plan_comes_back_as_it_was_put(tmp_path: Path) -> None:
    plan = solve(prepare(chain(), ASKED), ASKED).file()
    shelf = Shelf(tmp_path / "plans")
    assert shelf.get("k") is None
    assert shelf.put("k", plan)
    found = shelf.get("k")
    assert found is not None
    assert found.placement == plan.placement
    assert shelf.get("other") is None


def test_a_damaged_plan_is_none(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    tmp_path.chmod(0o700)
    (tmp_path / "k.placement.json").write_text("{")
    assert shelf.get("k") is None


@pytest.mark.parametrize("mode", [0o770, 0o702])
def test_a_directory_that_others_can_write_to_is_not_used(tmp_path: Path, mode: int) -> None:
    shelf = Shelf(tmp_path)
    plan = solve(prepare(chain(), ASKED), ASKED).file()
    tmp_path.chmod(0o700)
    assert shelf.put("k", plan)
    tmp_path.chmod(mode)
    assert shelf.get("k") is None
    assert not shelf.put("k", plan)
