"""What an installation must keep to: our own `scheduler`, light imports, data files on board."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = ("tensorflow", "keras", "numba", "ortools", "pymetis", "networkx", "rich", "matplotlib", "google.protobuf")


def run(code: str, site: Path, *, argv0: str = "-c") -> subprocess.CompletedProcess[str]:
    """Run Python code in `site`'s parent with `site` as the only additional path."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("PYTHON")} | {"PYTHONPATH": str(site)}
    code = f"import sys; sys.argv[0] = {argv0!r}\n{code}"
    return subprocess.run(
        [sys.executable, "-c", code], cwd=site.parent, env=env, capture_output=True, text=True, check=False
    )


def install(site: Path, name: str, files: dict[str, str]) -> None:
    """Write a distribution's files as pip does: over whatever is there, and into its record."""
    for path, text in files.items():
        (site / path).parent.mkdir(parents=True, exist_ok=True)
        (site / path).write_text(text)
    info = site / f"{name}-0.8.11.dist-info"
    info.mkdir()
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.8.11\n")
    (info / "top_level.txt").write_text("".join(f"{top}\n" for top in sorted({p.split("/")[0] for p in files})))
    (info / "RECORD").write_text("".join(f"{path},,\n" for path in files))


def uninstall(site: Path, name: str) -> None:
    """Remove every file in the distribution's record, whoever wrote it last."""
    info = site / f"{name}-0.8.11.dist-info"
    for line in (info / "RECORD").read_text().splitlines():
        (site / line.split(",")[0]).unlink()
    shutil.rmtree(info)


def install_ours(site: Path) -> None:
    sources = [*ROOT.glob("pardnn/**/*.py"), *ROOT.glob("scheduler/**/*.py")]
    install(site, "pardnn", {str(path.relative_to(ROOT)): path.read_text() for path in sources})


def install_theirs(site: Path) -> None:
    """The package of the same import name on PyPI, as far as it matters here; it must not be executed."""
    files = {
        "scheduler/__init__.py": "raise RuntimeError('executed')",
        "scheduler/util.py": "",
        "scheduler/base/job.py": "",
    }
    install(site, "scheduler", files)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "site"
    folder.mkdir()
    return folder


CHECK = "import pardnn._world as w; w.verify(); import scheduler; print(scheduler.WORLD)"


def test_alone_it_is_ours(site: Path) -> None:
    install_ours(site)
    assert run(CHECK, site).stdout == "pardnn\n"


def test_theirs_first_then_ours_works(site: Path) -> None:
    install_theirs(site)
    install_ours(site)
    assert run(CHECK, site).stdout == "pardnn\n"


def test_ours_first_then_theirs_is_named(site: Path) -> None:
    install_ours(site)
    install_theirs(site)
    done = run(CHECK, site)
    said = done.stderr.splitlines()[-1]
    assert done.returncode == 1
    assert said.startswith("ImportError: the distribution scheduler 0.8.11 has overwritten PARDNN's own package")
    assert str(site / "scheduler") in said
    assert "pip uninstall scheduler" in said
    assert "pip install --force-reinstall --no-deps pardnn" in said


@pytest.mark.parametrize("ours_first", [True, False])
def test_what_uninstalling_theirs_takes_along_is_named(site: Path, ours_first: bool) -> None:
    for step in (install_ours, install_theirs) if ours_first else (install_theirs, install_ours):
        step(site)
    uninstall(site, "scheduler")
    said = run(CHECK, site).stderr.splitlines()[-1]
    assert "is not whole, __init__.py is missing: run `pip install --force-reinstall" in said


def test_theirs_in_front_on_the_path_is_named(site: Path, tmp_path: Path) -> None:
    install_ours(site)
    front = tmp_path / "front"
    install_theirs(front)
    said = run(f"sys.path.insert(0, {str(front)!r}); {CHECK}", site).stderr.splitlines()[-1]
    assert "the distribution scheduler 0.8.11 hides PARDNN's own package" in said
    assert str(front / "scheduler") in said


def test_a_file_of_that_name_where_python_starts_is_named(site: Path) -> None:
    install_ours(site)
    (site.parent / "scheduler.py").write_text("raise RuntimeError('executed')")
    said = run(CHECK, site).stderr.splitlines()[-1]
    assert str(site.parent / "scheduler.py") in said
    assert "rename it" in said


def test_one_that_is_loaded_already_is_named(site: Path) -> None:
    install_ours(site)
    said = run(f"import types; sys.modules['scheduler'] = types.ModuleType('scheduler'); {CHECK}", site).stderr
    assert "hides PARDNN's own package" in said.splitlines()[-1]


def test_on_the_command_line_it_is_one_line_and_exit_2(site: Path) -> None:
    install_ours(site)
    install_theirs(site)
    done = run(CHECK, site, argv0="/somewhere/bin/pardnn")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("pardnn: the distribution scheduler")


def test_importing_pardnn_verifies_the_world(site: Path) -> None:
    install_ours(site)
    install_theirs(site)
    done = run("import pardnn", site)
    assert done.returncode == 1
    assert "has overwritten PARDNN's own package" in done.stderr.splitlines()[-1]


def test_importing_pardnn_loads_nothing_heavy() -> None:
    done = run(f"import pardnn; print(*[m for m in {HEAVY} if m in sys.modules])", ROOT)
    assert done.stderr == ""
    assert done.stdout.split() == []


def test_a_built_package_holds_every_file_of_data(tmp_path: Path) -> None:
    source, built = tmp_path / "source", tmp_path / "built"
    for name in ("pardnn", "scheduler"):
        shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    arguments = ["setup.py", "-q", "build", "--build-base", str(built)]
    code = f"import sys, setuptools; sys.argv = {arguments}; setuptools.setup()"
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=source, check=True, capture_output=True)
    data = (".py", ".toml", ".json", ".typed", ".npz", ".js", ".css")
    wanted = {p.relative_to(source) for p in source.rglob("*") if p.suffix in data or "assets" in p.parts[:-1]}
    wanted = {p for p in wanted if (source / p).is_file()}
    assert {p.relative_to(built / "lib") for p in (built / "lib").rglob("*") if p.is_file()} == wanted - {
        Path("pyproject.toml")
    }
