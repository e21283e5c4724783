"""The plans of a model: the package's methods, and one that no simulator has seen, layers to workers by turns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from pardnn.config import Options
from pardnn.machines.link import fit_link, machine_file
from pardnn.methods import method
from pardnn.placers.extract import TRAIN_OP
from pardnn.problem import Placement
from pardnn.subject import Subject, pose
from scheduler.sharing import Sharing
from scripts.truth.settings import CORES, INTER_OP_THREADS, ONE, SEED, WORKERS

_METHODS = {ONE: "single", CORES: "auto"}


def write_plans(folder: Path, name: str, plan: str) -> None:
    """A plan of a model as FOLDER/MODEL/PLAN.json: op -> task."""
    subject = subject_of(folder / name, machine_of(folder, cores=plan == CORES))
    placement = planned(subject, folder / name, plan)
    tasks = dict(zip(subject.names, placement.tolist(), strict=True))
    (folder / name / f"{plan}.json").write_text(json.dumps(tasks))


def machine_of(folder: Path, cores: bool = False) -> Path:
    """The machine file of two workers, from the link that `micro` measured; as `cores` sending is work there."""
    facts = json.loads((folder / "micro.json").read_text())
    sharing = sharing_of(facts["sent"]) if cores else None
    path = folder / ("cores.toml" if cores else "workers.toml")
    path.write_text(machine_file(fit_link(*facts["link"]), "between two workers", "", sharing))
    return path


def sharing_of(sent: Sequence[Sequence[float]]) -> Sharing:
    """What a core does for a transfer, from (bytes, seconds of the sender, seconds of the receiver) for some sizes."""
    send, receive = (fit_link([round(row[0]) for row in sent], [max(row[end], 0.0) for row in sent]) for end in (1, 2))
    return Sharing(
        slots=INTER_OP_THREADS, send_ns=send.latency_ns, receive_ns=receive.latency_ns,
        send_s_per_byte=1 / send.bytes_per_s, receive_s_per_byte=1 / receive.bytes_per_s,
    )  # fmt: skip


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
