"""The text reader against protobuf's own text parser with TensorFlow's definitions, in the same run.

`pytest tests/bench/bench_text_reader.py -s`; the two parse in turn, processor time counts, the best of each.
"""

import gzip
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pardnn.readers.file import BOM, File
from pardnn.readers.graph import parse_graph


def best(times: int, work: Callable[[], object]) -> float:
    """Seconds of processor time."""
    found = []
    for _ in range(times):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


@pytest.mark.parametrize(
    ("name", "times", "at_least"),
    [("ssd_hikapok_graph.pbtxt", 3, 8), ("tf_opens2s_gnmt_mixed_precision.pbtxt.gz", 1, 15)],
)
def test_text_is_read_many_times_faster_than_by_protobuf(shared: Path, name: str, times: int, at_least: float) -> None:
    pytest.importorskip("tensorflow")
    from google.protobuf import text_format
    from tensorflow.core.framework import graph_pb2

    path = shared / "data" / "graphs" / "graphdef" / name
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    assert not data.startswith(BOM)
    text = data.decode()
    theirs = best(times, lambda: text_format.Parse(text, graph_pb2.GraphDef()))
    ours = best(3 * times, lambda: parse_graph(File(data, gzip=False, sha256=""), path))
    print(f"\n{name}: protobuf {theirs:.2f} s, ours {ours:.3f} s, {theirs / ours:.1f} times faster")  # noqa: T201
    assert theirs / ours >= at_least
