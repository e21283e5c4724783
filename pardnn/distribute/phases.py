"""Forward, backward, update: what each op of a training step is there for, told by the gradients alone."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from pardnn.distribute.gradients import Gradients, after
from scheduler.dag import Dag

Phase = Literal["forward", "backward", "update", "other"]
PHASES: tuple[Phase, ...] = ("forward", "backward", "update", "other")


def phases(dag: Dag, gradients: Gradients) -> NDArray[np.int8]:
    """[n] the number of each op's phase in PHASES. O((n + m) g / 64).

    Forward is what every gradient needs: the layers and the loss. Backward is what only some of them need, update what
    comes after a gradient. The rest, metrics and summaries, is other. The first op of the backward pass, which all
    gradients need too, counts as forward; of several losses each one's own layers count as backward.
    """
    n, src = dag.n, dag.src.tolist()
    if not gradients.exact:
        return np.full(n, PHASES.index("other"), np.int8)
    needed, updates = [0] * n, after(dag, gradients.reader.tolist())
    for g, v in enumerate(gradients.source.tolist()):
        needed[v] |= 1 << g
    in_ptr, in_edge = dag.in_ptr.tolist(), dag.in_edge.tolist()
    for v in dag.order[::-1].tolist():
        if needed[v]:
            for e in in_edge[in_ptr[v] : in_ptr[v + 1]]:
                needed[src[e]] |= needed[v]
    every, many = (1 << len(gradients.source)) - 1, len(gradients.source) > 1
    found = np.full(n, PHASES.index("other"), np.int8)
    for v, bits in enumerate(needed):
        if bits:
            found[v] = PHASES.index("forward" if bits == every and many else "backward")
        elif updates[v]:
            found[v] = PHASES.index("update")
    return found
