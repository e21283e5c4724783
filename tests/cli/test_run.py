"""Errors become one line and an exit code, whatever happens."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import click
import pytest

from pardnn.cli.commands import methods as some_command
from tests.cli.conftest import Program

ROOT = Path(__file__).parents[2]
ENV = {k: v for k, v in os.environ.items() if k != "PARDNN_DEBUG"} | {"PYTHONPATH": str(ROOT)}
PROGRAM = [sys.executable, "-m", "pardnn"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["partiton"], "no command 'partiton': did you mean partition?; see `pardnn --help`"),
        (["partition"], "Missing argument 'GRAPH'; see `pardnn partition --help`"),
        (["partition", "g", "--gpuz", "3"], "No such option"),
        (["partition", "g", "--order", "lifo"], "Invalid value for '--order': 'lifo' is not one of"),
        (["partition", "g", "--seed", "x"], "Invalid value for '--seed': 'x' is not a valid integer"),
        (["partition", "g", "--gpus", "four"], "--gpus: 'four' is neither a count (4) nor ids (1,3)"),
        (["partition", "g", "--gpus", "0"], "--gpus: at least one GPU is needed"),
        (["partition", "g", "--gpus", "2", "--mem", "16Gb"], "could mean bits or bytes"),
        (["partition", "g", "--gpus", "2", "--machine", "dgx9"], "unknown machine 'dgx9'"),
        (["partition", "g", "--gpus", "2", "--time-limit", "5"], "the unit is missing"),
        (["partition", "g", "--gpus", "2", "--batch-size", "0"], "--batch-size: 0 is not a whole number from 1 on"),
        (["partition", "g", "--gpus", "2"], "g: cannot be read: No such file or directory"),
        (["partition", "g"], "machine pcie3 has any number of GPUs: say how many with --gpus"),
        (["partition", "a\nb\x1b[31m", "--gpus", "2"], r"a\nb\x1b[31m: cannot be read"),
        (["simulate", "g", "p"], "p: cannot be read: No such file or directory"),
        (["compare", "g", "--methods", "magic", "--gpus", "2"], "no method 'magic'; there are: auto, "),
        (["compare", "g", "--methods", ",", "--gpus", "2"], "--methods ,: names no method"),
    ],
)
def test_wrong_input_is_one_line_and_exit_2(pardnn: Program, arguments: list[str], said: str) -> None:
    done = pardnn(*arguments)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert done.err.startswith("pardnn: ")
    assert said in done.err


def test_an_unknown_method_is_told_before_the_graph_is_read(pardnn: Program) -> None:
    assert "no method 'magic'" in pardnn("partition", "no-such-file", "--gpus", 2, "--method", "magic").err


def test_without_arguments_help_is_shown(pardnn: Program) -> None:
    done = pardnn()
    assert done.code == 0
    assert done.out == pardnn("--help").out
    assert "pardnn partition graph.pbtxt --gpus 4 --mem 16GB" in done.out


def test_every_command_has_a_summary_and_help(pardnn: Program) -> None:
    listed = pardnn("--help").out.partition("Commands:\n")[2].splitlines()
    names = [line.split()[0] for line in listed]
    files = (ROOT / "pardnn/cli/commands").glob("[a-z]*.py")
    assert names == sorted(path.stem.replace("_", "-") for path in files)
    assert all(len(line.split()) > 2 for line in listed)
    for name in names:
        done = pardnn(name, "--help")
        assert done.code == 0
        assert done.out.startswith(f"Usage: pardnn {name} ")


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (
            ZeroDivisionError("a\nb"),
            r"this is a bug of ours, please report it .*: ZeroDivisionError: a\\nb at test_run.py",
        ),
        (RecursionError("too deep"), "this is a bug of ours.*RecursionError: too deep"),
        (MemoryError(), "out of memory at test_run.py:[0-9]+: this graph needs a larger machine"),
        (OSError(5, "Input/output error"), "this is a bug of ours.*Input/output error"),
    ],
)
def test_a_bug_of_ours_is_one_line_and_exit_1(
    pardnn: Program, monkeypatch: pytest.MonkeyPatch, error: Exception, said: str
) -> None:
    monkeypatch.setattr(some_command, "command", failing(error))
    done = pardnn("methods")
    assert (done.code, done.out, done.err.count("\n")) == (1, "", 1)
    assert re.search(said, done.err)
    shown = pardnn("methods", "--debug").err
    assert shown.startswith("Traceback")
    assert shown.splitlines()[-1].startswith("pardnn: ")


def failing(error: BaseException) -> click.Command:
    @click.command()
    @click.option("--debug", is_flag=True, expose_value=False)
    def command() -> None:
        raise error

    return command


def test_debug_by_the_environment_shows_the_way_to_a_user_s_error(
    pardnn: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PARDNN_DEBUG", "1")
    assert pardnn("partition", "g", "--gpus", 2).err.startswith("Traceback")
    monkeypatch.setenv("PARDNN_DEBUG", "0")
    assert pardnn("partition", "g", "--gpus", 2).err.startswith("pardnn: g:")


def test_interrupting_is_exit_130_without_a_traceback(pardnn: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(some_command, "command", failing(KeyboardInterrupt()))
    done = pardnn("methods")
    assert done.code == 130
    assert done.err.strip() == "pardnn: interrupted"


def test_interrupting_a_real_run_leaves_no_files(tmp_path: Path, example_graph: Path) -> None:
    code = "import pardnn.pipeline, time; pardnn.pipeline.decide = lambda *_: time.sleep(60)"
    code += "; from pardnn.cli import main; main()"
    command = [sys.executable, "-c", code, "partition", str(example_graph), "--gpus", "4", "-v", "--method", "etf"]
    with subprocess.Popen(command, cwd=tmp_path, env=ENV, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "deciding" in line:
                break
        process.send_signal(signal.SIGINT)
        said = process.stderr.read()
    assert (process.returncode, said.strip()) == (130, "pardnn: interrupted")
    assert list(tmp_path.iterdir()) == []


def test_a_reader_that_goes_away_is_no_error_of_ours() -> None:
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*PROGRAM, "methods"], env=ENV, stdout=writing, stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_ascii_terminal_gets_ascii(diamond: Path) -> None:
    command = [*PROGRAM, "partition", str(diamond), "--gpus", "2", "--method", "heft", "--dry-run"]
    done = subprocess.run(
        command, env=ENV | {"PYTHONIOENCODING": "ascii"}, capture_output=True, text=True, check=True, timeout=120
    )
    assert done.stdout.isascii()
    assert "##########" in done.stdout
    assert "\\u" not in done.stdout


def test_help_loads_nothing_heavy() -> None:
    heavy = ("numpy", "numba", "rich", "networkx", "google.protobuf", "tensorflow", "ortools", "pymetis")
    code = "import sys; from pardnn.cli.run import run; run(['--help'])"
    code += f"; print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], env=ENV, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"


def test_the_version_is_the_package_s(pardnn: Program) -> None:
    import pardnn as package

    assert pardnn("--version").out == f"pardnn {package.__version__}\n"


@pytest.mark.parametrize("buffered", [True, False])
def test_a_full_disk_behind_stdout_is_one_line_and_no_bug(buffered: bool) -> None:
    env = {k: v for k, v in ENV.items() if k != "PYTHONUNBUFFERED"} | ({} if buffered else {"PYTHONUNBUFFERED": "1"})
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*PROGRAM, "methods"], env=env, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert done.stderr.startswith("pardnn: the result cannot be written: No space left on device")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_without_a_stdout_or_stderr_the_files_are_written_all_the_same(
    diamond: Path, tmp_path: Path, closed: str
) -> None:
    line = f"'{sys.executable}' -m pardnn partition '{diamond}' --gpus 2 --method fill {closed}"
    assert subprocess.run(["sh", "-c", line], env=ENV, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    assert (tmp_path / "diamond.placement.json").exists()


def test_errors_say_what_to_do_next(pardnn: Program, diamond: Path) -> None:
    assert "`pardnn partition GRAPH -o NAME.placement.json` writes a plan" in pardnn("simulate", diamond, "no.json").err
    pardnn("partition", diamond, "--gpus", 2, "--method", "heft")
    turned = pardnn("simulate", "diamond.placement.json", diamond)
    assert turned.code == 2
    mistaken = pardnn("partition", "diamond.placement.json", "--gpus", 2).err
    assert "is a plan, not a graph: `pardnn simulate GRAPH diamond.placement.json` shows it" in mistaken
    assert "did you mean diamond.json?" in pardnn("inspect", "diamnd.json").err
    assert (
        "`pardnn partition` looks for another"
        in pardnn("simulate", diamond, "diamond.placement.json", "--mem", "6kB").err
    )
    assert (
        "`pardnn advise`"
        in pardnn("partition", diamond, "--gpus", 2, "--mem", "5kB", "--method", "heft", "--dry-run").err
    )
