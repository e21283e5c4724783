"""Pins: which ops may sit on one device only, from the graph, the file's devices and the user's list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.devices import parse

Wish = tuple[int, str, str]
"""(node, device name, where the wish comes from)"""


def read_pin_file(path: str) -> list[tuple[str, str]]:
    """(op or scope, device name) of each line; "#" starts a comment."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    pins = []
    for number, line in enumerate(lines, 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if len(words) != 2 or not parse(words[1]).local:
            raise InputError(f"{path}:{number}: is not `op-or-scope device`, as in `encoder/layer_0 /device:GPU:1`")
        pins.append((words[0].rstrip("/"), parse(words[1]).local))
    return pins


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
