"""Where TensorFlow really put the ops: the graphs it made per device, read back and compared with the plan.

Soft placement hides a wrong device: the op runs elsewhere and nothing is said.
"""

from __future__ import annotations

import re
import threading
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from pardnn.graph.library import BRANCHING, LOOPS
from pardnn.placers.inner import runtime
from pardnn.placers.variables import same_device

_OWN = re.compile(r".*/_\d+")
"""Names of what TensorFlow puts in itself: transfers, the switches and merges of loops and branches."""
_PART = re.compile(r"(/(?:then|else|branch\d+))/_\d+(?=/)")
"""TensorFlow numbers the parts of a branch when it takes it apart, and nobody knows beforehand how."""
_ARGUMENTS = ("_Arg", "_DeviceArg")
_FOLLOWERS = frozenset({"Switch", "RefSwitch"})
"""TensorFlow puts these where their data come from, whatever their device says."""
_AROUND = LOOPS | BRANCHING
"""Ops that others can be inside of."""


@dataclass(eq=False)
class ReadBack:
    """What was read: (name, type, device) of every op of each function that was made ready to run."""

    functions: list[list[tuple[str, str, str]]] = field(default_factory=list)

    def add(self, graphs: Iterable[Any]) -> None:
        """Take in a function: the graphs, one per device, that TensorFlow made of it."""
        nodes = (node for graph in graphs for node in graph.node)
        self.functions.append([(_PART.sub(r"\1", node.name), node.op, node.device) for node in nodes])


_readers: list[ReadBack] = []  # TensorFlow collects for the whole process, and its threads may read at once
_turn = threading.Lock()


@contextmanager
def reading_back() -> Iterator[ReadBack]:
    """Collect the partitioned graphs of all functions that are made ready to run inside the block."""
    tensorflow = runtime()
    found = ReadBack()
    with _turn:
        _readers.append(found)
        tensorflow.enable_graph_collection()
    try:
        yield found
    finally:
        with _turn:
            for function in tensorflow.export_run_metadata().function_graphs:  # TensorFlow forgets them with that
                for reader in _readers:
                    reader.add(function.partition_graphs)
            _readers.remove(found)
            if not _readers:
                tensorflow.disable_graph_collection()


@dataclass(frozen=True)
class Verified:
    """How the real devices compare with the planned ones."""

    checked: int
    """Ops of the plan, and ops of loops and branches, that were found and are where they should be."""
    moved: Mapping[str, tuple[str, str]]
    """Ops that run elsewhere: (planned, real)."""
    without_device: tuple[str, ...]
    fused: int
    """Ops that run where the op is that TensorFlow fused them with, or where it lets them follow their input."""
    gone: int
    """Ops of the plan that TensorFlow folded, merged or dropped before running."""

    @property
    def ok(self) -> bool:
        """Whether every op that runs is on its device."""
        return not self.moved and not self.without_device and self.checked > 0

    def __str__(self) -> str:
        """One line."""
        return (
            f"{self.checked} ops read back, {len(self.moved)} elsewhere than planned, "
            f"{len(self.without_device)} without a device, {self.fused} fused with others, "
            f"{self.gone} folded or merged away"
        )


def together(found: Sequence[Verified]) -> Verified:
    """What was found of several graphs, as one."""
    return Verified(
        sum(part.checked for part in found),
        {name: devices for part in found for name, devices in part.moved.items()},
        tuple(name for part in found for name in part.without_device),
        sum(part.fused for part in found),
        sum(part.gone for part in found),
    )


def compare(read: ReadBack, placed: Mapping[str, str], kinds: Mapping[str, str]) -> Verified:
    """The planned devices of a step's ops (`placed`, their op types in `kinds`) held against what was read back.

    TensorFlow inlines the step where it is called, so its ops have a prefix in common. An op inside a loop or a branch
    belongs where that is. Fused ops bear the name of their last op and run where their first was planned.
    """
    nodes, prefix = max(((f, *_prefix(f, placed)) for f in read.functions), key=lambda x: x[2], default=([], "", 0))[:2]
    moved: dict[str, tuple[str, str]] = {}
    bare: list[str] = []
    found = set()
    checked = fused = 0
    for full, op, device in nodes:
        if not full.startswith(prefix) or _OWN.fullmatch(full) or op in _ARGUMENTS:
            continue
        name = full[len(prefix) :]
        planned = _planned(name, placed, kinds)
        if planned is None:
            continue
        found.add(name)
        if op.startswith("_") and "Fused" in op:
            fused += 1
        elif not device:
            bare.append(name)
        elif not same_device(planned, device):
            if op in _FOLLOWERS:
                fused += 1
            else:
                moved[name] = planned, device
        else:
            checked += 1
    return Verified(checked, moved, tuple(bare), fused, len(placed.keys() - found))


def _planned(name: str, placed: Mapping[str, str], kinds: Mapping[str, str]) -> str | None:
    """The device an op should be on: its own, or that of the loop or branch it is in; None = not an op of the plan.

    Of what stands in a body the kinds are not known; what has ops of its own there is a loop.
    """
    if name in placed:
        return placed[name]
    end = name.rfind("/")
    while end > 0:
        around = name[:end]
        if around in placed and kinds.get(around, "While") in _AROUND:
            return placed[around]
        end = name.rfind("/", 0, end)
    return None


def _prefix(nodes: list[tuple[str, str, str]], placed: Mapping[str, str]) -> tuple[str, int]:
    """(what stands before most of the planned names, how many)."""
    votes: Counter[str] = Counter()
    for full, _, _ in nodes:
        start = 0
        while start >= 0:
            if full[start:] in placed:
                votes[full[:start]] += 1
            start = full.find("/", start) + 1 or -1
    return votes.most_common(1)[0] if votes else ("", 0)
