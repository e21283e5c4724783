"""The neutral judge from the shared folder, loaded by path."""

import gzip
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from scheduler.dag import Dag
from scheduler.workload import Workload


def load_judge(shared: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("judge_evaluate", shared / "judge" / "evaluate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def cost_graphs(shared: Path) -> list[Path]:
    return sorted((shared / "data" / "cost_graphs").glob("*.json.gz"))


def columns(path: Path) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads(gzip.decompress(path.read_bytes()))
    return loaded


def workload(graph: dict[str, Any], k: int) -> Workload:
    """The workload by the judge's rounding, without any reader of ours."""
    n = len(graph["time"])
    time = np.floor(np.array(graph["time"], np.float64) * 1000 + 0.5).astype(np.int64)
    sizes = [
        np.floor(np.array(graph[c], np.float64) + 0.5).astype(np.int64) for c in ("bytes", "resident", "output", "temp")
    ]
    return Workload.build(Dag.from_edges(n, graph["src"], graph["dst"]), np.repeat(time[:, None], k, axis=1), *sizes)
