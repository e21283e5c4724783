"""Every graph file of the shared folder: what we read, what its README says, what TensorFlow and networkx count."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from pardnn.readers import read_graph
from tests.real.command import pardnn

ROOT = Path(__file__).parents[2]
REFUSED: Mapping[str, tuple[int, str]] = {  # exit code and words of the one line, as the README's last table has it
    "empty.pbtxt": (2, "the graph has no nodes"),
    "empty.pb": (2, "the graph has no nodes"),
    "only_versions.pbtxt": (2, "the graph has no nodes"),
    "dup_names.pbtxt": (2, "node 'a' occurs twice"),
    "missing_input.pbtxt": (2, "node 'b' has an input 'ghost'"),
    "self_loop.pbtxt": (2, "b -> b"),
    "cycle_no_nextiteration.pbtxt": (
        2,
        "cycle of 2 nodes without a NextIteration, so it is no loop and can never run: ",
    ),
    "control_cycle.pbtxt": (2, "b -> a -> b"),
    "truncated.pbtxt": (2, "truncated.pbtxt:2: field 'op' has no value but the end of the file"),
    "not_a_graph_but_named.pb": (2, "is a PNG image"),
    "one_node_too_big.pbtxt": (3, "op 'v' needs 37.3 GiB on one device"),
    "g2m_graph-malformed.pbtxt": (2, "g2m_graph-malformed.pbtxt:3: "),
    "tf221_v1session_2cpu_run_metadata.pb": (2, "cannot be read: not a graph"),
}
WARNED: Mapping[str, str] = {
    "unknown_ops_horovod.pbtxt": "HorovodAllreduce",
    "conflicting_coloc.pbtxt": "had a device in the file: cleared",
    "negative_dims.pbtxt": "unknown dimensions",
}


class Counts(NamedTuple):
    """Of a graph file."""

    nodes: int
    edges: int
    functions: int
    inside: int
    loops: int


class Row(NamedTuple):
    """A file and what we say of it; `faults` are where that is wrong."""

    path: Path
    code: int
    seconds: float
    counts: Counts | None
    groups: int | str
    faults: list[str]


def documented(readme: Path) -> dict[str, Counts]:
    """The README's figures by file name."""
    found = {}
    for line in readme.read_text().splitlines():
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) > 12 and cells[6].isdigit():
            functions, inside = map(int, cells[10].split("/"))
            found[Path(cells[1]).name] = Counts(int(cells[6]), int(cells[7]), functions, inside, int(cells[11]))
    return found


def look(path: Path, said: Mapping[str, Counts]) -> Row:
    """Inspect and partition a file, and compare with what is said of it."""
    seen = pardnn("inspect", path, "--json")
    placed = pardnn("partition", path, "--gpus", 4, "--mem", "16GB", "--dry-run", "--json")
    counts: Counts | None = None
    groups: int | str = "-"
    faults = []
    if seen.code == 0:
        facts = seen.json
        inside = sum(len(function.nodes) for function in read_graph(path)[0].functions)
        counts = Counts(facts["nodes"], facts["edges"], facts["functions"], inside, facts["loops"])
        groups = facts["groups"]["number"]
        if path.name in said and counts != said[path.name]:
            faults.append(f"counts {tuple(counts)}, said are {tuple(said[path.name])}")
    code, words = REFUSED.get(path.name, (0, ""))
    if placed.code != code or (code and words not in placed.error) or (code and placed.err.count("\n") != 1):
        faults.append(f"exit {placed.code}, not {code} with {words!r}: {placed.err[-300:].strip()}")
    if (warning := WARNED.get(path.name)) and warning not in placed.err:
        faults.append(f"no warning of {warning!r}")
    return Row(path, placed.code, placed.seconds, counts, groups, faults)


def tensorflow_counts(paths: Sequence[Path]) -> Iterator[Counts]:
    """The counts by TensorFlow's protos and networkx, from a process of their own."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.real.tf_counts", *map(str, paths)],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    for line in done.stdout.splitlines():
        found = json.loads(line)
        yield Counts(**{name: found[name] for name in Counts._fields})
