"""Commands killed at random moments and on a full disk: what they leave behind."""

from __future__ import annotations

import random
import re
import resource
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
TEMPORARY = re.compile(r"\.pardnn-[0-9a-f]{16}\.tmp")
"""How a half-written file is named: hidden, ours, and never what anyone else reads. Safe to remove when none runs."""


def command(graph: Path, folder: Path) -> list[str]:
    """Partition the graph; both outputs go to the folder."""
    out = folder / graph.name
    asked = ["partition", str(graph), "--gpus", "2", "--method", "heft", "-q"]
    return [sys.executable, "-m", "pardnn", *asked, "-o", str(out), "-o", f"{out}.placement.json"]


def whole(graph: Path, folder: Path) -> tuple[dict[str, bytes], float]:
    """The outputs by name, and the seconds it takes."""
    started = time.perf_counter()
    subprocess.run(command(graph, folder), check=True, cwd=ROOT, stdout=subprocess.DEVNULL)
    seconds = time.perf_counter() - started
    found = {path.name: path.read_bytes() for path in folder.iterdir()}
    for path in folder.iterdir():
        path.unlink()
    return found, seconds


def killed(
    graph: Path, folder: Path, times: int, seed: int, tell: Callable[[int], None] = lambda _: None
) -> tuple[Counter[str], list[str]]:
    """What was left after each `kill -9`, and what is wrong with it.

    Half of the moments are drawn from the whole run, half from when the first file appears, hidden or not, when
    writing begins: a run is some hundred times longer than the writing.
    """
    rng = random.Random(seed)
    expected, seconds = whole(graph, folder)
    left: Counter[str] = Counter()
    faults = []
    for number in range(times):
        tell(number)
        running = subprocess.Popen(command(graph, folder), cwd=ROOT, stdout=subprocess.DEVNULL)
        if number % 2:
            _wait(running, 4 * seconds, folder)
            time.sleep(rng.expovariate(1000.0))
        else:
            _wait(running, rng.uniform(0.0, 1.1 * seconds))
        running.send_signal(signal.SIGKILL)
        running.wait()
        faults += [f"kill {number}: {fault}" for fault in _left(folder, expected, left, temporary=True)]
    return left, faults


def filled(graph: Path, folder: Path, most: int) -> tuple[int, str, Counter[str], list[str]]:
    """(exit code, stderr, what is left, faults) where no file can be longer than `most` bytes, as on a full disk."""
    expected, _ = whole(graph, folder)

    def limit() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    done = subprocess.run(
        command(graph, folder), check=False, cwd=ROOT, capture_output=True, text=True, preexec_fn=limit
    )
    left: Counter[str] = Counter()
    return done.returncode, done.stderr, left, list(_left(folder, expected, left, temporary=False))


def _wait(running: subprocess.Popen[bytes], seconds: float, folder: Path | None = None) -> None:
    """Until it ends, or the time is over, or there is a file in the folder."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end and running.poll() is None and not (folder and any(folder.iterdir())):
        time.sleep(0.0002)


def _left(folder: Path, expected: Mapping[str, bytes], left: Counter[str], *, temporary: bool) -> list[str]:
    """What is wrong with the files there are; counts and removes them."""
    faults = []
    outputs = 0
    for path in sorted(folder.iterdir()):
        if path.name in expected:
            outputs += 1
            if path.read_bytes() != expected[path.name]:
                faults.append(f"{path.name} is not whole")
        elif TEMPORARY.fullmatch(path.name) and temporary:
            left["half a file under its hidden name"] += 1
        else:
            faults.append(f"{path.name} was left")
        path.unlink()
    left[f"{outputs} of {len(expected)} outputs, whole"] += 1
    return faults
