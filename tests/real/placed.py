"""Graphs placed by the command line, and what must hold of the files it writes."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pardnn.readers import read_graph, schema
from tests.real.command import Answer, pardnn

ROOT = Path(__file__).parents[2]
GRAPHS = (  # below data/graphs of the shared folder; the last column: runs without data files
    ("graphdef/tf_keras_imagenet_main.pbtxt", False),
    ("graphdef/tf_keras_imagenet_main_graph_mode.pbtxt", False),
    ("graphdef/ssd_hikapok_graph.pbtxt", False),
    ("metagraph/ssd_hikapok_model.ckpt-120000.meta", False),
    ("graphdef/tf_opens2s_gnmt_mixed_precision.pbtxt.gz", False),
    ("made/keras_resnet50_adam_train_bs32.pb", True),
    ("made/keras_lstm_train_functional_while.pb", True),
    ("made/tf1_mlp_4gpu_manual.pb", True),
    ("made/tf1_mlp_4gpu_manual.pbtxt", True),
    ("made/tf1_mlp_deep_2000.pb.gz", True),
    ("made/tf1_while_rnn_train.pb", True),
    ("made/tf1_while_rnn_train.pbtxt", True),
    ("made/tf221_v1session_2cpu_graph.pb", True),
    ("savedmodel/tf2onnx_regression.saved_model.pb", True),
    ("savedmodel/basic_pitch.saved_model.pb", False),
)
EXAMPLE = ROOT / "models" / "graphs" / "four_view_cnn.pbtxt"
_DEVICE_LINE = re.compile(rb'[ \t]*device: "[^"\n]*"[ \t\r]*')


@dataclass(frozen=True)
class Placed:
    """A graph, the files that `pardnn partition` made of it, and what it said."""

    source: Path
    graph: Path
    plan: Path
    answer: Answer
    runs: bool = False
    faults: list[str] = field(default_factory=list)

    @property
    def placement(self) -> dict[str, str]:
        """Op name -> device."""
        found: dict[str, str] = json.loads(self.plan.read_text())["placement"]
        return found


def place(source: Path, folder: Path, *options: object, runs: bool = False) -> Placed:
    """Partition a graph into a folder; its faults are what is wrong with the files."""
    graph, plan = folder / source.name, folder / f"{source.name}.placement.json"
    asked = options or ("--gpus", 4, "--mem", "16GB")
    answer = pardnn("partition", source, *asked, "-o", graph, "-o", plan, "--force", "--json")
    placed = Placed(source, graph, plan, answer, runs)
    if answer.code:
        placed.faults.append(f"exit {answer.code}: {answer.error}")
    else:
        placed.faults.extend(_faults(placed))
    return placed


def _faults(placed: Placed) -> Iterable[str]:
    before, after = placed.source.read_bytes(), placed.graph.read_bytes()
    if before.startswith(b"\x1f\x8b") != after.startswith(b"\x1f\x8b"):
        yield "the gzip was lost or made"
    raw, content = read_graph(placed.source)
    placement, kind = placed.placement, raw.source.kind
    after = gzip.decompress(after) if after.startswith(b"\x1f\x8b") else after
    same = _same_lines(content, after) if raw.source.text else _same_message(content, after, kind)
    if not same:
        yield "more than devices changed"
    written = read_graph(placed.graph)[0]
    wrong = [n.name for n in written.nodes if n.device != placement.get(n.name, "")]
    if wrong:
        yield f"{len(wrong)} devices in the file are not the plan's ({wrong[0]})"
    apart = [pair for pair in _classes(raw.nodes) if len({placement[name] for name in pair if name in placement}) > 1]
    if apart:
        yield f"{len(apart)} colocation groups are torn ({' and '.join(apart[0])})"


def _same_lines(before: bytes, after: bytes) -> bool:
    """Whether two texts are equal but for lines that hold a device."""

    def rest(text: bytes) -> list[bytes]:
        return [line for line in text.split(b"\n") if not _DEVICE_LINE.fullmatch(line)]

    return rest(before) == rest(after)


def _same_message(before: bytes, after: bytes, kind: str) -> bool:
    """Whether two messages are equal, unknown fields included, but for the devices of nodes."""

    def rest(data: bytes) -> bytes:
        message = schema.message(kind).FromString(data)
        for graph in _graphs(message):
            for nodes in (graph.node, *(function.node_def for function in graph.library.function)):
                for node in nodes:
                    node.device = ""
        return message.SerializeToString(deterministic=True)  # type: ignore[no-any-return]

    return rest(before) == rest(after)


def _graphs(message: Any) -> list[Any]:
    if hasattr(message, "meta_graphs"):
        return [meta.graph_def for meta in message.meta_graphs[:1]]
    return [message.graph_def if hasattr(message, "graph_def") else message]


def _classes(nodes: Iterable[Any]) -> Iterable[tuple[str, str]]:
    """(op, op it says it is colocated with), straight from the file."""
    for node in nodes:
        for value in node.attrs.get("_class", ()):
            if isinstance(value, bytes) and value.startswith(b"loc:@"):
                yield node.name, value[5:].decode()


def ask_tensorflow(placed: Sequence[Placed], batch: int = 4) -> list[Mapping[str, Any]]:
    """TensorFlow's answers about placed graphs, see tests/real/tf_session.py; in a process of its own."""
    jobs = [{"graph": str(p.graph), "plan": str(p.plan), "run": p.runs, "batch": batch} for p in placed]
    done = subprocess.run(
        [sys.executable, "-m", "tests.real.tf_session"],
        input=json.dumps(jobs),
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"},
    )
    answers = [json.loads(line) for line in done.stdout.splitlines()]
    if len(answers) < len(jobs):
        what = f"TensorFlow ended with {done.returncode}: {done.stderr[-300:]}"
        answers.append({"graph": jobs[len(answers)]["graph"], "error": what, "stage": "start", "elsewhere": []})
    return answers
