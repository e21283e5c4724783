"""Names that are the same but for the numbers that a framework gives: conv2d_3/BiasAdd, made again, is conv2d/BiasAdd.

Keras and TensorFlow number layers and scopes of one kind in the order in which they are made. A model that is made
again has other numbers in the same order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_NUMBERS = re.compile(r"((?:_\d+)+)(?=/|$)")


def bare(name: str) -> str:
    """The name without the numbers at the ends of its parts.

    >>> bare("sequential_2/conv2d_1_3/BiasAdd"), bare("tower_0/x2")
    ('sequential/conv2d/BiasAdd', 'tower/x2')
    """
    return _NUMBERS.sub("", name)


def renumbered(names: Iterable[str], others: Iterable[str]) -> dict[str, str]:
    """Other name by name, of those alike but for numbers: in the order of these, where there are as many of each.

    >>> renumbered(["a/d_4", "a/d_5", "b"], ["a_1/d", "a_1/d_10", "c_1"])
    {'a/d_4': 'a_1/d', 'a/d_5': 'a_1/d_10'}
    """
    ours, theirs = _alike(names), _alike(others)
    return {
        name: other
        for form, group in ours.items()
        if len(group) == len(theirs.get(form, ()))
        for name, other in zip(group, theirs[form], strict=True)
    }


def _alike(names: Iterable[str]) -> dict[str, list[str]]:
    """The names by their bare form, in the order of their numbers."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(bare(name), []).append(name)
    return {form: sorted(group, key=_numbers) for form, group in groups.items()}


def _numbers(name: str) -> tuple[tuple[tuple[int, ...], ...], str]:
    """By which names that are alike are in order: part by part, no number before 1."""
    parts = (_NUMBERS.search(part) for part in name.split("/"))
    return tuple(tuple(int(digits) for digits in found[1].split("_")[1:]) if found else () for found in parts), name
