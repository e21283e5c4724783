"""Kernels of ParDNN: paths, Fenwick trees, the two phases of mapping.

Slots: 0 .. gpus - 1 the devices, gpus the pool of nodes not mapped yet, gpus + 1 the host.
"""

from scheduler._jit import In32, In64, Out32, Out64, OutFlags, inner_kernel, kernel


@kernel
def follow_paths(
    heads: In32, may_end_early: int, out_ptr: In64, out_edge: In32, dst: In32, weight: In64, top: In64,
    free: OutFlags, node: Out32, ptr: Out64, count: int,
) -> int:  # fmt: skip
    """Append the path from each head still free, always on to the heaviest successor; returns how many paths there are.

    That is the heaviest free one, or, with may_end_early, the heaviest of all, and the path ends where it is not free.
    """
    at = ptr[count]
    for i in range(len(heads)):
        v = int(heads[i])
        if not free[v]:
            continue
        while v >= 0:
            free[v] = False
            node[at] = v
            at += 1
            best = -1
            for j in range(out_ptr[v], out_ptr[v + 1]):
                child = int(dst[out_edge[j]])
                if not free[child] and may_end_early == 0:
                    continue
                if best >= 0 and weight[child] <= weight[best]:
                    if weight[child] < weight[best] or top[child] > top[best]:
                        continue
                    if top[child] == top[best] and child >= best:
                        continue
                best = child
            v = best if best >= 0 and free[best] else -1
        count += 1
        ptr[count] = at
    return count


@inner_kernel
def tree_add(tree: Out64, slots: int, ranks: int, rank: int, slot: int, amount: int) -> None:
    """Add to one of the interleaved Fenwick trees, at a rank. O(log ranks)."""
    i = rank + 1
    while i <= ranks:
        tree[i * slots + slot] += amount
        i += i & -i


@kernel
def tree_sums(tree: In64, slots: int, begin: int, end: int, sums: Out64) -> None:
    """Add to sums [slots] what each tree holds at the ranks [begin, end). O(slots log ranks)."""
    while end > 0:
        for s in range(slots):
            sums[s] += tree[end * slots + s]
        end -= end & -end
    while begin > 0:
        for s in range(slots):
            sums[s] -= tree[begin * slots + s]
        begin -= begin & -begin


@inner_kernel
def survey(
    c: int, slots: int, ptr: In64, node: In32, of: In32,
    in_ptr: In64, in_edge: In32, src: In32, out_ptr: In64, out_edge: In32, dst: In32,
    node_ns: In64, comm_ns: In64, rank: In32, begin: int, end: int, slot: In32, traffic: Out64, load: Out64,
) -> int:  # fmt: skip
    """Cluster c's work; traffic [slots + 1]: its transfers, by the slot of the other end; load [slots]: 0, in the pool
    less what c itself has in its span.
    """
    work = 0
    for s in range(slots):
        load[s] = 0
        traffic[s] = 0
    traffic[slots] = 0
    for i in range(ptr[c], ptr[c + 1]):
        v = node[i]
        work += node_ns[v]
        if begin <= rank[v] and rank[v] < end:
            load[slots - 1] -= node_ns[v]
        for j in range(in_ptr[v], in_ptr[v + 1]):
            e = in_edge[j]
            if of[src[e]] != c:
                traffic[slot[src[e]]] += comm_ns[e]
        for j in range(out_ptr[v], out_ptr[v + 1]):
            e = out_edge[j]
            if of[dst[e]] != c:
                traffic[slot[dst[e]]] += comm_ns[e]
    return work


@inner_kernel
def rule_to_stay(gpus: int, device: int, work: int, most: int, load: In64) -> int:
    """Number of the look-ahead rule by which a secondary is mapped to the device it talks to most, 0 if by none."""
    other = 0
    for d in range(gpus):
        if d != device and load[d] > other:
            other = load[d]
    pool = load[gpus]
    imbalance = load[device] - other
    if imbalance + work > 0 and pool >= imbalance + work:
        return 1
    if imbalance + work <= 0 or imbalance + work < -imbalance:
        return 2
    if most > work and most > load[device] and most > pool:
        return 3
    return 0


@kernel
def map_secondaries(
    gpus: int, passes: int, maximal: int, relief: int, order: In64, ptr: In64, node: In32, of: In32,
    in_ptr: In64, in_edge: In32, src: In32, out_ptr: In64, out_edge: In32, dst: In32,
    node_ns: In64, comm_ns: In64, rank: In32, begin: In64, end: In64,
    ranks: int, tree: Out64, load: Out64, traffic: Out64, slot: Out32, rule: Out32, cost: Out64,
) -> None:  # fmt: skip
    """Map the clusters in `order`: with passes > 0 by the look-ahead, with passes = 0 all by load in their span.

    Fills rule [c] or cost [c * gpus], and the slots of the nodes; tree [(ranks + 1) * (gpus + 1)] is kept up to date.
    """
    slots = gpus + 1
    for _ in range(passes if passes > 0 else 1):
        mapped = 0
        for at in range(len(order)):
            c = order[at]
            if rule[c] != 0:
                continue
            work = survey(
                c, slots, ptr, node, of, in_ptr, in_edge, src, out_ptr, out_edge, dst,
                node_ns, comm_ns, rank, begin[c], end[c], slot, traffic, load,
            )  # fmt: skip
            best = 0
            total = 0
            for d in range(gpus):
                total += traffic[d]
                if traffic[d] > traffic[best]:
                    best = d
            if passes > 0:
                most = traffic[best]
                total += traffic[gpus]  # what is in the pool may go anywhere
                if most == 0 or (most < total and (maximal == 0 or most * gpus <= total)):
                    continue
                tree_sums(tree, slots, begin[c], end[c], load)
                rule[c] = rule_to_stay(gpus, best, work, most, load)
                if rule[c] == 0:
                    continue
            else:
                tree_sums(tree, slots, begin[c], end[c], load)
                best = 0
                for d in range(gpus):
                    if relief > 0 and load[d] > relief * work:
                        load[d] = relief * work
                    load[d] += total - traffic[d]
                    cost[c * gpus + d] = load[d]
                    if load[d] < load[best] or (load[d] == load[best] and traffic[d] > traffic[best]):
                        best = d
            mapped += 1
            for i in range(ptr[c], ptr[c + 1]):
                v = node[i]
                slot[v] = best
                tree_add(tree, slots, ranks, rank[v], best, node_ns[v])
                tree_add(tree, slots, ranks, rank[v], gpus, -node_ns[v])
        if mapped == 0:
            break
