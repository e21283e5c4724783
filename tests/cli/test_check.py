"""`pardnn check`: exit 0 where the plan holds, 3 with a reason where it does not, 2 where that cannot be asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Program

PLAN = "plan.placement.json"


def change(path: Path | str, **changes: Any) -> None:
    content = json.loads(Path(path).read_text())
    Path(path).write_text(json.dumps(content | changes))


@pytest.fixture
def plan(pardnn: Program, diamond: Path) -> str:
    assert pardnn("partition", diamond, "--gpus", 2, "--mem", "16kB", "--method", "heft", "-o", PLAN).code == 0
    return PLAN


def test_a_plan_holds_on_its_own_graph(pardnn: Program, diamond: Path, plan: str) -> None:
    done = pardnn("check", diamond, plan, "--max-makespan", "+0%")
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 1)
    assert done.out.startswith("The plan holds: 4 ops matched, 530 us a step as expected, at most ")
    found = pardnn("check", diamond, plan, "--json").result
    assert (found["holds"], found["reasons"], found["max_makespan_us"]) == (True, [], None)
    assert found["makespan_us"] == found["expected_us"]


@pytest.mark.parametrize(("limit", "code"), [("+5%", 3), ("20 %", 0), ("1ms", 0), ("600us", 3)])
def test_a_slower_step_is_held_against_the_limit(
    pardnn: Program, diamond: Path, plan: str, limit: str, code: int
) -> None:
    change(diamond, time=[10, 600, 600, 10])  # 19 % more in all
    done = pardnn("check", diamond, plan, "--max-makespan", limit, "-q")
    assert done.code == code
    if code:
        assert done.err.count("\n") == 1
        assert "the plan does not hold: a step takes 630 us, " in done.err


def test_a_limit_is_met_to_the_nanosecond(pardnn: Program, diamond: Path, plan: str) -> None:
    ns = round(pardnn("check", diamond, plan, "--json").result["makespan_us"] * 1000)
    assert pardnn("check", diamond, plan, "--max-makespan", f"{ns}ns").code == 0
    assert pardnn("check", diamond, plan, "--max-makespan", f"{ns - 1}ns").code == 3


def test_what_has_grown_too_large_is_named(pardnn: Program, diamond: Path, plan: str) -> None:
    change(diamond, resident=[100, 40000, 4000, 100])
    done = pardnn("check", diamond, plan, "--json")
    assert (done.code, done.result["holds"], len(done.result["reasons"])) == (3, False, 1)
    assert "the variables alone are " in done.err
    assert "the largest is 'b'" in done.err


def test_groups_and_pins_that_are_broken_are_reasons(pardnn: Program, diamond: Path, plan: str) -> None:
    place = json.loads(Path(plan).read_text())["placement"]
    assert place["b"] != place["c"]
    other = {"/device:GPU:0": "/gpu:1", "/device:GPU:1": "/gpu:0"}
    change(diamond, colocate=[None, "x", "x", None], device=[None, None, None, other[place["d"]]])
    done = pardnn("check", diamond, plan)
    assert done.code == 3
    assert "'d' sits on another device than the one it needs; 'c' is apart from its group" in done.err


def test_ops_that_are_new_or_gone_are_tolerated_up_to_a_share(
    pardnn: Program, diamond: Path, plan: str, example_graph: Path
) -> None:
    change(diamond, name=["a", "b", "c", "other"])
    done = pardnn("check", diamond, plan, "--json")
    assert (done.code, done.result["new_ops"], done.result["gone_ops"]) == (3, ["other"], ["d"])
    assert "1 of 4 of the graph's ops are not in the plan ('other' is one); 1 of 4 of the plan's" in done.err

    assert pardnn("partition", example_graph, "--gpus", 2, "--method", "fill", "-o", "e.placement.json").code == 0
    changed = example_graph.read_text().replace('"four_view_1/logits_1/MatMul"', '"four_view_1/logits_1/Product"')
    Path("changed.pbtxt").write_text(changed)
    done = pardnn("check", "changed.pbtxt", "e.placement.json")
    assert (done.code, "345 ops matched (2 new or gone)" in done.out) == (0, True)


@pytest.mark.parametrize(
    ("limit", "said"),
    [("5", "is neither a share"), ("fast", "is neither a share"), ("%", "is neither"), ("+5%", "expects no step time")],
)
def test_a_limit_that_says_nothing_is_exit_2(pardnn: Program, diamond: Path, plan: str, limit: str, said: str) -> None:
    change(plan, expected={})
    done = pardnn("check", diamond, plan, "--max-makespan", limit)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert said in done.err
