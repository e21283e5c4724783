"""Sweeps as a user runs them, some killed on the way, and what their folders then hold."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.factories import Sketch, judged

OUTPUTS = ("table.csv", "table.parquet", "relative.png", "speedup.png", "heatmap.png")
"""What is the same to the byte however a sweep went; seconds.csv is not."""
_SMALL = """\
latency = "25us"
bandwidth = "140GB/s"
[[gpu]]
memory = "{memory}"
"""
_DEADLINE_S = 900


def columns(sketch: Sketch, times: int = 1, sizes: int = 1) -> dict[str, list[Any]]:
    """A drawn graph as a cost graph, its nanoseconds and bytes so many times as large."""
    found = judged(sketch.workload())
    larger = {name: [sizes * value for value in found[name]] for name in ("resident", "output", "temp", "bytes")}
    return {**found, **larger, "time": [times * value for value in found["time"]]}


def lay_out(
    folder: Path, graphs: Mapping[str, Any], methods: list[str], gpus: list[int], memory: str, extra: str = ""
) -> Path:
    """A sweep over these cost graphs and a damaged one, on a machine of the presets and one with so much memory."""
    (folder / "graphs").mkdir()
    for name, graph in graphs.items():
        (folder / "graphs" / f"{name}.json").write_text(json.dumps(graph))
    (folder / "damaged.json").write_text('{"time": [1, 2')
    (folder / "small.toml").write_text(_SMALL.format(memory=memory))
    config = folder / "sweep.toml"
    config.write_text(
        f'graphs = ["graphs/*", "damaged.json"]\nmethods = {json.dumps(methods)}\n'
        f'machines = ["pcie3", "small.toml"]\ngpus = {gpus}\n{extra}'
    )
    return config


def start(config: Path, out: Path, *options: str) -> subprocess.Popen[str]:
    """`pardnn sweep` in a process group of its own."""
    command = [sys.executable, "-m", "pardnn", "sweep", str(config), "-o", str(out), *options]
    return subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)}, start_new_session=True, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(config: Path, out: Path, *options: str) -> str:
    """What a sweep that runs through says on stdout."""
    process = start(config, out, *options)
    said, error = process.communicate(timeout=_DEADLINE_S)
    assert process.returncode == 0, error
    return said


def kill_at(config: Path, out: Path, cells: int, *options: str) -> dict[str, int]:
    """Start, and SIGKILL the whole group once so many cells are there; when each of those left was written."""
    process = start(config, out, *options)
    deadline = time.monotonic() + _DEADLINE_S
    while len(written(out)) < cells and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert process.poll() is None, f"ended too early: {process.communicate()}"
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    return written(out)


def written(out: Path) -> dict[str, int]:
    """Cell file -> when it was written, in ns."""
    return {path.name: path.stat().st_mtime_ns for path in (out / "cells").glob("*.json")}


def unlike(out: Path, other: Path) -> list[str]:
    """The outputs that are not the same to the byte."""
    return [name for name in OUTPUTS if (out / name).read_bytes() != (other / name).read_bytes()]
