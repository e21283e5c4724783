"""Kernels of ParDNN: paths, spans, Fenwick trees, the two phases of mapping.

Slots: 0 .. gpus - 1 the devices, gpus the pool of nodes not mapped yet, gpus + 1 the host.
"""

from scheduler._jit import In32, In64, Out32, Out64, OutFlags, kernel


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


@kernel
def find_spans(
    first: int, end_of_step: int, ptr: In64, node: In32, of: In32,
    in_ptr: In64, in_edge: In32, src: In32, out_ptr: In64, out_edge: In32, dst: In32,
    top: In64, weight: In64, node_ns: In64, begin: Out64, end: Out64, criticality: Out64,
) -> None:  # fmt: skip
    """Spans and criticalities of the clusters from `first` on."""
    for c in range(first, len(ptr) - 1):
        before = 0
        for i in range(ptr[c], ptr[c + 1]):
            v = node[i]
            criticality[c] = max(criticality[c], weight[v])
            for j in range(in_ptr[v], in_ptr[v + 1]):
                parent = src[in_edge[j]]
                if of[parent] != c:
                    begin[c] = max(begin[c], top[parent] + node_ns[parent] - before)
            before += node_ns[v]
        end[c] = end_of_step
        last = node[ptr[c + 1] - 1]
        for j in range(out_ptr[last], out_ptr[last + 1]):
            end[c] = min(end[c], top[dst[out_edge[j]]])
        end[c] = max(begin[c], end[c])


@kernel
def tree_add(tree: Out64, slots: int, ranks: int, rank: int, slot: int, amount: int) -> None:
    """Add to one of the interleaved Fenwick trees, at a rank. O(log ranks)."""
    i = rank + 1
    while i <= ranks:
        tree[i * slots + slot] += amount
        i += i & -i


@kernel
def tree_sums(tree: In64, slots: int, begin: int, end: int, sums: Out64) -> None:
    """[slots] what each tree holds at the ranks [begin, end). O(slots log ranks)."""
    for s in range(slots):
        sums[s] = 0
    while end > 0:
        for s in range(slots):
            sums[s] += tree[end * slots + s]
        end -= end & -end
    while begin > 0:
        for s in range(slots):
            sums[s] -= tree[begin * slots + s]
        begin -= begin & -begin


@kernel
def measure_traffic(
    c: int, ptr: In64, node: In32, of: In32,
    in_ptr: In64, in_edge: In32, src: In32, out_ptr: In64, out_edge: In32, dst: In32,
    comm_ns: In64, slot: In32, traffic: Out64,
) -> None:  # fmt: skip
    """[slots + 1] the transfers between cluster c and the other clusters, by the slot these are in."""
    for s in range(len(traffic)):
        traffic[s] = 0
    for i in range(ptr[c], ptr[c + 1]):
        v = node[i]
        for j in range(in_ptr[v], in_ptr[v + 1]):
            e = in_edge[j]
            if of[src[e]] != c:
                traffic[slot[src[e]]] += comm_ns[e]
        for j in range(out_ptr[v], out_ptr[v + 1]):
            e = out_edge[j]
            if of[dst[e]] != c:
                traffic[slot[dst[e]]] += comm_ns[e]


@kernel
def assign(
    c: int, device: int, pool: int, ptr: In64, node: In32, node_ns: In64, rank: In32, ranks: int,
    tree: Out64, slot: Out32,
) -> None:  # fmt: skip
    """Cluster c leaves the pool for a device."""
    for i in range(ptr[c], ptr[c + 1]):
        v = node[i]
        slot[v] = device
        tree_add(tree, pool + 1, ranks, rank[v], device, node_ns[v])
        tree_add(tree, pool + 1, ranks, rank[v], pool, -node_ns[v])


@kernel
def look_ahead(
    gpus: int, passes: int, maximal: int, order: In64, ptr: In64, node: In32, of: In32,
    in_ptr: In64, in_edge: In32, src: In32, out_ptr: In64, out_edge: In32, dst: In32,
    node_ns: In64, comm_ns: In64, rank: In32, begin: In64, end: In64,
    ranks: int, tree: Out64, load: Out64, traffic: Out64, slot: Out32, rule: Out32,
) -> None:  # fmt: skip
    """The locality-first look-ahead over the secondaries in `order`; see mapping.look_ahead."""
    for _ in range(passes):
        mapped = 0
        for at in range(len(order)):
            c = order[at]
            if rule[c] != 0:
                continue
            measure_traffic(c, ptr, node, of, in_ptr, in_edge, src, out_ptr, out_edge, dst, comm_ns, slot, traffic)
            best = 0
            total = traffic[gpus]
            for d in range(gpus):
                total += traffic[d]
                if traffic[d] > traffic[best]:
                    best = d
            most = traffic[best]
            if most == 0 or (most < total and (maximal == 0 or most * gpus <= total)):
                continue
            tree_sums(tree, gpus + 1, begin[c], end[c], load)
            work = 0
            pool = load[gpus]
            for i in range(ptr[c], ptr[c + 1]):
                work += node_ns[node[i]]
                if begin[c] <= rank[node[i]] < end[c]:
                    pool -= node_ns[node[i]]
            other = 0
            for d in range(gpus):
                if d != best:
                    other = max(other, load[d])
            surplus = load[best] + work - other
            if surplus > 0 and pool >= surplus:
                rule[c] = 1
            elif surplus <= 0 or surplus < abs(load[best] - other):
                rule[c] = 2
            elif most > work and most > load[best] and most > pool:
                rule[c] = 3
            else:
                continue
            assign(c, best, gpus, ptr, node, node_ns, rank, ranks, tree, slot)
            mapped += 1
        if mapped == 0:
            break


@kernel
def map_by_level(
    gpus: int, relief: int, order: In64, ptr: In64, node: In32, of: In32,
    in_ptr: In64, in_edge: In32, src: In32, out_ptr: In64, out_edge: In32, dst: In32,
    node_ns: In64, comm_ns: In64, rank: In32, begin: In64, end: In64,
    ranks: int, tree: Out64, load: Out64, traffic: Out64, slot: Out32, cost: Out64,
) -> None:  # fmt: skip
    """Level-aware load balancing over the secondaries in `order`; see mapping.map_by_level."""
    for at in range(len(order)):
        c = order[at]
        measure_traffic(c, ptr, node, of, in_ptr, in_edge, src, out_ptr, out_edge, dst, comm_ns, slot, traffic)
        tree_sums(tree, gpus + 1, begin[c], end[c], load)
        if relief > 0:
            work = 0
            for i in range(ptr[c], ptr[c + 1]):
                work += node_ns[node[i]]
            for d in range(gpus):
                load[d] = min(load[d], relief * work)
        total = 0
        for d in range(gpus):
            total += traffic[d]
        best = 0
        for d in range(gpus):
            cost[c * gpus + d] = load[d] + total - traffic[d]
            if cost[c * gpus + d] < cost[c * gpus + best] or (
                cost[c * gpus + d] == cost[c * gpus + best] and traffic[d] > traffic[best]
            ):
                best = d
        assign(c, best, gpus, ptr, node, node_ns, rank, ranks, tree, slot)
