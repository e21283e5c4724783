"""Pins: which ops may sit on one device only, from the graph, the file's devices and the user's list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.devices import Device, parse
from pardnn.graph.raw import RawNode
from pardnn.machines.build import HOST

Wish = tuple[int, str, str]
"""(node, device name, where the wish comes from)"""
_KEPT, _LOCAL = "--keep-devices", "localhost"


def read_pin_file(path: str, hosts: int = 1) -> list[tuple[str, str]]:
    """(op or scope, device name) of each line; "#" starts a comment. Raises InputError naming the line."""
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    pins: dict[str, tuple[str, int]] = {}
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not parse(words[1]).local:
            raise InputError(f"{path}:{number}: is not `op-or-scope device`, as in `encoder/layer_0 /device:GPU:1`")
        name, device = words[0].rstrip("/"), planned_name(parse(words[1]), hosts)
        earlier, at = pins.setdefault(name, (device, number))
        if earlier != device:
            raise InputError(f"{path}:{number}: pins {name!r} to {device}, line {at} to {earlier}: keep one of them")
    return [(name, device) for name, (device, _) in pins.items()]


def wishes_of_scopes(names: Sequence[str], pins: Iterable[tuple[str, str]], origin: str) -> list[Wish]:
    """The wishes of a list of (op or scope, device): the longer scope wins; InputError for one that matches no op."""
    number = {name: v for v, name in enumerate(names)}
    chosen: dict[int, tuple[int, str]] = {}
    for scope, device in pins:
        inside = [number[scope]] if scope in number else []
        inside += [v for v, name in enumerate(names) if name.startswith(f"{scope}/")]
        if not inside:
            raise InputError(f"{origin}: no op and no scope is called {scope!r}")
        for v in inside:
            if len(scope) >= chosen.get(v, (0, ""))[0]:
                chosen[v] = (len(scope), device)
    return [(v, device, origin) for v, (_, device) in sorted(chosen.items())]


def wishes_of_file(nodes: Sequence[RawNode], hosted: Iterable[int], hosts: int = 1) -> tuple[list[Wish], list[str]]:
    """(the wishes that the devices in a graph file make, notes); `hosted` are nodes that only the CPU can run.

    All CPUs are one; in a plan for one host job, replica and task are dropped. A device that leaves its type or its
    GPU's number open ("/device:GPU:*") is no pin. Raises InputError for what is no device, and where a plan is for one
    host and two have the same GPU.
    """
    devices = {text: _parsed(node) for text, node in {node.device: node for node in reversed(nodes)}.items()}
    notes = _hosts(nodes, devices) if hosts == 1 else []
    only_host = set(hosted)
    wishes, moved = [], 0
    for v, node in enumerate(nodes):
        device = devices[node.device]
        local = HOST if device.kind == "CPU" else planned_name(device, hosts)
        if v in only_host:
            moved += local not in ("", HOST)
        elif local:
            wishes.append((v, local, _KEPT))
    if moved:
        notes.append(f"{moved} ops have a device in the file that has no kernel for them: they go to the CPU")
    return wishes, notes


def planned_name(device: Device, hosts: int) -> str:
    """The plan's name of a device; of several hosts, where none is named, it is the first."""
    local = device.local
    return local if hosts == 1 or local in ("", HOST) else f"/job:worker/task:{device.task or 0}{local}"


def _parsed(node: RawNode) -> Device:
    try:
        return parse(node.device)
    except InputError as error:
        raise InputError(f"{_KEPT}: op {node.name!r}: {error}") from None


def _hosts(nodes: Sequence[RawNode], devices: Mapping[str, Device]) -> list[str]:
    """A note where the devices name other hosts than this one. Raises InputError where two hosts have the same GPU."""
    hosts: dict[Device, None] = {}
    owner: dict[str, tuple[Device, str]] = {}
    for node in nodes:
        device = devices[node.device]
        if device.job is None:
            continue
        host = Device(device.job, device.replica or 0, device.task or 0)
        hosts[host] = None
        first, op = owner.setdefault(device.local or node.device, (host, node.name))
        if first != host and device.kind not in (None, "CPU"):
            raise InputError(
                f"{_KEPT}: op {op!r} is on {device.local} of {first} and {node.name!r} on that of {host}, and a "
                "plan is for one host unless --hosts says more: or leave the option out, which clears them"
            )
    foreign = [str(host) for host in hosts if host.job != _LOCAL]
    return [f"devices on {', '.join(foreign)}: job and task are dropped, a plan is for one host"] if foreign else []


def pin_groups(
    names: Sequence[str], group: NDArray[np.int32], devices: Mapping[str, int], wishes: Iterable[Wish]
) -> NDArray[np.int32]:
    """[n] device number of each node, -1 = free: a wish for one op pins its whole group.

    Raises InputError for a device that is not among those planned for, and where two wishes of a group contradict.
    """
    pin = np.full(int(group.max(initial=-1)) + 1, -1, np.int32)
    first: dict[int, Wish] = {}
    for wish in wishes:
        v, device, origin = wish
        if device not in devices:
            raise InputError(f"{origin}: {names[v]!r} wants {device}; planned for are {', '.join(devices)}")
        g = int(group[v])
        if g in first and first[g][1] != device:
            other, its, _ = first[g]
            raise InputError(
                f"{origin}: {names[other]!r} wants {its} and {names[v]!r} wants {device}, but they must share a device"
            )
        first.setdefault(g, wish)
        pin[g] = devices[device]
    return pin[group]
