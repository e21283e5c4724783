"""`--html`: the report as the commands write it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Program


def test_partition_writes_a_report_that_says_how_it_was_made(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    done = pardnn("partition", diamond, "--gpus", 2, "--method", "heft", "--dry-run", "--html", "a.html", "--json")
    assert done.code == 0
    assert done.result["outputs"] == ["a.html"]
    page = (tmp_path / "a.html").read_text()
    assert f"pardnn partition {diamond} --gpus 2 --method heft --dry-run --html a.html --json" in page
    assert "one card" in page
    assert not list(tmp_path.glob("*.placement.json"))


def test_what_data_parallelism_would_do_is_on_the_page(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    asked = ("partition", diamond, "--gpus", 2, "--effort", "fast", "--dry-run", "--html", "a.html", "--force")
    said = pardnn(*asked).out.splitlines()
    page = (tmp_path / "a.html").read_text()
    assert 'id="replicas"' in page
    for name in ("1x2", "2x1"):
        row = next(line for line in said if line.startswith(name))
        assert f">{name}</th>" in page
        assert f">{row.split()[-2]} {row.split()[-1]}</td>" in page  # its peak
    assert pardnn(*asked, "--no-alternatives").code == 0
    assert 'id="replicas"' not in (tmp_path / "a.html").read_text()


def test_ctrl_c_while_data_parallelism_is_looked_at_keeps_the_plan(
    pardnn: Program, diamond: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("pardnn.answers.replicas.replicas", interrupted)
    done = pardnn("partition", diamond, "--gpus", 2, "--method", "heft", "-o", "p.placement.json", "--html", "a.html")
    assert done.code == 4
    assert "wrote p.placement.json, a.html" in done.out
    assert 'id="replicas"' not in (tmp_path / "a.html").read_text()


def test_a_report_is_not_overwritten_unless_forced_and_comes_out_the_same(
    pardnn: Program, diamond: Path, tmp_path: Path
) -> None:
    command = ("partition", diamond, "--gpus", 2, "--method", "heft", "--dry-run", "--html", "a.html")
    assert pardnn(*command, "--force").code == 0
    first = (tmp_path / "a.html").read_bytes()
    refused = pardnn(*command)
    assert refused.code == 2
    assert "a.html: exists already" in refused.err
    assert pardnn(*command, "--force").code == 0
    assert (tmp_path / "a.html").read_bytes() == first


def test_a_plan_that_does_not_fit_is_shown_too(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    pardnn("partition", diamond, "--gpus", 2, "--method", "heft", "-o", "p.placement.json")
    done = pardnn("simulate", diamond, "p.placement.json", "--mem", "1kB", "--html", "s.html")
    assert done.code == 3
    assert "Does not fit: GPU:0 needs" in (tmp_path / "s.html").read_text()


def test_compare_writes_one_page_for_all_methods(pardnn: Program, diamond: Path, tmp_path: Path) -> None:
    done = pardnn("compare", diamond, "--gpus", 2, "--methods", "heft,single", "--html", "c.html")
    assert done.code == 0
    assert "wrote c.html" in done.out
    page = (tmp_path / "c.html").read_text()
    assert "2 methods compared" in page
    assert ">single<" in page


def test_scale_and_fit_write_pages(pardnn: Program, example_graph: Path, tmp_path: Path) -> None:
    done = pardnn("scale", example_graph, "--workers", "1,2", "--mem", "unlimited", "--html", "scale.html")
    assert done.code == 0
    assert "By number of workers" in (tmp_path / "scale.html").read_text()
    rows = [f"{n},{3 * n + 1}" for n in range(1, 30)]
    (tmp_path / "runs.csv").write_text("\n".join(["width,time", *rows]))
    assert pardnn("fit", "runs.csv", "--target", "time", "--terms", 1, "--html", "fit.html").code == 0
    assert "time is predicted within" in (tmp_path / "fit.html").read_text()
