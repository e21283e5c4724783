"""Blocks of ops that are run again together or not at all: by name scope, else runs of the order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST = 48
"""So many blocks at most: the choice among them is a small problem."""
_FEW = 3


class Block(NamedTuple):
    """A name for people, and the ops in their order."""

    name: str
    ops: tuple[int, ...]


def scopes(ops: NDArray[np.int64], names: Sequence[str]) -> list[Block]:
    """The ops by the deepest name scopes of which there are not too many; none where the names say too little.

    >>> scopes(np.arange(4), ["net/a/x", "net/a/y", "net/b/x", "net/c/z"])[0]
    Block(name='net/a', ops=(0, 1))
    """
    depth = 1
    while depth < 12 and len({_scope(names[v], depth + 1) for v in ops.tolist()}) <= MOST:
        depth += 1
    found: dict[str, list[int]] = {}
    for v in ops.tolist():
        found.setdefault(_scope(names[v], depth), []).append(v)
    return [Block(name, tuple(members)) for name, members in found.items()] if len(found) >= _FEW else []


def runs(ops: NDArray[np.int64], names: Sequence[str], weight: NDArray[np.int64], number: int) -> list[Block]:
    """The ops cut into so many runs of about equal weight, which is by op; named after the first and the last."""
    own = weight[ops].astype(np.float64)
    middle = np.cumsum(own) - own / 2
    which = (middle * number / max(own.sum(), 1.0)).astype(np.int64)
    pieces = [ops[which == i].tolist() for i in range(number)]
    return [Block(f"{names[piece[0]]} .. {names[piece[-1]]}", tuple(piece)) for piece in pieces if piece]


def _scope(name: str, depth: int) -> str:
    return "/".join(name.split("/")[:-1][:depth])
