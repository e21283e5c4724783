"""m-SCT: a linear program finds each node's favourite child, which follows it; the rest as in m-ETF."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pardnn.partitioners import _list
from pardnn.partitioners._best import fastest
from pardnn.partitioners._memory import permanent
from pardnn.partitioners._order import regroup
from pardnn.problem import Placement, Problem
from pardnn.registry import partitioner


@partitioner(
    "m-sct", summary="favourite children by a linear program, kept with their parents; else as m-etf", start=False
)
@dataclass(frozen=True)
class MemorySct:
    """Chains of favourite children placed whole, each where it can start first and there is room for it.

    The linear program, solved by GLOP, is the shortest schedule on unlimited devices with one x in [0, 1] an edge, the
    share of its transfer that is paid; a node has at most one unpaid edge to a child and one to a parent. Edges with
    x below `unpaid` are the favourites. A chain ends where it would take more than a share of a device's memory; where
    memory is limited several `shares` are tried and the fastest placement counts.

    Source: [1] Jeon et al., "Baechi: fast device placement of machine learning graphs", SoCC 2020, doi
    10.1145/3419111.3421302, after [2] Hanen, Munier, "An approximation algorithm for scheduling dependent tasks on m
    processors with small communication delays", ETFA 1995. Differs from [1]: a favourite child always comes to its
    parent's device, which does not stay idle for it; on graphs of more than `edges` edges each node's dearest edge
    stands for the program's choice; colocation groups join no chain.
    """

    unpaid: float = 0.1
    shares: tuple[float, ...] = (1 / 4, 1 / 16, 1 / 64)
    edges: int = 20_000

    def __call__(self, problem: Problem, rng: np.random.Generator) -> Placement:
        """Favourites, chains, list scheduling."""
        paid = self._paid(problem)
        follows = _follows(problem, np.flatnonzero(paid < self.unpaid), paid)
        shares = self.shares if problem.limited else self.shares[:1]
        return fastest(problem, (_placed(problem, _chains(problem, follows, share)) for share in shares))

    def _paid(self, problem: Problem) -> NDArray[np.float64]:
        """[m] the share of each edge's transfer that is paid."""
        dag = problem.workload.dag
        if dag.m <= self.edges:
            return _relaxed(problem)
        dearest = np.lexsort((np.arange(dag.m), -problem.comm_ns, dag.src))
        paid = np.ones(dag.m)
        paid[dearest[np.unique(dag.src[dearest], return_index=True)[1]]] = 0
        return paid


def _follows(problem: Problem, favourite: NDArray[np.int64], paid: NDArray[np.float64]) -> NDArray[np.int64]:
    """[n] the node whose favourite child each one is, or -1; the least paid edges first, then the first edges."""
    dag, alone = problem.workload.dag, np.diff(problem.group_ptr)[problem.group] == 1
    favourite = favourite[alone[dag.src[favourite]] & alone[dag.dst[favourite]]]
    child, parent = np.full((2, dag.n), -1)
    for e in favourite[np.argsort(paid[favourite], kind="stable")].tolist():
        u, v = dag.src[e], dag.dst[e]
        if child[u] < 0 and parent[v] < 0:
            child[u], parent[v] = v, u
    return parent


def _chains(problem: Problem, parent: NDArray[np.int64], share: float) -> NDArray[np.int32]:
    """[n] the chain of each node, none larger than that share of the smallest memory unless it is a single node."""
    need, order = permanent(problem), problem.workload.dag.order
    most = int(problem.machine.memory_bytes[: problem.gpus].min() * share)
    chain, taken = problem.group_node[problem.group_ptr[:-1]][problem.group], need.copy()
    for v in order.tolist():
        first = chain[parent[v]]
        if parent[v] >= 0 and taken[first] + need[v] <= most:
            chain[v] = first
            taken[first] += need[v]
    return chain


def _placed(problem: Problem, chain: NDArray[np.int32]) -> Placement:
    """m-ETF of whole chains."""
    chained = regroup(problem, chain)
    return _list.earliest_start(chained, _list.pins(chained), permanent(chained))


def _relaxed(problem: Problem) -> NDArray[np.float64]:
    """[m] the linear program's x."""
    from pardnn.solvers.linear import pywraplp

    dag, unit = problem.workload.dag, max(1, int(problem.node_ns.max(initial=1)))
    solver = pywraplp.Solver.CreateSolver("GLOP")
    time, send = (problem.node_ns / unit).tolist(), (problem.comm_ns / unit).tolist()
    start = [solver.NumVar(0, solver.infinity(), "") for _ in range(dag.n)]
    end = solver.NumVar(0, solver.infinity(), "")
    x = [solver.NumVar(0, 1, "") for _ in range(dag.m)]
    for e, (u, v) in enumerate(zip(dag.src.tolist(), dag.dst.tolist(), strict=True)):
        solver.Add(start[v] >= start[u] + time[u] + send[e] * x[e])
    for v in range(dag.n):
        solver.Add(end >= start[v] + time[v])
        for ptr, edge in ((dag.out_ptr, dag.out_edge), (dag.in_ptr, dag.in_edge)):
            around = edge[ptr[v] : ptr[v + 1]].tolist()
            if len(around) > 1:
                solver.Add(solver.Sum([x[e] for e in around]) >= len(around) - 1)
    solver.Minimize(end)
    if solver.Solve() != pywraplp.Solver.OPTIMAL:
        return np.ones(dag.m)
    return np.array([each.solution_value() for each in x])
