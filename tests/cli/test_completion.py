"""Completion in a shell, as docs/terminal.md switches it on."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_run import ENV, PROGRAM

ROOT = Path(__file__).parents[2]


def answered(words: str, at: int) -> list[str]:
    """What bash is offered for the word of that number."""
    env = ENV | {"_PARDNN_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(at)}
    code = "import sys; sys.argv[0] = 'pardnn'; from pardnn.cli import main; main()"
    done = subprocess.run([PROGRAM[0], "-c", code], env=env, capture_output=True, text=True, check=False, timeout=60)
    return [line.partition(",")[2] for line in done.stdout.splitlines()]


def test_commands_options_and_choices_are_offered() -> None:
    assert answered("pardnn par", 1) == ["partition"]
    assert answered("pardnn partition --ord", 2) == ["--order"]
    assert answered("pardnn partition --order ", 3) == ["fifo", "blevel"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_line_in_the_document_makes_the_shell_s_script(shell: str) -> None:
    text = (ROOT / "docs/terminal.md").read_text()
    assert re.search(rf"_PARDNN_COMPLETE={shell}_source pardnn", text)
    if shell == "bash":
        return  # click asks the bash that is installed for its version
    code = "import sys; sys.argv[0] = 'pardnn'; from pardnn.cli import main; main()"
    env = ENV | {"_PARDNN_COMPLETE": f"{shell}_source"}
    done = subprocess.run([PROGRAM[0], "-c", code], env=env, capture_output=True, text=True, check=False, timeout=60)
    assert f"{shell}_complete" in done.stdout
