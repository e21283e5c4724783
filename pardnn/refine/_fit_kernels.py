"""Kernels of Heuristic I: how much is held, and who has to leave.

Both walk back over the events of a ledger: 2 p + 1 where piece p begins, 2 p where it ends, by time, and at one moment
the ends come first.
"""

from scheduler import _heap
from scheduler._jit import In32, In64, Out32, Out64, kernel

push = _heap.push
pop = _heap.pop


@kernel
def find_peaks(order: In64, device: In32, held: In64, now: Out64, peak: Out64, piece_of: Out64) -> None:
    """peak [k] and the piece with whose beginning it is reached; `now` and `peak` [k] = what is held at the end."""
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


@kernel
def relieve(
    d: int, gpus: int, limit: int, cost: In64, potential: In64, movable: In32, now: Out64, room: Out64,
    home: In32, near_ptr: In64, near_group: In32, near_ns: In64, traffic: Out64,
    base: In64, by_ratio: Out64, ratio_group: Out64, by_cost: Out64, cost_group: Out64, size: Out64, target: Out32,
) -> int:  # fmt: skip
    """Min-knapsack: let groups leave device d until it is within its limit, cheapest first; returns how many left.

    Two candidates each time: the smallest cost per byte, and the smallest cost of those that suffice alone (looked for
    among the cheapest few); the cheaper goes to a device with room for it, the one it exchanges
    most with, then the one with most room. target[g]: -1 stays, -2 has nowhere to go.
    """
    left = 0
    k = len(now)
    while now[d] > limit:
        best = -1
        while size[d] > 0:
            key = by_ratio[base[d]]
            g = ratio_group[base[d]]
            if target[g] != -1 or movable[g] == 0 or potential[g] <= 0:
                pop(by_ratio, ratio_group, base[d], size[d])
                size[d] -= 1
                continue
            current = (cost[g] << 20) // potential[g]
            if current <= key:
                best = g
                break
            pop(by_ratio, ratio_group, base[d], size[d])
            push(by_ratio, ratio_group, base[d], size[d] - 1, current, g)
        if best < 0:
            break
        looked = 0
        while size[k + d] > 0 and looked < 8 and cost_group[base[d]] != best:
            g = cost_group[base[d]]
            if by_cost[base[d]] >= cost[best]:
                break
            if target[g] == -1 and movable[g] != 0 and potential[g] >= now[d] - limit:
                best = g
                break
            # Too small for now: it comes back with the next piece it holds.
            pop(by_cost, cost_group, base[d], size[k + d])
            size[k + d] -= 1
            looked += 1
        for t in range(k):
            traffic[t] = 0
        for i in range(near_ptr[best], near_ptr[best + 1]):
            other = near_group[i]
            traffic[target[other] if target[other] >= 0 else home[other]] += near_ns[i]
        to = -1
        for t in range(gpus):
            if (
                t != d
                and room[t] >= potential[best]
                and (to < 0 or traffic[t] > traffic[to] or (traffic[t] == traffic[to] and room[t] > room[to]))
            ):
                to = t
        if to < 0:
            target[best] = -2
            continue
        target[best] = to
        room[to] -= potential[best]
        now[d] -= potential[best]
        left += 1
    return left


@kernel
def choose_moves(
    gpus: int, order: In64, device: In32, owner: In32, held: In64,
    limit: In64, home: In32, resident: In64, cost: In64, movable: In32, now: Out64, room: Out64, potential: Out64,
    near_ptr: In64, near_group: In32, near_ns: In64, traffic: Out64,
    base: In64, by_ratio: Out64, ratio_group: Out64, by_cost: Out64, cost_group: Out64, size: Out64, target: Out32,
) -> int:  # fmt: skip
    """Walk back from the end of the step and relieve each device whenever it holds too much; how many groups leave.

    potential[g]: what g frees at the moment by leaving; resident bytes always, its pieces while they last.
    """
    left = 0
    k = len(now)
    for g in range(len(resident)):
        d = home[g]
        if resident[g] > 0 and movable[g] != 0:
            potential[g] = resident[g]
            push(by_ratio, ratio_group, base[d], size[d], (cost[g] << 20) // potential[g], g)
            push(by_cost, cost_group, base[d], size[k + d], cost[g], g)
            size[d] += 1
            size[k + d] += 1
    for i in range(len(order) - 1, -1, -1):
        piece = order[i] >> 1
        d = device[piece]
        g = owner[piece]
        if order[i] & 1:
            if d < gpus and now[d] > limit[d]:
                left += relieve(
                    d, gpus, limit[d], cost, potential, movable, now, room,
                    home, near_ptr, near_group, near_ns, traffic, base, by_ratio, ratio_group, by_cost, cost_group, size, target,
                )  # fmt: skip
            if target[g] < 0:
                now[d] -= held[piece]
                potential[g] -= held[piece]
        elif target[g] < 0:
            now[d] += held[piece]
            potential[g] += held[piece]
            if movable[g] != 0 and target[g] == -1:
                push(by_ratio, ratio_group, base[d], size[d], (cost[g] << 20) // potential[g], g)
                push(by_cost, cost_group, base[d], size[k + d], cost[g], g)
                size[d] += 1
                size[k + d] += 1
    for d in range(gpus):
        left += relieve(
            d, gpus, limit[d], cost, potential, movable, now, room,
            home, near_ptr, near_group, near_ns, traffic, base, by_ratio, ratio_group, by_cost, cost_group, size, target,
        )  # fmt: skip
    return left
