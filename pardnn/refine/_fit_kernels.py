"""Kernels of Heuristic I: how much is held, and who has to leave.

Both walk back over the events of a ledger: 2 p + 1 where piece p begins, 2 p where it ends, by time, and at one moment
the ends come first.
"""

from scheduler import _heap
from scheduler._jit import In32, In64, Out32, Out64, inner_kernel, kernel

push = _heap.push
pop = _heap.pop


@kernel
def find_peaks(order: In64, device: In32, held: In64, now: Out64, peak: Out64, piece_of: Out64) -> None:
    """The largest `now` [k] on the way, and with the beginning of which piece it is reached; all start at 0 (or -1)."""
    for i in range(len(order) - 1, -1, -1):
        piece = order[i] >> 1
        d = device[piece]
        if order[i] & 1:
            if now[d] > peak[d]:
                peak[d] = now[d]
                piece_of[d] = piece
            now[d] -= held[piece]
        else:
            now[d] += held[piece]


@inner_kernel
def cheapest(
    d: int, excess: int, cost: In64, potential: In64, target: In32,
    base: In64, by_ratio: Out64, ratio_group: Out64, by_cost: Out64, cost_group: Out64, size: Out64,
) -> int:  # fmt: skip
    """Min-knapsack, greedily: the group that should leave device d next, -1 if none can.

    Of two candidates the cheaper: the smallest cost per byte freed, and the smallest cost of those that free the whole
    excess, looked for among the cheapest few. Entries of the heaps may be out of date; they are put right when met.
    """
    k = len(size) >> 1
    best = -1
    while size[d] > 0 and best < 0:
        g = int(ratio_group[base[d]])
        key = by_ratio[base[d]]
        if target[g] == -1 and potential[g] > 0 and (cost[g] << 20) // potential[g] <= key:
            best = g
            break
        pop(by_ratio, ratio_group, base[d], size[d])
        size[d] -= 1
        if target[g] == -1 and potential[g] > 0:  # it has come to hold less
            push(by_ratio, ratio_group, base[d], size[d], (cost[g] << 20) // potential[g], g)
            size[d] += 1
    looked = 0
    while best >= 0 and size[k + d] > 0 and looked < 8:
        g = int(cost_group[base[d]])
        if cost[g] >= cost[best]:
            break
        if target[g] == -1 and potential[g] >= excess:
            return g
        # Too small for now: it comes back with the next piece it holds.
        pop(by_cost, cost_group, base[d], size[k + d])
        size[k + d] -= 1
        looked += 1
    return best


@kernel
def choose_moves(
    gpus: int, order: In64, device: In32, owner: In32, held: In64,
    limit: In64, home: In32, cost: In64, now: Out64, room: Out64, potential: Out64,
    near_ptr: In64, near_group: In32, near_ns: In64, traffic: Out64,
    base: In64, by_ratio: Out64, ratio_group: Out64, by_cost: Out64, cost_group: Out64, size: Out64, target: Out32,
) -> None:  # fmt: skip
    """Walk back from the end of the step; wherever a device holds too much, groups leave it until it does not.

    A group goes to a device that has room for what it frees: the one it exchanges most with, then the one with most
    room. target [g]: -1 stays, -2 stays for want of room, -3 may not move. potential [g]: what it would free now.
    """
    k = len(now)
    for i in range(len(order) - 1, -1, -1):
        piece = order[i] >> 1
        g = owner[piece]
        d = target[g] if target[g] >= 0 else device[piece]
        if order[i] & 1 == 0:
            now[d] += held[piece]
            if target[g] < 0:
                potential[g] += held[piece]
                if target[g] == -1:
                    push(by_ratio, ratio_group, base[d], size[d], (cost[g] << 20) // potential[g], g)
                    push(by_cost, cost_group, base[d], size[k + d], cost[g], g)
                    size[d] += 1
                    size[k + d] += 1
            continue
        while d < gpus and now[d] > limit[d]:
            leaver = cheapest(
                d, now[d] - limit[d], cost, potential, target,
                base, by_ratio, ratio_group, by_cost, cost_group, size,
            )  # fmt: skip
            if leaver < 0:
                break
            for t in range(k):
                traffic[t] = 0
            for j in range(near_ptr[leaver], near_ptr[leaver + 1]):
                other = near_group[j]
                traffic[target[other] if target[other] >= 0 else home[other]] += near_ns[j]
            to, talk, space = -1, 0, 0
            for t in range(gpus):  # any that has so much room all the time before those that have it at this moment
                exchanged, left = traffic[t], room[t]
                if left < potential[leaver]:
                    exchanged, left = -1, limit[t] - now[t]
                if t == d or left < potential[leaver]:
                    continue
                if to < 0 or exchanged > talk or (exchanged == talk and left > space):
                    to, talk, space = t, exchanged, left
            if to < 0:
                target[leaver] = -2
                continue
            target[leaver] = to
            room[to] -= potential[leaver]
            now[to] += potential[leaver]
            now[d] -= potential[leaver]
        now[target[g] if target[g] >= 0 else d] -= held[piece]
        if target[g] < 0:
            potential[g] -= held[piece]
