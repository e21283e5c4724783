"""A plan as a report: the columns that it draws, a few words on every op, and how to get it again."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Sequence
from dataclasses import fields
from importlib import metadata
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pardnn import __version__
from pardnn.config import RECORDED, Options
from pardnn.plan import Plan
from pardnn.report.html.markup import brief
from pardnn.report.html.origin import Origin
from pardnn.report.html.page import Section
from pardnn.report.html.plan import plan_page
from pardnn.report.html.step import Step
from pardnn.report.words import count
from pardnn.slack import slack_ns
from pardnn.units import format_rate, format_size, format_time

_MOST = 0.5
"""An op is near its inputs where more than such a share of their bytes is on its device; likewise its readers."""
_WHERE = {
    (1, 1): "beside its inputs and readers",
    (1, 0): "beside its inputs, not its readers",
    (1, -1): "beside its inputs",
    (0, 1): "beside its readers, not its inputs",
    (0, 0): "away from its inputs and readers",
    (0, -1): "away from its inputs",
    (-1, 1): "beside its readers",
    (-1, 0): "away from its readers",
    (-1, -1): "reads nothing, nothing reads it",
}


def report(plan: Plan, command: str = "", more: Sequence[Section] = ()) -> bytes:
    """The HTML report of a plan. command: what made it, as typed; more: sections of the command's own."""
    return plan_page(picture(plan), plan.subject.hardware.memory_bytes, origin(plan, command), more)


def picture(plan: Plan) -> Step:
    """The step of a plan. O(n + m)."""
    subject, schedule = plan.subject, plan.schedule
    took = (schedule.finish_ns - schedule.start_ns)[:, None]
    return Step(
        plan.result(), subject.names, subject.ops, subject.problem.workload, subject.problem.machine, schedule,
        subject.costs.source, why(plan), slack_ns(plan),
        np.rint(took * subject.costs.band).astype(np.int64),
    )  # fmt: skip


def origin(plan: Plan, command: str = "") -> Origin:
    """Where a plan comes from: all that its bytes depend on, and nothing that differs from run to run."""
    subject, options = plan.subject, plan.options
    hardware, machine = subject.hardware, subject.problem.machine
    apart = ~np.eye(machine.k, dtype=np.bool_) if machine.k > 1 else np.ones((1, 1), np.bool_)
    links = np.unique([machine.latency_ns[apart], machine.bytes_per_s[apart]], axis=1).T.tolist()
    cards = Counter(card.name for card in hardware.cards[: hardware.gpus])
    memory = Counter("unlimited" if m is None else format_size(m) for m in hardware.memory_bytes)
    facts = [
        ("graph", f"{Path(subject.name).name}, {count(subject.nodes_read, 'node')}"),
        ("its sha256", subject.sha256),
        ("method", plan.method),
        ("machine", f"{hardware.name}: {count(hardware.gpus, 'GPU')}"),
        ("cards", ", ".join(f"{n} × {name}" for name, n in cards.items())),
        ("memory", ", ".join(f"{n} × {size}" for size, n in memory.items())),
        ("speed", ", ".join(str(factor) for factor in hardware.speed[: hardware.gpus])),
        ("links", "; ".join(f"{format_time(latency)} + {format_rate(rate)}" for latency, rate in links)),
        *choices(options, without=("method",)),
    ]
    return Origin(command or _call(plan), facts, versions())


def _call(plan: Plan) -> str:
    """The Python call that makes the plan."""
    asked, usual = plan.options, type(plan.options)()
    names = (field.name for field in fields(asked))
    given = [f"{name}={getattr(asked, name)!r}" for name in names if getattr(asked, name) != getattr(usual, name)]
    return f"pardnn.partition({', '.join([repr(plan.subject.name), *given])})"


def versions() -> dict[str, str]:
    """Of what decides: pardnn, Python and the packages whose algorithms it calls."""
    found = {"pardnn": __version__, "python": platform.python_version()}
    return found | {name: metadata.version(name) for name in ("numpy", "numba", "ortools", "pymetis")}


def choices(options: Options, names: Sequence[str] = RECORDED, without: Sequence[str] = ()) -> list[tuple[str, str]]:
    """Options by name, to read."""
    return [(name.replace("_", " "), _word(getattr(options, name))) for name in names if name not in without]


def _word(value: object) -> str:
    """An option's value to read."""
    if value is None or isinstance(value, bool):
        return "not given" if value is None else "yes" if value else "no"
    return ", ".join(map(str, value)) or "none" if isinstance(value, tuple | list) else str(value)


def why(plan: Plan) -> list[str]:
    """[n] what each op's device has to do with its neighbours' and with what it is tied to. O(n + m).

    What moving it would cost is told by `pardnn explain`, one op at a time: that is a simulation each.
    """
    problem = plan.subject.problem
    words = [_WHERE[pair] for pair in zip(*(near.tolist() for near in _near(plan)), strict=True)]
    sizes = np.diff(problem.group_ptr)[problem.group]
    for v in np.flatnonzero(sizes > 1).tolist():
        words[v] = f"in a group of {sizes[v]:,}; {words[v]}"
    for v in np.flatnonzero(problem.pin >= 0).tolist():
        words[v] = f"pinned to {brief(plan.devices[problem.pin[v]])}"
    return words


def _near(plan: Plan) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """([n], [n]) whether most of what each op reads, and of what is read of it, stays on its device.

    -1 where there is nothing of the kind.
    """
    work = plan.subject.problem.workload
    local = plan.device[work.dag.src] == plan.device[work.dag.dst]
    weight = np.maximum(work.edge_bytes, 1).astype(np.float64)
    found = []
    for end in (work.dag.dst, work.dag.src):
        total = np.bincount(end, weight, work.dag.n)
        near = np.bincount(end[local], weight[local], work.dag.n) > _MOST * total
        found.append(np.where(total > 0, near, -1))
    return found[0], found[1]
