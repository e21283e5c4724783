"""The plan file: which op sits where, for which graph and machine, and what to expect of it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pardnn.errors import InputError

FORMAT = "pardnn-placement/1"
_COUNTABLE = 2.0**63
_CPU = re.compile(r"/device:CPU:\d+")
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class PlanFile:
    """A stored placement. `placement` maps op names to device names, `unplaced` those that have none to the reason."""

    graph_name: str
    graph_sha256: str
    graph_nodes: int
    devices: tuple[str, ...]
    placement: Mapping[str, str]
    unplaced: Mapping[str, str] = field(default_factory=dict)
    control_edges: tuple[tuple[str, str], ...] = ()
    """Pairs of ops of which the second waits for the first."""
    machine: Mapping[str, Any] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    expected: Mapping[str, Any] = field(default_factory=dict)
    version: str = ""


def plan_bytes(plan: PlanFile) -> bytes:
    """The JSON of a plan, keys sorted, nothing in it that changes from run to run."""
    content: dict[str, Any] = {
        "format": FORMAT,
        "version": plan.version,
        "graph": {"name": plan.graph_name, "sha256": plan.graph_sha256, "nodes": plan.graph_nodes},
        "machine": dict(plan.machine),
        "options": dict(plan.options),
        "devices": list(plan.devices),
        "placement": dict(plan.placement),
        "unplaced": dict(plan.unplaced),
        "expected": dict(plan.expected),
    }
    if plan.control_edges:
        content["control_edges"] = [list(pair) for pair in plan.control_edges]
    return (json.dumps(content, sort_keys=True, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def read_plan(path: str | Path) -> PlanFile:
    """The plan in a file. Raises InputError naming the file and the part that is wrong."""
    try:
        data = Path(path).read_bytes()
    except FileNotFoundError as error:
        raise InputError(
            f"{path}: cannot be read: {error.strerror}; `pardnn partition GRAPH -o NAME.placement.json` writes a plan"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    return parse_plan(data, path)


def parse_plan(data: bytes, path: str | Path) -> PlanFile:
    """As `read_plan`, of bytes."""
    try:
        content = json.loads(data.removeprefix(b"\xef\xbb\xbf"), parse_constant=_refuse)
    except json.JSONDecodeError as error:
        raise InputError(f"{path}:{error.lineno}: no valid JSON: {error.msg}; is it a plan?") from None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no valid JSON: {str(error).splitlines()[0]}; is it a plan?") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        found = content.get("format") if isinstance(content, dict) else None
        raise InputError(f"{path}: is no plan: its format is {str(found)[:40]!a}, not '{FORMAT}'")
    part = _Parts(content, path)
    graph = _Parts(part.get("graph", dict), path)
    plan = PlanFile(
        graph_name=graph.get("name", str),
        graph_sha256=graph.get("sha256", str),
        graph_nodes=graph.get("nodes", int),
        devices=tuple(part.get("devices", list)),
        placement=part.get("placement", dict),
        unplaced=part.get("unplaced", dict),
        control_edges=_pairs(content.get("control_edges", []), path),
        machine=part.get("machine", dict),
        options=part.get("options", dict),
        expected=part.get("expected", dict),
        version=part.get("version", str),
    )
    _check(plan, path)
    return plan


def _pairs(value: Any, path: str | Path) -> tuple[tuple[str, str], ...]:
    """Control edges as a plan has them. Raises InputError."""
    if isinstance(value, list):
        pairs = tuple(tuple(pair) for pair in value if isinstance(pair, list) and len(pair) == 2)
        if len(pairs) == len(value) and all(isinstance(name, str) for pair in pairs for name in pair):
            return pairs
    raise InputError(f"{path}: 'control_edges' is no list of pairs of ops; is it a plan?")


class _Parts:
    """The members of a JSON object, checked as they are asked for."""

    def __init__(self, content: Mapping[str, Any], path: str | Path) -> None:
        self.content = content
        self.path = path

    def get(self, name: str, kind: type) -> Any:
        """A member of that very type."""
        value = self.content.get(name)
        if type(value) is not kind:
            wanted = {dict: "an object", list: "a list", str: "a text", int: "a whole number"}[kind]
            raise InputError(
                f"{self.path}: '{name}' is {'missing' if value is None else f'not {wanted}'}; is it a plan?"
            )
        return value


def _check(plan: PlanFile, path: str | Path) -> None:
    """Raise InputError where the parts of a plan contradict each other."""
    if not _SHA256.fullmatch(plan.graph_sha256):
        raise InputError(f"{path}: 'sha256' of the graph is not 64 hexadecimal digits")
    for name, members in (("placement", plan.placement), ("unplaced", plan.unplaced)):
        for op, value in members.items():
            if not isinstance(value, str):
                raise InputError(f"{path}: '{name}' of '{op}' is not a text")
    known = set()
    for device in plan.devices:
        if not isinstance(device, str) or not device or device in known:
            raise InputError(f"{path}: 'devices' are not different texts")
        known.add(device)
    for op, device in plan.placement.items():
        if device not in known and not _CPU.search(device):
            raise InputError(f"{path}: op '{op}' is placed on '{device}', which is not among 'devices'")
        if op in plan.unplaced:
            raise InputError(f"{path}: op '{op}' is both in 'placement' and in 'unplaced'")
    for name, figure in plan.expected.items():
        for value in figure if isinstance(figure, list) else [figure]:
            if isinstance(value, int | float) and not abs(value) < _COUNTABLE:
                raise InputError(f"{path}: 'expected': '{name}' is beyond what a step can be")


def _refuse(name: str) -> float:
    """NaN and infinity occur in no plan (and in no JSON)."""
    raise ValueError(f"{name} is no number")
