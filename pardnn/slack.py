"""How much later each op could end without a longer step."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from pardnn.plan import Plan


def slack_ns(plan: Plan) -> NDArray[np.int64]:
    """[n] how much later each op could end without a longer step, all else in its present order. O(n log n + m).

    Transfers take as long as they took, waits for links included. On cores, whose threads take turns, an op waits for
    none that it does not read, so that this is the most it can be.
    """
    dag, schedule = plan.subject.problem.workload.dag, plan.schedule
    start, finish = schedule.start_ns, schedule.finish_ns
    position = np.empty(dag.n, np.int64)
    position[dag.order] = np.arange(dag.n)
    in_time = np.lexsort((position, finish, start))
    delay = np.where(
        schedule.edge_transfer >= 0, schedule.transfer_finish_ns[schedule.edge_transfer] - finish[dag.src], 0
    ).tolist() if len(schedule.transfer_src) else [0] * dag.m  # fmt: skip
    out = [dag.out_edge[a:b].tolist() for a, b in zip(dag.out_ptr[:-1].tolist(), dag.out_ptr[1:].tolist(), strict=True)]
    dst, place = dag.dst.tolist(), plan.device.tolist()
    times = (finish - start).tolist()
    one_by_one = plan.subject.problem.sharing is None
    latest = [0] * dag.n  # start
    next_start = [schedule.makespan_ns] * plan.subject.problem.machine.k
    for v in in_time[::-1].tolist():
        end = min([next_start[place[v]], *(latest[dst[e]] - delay[e] for e in out[v])])
        latest[v] = end - times[v]
        if one_by_one:
            next_start[place[v]] = latest[v]
    return np.array(latest, np.int64) - start
