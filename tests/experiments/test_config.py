"""The file that asks for a sweep: what it makes, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pardnn.errors import InputError
from pardnn.experiments.config import read_config
from pardnn.methods import summaries
from tests.conftest import ROOT


def asked(folder: Path, text: str) -> Path:
    path = folder / "sweep.toml"
    path.write_text(text)
    return path


def test_every_combination_is_a_cell_in_the_order_of_the_file(tmp_path: Path) -> None:
    text = 'graphs = ["b", "a"]\nmethods = ["heft", "etf"]\ngpus = [4, 2]\nseed = 3\nmachines = ["pcie3", "dgx2-v100"]'
    cells = read_config(asked(tmp_path, text)).cells()
    found = [(cell.graph, cell.asked.machine, cell.asked.gpus, cell.asked.method) for cell in cells]
    assert found[:5] == [
        ("b", "pcie3", 4, "heft"), ("b", "pcie3", 4, "etf"), ("b", "pcie3", 2, "heft"), ("b", "pcie3", 2, "etf"),
        ("b", "dgx2-v100", 4, "heft"),
    ]  # fmt: skip
    assert len(set(found)) == len(cells) == 16
    assert {cell.asked.seed for cell in cells} == {3}
    assert len({cell.key for cell in cells}) == 16


def test_patterns_and_all_are_resolved(tmp_path: Path) -> None:
    for name in ("y.json", "x.json", "z.txt"):
        (tmp_path / name).write_text("{}")
    config = read_config(asked(tmp_path, 'graphs = ["*.json", "x.json"]\nmethods = "all"\ngpus = 2'))
    assert config.graphs == ("x.json", "y.json")
    assert config.vary["method"] == tuple(summaries())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('graphs = ["g"]\ngpu = 2', "gpu: unknown key; known here: graphs, machines, "),
        ("gpus = 2", "graphs: missing"),
        ("graphs = []", "graphs: an empty list makes an empty sweep"),
        ("graphs = [3]", "graphs: names of files are needed, not 3"),
        ('graphs = ["*.pb"]', "no file in"),
        ('graphs = ["g"]\nmethods = ["magic"]', "methods: no method 'magic'; there are: auto, "),
        ('graphs = ["g"]\ngpus = [[1, 2]]', "gpus: a value or a list of values is needed"),
        ('graphs = ["g"]\norder = "lifo"', "--order: 'lifo' is not one of fifo, blevel"),
        ('graphs = ["g"]\nseed = [0, -1]', "--seed: -1 is not"),
        ("graphs = [", "not a TOML file"),
    ],
)
def test_what_is_wrong_is_told_with_the_file(tmp_path: Path, text: str, said: str) -> None:
    path = asked(tmp_path, text)
    with pytest.raises(InputError, match=r"sweep\.toml: ") as caught:
        read_config(path).cells()
    assert said in str(caught.value)


def test_a_sweep_that_would_never_end_is_refused(tmp_path: Path) -> None:
    numbers = list(range(1001))
    with pytest.raises(InputError, match="makes 1,002,001 cells"):
        read_config(asked(tmp_path, f'graphs = ["g"]\nseed = {numbers}\ngpus = {numbers}'))


def test_a_key_follows_the_content_of_every_file_and_not_their_folder(tmp_path: Path) -> None:
    def keys(folder: Path, graph: str = "{}", machine: str = "m", extra: str = "") -> list[str]:
        folder.mkdir(exist_ok=True)
        (folder / "g.json").write_text(graph)
        (folder / "m.toml").write_text(machine)
        text = f'graphs = ["g.json"]\nmachines = ["m.toml"]\ngpus = 2\nmethods = ["heft"]\n{extra}'
        return [cell.key for cell in read_config(asked(folder, text)).cells()]

    first = keys(tmp_path / "one")
    assert keys(tmp_path / "two") == first
    assert keys(tmp_path / "two", extra="seed = 0") == first  # that is what it is unless said
    assert len({*first, *keys(tmp_path / "two", graph="{ }"), *keys(tmp_path / "two", machine="n")}) == 3
    assert keys(tmp_path / "two", extra="seed = 1") != first


def test_the_example_is_a_sweep() -> None:
    cells = read_config(ROOT / "docs" / "sweep.toml").cells()
    assert len(cells) == 5 * 2 * 3
    assert all(cell.sha256 for cell in cells)
