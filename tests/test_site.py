"""The documentation as a site: built without a warning, every link leading somewhere, nothing fetched from outside."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from pardnn.cli.group import app

ROOT = Path(__file__).parents[1]
PARTS = ("mkdocs", "material", "mkdocstrings")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built site."""
    if any(find_spec(part) is None for part in PARTS):
        pytest.skip("needs the extra `docs`")
    folder = tmp_path_factory.mktemp("site")
    env = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-q", "-d", str(folder)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_there_and_asks_no_other_host(site: Path) -> None:
    pages = {page.relative_to(ROOT / "docs").with_suffix(".html") for page in (ROOT / "docs").rglob("*.md")}
    assert {page for page in pages if not (site / page).is_file()} == set()
    for page in site.rglob("*.html"):
        fetched = re.findall(r'<(?:script|img|link)[^>]* (?:src|href)="(?:https?:)?//[^"]*"', page.read_text())
        assert fetched == [], page


def test_the_reference_of_commands_has_them_all(site: Path) -> None:
    text = (site / "reference/commands.html").read_text()
    with click.Context(app, info_name="pardnn") as context:
        for name in app.list_commands(context):
            assert f">pardnn {name}<" in text


def test_the_reference_of_python_has_the_public_names(site: Path) -> None:
    import pardnn

    text = (site / "reference/python.html").read_text()
    for name in pardnn.__all__:
        assert re.search(rf'id="[\w.]*\.{name}"', text), name
