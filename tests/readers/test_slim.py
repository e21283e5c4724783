"""Large constants do not go through protobuf; huge files are refused in a word; what is read stays the same."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from pardnn.encoding.wire import encoded_varint
from pardnn.errors import InputError
from pardnn.graph.raw import DType, Shape, TensorInfo
from pardnn.readers.file import load
from pardnn.readers.graph import read_graph

_SIZE = 40_000_000


def field(number: int, content: bytes) -> bytes:
    return encoded_varint(number << 3 | 2) + encoded_varint(len(content)) + content


def node(name: bytes, op: bytes, inputs: tuple[bytes, ...] = (), **attrs: bytes) -> bytes:
    entries = (field(5, field(1, key.encode()) + field(2, value)) for key, value in attrs.items())
    return field(1, name) + field(2, op) + b"".join(field(3, text) for text in inputs) + b"".join(entries)


def constant(size: int, content: bytes) -> bytes:
    shape = field(2, b"\x08" + encoded_varint(size))
    return field(8, b"\x08\x01" + field(2, shape) + content)


FLOAT = b"\x30\x01"
BIG = field(1, node(b"c", b"Const", dtype=FLOAT, value=constant(_SIZE // 4, field(4, bytes(_SIZE)))))
LISTED = field(1, node(b"l", b"Const", dtype=FLOAT, value=constant(_SIZE // 4, field(5, bytes(_SIZE)))))
BROKEN = field(1, node(b"b", b"Const", dtype=FLOAT, value=constant(1, field(4, bytes(_SIZE)))))
REST = field(1, node(b"x", b"AddV2", (b"c", b"l"), T=FLOAT))
INFO = TensorInfo(DType(1), Shape((_SIZE // 4,)))


@pytest.mark.parametrize("outer", [(), (2,), (2, 2)], ids=["GraphDef", "MetaGraphDef", "SavedModel"])
def test_what_is_read_of_large_constants_is_their_shape(tmp_path: Path, outer: tuple[int, ...]) -> None:
    data = BIG + BROKEN + LISTED + REST
    for number in outer:
        data = field(number, data)
    if len(outer) == 2:
        data = b"\x08\x01" + data
    path = tmp_path / "g.pb"
    path.write_bytes(data)
    raw, kept = read_graph(path)
    assert [n.name for n in raw.nodes] == ["c", "b", "l", "x"]
    assert [n.attrs.get("value") for n in raw.nodes] == [INFO, TensorInfo(DType(1), Shape((1,))), INFO, None]
    assert kept == data  # the placer rewrites the file itself


def test_placing_takes_less_than_thrice_the_file_in_memory(tmp_path: Path) -> None:
    size = 150_000_000
    big = field(1, node(b"c", b"Const", dtype=FLOAT, value=constant(size // 4, field(4, bytes(size)))))
    (tmp_path / "g.pb").write_bytes(big + field(1, node(b"y", b"Identity", (b"c",), T=FLOAT)))
    program = """if True:
        import resource, sys
        from pardnn.cli.run import run
        assert run(["partition", "tiny.pb", "--gpus", "2", "-q", "--dry-run"]) == 0
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        assert run(["partition", "g.pb", "--gpus", "2", "-q", "-o", "placed.pb"]) == 0
        print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
    """
    (tmp_path / "tiny.pb").write_bytes(field(1, node(b"y", b"NoOp")))
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=tmp_path, env=environment, capture_output=True, text=True, check=True
    )
    assert int(done.stdout.splitlines()[-1]) < 3 * size
    assert (tmp_path / "placed.pb").stat().st_size > size


def test_a_file_beyond_protobuf_s_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    path = tmp_path / "huge.pb"
    content = 2_100_000_000
    head = b"\x0a" + encoded_varint(content) + field(1, b"c") + field(2, b"Const") + b"\x2a"  # and so on
    path.write_bytes(head)
    os.truncate(path, 2_200_000_000)  # sparse: it takes no room
    with pytest.raises(InputError, match=r"huge.pb: has 2.05 GiB, and TensorFlow reads no message of 2 GiB or more"):
        load(path)
