"""Every command on every kind of stream: a narrow terminal, none, a reader that leaves, and names that mean harm."""

from __future__ import annotations

import csv
import json
import os
import pty
import re
import subprocess
import sys
import threading
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from shutil import which
from typing import NamedTuple

import click
import pytest

from pardnn.cli.group import app
from pardnn.cli.run import run
from tests.cli.conftest import Program
from tests.cli.test_run import ENV, PROGRAM

HOSTILE = {
    "markup": "</script><script>alert(1)</script>",
    "escape": "\x1b[31mred\x1b]0;title\x07",
    "bidi": "\u202eevil\u2066\u200f",
    "long": "scope/" * 700,
    "lines": "one\ntwo\r\n\x85three\u2028four\t",
    "console": "[bold red]x[/bold red][link=file:///]",
}
COMMANDS = {
    "partition": ("partition", "g.json", "--gpus", "2", "--method", "heft", "--dry-run"),
    "compare": ("compare", "g.json", "--gpus", "2", "--methods", "heft,single"),
    "inspect": ("inspect", "g.json"),
    "estimate": ("estimate", "g.json"),
    "simulate": ("simulate", "g.json", "p.placement.json"),
    "check": ("check", "g.json", "p.placement.json"),
    "explain": ("explain", "g.json", "p.placement.json", "{name}"),
    "diff": ("diff", "p.placement.json", "q.placement.json"),
    "apply": ("apply", "g.json", "p.placement.json", "-o", "r.placement.json"),
    "scale": ("scale", "g.json", "--workers", "1,2"),
    "advise": ("advise", "g.json", "--gpus", "2", "--mem", "12kB", "--method", "heft"),
    "fit": ("fit", "runs.csv", "--target", "time", "--terms", "1"),
    "methods": ("methods",),
    "machines": ("machines",),
    "env": ("env",),
}
SILENT = {"methods", "machines", "env"}  # these print no names from outside
ELSEWHERE = {
    "benchmark-ops",
    "extract",
    "profile",
    "serve",
    "sweep",
}  # these need TensorFlow, or processes of their own

_PLANS: dict[str, list[bytes]] = {}
"""What `made` has planned, by name: it is the same each time."""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path


def made(pardnn: Program, folder: Path, name: str) -> None:
    """A graph in which everything has that name, and two plans for it."""
    columns = {
        "name": ["a", name, f"{name}2", "d"], "op": ["Src", name, "MatMul", "Add"], "time": [10, 500, 500, 10],
        "resident": [100, 4000, 4000, 100], "output": [1000, 1000, 1000, 0], "temp": [0, 500, 500, 0],
        "src": [0, 0, 1, 2], "dst": [1, 2, 3, 3], "bytes": [1000] * 4, "colocate": [None, name, None, None],
    }  # fmt: skip
    (folder / "g.json").write_text(json.dumps(columns))
    with (folder / "runs.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["time", name, "gpus"])
        rows.writerows([(3 + x * y + (x - y) / 100, x, y) for x in (1, 2, 3, 5) for y in (1, 2, 4)])
    if name not in _PLANS:
        _PLANS[name] = [_planned(pardnn, folder, method) for method in ("heft", "single")]
    for plan, data in zip("pq", _PLANS[name], strict=True):
        (folder / f"{plan}.placement.json").write_bytes(data)


def _planned(pardnn: Program, folder: Path, method: str) -> bytes:
    """A plan for the graph by that method."""
    done = pardnn("partition", "g.json", "--gpus", 2, "--method", method, "-o", "x.placement.json", "-q", "--force")
    assert done.code == 0, done.err
    return (folder / "x.placement.json").read_bytes()


def test_every_command_is_looked_at() -> None:
    with click.Context(app) as context:
        missing = set(app.list_commands(context)) - COMMANDS.keys() - ELSEWHERE
    assert missing == set()


def harmless(text: str) -> None:
    """Nothing in it moves the cursor, turns the writing direction or breaks a line."""
    wild = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp") and c != "\n"}
    assert not wild, f"{wild} in {text[:300]!r}"


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in SILENT])
def test_hostile_names_are_harmless_in_tables(pardnn: Program, folder: Path, command: str, kind: str) -> None:
    name = HOSTILE[kind]
    made(pardnn, folder, name)
    words = [word.format(name=name) if word == "{name}" else word for word in COMMANDS[command]]
    done = pardnn(*words)
    assert done.code in (0, 3), done.err
    harmless(done.out + done.err)
    if kind == "long":
        assert max(map(len, done.out.splitlines())) <= 600


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in SILENT])
def test_hostile_names_are_harmless_in_json(pardnn: Program, folder: Path, command: str) -> None:
    name = "".join(HOSTILE.values())
    made(pardnn, folder, name)
    shown = pardnn(*(word.format(name=name) if word == "{name}" else word for word in COMMANDS[command]), "--json")
    assert isinstance(shown.result, dict)
    assert shown.out.isascii()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", shown.out)


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_names_are_harmless_in_errors(pardnn: Program, folder: Path, kind: str) -> None:
    name = HOSTILE[kind]
    made(pardnn, folder, name)
    plan = json.loads((folder / "p.placement.json").read_text())
    plan["placement"][name] = name
    (folder / "bad.placement.json").write_text(json.dumps(plan))
    (folder / "loop.json").write_text(json.dumps({
        "name": [name, f"{name}2"], "time": [1, 1], "resident": [0, 0], "output": [0, 0], "temp": [0, 0],
        "src": [0, 1], "dst": [1, 0], "bytes": [1, 1],
    }))  # fmt: skip
    (folder / "pins").write_text("nothing-of-that-name /device:GPU:0\n" + json.dumps(name) + " /device:GPU:9\n")
    for words in (
        ("explain", "g.json", "p.placement.json", f"{name} of another"),
        ("simulate", "g.json", "bad.placement.json"),
        ("partition", "loop.json", "--gpus", 2),
        ("partition", "g.json", "--gpus", 2, "--mem", "5kB", "--method", "heft"),
        ("partition", "g.json", "--gpus", 2, "--method", name),
        ("partition", "g.json", "--gpus", 2, "--machine", name),
        ("partition", "g.json", "--gpus", name),
        ("partition", name, "--gpus", 2),
        ("partition", "g.json", "--gpus", 2, "--pin", "pins"),
        ("partition", "g.json", "--gpus", 2, "-o", f"{name}/x.placement.json"),
        (name,),
    ):
        done = pardnn(*words)
        assert done.code in (2, 3), (words[:2], done)
        assert done.err.count("\n") == 1, done.err[:500]
        harmless(done.err)
        assert len(done.err) <= 5500  # a file's name is told whole


class Sent(NamedTuple):
    """What a run wrote, and how it ended."""

    code: int
    text: str


def forked(words: Sequence[str], folder: Path, out: int, **environment: str | None) -> int:
    """The exit code of a run in a process of its own whose stdout and stderr are that file; quicker than a new one."""
    child = os.fork()
    if not child:
        os.chdir(folder)
        for name, value in environment.items():
            os.environ.pop(name, None) if value is None else os.environ.update({name: value})
        for number in (1, 2):
            os.dup2(out, number)
        os.set_blocking(out, True)
        sys.stdout, sys.stderr = (open(number, "w", encoding="utf-8", closefd=False) for number in (1, 2))  # noqa: SIM115
        code = 99
        with suppress(BaseException):
            code = run(list(words))
        sys.stdout.flush()
        os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def on_terminal(words: Sequence[str], folder: Path, columns: int, **environment: str) -> Sent:
    """What a terminal of that width is sent."""
    master, slave = pty.openpty()
    sent: list[bytes] = []
    reader = threading.Thread(target=_drain, args=(master, sent))
    reader.start()
    settings = {"TERM": "xterm-256color", "COLUMNS": str(columns), "NO_COLOR": None, **environment}
    code = forked(words, folder, slave, **settings)
    os.close(slave)
    reader.join()
    os.close(master)
    return Sent(code, b"".join(sent).decode().replace("\r\n", "\n"))


def _drain(master: int, sent: list[bytes]) -> None:
    with suppress(OSError):  # how a terminal says that its other end is closed
        while piece := os.read(master, 65536):
            sent.append(piece)


def to_file(words: Sequence[str], folder: Path, **environment: str) -> Sent:
    with (folder / "out").open("wb") as file:
        code = forked(words, folder, file.fileno(), **environment)
    return Sent(code, (folder / "out").read_text())


@pytest.mark.parametrize("command", COMMANDS)
def test_on_terminals_and_without(pardnn: Program, folder: Path, command: str) -> None:
    made(pardnn, folder, "tower_0/layer_17/attention/query/kernel/MatMul")
    words = [*(word.format(name="a") for word in COMMANDS[command]), *(["--force"] if command == "apply" else [])]
    narrow = on_terminal(words, folder, 40)
    assert narrow.code == 0, narrow.text
    lines = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", narrow.text).splitlines()
    assert [line for line in lines if len(line) > 40 and not line.startswith("pardnn: warning: ")] == []
    grey = on_terminal(words, folder, 100, NO_COLOR="1")
    assert set(re.findall(r"\x1b\[([0-9;]*)m", grey.text)) <= {"", "0"}
    bare = to_file(words, folder)
    assert bare.code == 0
    assert bare.text
    assert "\x1b" not in bare.text


@pytest.mark.parametrize("command", COMMANDS)
def test_a_reader_may_leave(pardnn: Program, folder: Path, command: str) -> None:
    made(pardnn, folder, "b")
    words = [word.format(name="a") for word in COMMANDS[command]]
    reading, writing = os.pipe()
    os.close(reading)
    assert forked([*words, "--json"], folder, writing) == 141
    os.close(writing)


@pytest.mark.skipif(which("jq") is None, reason="needs jq")
def test_jq_and_head_in_a_shell(diamond: Path, tmp_path: Path) -> None:
    program = " ".join(f"'{word}'" for word in PROGRAM)
    words = f"{program} partition {diamond} --gpus 2 --method heft --dry-run"
    script = f"{words} --json | jq -e .makespan_us; {words} | head -n 1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], env=ENV, capture_output=True, text=True, check=False, timeout=120)
    assert done.stdout.splitlines()[0] == "530.084"
    assert done.stdout.splitlines()[1].startswith("graph ")
    assert done.stdout.splitlines()[2] in ("0", "141")
    assert done.stderr == ""


def test_what_is_being_done_is_text_and_no_markup(tmp_path: Path) -> None:
    code = "import sys, time; from pardnn.cli.voice import Voice; from contextlib import nullcontext\n"
    code += "with Voice().progress() as tell:\n tell('', 0.0); time.sleep(0.2)\n"
    code += " tell('reading [/x].pb [red]', 0.5); time.sleep(1.6)"
    master, slave = pty.openpty()
    sent: list[bytes] = []
    reader = threading.Thread(target=_drain, args=(master, sent))
    reader.start()
    subprocess.run([sys.executable, "-c", code], env=ENV | {"TERM": "xterm"}, stdout=slave, stderr=slave, check=True)
    os.close(slave)
    reader.join()
    os.close(master)
    text = b"".join(sent).decode()
    assert "reading [/x].pb [red]" in text
    assert "Traceback" not in text
    assert re.search(r"50 %, about [0-9]+ s left", text)
