"""What the documents say of the tree stays true."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pardnn.registry import partitioners

ROOT = Path(__file__).parents[1]
SOURCES = sorted(path for package in ("scheduler", "pardnn") for path in (ROOT / package).rglob("*.py"))

DOCUMENTS = sorted(
    path
    for folder in (".", "docs", "docs/tutorials", "docs/reference", "models", "scripts")
    for path in (ROOT / folder).glob("*.md")
)
GENERATED = ("reference/commands.md",)  # by scripts/site_pages.py


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_every_link_leads_to_a_file(document: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", document.read_text())
    assert [
        link for link in links if "://" not in link and not (document.parent / link).exists() and link not in GENERATED
    ] == []


@pytest.mark.slow
def test_the_first_screen_shows_what_the_program_says(tmp_path: Path) -> None:
    """README's first command and the picture under it."""
    readme = (ROOT / "README.md").read_text()
    command = re.findall(r"\.venv/bin/(pardnn partition .*)", readme)[0].split()
    picture = readme.partition("```\n\n```\n")[2].partition("```")[0]
    graph = next(word for word in command if word.startswith("models/"))
    words = [str(ROOT / word) if word == graph else word for word in command[1:]]
    run = subprocess.run(
        [sys.executable, "-m", "pardnn", *words],
        check=True, cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
    )  # fmt: skip
    assert run.stdout == picture


def test_every_script_has_its_line() -> None:
    scripts = {path.name for path in (ROOT / "scripts").iterdir() if path.is_file() and path.name != "README.md"}
    assert set(re.findall(r"^\| `([^`]+)`", (ROOT / "scripts/README.md").read_text(), re.MULTILINE)) == scripts


def test_every_method_has_its_line() -> None:
    table = (ROOT / "README.md").read_text().partition("| method |")[2].partition("\n\n")[0]
    described = {name for row in table.splitlines() for name in re.findall(r"`([^`]+)`", row.split("|")[1])}
    assert set(partitioners.all()) <= described


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_and_functions_stay_readable(path: Path) -> None:
    """60 lines are the aim; the simulator's loop takes more, since a kernel's parts would share all of its state."""
    text = path.read_text()
    assert text.count("\n") <= 300
    functions = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    assert [f.name for f in functions if (f.end_lineno or 0) - f.body[min(1, len(f.body) - 1)].lineno > 75] == []
