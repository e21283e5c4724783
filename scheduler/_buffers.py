"""Kernel of memory held by buffers: who uses each one, and how many bytes each device holds after every event."""

from scheduler._jit import In32, In64, Out32, Out64, inner_kernel, kernel

NODE_ENDS, COPY_ENDS, COPY_BEGINS, NODE_STARTS = 0, 1, 2, 3
IN_PLACE, VIEW = 1, 2
NEAR = 64  # bytes: tensors of one node that are equally large are told apart by a few


@inner_kernel
def drop(b: int, base: Out32, users: Out64, size: Out64, where: In32, held: Out64) -> None:
    """One user less of a tensor; one without any is freed, and then the tensor whose buffer it is in has one less."""
    while b >= 0:
        users[b] -= 1
        if users[b] > 0:
            return
        held[where[b]] -= size[b]
        size[b] = 0
        b = base[b]


@kernel
def walk(
    tensors: int, event: In64, what: In32, in_ptr: In64, in_edge: In32, reuse: In32, via: In32,
    tensor_ptr: In64, transfer_tensor: In32, where: In32, temp: In64, content: In64,
    base: Out32, users: Out64, size: Out64, held: Out64, after: Out64,
) -> None:  # fmt: skip
    """Follow the events in order; after [events] is what the event's device then holds.

    Node v's tensors are tensor_ptr[v] to tensor_ptr[v + 1], behind all of them are the received copies; `via` [m] is
    the one that an edge reads, content its bytes, size those of a buffer of its own, users its readers and whatever
    else holds it. base starts at -1: the tensor whose buffer it is in.
    """
    for i in range(len(event)):
        x = what[i]
        if event[i] == NODE_ENDS:
            held[where[tensor_ptr[x]]] -= temp[x]
            for j in range(in_ptr[x], in_ptr[x + 1]):
                drop(via[in_edge[j]], base, users, size, where, held)
            for b in range(tensor_ptr[x], tensor_ptr[x + 1]):  # the node was a user of its own
                drop(b, base, users, size, where, held)
            after[i] = held[where[tensor_ptr[x]]]
        elif event[i] == COPY_ENDS:
            drop(transfer_tensor[x], base, users, size, where, held)
            after[i] = held[where[transfer_tensor[x]]]
        elif event[i] == COPY_BEGINS:
            held[where[tensors + x]] += size[tensors + x]
            after[i] = held[where[tensors + x]]
        else:
            begin, end = tensor_ptr[x], tensor_ptr[x + 1]
            device = where[begin]
            largest = begin
            for b in range(begin, end):
                if size[b] > size[largest]:
                    largest = b
            for j in range(in_ptr[x], in_ptr[x + 1]):
                e = in_edge[j]
                parent = via[e]
                if parent < 0 or content[parent] == 0:
                    continue
                if reuse[e] == VIEW:  # of the whole, or each tensor of the one that is as large
                    for b in range(begin, end):
                        near = abs(content[b] - content[parent]) <= NEAR or content[b] < content[parent] // 2
                        if base[b] < 0 and near:
                            base[b] = parent
                            users[parent] += 1
                            size[b] = 0
                            if content[b] > content[parent] // 2:
                                break
                elif reuse[e] == IN_PLACE and size[largest] > 0 and abs(content[parent] - size[largest]) <= NEAR:
                    b = parent
                    while b >= 0 and users[b] == 1:
                        b = base[b]
                    if b < 0:  # nobody else uses it, nor what it is in
                        base[largest] = parent
                        users[parent] += 1
                        size[largest] = 0
            for b in range(begin, end):
                held[device] += size[b]
            held[device] += temp[x]
            after[i] = held[device]
