"""Which ops can only run on the CPU, and what they take with them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import DoesNotFit
from pardnn.graph.kernels import facts, runs_on
from pardnn.graph.raw import AttrValue, RawNode
from pardnn.graph.wiring import shortened


@dataclass(frozen=True)
class Hosts:
    """[n] the op must run on the CPU; for each group that goes there the first op that forces it, by group number."""

    host: NDArray[np.bool_]
    forced: dict[int, int]


def find_hosts(nodes: Sequence[RawNode], group: NDArray[np.int32], called: NDArray[np.bool_] | None = None) -> Hosts:
    """What must run on the CPU: a colocation group with one op that must goes there as a whole.

    An op must if TensorFlow's registry has no GPU kernel for its types, or prefers the CPU's (iterators); the latter
    does not count for what is `called`, the ops of bodies: these have a device, their caller's. Custom ops are taken to
    have both kernels. A group that also holds an op without a CPU kernel raises DoesNotFit. Ask this of the whole
    file: TensorFlow places pruned ops too, and one that is colocated with a kept op binds it.
    """
    forced: dict[int, int] = {}
    preferred: dict[int, int] = {}
    gpu_only: dict[int, int] = {}
    verdicts: dict[tuple[AttrValue | None, ...], tuple[bool, bool]] = {}
    for v, (node, number) in enumerate(zip(nodes, group.tolist(), strict=True)):
        known = facts(node.op)
        if known is None:
            continue
        case = (node.op.encode(), *(node.attrs.get(attr) for attr in known.constrained))
        if case not in verdicts:
            verdicts[case] = runs_on(known.gpu, node, known.types), runs_on(known.cpu, node, known.types)
        gpu, cpu = verdicts[case]
        if not gpu:
            forced.setdefault(number, v)
            continue
        if known.prefers_host and (called is None or not called[v]):
            preferred.setdefault(number, v)
        if not cpu:
            gpu_only.setdefault(number, v)
    for number, v in forced.items():
        if number in gpu_only:
            raise _impossible(nodes[v], nodes[gpu_only[number]])
    forced |= {number: v for number, v in preferred.items() if number not in gpu_only and number not in forced}
    is_host = np.zeros(int(group.max(initial=-1)) + 1, bool)
    is_host[list(forced)] = True
    return Hosts(is_host[group], forced)


def host_note(nodes: Sequence[RawNode], group: NDArray[np.int32], hosts: Hosts, keep: NDArray[np.bool_]) -> str | None:
    """One line on the largest group of kept ops that goes to the CPU because of one of them; None if each is alone."""
    size = np.bincount(group[keep], minlength=int(group.max(initial=-1)) + 1)
    together = [number for number in hosts.forced if size[number] > 1]
    if not together:
        return None
    number = max(together, key=lambda g: (size[g], -g))
    node = nodes[hosts.forced[number]]
    others = f"; so do {len(together) - 1} smaller groups" if len(together) > 1 else ""
    return (
        f"'{shortened(node.name)}' ({node.op}) runs on the CPU only, so its colocation group of {size[number]} ops "
        f"goes there{others}"
    )


def unknown_note(nodes: Sequence[RawNode], functions: Collection[str]) -> str | None:
    """One line that counts the ops of which neither TensorFlow's registry nor the graph's function library knows."""
    unknown = Counter(node.op for node in nodes if facts(node.op) is None and node.op not in functions)
    if not unknown:
        return None
    kinds = ", ".join(sorted(unknown)[:3]) + (", ..." if len(unknown) > 3 else "")
    return f"ops of unknown type, taken to run on GPU and CPU: {unknown.total()} ({kinds})"


def _impossible(host: RawNode, gpu: RawNode) -> DoesNotFit:
    return DoesNotFit(
        f"'{shortened(host.name)}' ({host.op}) has only a CPU kernel and '{shortened(gpu.name)}' ({gpu.op}) only a GPU "
        "kernel, but they must share a device: remove the colocation between them"
    )
