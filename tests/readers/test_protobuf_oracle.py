"""Both readers against TensorFlow's own parse, in processes of their own, which keep tensorflow out of this one."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.skipif(not importlib.util.find_spec("tensorflow"), reason="needs tensorflow")

# What no reader takes, and two files in which tensorflow's message or its text parser finds something it does not know.
NO_GRAPHS = {"empty.pb", "empty.pbtxt", "only_versions.pbtxt", "truncated.pbtxt", "not_a_graph_but_named.pb"}
NO_GRAPHS |= {"tf221_v1session_2cpu_run_metadata.pb", "g2m_graph-malformed.pbtxt"}
SLOW = {"ssd_hikapok_graph.pbtxt", "tf_opens2s_gnmt_mixed_precision.pbtxt.gz"}  # in protobuf's text parser


def verdicts(*arguments: str | Path) -> list[str]:
    command = [sys.executable, "-m", "tests.readers.protobuf_oracle", *map(str, arguments)]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 0, run.stderr[-2000:]
    return run.stdout.splitlines()


def files(shared: Path) -> list[Path]:
    return sorted(path for path in shared.glob("data/graphs/*/*") if path.name not in NO_GRAPHS)


def test_all_files_read_as_protobuf_reads_them(shared: Path) -> None:
    quick = [path for path in files(shared) if path.name not in SLOW]
    quick.sort(
        key=lambda path: path.suffix != ".pb"
    )  # a binary first, so that protobuf has our definitions before TensorFlow's
    assert verdicts(*quick) == [f"{path.name} equal" for path in quick]


@pytest.mark.slow
def test_large_text_reads_as_protobuf_reads_it_also_after_tensorflow(shared: Path) -> None:
    slow = [path for path in files(shared) if path.name in SLOW or path.name == "tf1_while_rnn_train.pb"]
    assert verdicts("--after", *slow) == [f"{path.name} equal" for path in slow]
