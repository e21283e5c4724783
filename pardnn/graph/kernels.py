"""What TensorFlow's registries say of an op: its outputs, reference inputs, state, and which devices have a kernel.

Read from kernels.json, which scripts/make_kernel_table.py writes. A record has, empty fields left out:

    out    outputs, one word each: "T" (an attribute), "3" (a data type), "N*T" (N of one type), "*Tout" (a list of
           types); "name:" before it where there are several; "&" behind it for a reference
    ref    [first, end) of the reference inputs, end -1 = to the last
    types  default values of type attributes
    state  1 = the op is stateful
    gpu    kernels for the GPU: "T=1,2;Tidx=3,9|T=7" (alternatives by |), "*" = any type, "-" = none
    cpu    the same for the CPU where it does not have all that the GPU has
    host   1 = there is a GPU kernel, but TensorFlow itself prefers the CPU's (iterators)
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from pardnn.graph.raw import AttrValue, DType, RawNode

RESOURCE = DType(20)
UNKNOWN = DType(0)
REFERENCE = 100
"""Added to a data type's number to make its reference type."""

Kernels = tuple[dict[str, frozenset[int]], ...]


@dataclass(frozen=True, slots=True)
class Output:
    """One output argument: `count` and `kind` name attributes; `fixed` is the type where no attribute says it."""

    name: str
    count: str | None
    kind: str | None
    fixed: DType
    many: bool
    reference: bool


@dataclass(frozen=True, slots=True)
class OpFacts:
    """One op of the table, see the module's head. A node runs on a device if it matches one of the kernels there."""

    outputs: tuple[Output, ...]
    refs: tuple[int, int]
    types: Mapping[str, DType]
    stateful: bool
    gpu: Kernels
    cpu: Kernels
    constrained: tuple[str, ...]
    """The attributes on which it depends where a node can run."""
    prefers_host: bool


@cache
def _table() -> dict[str, dict[str, Any]]:
    ops: dict[str, dict[str, Any]] = json.loads(files("pardnn.graph").joinpath("kernels.json").read_bytes())["ops"]
    return ops


@cache
def facts(op: str) -> OpFacts | None:
    """What is known of an op type; None for a custom op."""
    record = _table().get(op)
    if record is None:
        return None
    first, end = record.get("ref", (0, 0))
    gpu, cpu = (_kernels(record.get(device, "*")) for device in ("gpu", "cpu"))
    return OpFacts(
        outputs=tuple(_output(word) for word in record["out"].split()),
        refs=(first, 1 << 30 if end == -1 else end),
        types={name: DType(number) for name, number in record.get("types", {}).items()},
        stateful="state" in record,
        gpu=gpu,
        cpu=cpu,
        constrained=tuple(sorted({attr for kernel in gpu + cpu for attr in kernel})),
        prefers_host="host" in record,
    )


def op_types() -> tuple[str, ...]:
    """All op types of the table."""
    return tuple(_table())


def runs_on(kernels: Kernels, node: RawNode, defaults: Mapping[str, DType]) -> bool:
    """Whether one of the kernels takes the node's types; a type the node does not state is no hindrance."""
    return any(all(_allowed(node.attrs.get(a, defaults.get(a)), types) for a, types in k.items()) for k in kernels)


def _allowed(value: AttrValue | None, types: frozenset[int]) -> bool:
    if isinstance(value, tuple):
        return all(item in types for item in value)
    return not isinstance(value, DType) or value in types


def _output(word: str) -> Output:
    name, _, kind = word.rpartition(":")
    reference = kind.endswith("&")
    count, star, kind = kind.removesuffix("&").rpartition("*")
    fixed = DType(kind) if kind.isdecimal() else UNKNOWN
    attribute = None if kind.isdecimal() else kind
    return Output(name, count or None, attribute, fixed, bool(star) and not count, reference)


def _kernels(text: str) -> Kernels:
    if text == "-":
        return ()
    if text == "*":
        return ({},)
    return tuple(
        {
            attr: frozenset(map(int, types.split(",")))
            for attr, _, types in (part.partition("=") for part in one.split(";"))
        }
        for one in text.split("|")
    )
