"""Damaged files through the whole command, each in a process of its own that may take 20 s and little memory."""

from __future__ import annotations

import json
import os
import random
import resource
import signal
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pardnn.readers import read_graph
from tests.real.command import pardnn
from tests.real.mutate import damaged, damaged_json
from tests.real.samples import Sample

SECONDS = 20
SPARE_BYTES = 10**9
"""A command may use ten times the file and this much."""
_FAULT = 99


@dataclass
class Tally:
    """What became of the cases; a fault is (seed, what, the file's name)."""

    codes: Counter[int] = field(default_factory=Counter)
    faults: list[tuple[int, str, str]] = field(default_factory=list)
    slowest: tuple[float, int] = (0.0, 0)
    """Seconds of processor time, and the seed."""


@dataclass(frozen=True)
class Case:
    """A damaged file and the command it is given to."""

    seed: int
    name: str
    data: bytes
    command: Sequence[str]
    """With FILE in place of the damaged file."""


def cases(graphs: Sequence[Sample], costs: Sample, seeds: Iterator[int], folder: Path) -> Iterator[Case]:
    """A case per seed: mostly damaged graphs, some cost graphs and plans; the same for the same seed and samples."""
    whole = folder / graphs[0].name
    whole.write_bytes(graphs[0].data)
    plan = folder / "whole.placement.json"
    options = ("--gpus", "2", "--mem", "16GB")
    made = pardnn("partition", whole, *options, "-o", plan, "--force")
    assert made.code == 0, made.err
    stored = plan.read_bytes()
    placed = str(folder / "out")
    for seed in seeds:
        rng = random.Random(seed)
        kind = rng.random()
        if kind < 0.1:
            command: Sequence[str] = ("partition", "FILE", *options, "-o", f"{placed}.placement.json")
            yield Case(seed, costs.name, damaged_json(costs.data, rng), command)
        elif kind < 0.2:
            command = rng.choice((("simulate", str(whole), "FILE"), ("apply", str(whole), "FILE", "-o", placed)))
            yield Case(seed, "plan.placement.json", damaged_json(stored, rng), command)
        else:
            sample = rng.choice(graphs)
            more = rng.choice((("-o", placed), ("-o", placed), ("-o", f"{placed}.placement.json"), ("--dry-run",)))
            command = ("partition", "FILE", *options, *more) if rng.random() < 0.9 else ("inspect", "FILE", "--json")
            if rng.random() < 0.2 and command[0] == "partition":
                command = (*command, "--keep-devices", "--batch-size", "8")
            yield Case(seed, sample.name, damaged(sample.data, rng), command)


def fuzz(
    todo: Iterator[Case], folder: Path, keep: Path | None = None, tell: Callable[[int], None] = lambda _: None
) -> Tally:
    """Run the cases; those that fail are kept as keep/SEED-NAME."""
    tally = Tally()
    for number, case in enumerate(todo):
        tell(number)
        code, what, seconds = _in_a_child(case, folder)
        tally.codes[code] += 1
        tally.slowest = max(tally.slowest, (seconds, case.seed))
        if what:
            tally.faults.append((case.seed, what, case.name))
            if keep:
                keep.mkdir(parents=True, exist_ok=True)
                (keep / f"{case.seed}-{case.name}").write_bytes(case.data)
                (keep / f"{case.seed}.json").write_text(json.dumps({"command": list(case.command), "fault": what}))
    return tally


def _in_a_child(case: Case, folder: Path) -> tuple[int, str, float]:
    """(exit code, "" or what is wrong, seconds of processor time)."""
    (folder / "fault").write_text("")
    for old in folder.glob("out*"):
        old.unlink()
    child = os.fork()
    if not child:
        code = _FAULT
        try:
            code = _carry_out(case, folder)
        except BaseException as error:  # noqa: BLE001 - whatever it is, the parent tells
            (folder / "fault").write_text(f"raised {error!r}")
        finally:
            os._exit(code)
    _, status, usage = os.wait4(child, 0)
    seconds = usage.ru_utime + usage.ru_stime
    if os.WIFSIGNALED(status):
        ended = signal.Signals(os.WTERMSIG(status)).name
        return -1, f"ended by {ended}" + f" after {SECONDS} s" * (ended == "SIGALRM"), seconds
    return os.WEXITSTATUS(status), (folder / "fault").read_text(), seconds


def _carry_out(case: Case, folder: Path) -> int:
    """In the child: the command under its limits; writes to `fault` what is wrong."""
    file = folder / f"damaged-{case.name}"
    file.write_bytes(case.data)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    most = used + 10 * len(case.data) + SPARE_BYTES
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS)
    answer = pardnn(*(str(file) if part == "FILE" else part for part in case.command))
    signal.alarm(0)
    fault = ""
    written = list(folder.glob("out*"))
    if answer.code not in (0, 2, 3):
        fault = f"exit {answer.code}: {answer.error}"
    elif "Traceback" in answer.err:
        fault = f"a traceback: {answer.error}"
    elif answer.code and not _is_one_line(answer.err):
        fault = f"exit {answer.code} in {len(answer.err.splitlines())} lines: {answer.err[:300]}"
    elif answer.code and written:
        fault = f"exit {answer.code}, yet {written[0].name} was written"
    elif answer.code == 0 and (folder / "out").exists():
        read_graph(folder / "out")  # what we write we read
    (folder / "fault").write_text(fault)
    return answer.code


def _is_one_line(said: str) -> bool:
    """Whether an error is told in a line, perhaps behind warnings."""
    *warnings, error = said.splitlines() or [""]
    return error.startswith("pardnn: ") and all(line.startswith("pardnn: warning: ") for line in warnings)


def run(
    graphs: Sequence[Sample],
    costs: Sample,
    seeds: Iterable[int],
    keep: Path | None,
    tell: Callable[[int], None] = lambda _: None,
) -> Tally:
    """All cases of these seeds in a temporary folder."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        return fuzz(cases(graphs, costs, iter(seeds), folder), folder, keep, tell)
