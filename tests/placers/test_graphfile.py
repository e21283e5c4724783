"""Devices on graph files: only device fields differ, in every form a file can have."""

import dataclasses
import difflib
from pathlib import Path

import pytest

from pardnn.graph.raw import RawGraph, Source
from pardnn.placers.graphfile import pack, write_devices
from pardnn.readers import read_graph
from pardnn.readers.file import File
from pardnn.readers.graph import parse_graph

TEXT = Source("g", "GraphDef", text=True, gzip=False, sha256="")
GPU = {"a": "/device:GPU:0"}


def parsed(data: bytes, source: Source) -> RawGraph:
    return parse_graph(File(data, source.gzip, source.sha256), source.path)[0]


def without_devices(graph: RawGraph) -> RawGraph:
    nodes = tuple(dataclasses.replace(node, device="") for node in graph.nodes)
    functions = tuple(
        dataclasses.replace(one, nodes=tuple(dataclasses.replace(node, device="") for node in one.nodes))
        for one in graph.functions
    )
    return dataclasses.replace(graph, nodes=nodes, functions=functions)


def graphs(shared: Path) -> list[Path]:
    """All that are graphs and not GNMT, which has a test of its own."""
    bad = {"empty.pb", "empty.pbtxt", "only_versions.pbtxt", "truncated.pbtxt", "not_a_graph_but_named.pb"}
    bad |= {"tf221_v1session_2cpu_run_metadata.pb", "g2m_graph-malformed.pbtxt"}
    return sorted(p for p in shared.glob("data/graphs/*/*") if p.name not in bad and "gnmt" not in p.name)


def place(path: Path) -> tuple[bytes, bytes, RawGraph, dict[str, str]]:
    graph, data = read_graph(path)
    device_of = {node.name: f"/device:GPU:{i % 4}" for i, node in enumerate(graph.nodes) if i % 7}
    return data, write_devices(data, graph.source, device_of), graph, device_of


def test_every_shared_graph_reads_back_with_its_devices_and_nothing_else_changed(shared: Path) -> None:
    paths = graphs(shared)
    assert len(paths) > 55
    for path in paths:
        _, after, graph, device_of = place(path)
        placed = parsed(after, graph.source)
        assert [node.device for node in placed.nodes] == [device_of.get(node.name, "") for node in graph.nodes], path
        assert {node.device for one in placed.functions for node in one.nodes} <= {""}, path
        assert without_devices(placed) == without_devices(graph), path
        assert write_devices(after, graph.source, device_of) == after, path


def test_a_textual_diff_shows_device_lines_only(shared: Path) -> None:
    for name in (
        "edge/grappler_large_function_graph.pbtxt",
        "made/tf1_mlp_4gpu_manual.pbtxt",
        "graphdef/tf_tfprof_graph.pbtxt",
    ):
        before, after, graph, device_of = place(shared / "data" / "graphs" / name)
        old, new = (text.decode().splitlines(keepends=True) for text in (before, after))
        changed = [
            line for line in difflib.unified_diff(old, new, n=0) if line[0] in "+-" and line[:3] not in ("+++", "---")
        ]
        assert all(line[1:].startswith("  device: ") or line[1:].startswith("      device: ") for line in changed)
        assert len(changed) > len(device_of) / 2
        if b"\r\n" in before:
            assert after.count(b"\n") == after.count(b"\r\n")
        cleared = write_devices(after, graph.source, {})
        assert cleared == b"".join(line for line in before.splitlines(keepends=True) if b" device: " not in line)


def test_binary_changes_by_the_device_fields_alone(shared: Path) -> None:
    for name in ("made/tf1_mlp_4gpu_manual.pb", "metagraph/ssd_hikapok_model.ckpt-120000.meta"):
        before, after, graph, device_of = place(shared / "data" / "graphs" / name)
        cleared = write_devices(before, graph.source, {})
        assert write_devices(after, graph.source, {}) == cleared
        originals = {node.name: node.device for node in graph.nodes}
        assert write_devices(after, graph.source, originals) == before
        assert len(after) > len(cleared) + sum(len(device) + 2 for device in device_of.values()) - 1


def test_the_largest_text(shared: Path) -> None:
    before, after, graph, device_of = place(shared / "data/graphs/graphdef/tf_opens2s_gnmt_mixed_precision.pbtxt.gz")
    old, new = ([line for line in text.split(b"\n") if b"  device: " not in line] for text in (before, after))
    assert old == new
    placed = parsed(after, graph.source)
    assert [node.device for node in placed.nodes] == [device_of.get(node.name, "") for node in graph.nodes]
    assert pack(after, graph.source)[:10] == b"\x1f\x8b\x08\0\0\0\0\0\0" + pack(after, graph.source)[9:10]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'node { name: "a" op: "b" }', b'node { name: "a" op: "b" device: "/device:GPU:0" }'),
        (b'node { name: "a" op: "b" device: "x" }', b'node { name: "a" op: "b" device: "/device:GPU:0" }'),
        (b'node{device:"x"name:"a"}', b'node{device:"/device:GPU:0"name:"a"}'),
        (b"node{name:'a'}", b"node{name:'a' device: \"/device:GPU:0\"}"),
        (b'node < op: "b", name: "a", >', b'node < op: "b", name: "a" device: "/device:GPU:0", >'),
        (b'node { device: "x" name: "a" device: "y" }', b'node { name: "a" device: "/device:GPU:0" }'),
        (b'node {\n  name: "a"\n}\n', b'node {\n  name: "a"\n  device: "/device:GPU:0"\n}\n'),
        (b'node {\r\n\tname: "a"\r\n}', b'node {\r\n\tname: "a"\r\n\tdevice: "/device:GPU:0"\r\n}'),
        (b'node {\n name: "a" # it\n}', b'node {\n name: "a" # it\n device: "/device:GPU:0"\n}'),
        (b'node { name: "a" input: ["c", "d"] }', b'node { name: "a" device: "/device:GPU:0" input: ["c", "d"] }'),
        (b'node {\n device: "x" # why\n name: "a" }', b'node {\n device: "/device:GPU:0" # why\n name: "a" }'),
        (b'node { name: "a" device: "/device:" "GPU:0" }', b'node { name: "a" device: "/device:" "GPU:0" }'),
        (b'\xef\xbb\xbfnode: [{name:"a"}]', b'\xef\xbb\xbfnode: [{name:"a" device: "/device:GPU:0"}]'),
        (b'node { name: "z" device: "x" # why\n}', b'node { name: "z" # why\n}'),
        (b'node {\n  name: "z"\n  device: "x";\n}', b'node {\n  name: "z"\n}'),
        (b'node { name: "z"; device: "x"; op: "b" }', b'node { name: "z"; op: "b" }'),
        (b'node { name: "z" attr { key: "device" } }', b'node { name: "z" attr { key: "device" } }'),
        (
            b'library { function { node_def { name: "a" device: "x" } } }',
            b'library { function { node_def { name: "a" } } }',
        ),
    ],
)
def test_text_in_its_many_forms(before: bytes, after: bytes) -> None:
    assert write_devices(before, TEXT, GPU) == after


def test_bodies_of_named_functions_get_devices() -> None:
    before = (
        b'library { function { node_def { name: "a" } node_def { name: "b" } signature { name: "f" } } '
        b'function { signature { name: "g" } node_def { name: "a" device: "x" } } } node { name: "a" }'
    )
    after = (
        b'library { function { node_def { name: "a" device: "D1" } node_def { name: "b" } signature { name: "f" } } '
        b'function { signature { name: "g" } node_def { name: "a" } } } node { name: "a" device: "D0" }'
    )
    assert write_devices(before, TEXT, {"a": "D0"}, {"f": {"a": "D1"}}) == after


def test_bodies_in_binary_get_devices_too(shared: Path) -> None:
    raw, data = read_graph(shared / "data/graphs/savedmodel/basic_pitch.saved_model.pb")
    function = raw.functions[0]
    wanted = {node.name: f"/device:GPU:{i % 4}" for i, node in enumerate(function.nodes)}
    after = parsed(write_devices(data, raw.source, {}, {function.name: wanted}), raw.source)
    assert {node.name: node.device for node in after.functions[0].nodes} == wanted
    assert {node.device for other in after.functions[1:] for node in other.nodes} == {""}
    cleared = write_devices(data, raw.source, {})
    assert write_devices(write_devices(data, raw.source, {}, {function.name: wanted}), raw.source, {}) == cleared


def test_device_names_are_escaped() -> None:
    after = write_devices(b'node { name: "a" op: "b" }', TEXT, {"a": 'x"\\é'})
    assert after == b'node { name: "a" op: "b" device: "x\\"\\\\\\303\\251" }'
    assert parsed(after, TEXT).nodes[0].device == 'x"\\é'


def test_binary_keeps_the_place_of_a_device_and_foreign_fields() -> None:
    source = dataclasses.replace(TEXT, text=False)
    node = b"\x22\x01x" + b"\x0a\x01a" + b"\xfa\x06\x01?" + b"\x22\x02yz"  # device, name, field 111, device
    before = b"\x20\x01" + b"\x0a" + bytes((len(node),)) + node + b"\xfa\x06\x01!"
    placed = b"\x22\x02G0" + b"\x0a\x01a" + b"\xfa\x06\x01?"
    after = b"\x20\x01" + b"\x0a" + bytes((len(placed),)) + placed + b"\xfa\x06\x01!"
    assert write_devices(before, source, {"a": "G0"}) == after
    assert write_devices(before, source, {"a": "yz"}) == before


def test_only_the_first_graph_of_a_saved_model_is_placed() -> None:
    source = dataclasses.replace(TEXT, kind="SavedModel")
    graph = b'meta_graphs { graph_def { node { name: "a" } } } '
    first, second = (
        write_devices(graph * 2, source, GPU)[: -len(graph)],
        write_devices(graph * 2, source, GPU)[-len(graph) :],
    )
    assert first == b'meta_graphs { graph_def { node { name: "a" device: "/device:GPU:0" } } } '
    assert second == graph


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b'node { name: "a" op: "b" }', b'node { name: "a" op: "b" input: "^x" input: "^y" }'),
        (b'node {\n  name: "a"\n}\n', b'node {\n  name: "a"\n  input: "^x"\n  input: "^y"\n}\n'),
        (
            b'node {\r\n input: "c"\r\n name: "a"\r\n}',
            b'node {\r\n input: "c"\r\n input: "^x"\r\n input: "^y"\r\n name: "a"\r\n}',
        ),
        (b'node { name: "a" input: ["c", "d"] }', b'node { name: "a" input: ["c", "d", "^x", "^y"] }'),
        (b'node { name: "a" device: "q" input: "c" }', b'node { name: "a" input: "c" input: "^x" input: "^y" }'),
    ],
)
def test_control_edges_in_every_way_to_write_a_node(before: bytes, after: bytes) -> None:
    edges = [("x", "a"), ("y", "a"), ("x", "not there")]
    assert write_devices(before, TEXT, {}, None, edges) == after


def test_control_edges_in_text_add_lines_and_in_binary_fields(shared: Path) -> None:
    for name in ("made/tf1_mlp_4gpu_manual.pbtxt", "made/tf1_mlp_4gpu_manual.pb"):
        graph, data = read_graph(shared / "data" / "graphs" / name)
        first, then, last = (graph.nodes[i].name for i in (5, 100, 200))
        edges = [(first, last), (then, last)]
        device_of = {node.name: "/device:GPU:1" for node in graph.nodes}
        placed = write_devices(data, graph.source, device_of)
        after = write_devices(data, graph.source, device_of, None, edges)
        found = parsed(after, graph.source)
        old = {node.name: node for node in parsed(placed, graph.source).nodes}
        wanted = dataclasses.replace(old[last], inputs=(*old[last].inputs, f"^{first}", f"^{then}"))
        assert [node for node in found.nodes if node != old[node.name]] == [wanted]
        if graph.source.text:
            lines = set(after.splitlines()) - set(placed.splitlines())
            assert lines <= {f'  input: "^{one}"'.encode() for one in (first, then)}
            assert len(after.splitlines()) == len(placed.splitlines()) + 2
