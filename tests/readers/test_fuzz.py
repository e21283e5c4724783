"""Random graphs read back from every form; damaged ones give one clear error and nothing else."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pardnn.errors import InputError
from pardnn.graph.raw import RawGraph, RawNode
from pardnn.placers.graphfile import write_devices
from pardnn.readers.file import File
from pardnn.readers.graph import parse_graph
from tests.readers.drawn import NODES, Printer, as_binary

SEEDS = st.integers(0, 10_000)


def read(data: bytes) -> RawGraph:
    return parse_graph(File(data, gzip=False, sha256=""), "drawn.pbtxt")[0]


@given(NODES, SEEDS)
def test_a_graph_comes_back_from_text_in_any_style(nodes: list[RawNode], seed: int) -> None:
    data = Printer(seed).nodes(nodes)
    assert read(data).nodes == tuple(nodes), data.decode()


@given(NODES)
def test_a_graph_comes_back_from_binary(nodes: list[RawNode]) -> None:
    assert read(as_binary(nodes)).nodes == tuple(nodes)


@given(NODES, SEEDS, st.booleans(), st.data())
def test_written_devices_come_back_and_nothing_else_changes(
    nodes: list[RawNode], seed: int, binary: bool, data: st.DataObject
) -> None:
    before = as_binary(nodes) if binary else Printer(seed).nodes(nodes)
    device_of = {node.name: data.draw(st.sampled_from(["", "/device:GPU:1", "ü'\""])) for node in nodes}
    graph = read(before)
    after = write_devices(before, graph.source, device_of)
    placed = tuple(dataclasses.replace(node, device=device_of[node.name]) for node in nodes)
    assert read(after).nodes == placed, after.decode("utf-8", "replace")
    assert write_devices(after, graph.source, device_of) == after


@given(NODES, SEEDS, st.booleans(), st.lists(st.tuples(st.floats(0, 1), st.binary(max_size=3)), max_size=3))
def test_damage_gives_an_input_error_or_a_graph_that_can_be_placed(
    nodes: list[RawNode], seed: int, binary: bool, damage: list[tuple[float, bytes]]
) -> None:
    data = bytearray(as_binary(nodes) if binary else Printer(seed).nodes(nodes))
    for at, new in damage:
        position = int(at * len(data))
        data[position : position + len(new)] = new
    try:
        graph = read(bytes(data))
        after = write_devices(bytes(data), graph.source, {node.name: "/device:GPU:3" for node in graph.nodes})
    except InputError as error:
        message = str(error)
    else:
        message = "drawn.pbtxt: ok"
        assert {node.device for node in read(after).nodes} == {"/device:GPU:3"}
    assert message.startswith("drawn.pbtxt:")
    assert "\n" not in message


@pytest.mark.parametrize("binary", [True, False])
def test_every_cut_of_a_file_is_refused_or_a_smaller_graph(binary: bool) -> None:
    nodes = [RawNode("a", "NoOp"), RawNode("b", "AddN", ("a", "^a"), "/device:GPU:0", {"N": 2, "T": (b"x", b"y")})]
    data = as_binary(nodes) if binary else Printer(0).nodes(nodes).rstrip()
    first = as_binary(nodes[:1]) if binary else Printer(0).nodes(nodes[:1]).rstrip()
    for end in range(len(data)):
        if end in (len(first), len(first) + (not binary)):  # for text after the line end too
            assert read(data[:end]).nodes == (nodes[0],)
        else:
            with pytest.raises(InputError):
                read(data[:end])
