"""Branches of placed graph files, with TensorFlow as the judge: their variables apart, each op where the plan says."""

import re
from importlib.util import find_spec

import pytest

from pardnn.pipeline import partition
from tests.real.test_functions import BODY, FLOAT, FLOATS, SHAPE, ask, library, logical, op

pytestmark = pytest.mark.skipif(find_spec("tensorflow") is None, reason="needs TensorFlow")

RESOURCES = {"v": "DT_RESOURCE", "w": "DT_RESOURCE", "x": "DT_FLOAT"}
TYPES = "list { type: DT_RESOURCE type: DT_RESOURCE type: DT_FLOAT }"


def choice(kind: str, name: str, condition: str, **functions: str) -> str:
    return op(
        kind, "node", condition, "v", "w", "x", name=name, Tin=TYPES, Tout=FLOATS, _lower_using_switch_merge="b: true",
        **functions, **({"Tcond": "type: DT_BOOL"} if kind == "If" else {}),
    )  # fmt: skip


def update(variable: str, value: str) -> str:
    return op("AssignAddVariableOp", BODY, variable, value, name=f"add_{variable}", dtype=FLOAT)


def body(name: str, kind: str) -> str:
    return library(
        name, RESOURCES, "r:y:0",
        op(kind, BODY, "x", name="a", T=FLOAT), op("Tanh", BODY, "a:y:0", name="b", T=FLOAT),
        update("v", "a:y:0"), update("w", "b:y:0"), op("Neg", BODY, "b:y:0", "^add_v", "^add_w", name="r", T=FLOAT),
        awaited="add_v",
    )  # fmt: skip


GRAPH = "\n".join([
    *(op("VarHandleOp", name=name, dtype=FLOAT, shape=SHAPE, shared_name=f's: "{name}"') for name in "vw"),
    op("Placeholder", name="x", dtype=FLOAT, shape=SHAPE),
    op("Placeholder", name="p", dtype="type: DT_BOOL", shape="shape { }"),
    op("Placeholder", name="i", dtype="type: DT_INT32", shape="shape { }"),
    *(op("AssignVariableOp", "node", name, "x", name=f"init_{name}", dtype=FLOAT) for name in "vw"),
    choice("If", "c", "p", then_branch='func { name: "f" }', else_branch='func { name: "g" }'),
    choice("Case", "d", "i", branches='list { func { name: "h" } func { name: "k" } }'),
    op("AddV2", "node", "c", "d", name="y", T=FLOAT),
    "library {", *(body(name, kind) for name, kind in zip("fghk", ("Abs", "Sin", "Cos", "Exp"), strict=True)), "}",
    "versions { producer: 1000 }",
])  # fmt: skip
"""What is fed is ones: the first of the two functions of If, the last of Case."""
PART = re.compile(r"(/(?:then|else|branch\d+))/_\d+(?=/)")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], dict[str, str]]:
    """(op -> device in the plan, op -> device on which one step ran it) with neighbours apart."""
    folder = tmp_path_factory.mktemp("branches")
    source, target = folder / "graph.pbtxt", folder / "placed.pbtxt"
    source.write_text(GRAPH)
    plan = partition(source, gpus=4, mem="1GB", method="round-robin", targets=["y"])
    plan.save(target)
    placed = {name: logical(device) for name, device in plan.placement.items()}
    (ran,) = ask([{"run": str(target), "fetch": ["y"], "inline": False}])
    return placed, {PART.sub(r"\1", name): device for name, device in ran}


def test_every_op_of_the_branch_taken_runs_where_the_plan_says(run: tuple[dict[str, str], dict[str, str]]) -> None:
    placed, ran = run
    taken = {f"{part}/{name}" for part in ("c/then", "d/branch1") for name in ("a", "b", "add_v", "add_w", "r")}
    assert taken <= ran.keys()
    assert not any(name.startswith(("c/else/", "d/branch0/")) for name in ran)
    assert {name: ran[name] for name in taken | {"v", "w", "y"}} == {name: placed[name] for name in taken | set("vwy")}
    assert len({placed[name] for name in taken}) > 1


def test_variables_of_one_branch_are_apart(run: tuple[dict[str, str], dict[str, str]]) -> None:
    placed, _ = run
    assert placed["v"] != placed["w"]
    assert all(placed[f"c/{part}/add_{name}"] == placed[name] for part in ("then", "else") for name in "vw")
