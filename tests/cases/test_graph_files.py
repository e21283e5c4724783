"""Graph files as people have them, through the command: each point of what was met in the wild is one test."""

import gzip
import struct
from pathlib import Path

import pytest

from pardnn.encoding.crc32c import crc32c, masked
from pardnn.encoding.wire import encoded_varint
from pardnn.readers import read_graph
from tests.cases.files import file_of, plan_at, text_of
from tests.graph.drawn import draw
from tests.readers.drawn import as_binary
from tests.real.command import Answer, pardnn
from tests.real.samples import Sample, graphs, nodes

SMALL = "a = Placeholder() dtype=float -> [8]\nb = Neg(a) T=float -> [8]\nc = Exp(b) T=float -> [8]"


def placed(path: Path, *options: object) -> tuple[Answer, dict[str, str]]:
    plan = path.with_name("out.placement.json")
    answer = pardnn("partition", path, "--gpus", 2, "-o", plan, "--force", "--json", *options)
    return answer, plan_at(plan)["placement"] if answer.code == 0 else {}


def binary(drawing: str = SMALL) -> bytes:
    return as_binary(list(draw(drawing).nodes))


CONTENTS = {
    "text.pb": text_of(SMALL),
    "binary.pbtxt": binary(),
    "packed.pbtxt": gzip.compress(text_of(SMALL)),
    "packed.meta": gzip.compress(binary()),
    "no_suffix": binary(),
    "meta.pb": b"\x12" + encoded_varint(len(binary())) + binary(),
    "bom.pbtxt": b"\xef\xbb\xbf" + text_of(SMALL),
    "crlf.pbtxt": text_of(SMALL).replace(b"\n", b"\r\n"),
    "unknown_fields.pbtxt": text_of(SMALL) + b'new_thing { [a.b.C] { x: "}" } } newer: <y: 1> newest: [1, 2]\n',
    "unknown_fields.pb": binary() + b"\xc2\x3e\x03abc\xc8\x3e\x05",
}


@pytest.mark.parametrize("name", CONTENTS)
def test_content_counts_not_the_extension(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(CONTENTS[name])
    answer, placement = placed(tmp_path / name)
    assert answer.code == 0, answer.err
    assert set(placement) == {"a", "b", "c"}


@pytest.mark.parametrize("sample", graphs(), ids=lambda sample: sample.name)
def test_a_graph_keeps_its_form_and_reads_back_with_the_plans_devices(tmp_path: Path, sample: Sample) -> None:
    source, target, plan = tmp_path / sample.name, tmp_path / f"placed_{sample.name}", tmp_path / "p.placement.json"
    source.write_bytes(sample.data)
    assert pardnn("partition", source, "--gpus", 2, "-o", target, "-o", plan).code == 0
    before, after = read_graph(source)[0], read_graph(target)[0]
    assert (before.source.kind, before.source.text, before.source.gzip) == (
        after.source.kind,
        after.source.text,
        after.source.gzip,
    )
    placement = plan_at(plan)["placement"]
    assert {node.name: node.device for node in after.nodes} == {
        node.name: placement.get(node.name, "") for node in before.nodes
    }


def test_a_git_lfs_pointer_is_named_and_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "graph.pb").write_bytes(
        b"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a2146\nsize 12345\n"
    )
    answer, _ = placed(tmp_path / "graph.pb")
    assert answer.code == 2
    assert "is a Git LFS pointer, not the graph itself: run `git lfs pull`" in answer.error


@pytest.mark.parametrize("name", ["empty.pb", "empty.pbtxt", "empty.meta"])
def test_no_bytes_are_a_graph_without_nodes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"")
    answer, _ = placed(tmp_path / name)
    assert answer.code == 2
    assert answer.error.endswith(f"{name}: the graph has no nodes: is it the file you meant?")


def test_a_graph_inside_an_events_file_is_found(tmp_path: Path) -> None:
    graph = binary()
    event = b"\x09" + struct.pack("<d", 1.5) + b"\x22" + encoded_varint(len(graph)) + graph
    version = b"\x09" + struct.pack("<d", 1.0) + b"\x1a\x0dbrain.Event:2"
    parts = (part for record in (version, event) for part in (struct.pack("<Q", len(record)), record))
    records = (part + struct.pack("<I", masked(crc32c(part))) for part in parts)
    (tmp_path / "events.out.tfevents.1600000000.host").write_bytes(b"".join(records))
    answer, placement = placed(tmp_path / "events.out.tfevents.1600000000.host")
    assert answer.code == 0, answer.err
    assert set(placement) == {"a", "b", "c"}
    assert [
        w for w in answer.json["warnings"] if w.startswith("read from an events file; placed, it is written as a G")
    ]
    looked_at = pardnn("inspect", tmp_path / "events.out.tfevents.1600000000.host", "--json")
    assert looked_at.json["kind"] == "GraphDef in an events file"
    assert "read from an events file" in looked_at.err


def test_the_order_in_the_file_means_nothing(tmp_path: Path) -> None:
    lines = SMALL.splitlines()
    answer, _ = placed(file_of("\n".join(lines), tmp_path, "forward.pbtxt"))
    backward, _ = placed(file_of("\n".join(reversed(lines)), tmp_path, "backward.pbtxt"))
    assert (answer.code, backward.code) == (0, 0)
    assert answer.json["makespan_us"] == backward.json["makespan_us"]


def test_components_that_the_step_does_not_need_are_left_out_and_counted(tmp_path: Path) -> None:
    drawing = """
        w = VariableV2() dtype=float shape=[4] -> [4]
        start = Const() dtype=float -> [4]
        w/Assign = Assign(w, start) T=float -> [4]
        init = NoOp(^w/Assign)
        rate = Const() dtype=float -> []
        grad = Placeholder() dtype=float -> [4]
        up = ApplyGradientDescent(w, rate, grad) T=float -> [4]
        lone = Placeholder() dtype=float -> [4]
        tag = Const() dtype=string -> []
        summary = ScalarSummary(tag, lone) T=float -> []
    """
    answer, placement = placed(file_of(drawing, tmp_path))
    assert set(placement) == {"w", "rate", "grad", "up"}
    assert answer.json["coverage"]["pruned"] == 6
    assert set(plan_at(tmp_path / "out.placement.json")["unplaced"]) == {
        "start", "w/Assign", "init", "lone", "tag", "summary"
    }  # fmt: skip


def test_a_loop_is_one_group(tmp_path: Path) -> None:
    path = tmp_path / "train.pb"
    path.write_bytes(as_binary(nodes()))
    answer, placement = placed(path)
    assert answer.code == 0
    loop = ("enter", "merge", "less", "limit_in", "cond", "switch", "one", "add", "next", "exit")
    assert len({placement[name] for name in loop}) == 1
    assert pardnn("inspect", path, "--json").json["loops"] == 1


def test_colocation_on_three_of_four_ops_is_kept(tmp_path: Path) -> None:
    lines = [f"v{i} = VariableV2() dtype=float shape=[64] -> [64]" for i in range(5)]
    lines += [f"a{i}_{j} = Neg(v{i}) T=float loc=v{i} -> [64]" for i in range(5) for j in range(3)]
    answer, placement = placed(file_of("\n".join(lines), tmp_path))
    assert answer.json["coverage"]["grouped"] == 20
    assert all(placement[f"a{i}_{j}"] == placement[f"v{i}"] for i in range(5) for j in range(3))


def test_control_hubs_of_hundreds_are_placed(tmp_path: Path) -> None:
    lines = [f"x{i} = Placeholder() dtype=float -> [8]" for i in range(163)]
    lines += ["hub = NoOp(" + ", ".join(f"^x{i}" for i in range(163)) + ")"]
    lines += [f"y{i} = Const(^hub) dtype=float -> [8]" for i in range(248)]
    answer, placement = placed(file_of("\n".join(lines), tmp_path))
    assert answer.code == 0, answer.err
    assert len(placement) == 163 + 1 + 248
    assert answer.json["edges"] == 163 + 248


@pytest.mark.slow
@pytest.mark.parametrize("depth", [12_005, 100_000])
def test_depth_knows_no_limit(tmp_path: Path, depth: int) -> None:
    lines = ["n0 = Placeholder() dtype=float -> [8]"]
    lines += [f"n{i} = Neg(n{i - 1}) T=float -> [8]" for i in range(1, depth)]
    path = tmp_path / "deep.pb"
    path.write_bytes(binary("\n".join(lines)))
    answer, placement = placed(path)
    assert answer.code == 0, answer.err
    assert len(placement) == depth
    assert len(set(placement.values())) == 1
    assert pardnn("inspect", path, "--json").json["depth"] == depth


def test_shapes_are_inferred_where_the_file_has_none(tmp_path: Path) -> None:
    """The matrix product's result, 64 x 4 floats, goes to the other device: 1,024 bytes."""
    drawing = """
        a = Placeholder() dtype=float shape=[64,8]
        w = VariableV2() dtype=float shape=[8,4]
        y = MatMul(a, w) T=float
        z = Relu(y) T=float
    """
    (tmp_path / "pins").write_text("z /device:GPU:1\ny /device:GPU:0\na /device:GPU:0\nw /device:GPU:0\n")
    answer, _ = placed(file_of(drawing, tmp_path), "--pin", tmp_path / "pins")
    assert answer.code == 0, answer.err
    assert (answer.json["transfers"], answer.json["comm_bytes"]) == (1, 64 * 4 * 4)
    assert answer.json["coverage"]["unknown_shape"] == 0


def test_an_open_batch_counts_as_one_with_a_warning_or_is_given(tmp_path: Path) -> None:
    drawing = """
        a = Placeholder() dtype=float shape=[-1,8]
        w = VariableV2() dtype=float shape=[8,4]
        y = MatMul(a, w) T=float
        z = Relu(y) T=float
    """
    (tmp_path / "pins").write_text("z /device:GPU:1\ny /device:GPU:0\na /device:GPU:0\nw /device:GPU:0\n")
    path = file_of(drawing, tmp_path)
    one, _ = placed(path, "--pin", tmp_path / "pins")
    assert one.json["coverage"]["unknown_shape"] == 3
    assert "3 ops have unknown dimensions, which count as 1" in one.err
    assert one.json["comm_bytes"] == 1 * 4 * 4
    given, _ = placed(path, "--pin", tmp_path / "pins", "--batch-size", 32)
    assert given.json["coverage"]["unknown_shape"] == 0
    assert given.json["comm_bytes"] == 32 * 4 * 4
