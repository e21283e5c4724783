"""The plans of a model: the package's methods, and one that no simulator has seen, layers to workers by turns."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from pardnn.config import Options
from pardnn.machines.link import fit_link, machine_file
from pardnn.methods import method
from pardnn.placers.extract import TRAIN_OP
from pardnn.problem import Placement
from pardnn.subject import Subject, pose
from scripts.truth.settings import SEED, WORKERS

_METHODS = {"one": "single"}


def write_plans(folder: Path, name: str, plan: str) -> None:
    """A plan of a model as FOLDER/MODEL/PLAN.json: op -> task."""
    subject = subject_of(folder / name, machine_of(folder))
    placement = planned(subject, folder / name, plan)
    tasks = dict(zip(subject.names, placement.tolist(), strict=True))
    (folder / name / f"{plan}.json").write_text(json.dumps(tasks))


def machine_of(folder: Path) -> Path:
    """The machine file of two workers, written from the link that `micro` measured."""
    sizes, seconds = json.loads((folder / "micro.json").read_text())["link"]
    link = fit_link(sizes, seconds)
    path = folder / "workers.toml"
    path.write_text(machine_file(link, "between two workers", ""))
    return path


def subject_of(folder: Path, machine: Path) -> Subject:
    """The step of a prepared model on the workers, with the costs measured on one core."""
    return pose(
        str(folder / "graph.pb"),
        Options.of(
            gpus=WORKERS, machine=str(machine), costs=f"measured:{folder / 'company.csv'}", targets=(TRAIN_OP,),
            mem="unlimited",
        ),
    )  # fmt: skip


def planned(subject: Subject, folder: Path, plan: str) -> Placement:
    """The placement [n] of a plan."""
    if plan == "layers":
        return subject.problem.settle(_by_layers(subject, json.loads((folder / "by_layer.json").read_text())))
    chosen = method(_METHODS.get(plan, plan))(subject.problem, np.random.default_rng(SEED))
    return chosen.astype(np.int32)


def _by_layers(subject: Subject, layers: list[str]) -> Placement:
    """An op whose name holds a layer's is on that layer's worker, any other where its last input is."""
    number = {name: i % WORKERS for i, name in enumerate(layers)}
    dag = subject.problem.workload.dag
    place = np.zeros(dag.n, np.int32)
    for v in dag.order.tolist():
        parts = subject.names[v].replace("_1/", "/").split("/")
        own = next((number[part] for part in parts if part in number), None)
        before = dag.src[dag.in_edge[dag.in_ptr[v] : dag.in_ptr[v + 1]]]
        place[v] = own if own is not None else (place[before[-1]] if len(before) else 0)
    return place
