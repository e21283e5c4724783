"""Graphs in TensorBoard's events files, also those that TensorFlow writes."""

import struct
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pardnn.encoding.crc32c import crc32c, masked
from pardnn.encoding.wire import encoded_varint
from pardnn.errors import InputError
from pardnn.graph.raw import RawNode
from pardnn.readers import read_graph
from tests.readers.drawn import as_binary

VERSION = b"\x09" + struct.pack("<d", 1.0) + b"\x1a\x0dbrain.Event:2"


def field(number: int, data: bytes) -> bytes:
    return bytes((number << 3 | 2,)) + encoded_varint(len(data)) + data


def sealed(data: bytes) -> bytes:
    return data + struct.pack("<I", masked(crc32c(data)))


def events(*bodies: bytes) -> bytes:
    return b"".join(sealed(struct.pack("<Q", len(body))) + sealed(body) for body in (VERSION, *bodies))


def names(path: Path) -> list[str]:
    return [node.name for node in read_graph(path)[0].nodes]


ONE, TWO = (as_binary([RawNode(name, "NoOp")]) for name in ("one", "two"))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (events(field(4, ONE)), ["one"]),
        (events(field(4, ONE), field(5, b""), field(4, TWO)), ["two"]),
        (events(field(4, ONE), field(9, field(2, TWO))), ["one"]),
        (events(field(9, field(2, TWO))), ["two"]),
        (events(field(4, ONE), field(4, TWO))[:-8], ["one"]),
        (events(field(4, ONE), field(4, TWO))[:-3], ["one"]),
        (events(field(4, ONE)) + b"\x07", ["one"]),
    ],
    ids=[
        "one",
        "the last counts",
        "before a meta graph",
        "a meta graph alone",
        "cut off",
        "in the seal",
        "in a length",
    ],
)
def test_the_graph_is_found(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    (tmp_path / "events.out.tfevents.1").write_bytes(content)
    assert names(tmp_path / "events.out.tfevents.1") == expected


def test_events_without_a_graph_are_refused(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(events(field(5, b"")))
    with pytest.raises(InputError, match="events: the events file holds no graph"):
        read_graph(tmp_path / "events")


def test_a_damaged_event_is_refused_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(events(b"\x22\xff"))
    with pytest.raises(InputError, match=r"events:byte \d+: .*: the events file is damaged"):
        read_graph(tmp_path / "events")


RECORD = len(events())  # where the record with the graph begins


@pytest.mark.parametrize(
    ("place", "message"),
    [
        (3, "byte 0: this length"),
        (RECORD, f"byte {RECORD}: this length"),
        (RECORD + 9, f"byte {RECORD}: this length"),
        (RECORD + 14, f"byte {RECORD + 12}: this event"),
        (-1, f"byte {RECORD + 12}: this event"),
    ],
    ids=["the first length", "a length", "its checksum", "an event", "the last byte"],
)
def test_what_does_not_match_its_checksum_is_refused_with_its_place(tmp_path: Path, place: int, message: str) -> None:
    content = bytearray(events(field(4, ONE)))
    content[place] ^= 1
    (tmp_path / "events").write_bytes(content)
    with pytest.raises(InputError, match=f"events:{message} does not match its checksum: the events file is damaged"):
        read_graph(tmp_path / "events")


def test_where_the_graph_came_from_is_known_and_it_is_placed_as_a_plain_one(tmp_path: Path) -> None:
    (tmp_path / "events").write_bytes(events(field(4, ONE)))
    raw, data = read_graph(tmp_path / "events")
    assert (raw.source.kind, raw.source.events, data) == ("GraphDef", True, ONE)
    (tmp_path / "plain").write_bytes(ONE)
    assert not read_graph(tmp_path / "plain")[0].source.events


@pytest.mark.slow
def test_a_file_that_tensorflow_wrote(tmp_path: Path) -> None:
    if find_spec("tensorflow") is None:
        pytest.skip("needs tensorflow")
    program = (
        "import tensorflow as tf; g = tf.Graph()\n"
        "with g.as_default():\n"
        " tf.identity(tf.constant(1.0, name='a'), name='b')\n"
        f" tf.compat.v1.summary.FileWriter({str(tmp_path)!r}, g).close()"
    )
    subprocess.run([sys.executable, "-c", program], check=True, capture_output=True)
    (written,) = tmp_path.iterdir()
    assert names(written) == ["a", "b"]
