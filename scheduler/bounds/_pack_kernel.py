"""Kernels on clusters: who shares one, and how long one device takes for each."""

from scheduler import _heap
from scheduler._jit import In32, In64, Out32, Out64, kernel

push = _heap.push
pop = _heap.pop


@kernel
def preemptive(
    ptr: In64, member: In32, head: In64, tail: In64, left: Out64, most: int, key: Out64, who: Out64
) -> int:  # fmt: skip
    """The largest end + tail over all clusters, each on a device of its own; stops once that exceeds `most`.

    member[ptr[c]:ptr[c + 1]] are a cluster's nodes by rising head; `left` [n] starts as their times and is used up.
    """
    worst = 0
    for c in range(len(ptr) - 1):
        now, size, i = 0, 0, ptr[c]
        while i < ptr[c + 1] or size > 0:
            if size == 0:
                now = max(now, head[member[i]])
            while i < ptr[c + 1] and head[member[i]] <= now:
                push(key, who, 0, size, -tail[member[i]], member[i])
                size += 1
                i += 1
            v = who[0]
            run = left[v]
            if i < ptr[c + 1]:
                run = min(run, head[member[i]] - now)
            now += run
            left[v] -= run
            if left[v] == 0:
                pop(key, who, 0, size)
                size -= 1
                worst = max(worst, now + tail[v])
        if worst > most:
            break
    return worst


@kernel
def join(a: In32, b: In32, root: Out32) -> None:
    """Union-find: afterwards root[i] is the smallest member of i's set, all a[e] and b[e] sharing one."""
    for e in range(len(a)):
        i = a[e]
        j = b[e]
        while root[i] != i:
            root[i] = root[root[i]]
            i = root[i]
        while root[j] != j:
            root[j] = root[root[j]]
            j = root[j]
        if i < j:
            root[j] = i
        else:
            root[i] = j
    for i in range(len(root)):  # a set's smallest member comes first, so its root is final
        root[i] = root[root[i]]
