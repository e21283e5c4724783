"""What the documents tell a reader to type runs as it stands there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import click
import pytest

from pardnn.cli.group import app

ROOT = Path(__file__).parents[1]
PAGES = sorted(path.relative_to(ROOT) for path in (ROOT / "docs").rglob("*.md"))
TOO = ("report.md", "terminal.md", "timeline.md")
RUN = [page for page in PAGES if page.parts[1] == "tutorials" or page.name in TOO]
LIVE = ("keras.md",)  # needs TensorFlow
_BLOCK = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path, language: str) -> list[str]:
    """The fenced blocks of a page in that language."""
    return [text for kind, text in _BLOCK.findall((ROOT / page).read_text()) if kind == language]


@pytest.fixture
def reader(tmp_path: Path) -> tuple[Path, dict[str, str]]:
    """A folder with what a checkout has, and the environment in which `pardnn` is a command."""
    for name in ("models", "docs"):
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "bin").mkdir()
    for name, words in (("pardnn", "-m pardnn"), ("python", "")):
        (tmp_path / "bin" / name).write_text(f'#!/bin/sh\nexec "{sys.executable}" {words} "$@"\n')
        (tmp_path / "bin" / name).chmod(0o755)
    env = {key: value for key, value in os.environ.items() if key != "PARDNN_DEBUG"}
    return tmp_path, env | {"PATH": f"{tmp_path / 'bin'}:{env['PATH']}", "PYTHONPATH": str(ROOT)}


@pytest.mark.slow
@pytest.mark.parametrize("page", [page for page in RUN if page.name not in LIVE], ids=lambda page: page.stem)
def test_the_commands_of_a_page_run_in_turn(page: Path, reader: tuple[Path, dict[str, str]]) -> None:
    folder, env = reader
    for script in blocks(page, "sh"):
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", script.replace("| head -n 3", "| sed -n 1,3p")],
            cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=600, stdin=subprocess.DEVNULL,
        )  # fmt: skip
        assert done.returncode == 0, f"{script}{done.stderr[-2000:]}"
        assert done.stdout or done.stderr or "mkdir" in script
    for code in blocks(page, "python"):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=600
        )
        assert done.returncode == 0, done.stderr[-2000:]


@pytest.mark.slow
@pytest.mark.skipif(find_spec("tensorflow") is None, reason="needs tensorflow")
def test_the_keras_script_runs(reader: tuple[Path, dict[str, str]]) -> None:
    folder, env = reader
    (script,) = blocks(Path("docs/tutorials/keras.md"), "python")
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Epoch 2/2" in done.stdout
    assert "step time" in done.stdout


def typed(text: str) -> Iterator[str]:
    """Every line of a document that begins with `pardnn COMMAND`, in a block of any kind."""
    for line in text.splitlines():
        words = line.strip().removeprefix("$ ")
        if (line.startswith("    ") or not line[:1].isspace()) and re.match(r"pardnn [a-z]+ [^|]*\S", words):
            yield re.sub(r"\s{2,}\S.*$|\s+(#|\||\|\||>|&).*$", "", words)


LINES = sorted({
    (str(page), line)
    for page in [*PAGES, Path("README.md"), Path("models/README.md")]
    for line in typed((ROOT / page).read_text())
})  # fmt: skip


@pytest.mark.parametrize(("page", "line"), LINES, ids=lambda text: str(text)[:60])
def test_every_command_line_is_one_that_the_program_takes(page: str, line: str) -> None:
    words = shlex.split(line)[1:]
    with click.Context(app, info_name="pardnn") as context:
        command = app.get_command(context, words[0])
        assert command is not None, words[0]
        options = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)}
    given = {word.partition("=")[0] for word in words[1:] if re.match(r"--?[a-z]", word)}
    assert given <= options | {"-h", "--help"}, given - options


def test_the_pages_have_enough_lines_to_check() -> None:
    assert len(LINES) > 50
    assert {page.name for page in RUN} >= {"first_partition.md", "keras.md", "timeline.md", "terminal.md"}
