"""A plan as TensorBoard shows it: what a step runs, each op on its device."""

from __future__ import annotations

from pardnn.placers.events import BoardNode, events_file
from pardnn.plan import Plan


def board(plan: Plan) -> bytes:
    """An events file of the ops that are placed, for the graph tab ("color by: device"). O(n + m).

    Functions that a step calls are taken apart, as they are for the plan; pruned ops are left out.
    """
    subject, dag = plan.subject, plan.subject.problem.workload.dag
    names, devices, graph = subject.names, plan.devices, plan.subject.graph
    ports = (
        graph.edge_port.tolist() if graph else [-(not size) for size in subject.problem.workload.edge_bytes.tolist()]
    )
    ports += [-1] * (dag.m - len(ports))  # the edges that make an op wait are the last
    source = [names[v] for v in dag.src.tolist()]
    starts, edges = dag.in_ptr.tolist(), dag.in_edge.tolist()
    took = (plan.schedule.finish_ns - plan.schedule.start_ns).tolist()
    return events_file([
        BoardNode(
            name, subject.ops[v] or "op", [_input(source[e], ports[e]) for e in edges[starts[v] : starts[v + 1]]],
            devices[place], graph.output_shapes[v] if graph else (), {"simulated_ns": took[v]},
        )
        for v, (name, place) in enumerate(zip(names, plan.device.tolist(), strict=True))
    ])  # fmt: skip


def _input(source: str, port: int) -> str:
    """An input as a NodeDef writes it.

    >>> _input("x", 0), _input("x", 2), _input("x", -1)
    ('x', 'x:2', '^x')
    """
    return f"^{source}" if port < 0 else source if port == 0 else f"{source}:{port}"
