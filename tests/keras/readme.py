"""The README's lines on live models, run as they stand, CPUs playing the GPUs: one JSON line of facts per example."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import os
import re
import runpy
import tempfile
from pathlib import Path
from typing import Any

from tests.conftest import ROOT
from tests.keras.equal import DEVICES, four_cpus

SECTIONS = ("A Keras model: one line before fit", "A loop of one's own, a graph with its session")


def examples() -> list[str]:
    """The Python blocks of these sections, in order."""
    text = (ROOT / "README.md").read_text()
    parts = (text.partition(f"## {title}\n")[2].partition("\n## ")[0] for title in SECTIONS)
    return [block for part in parts for block in re.findall(r"```python\n(.*?)```", part, re.DOTALL)]


def world(tf: Any) -> dict[str, Any]:
    """The names that the examples take for granted."""
    import keras
    from google.protobuf import text_format

    import pardnn
    from tests.keras.cases import fresh
    from tests.keras.sessions import adam, graph_of

    model, x, y = fresh()

    def place(*given: Any, **asked: Any) -> Any:
        return pardnn.place(*given, **{**asked, "devices": DEVICES, "method": "round-robin", "cache": False})

    class Ours:
        """What `import pardnn` gives, with CPUs for GPUs."""

        device_function = staticmethod(lambda plan: pardnn.device_function(plan, DEVICES))

    Ours.place = staticmethod(place)  # type: ignore[attr-defined]
    return {
        "tf": tf, "pardnn": Ours, "text_format": text_format, "model": model, "x": x, "y": y,
        "loss_of": keras.losses.SparseCategoricalCrossentropy(), "optimizer": keras.optimizers.Adam(),
        "dataset": tf.data.Dataset.from_tensor_slices((x, y)).batch(8), "graph": graph_of(tf, adam),
        "build": lambda: adam(tf),
    }  # fmt: skip


def files(tf: Any) -> None:
    """A plan and a placed file as the command line leaves them, here."""
    from pardnn.cli.run import run
    from tests.keras.sessions import adam, graph_of

    tf.io.write_graph(graph_of(tf, adam), ".", "graph.pbtxt")
    asked = ["--gpus", "4", "--targets", "train", "--method", "round-robin", "-q"]
    with contextlib.redirect_stdout(io.StringIO()):
        run(["partition", "graph.pbtxt", *asked, "-o", "graph.placed.pbtxt", "-o", "graph.placement.json"])


def main() -> None:
    """Answer on stdout."""
    tf = four_cpus()
    logging.getLogger("pardnn").setLevel(logging.ERROR)
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        files(tf)
        assert Path("graph.placed.pbtxt").exists()
        for text in examples():
            names = world(tf)
            said = io.StringIO()
            Path("example.py").write_text(text)  # a file, for autograph reads the source
            with contextlib.redirect_stdout(said):
                left = runpy.run_path("example.py", names)
            graph = left["graph"]
            spread = len({op.device for op in graph.get_operations()} - {""})
            print(json.dumps([said.getvalue(), spread]), flush=True)  # noqa: T201 - the answer


if __name__ == "__main__":
    main()
