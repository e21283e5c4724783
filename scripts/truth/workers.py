"""Worker processes on this host, each pinned to a core of its own."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pardnn.placers.address import Address, await_all

ROOT = Path(__file__).parents[2]
_PATIENCE_S = 120.0
_PROCESSOR_TIME = 2
"""Of a process by its number: Linux makes the clock's own number of both (clock_getcpuclockid)."""


def cores(count: int) -> list[int]:
    """So many cores that this process may use. SystemExit where there are fewer."""
    found = sorted(os.sched_getaffinity(0))
    if len(found) < count:
        raise SystemExit(f"{count} workers need a core each; this process may use {len(found)}")
    return found[:count]


def device(task: int) -> str:
    """TensorFlow's name of a worker's processor."""
    return f"/job:worker/replica:0/task:{task}/device:CPU:0"


class Workers(NamedTuple):
    """Of each worker."""

    addresses: tuple[str, ...]
    pids: tuple[int, ...]

    def seconds(self) -> list[float]:
        """Processor time that each has had so far, all its threads together."""
        return [time.clock_gettime((~pid << 3) | _PROCESSOR_TIME) for pid in self.pids]


@contextlib.contextmanager
def workers(count: int) -> Iterator[Workers]:
    """`pardnn serve`, once for each core; ended with the block."""
    addresses = _free(count)
    usual = os.sched_getaffinity(0)
    started: list[subprocess.Popen[bytes]] = []
    try:
        for task, core in enumerate(cores(count)):
            program = [sys.executable, "-m", "pardnn", "serve", "--cluster", ",".join(addresses), "--task", str(task)]
            os.sched_setaffinity(0, {core})  # a new process has its parent's
            started.append(subprocess.Popen(program, cwd=ROOT, stderr=subprocess.DEVNULL))
            os.sched_setaffinity(0, usual)
        late = await_all([Address.parse(text, "worker") for text in addresses], _PATIENCE_S, lambda _: None)
        if late is not None:
            raise SystemExit(f"worker {late} has not come up in {_PATIENCE_S:g} s")
        yield Workers(addresses, tuple(process.pid for process in started))
    finally:
        os.sched_setaffinity(0, usual)
        for process in started:
            process.terminate()
        for process in started:
            process.wait()


def pinned(programs: dict[int, list[str]]) -> None:
    """Run a program on each of these cores, all at once, to their ends. Raises CalledProcessError."""
    usual = os.sched_getaffinity(0)
    started = []
    for core, program in programs.items():
        os.sched_setaffinity(0, {core})
        started.append(subprocess.Popen([sys.executable, *program], cwd=ROOT, stderr=subprocess.DEVNULL))
        os.sched_setaffinity(0, usual)
    for process in started:
        if process.wait():
            raise subprocess.CalledProcessError(process.returncode, process.args)


def _free(count: int) -> tuple[str, ...]:
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return tuple(f"127.0.0.1:{each.getsockname()[1]}" for each in sockets)
