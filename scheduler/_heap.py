"""Kernels of a binary heap of (key, tie) pairs, smallest first, in a slice of two arrays that starts at `base`."""

from scheduler._jit import Out64, inner_kernel


@inner_kernel
def push(keys: Out64, ties: Out64, base: int, size: int, key: int, tie: int) -> None:
    """Add a pair to the heap of `size` pairs; the caller counts."""
    at = size
    while at > 0:
        up = (at - 1) >> 1
        if keys[base + up] < key or (keys[base + up] == key and ties[base + up] < tie):
            break
        keys[base + at] = keys[base + up]
        ties[base + at] = ties[base + up]
        at = up
    keys[base + at] = key
    ties[base + at] = tie


@inner_kernel
def pop(keys: Out64, ties: Out64, base: int, size: int) -> None:
    """Remove the first of `size` pairs, which the caller has read at `base`."""
    last = size - 1
    key, tie = keys[base + last], ties[base + last]
    at = 0
    while True:
        child = 2 * at + 1
        if child >= last:
            break
        other = child + 1
        if other < last and (
            keys[base + other] < keys[base + child]
            or (keys[base + other] == keys[base + child] and ties[base + other] < ties[base + child])
        ):
            child = other
        if key < keys[base + child] or (key == keys[base + child] and tie <= ties[base + child]):
            break
        keys[base + at] = keys[base + child]
        ties[base + at] = ties[base + child]
        at = child
    keys[base + at] = key
    ties[base + at] = tie
