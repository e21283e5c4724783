"""From a file's nodes to the graph that is partitioned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from pardnn.errors import InputError
from pardnn.graph.bodies import Bodies, Graph
from pardnn.graph.callgraph import CallGraph
from pardnn.graph.colocate import colocate, tie_loops, tie_units
from pardnn.graph.cycles import components_with_cycles
from pardnn.graph.hosts import find_hosts, host_note, unknown_note
from pardnn.graph.inline import MAIN, inline
from pardnn.graph.library import Library
from pardnn.graph.loops import acyclic, find_frames, forward_edges
from pardnn.graph.opgraph import OpGraph
from pardnn.graph.optypes import all_dtypes
from pardnn.graph.prune import prune
from pardnn.graph.raw import RawGraph
from pardnn.graph.shapes import find_shapes
from pardnn.graph.tf_shapes import infer
from pardnn.graph.trips import count_trips
from pardnn.graph.wiring import Wiring, wire
from scheduler.dag import Dag

Kind = TypeVar("Kind", bound=np.generic)
_IDLE_BATCH = "the batch size changes nothing: what is fed to this graph has a leading dimension of its own"


def build(
    raw: RawGraph, targets: Sequence[str] = (), batch_size: int | None = None, tensorflow: bool = False
) -> OpGraph:
    """The training step of a graph as a dag of ops, O(nodes + edges) but for the sorting of groups.

    `targets`: the ops a step runs, by name; else found, see `prune`. `batch_size`: put in place of unknown leading
    dimensions of what is fed. `tensorflow`: let TensorFlow infer the shapes the file lacks, if it is installed.
    Raises InputError for a graph that cannot run, DoesNotFit for a colocation group that no device can hold.
    """
    if not raw.nodes:
        raise InputError(f"{raw.source.path}: the graph has no nodes; save a GraphDef of the training step")
    as_read = wire(raw.nodes)
    calls = CallGraph(raw.nodes, Library(raw.functions))
    inlined = inline(raw.nodes, calls, {*targets, *raw.train_ops})
    wiring = as_read if len(inlined.nodes) == as_read.n else wire(inlined.nodes)
    forward = forward_edges(wiring)
    dag = acyclic(wiring, forward)
    frames = find_frames(wiring, dag)
    dtypes = all_dtypes(wiring)

    sets, missing = colocate(wiring, dtypes)
    for v in np.flatnonzero(inlined.strict).tolist():
        sets.join(v, int(inlined.unit[v]))
    tied = sets.numbers(range(wiring.n))
    hosts = find_hosts(wiring.nodes, tied, inlined.caller != MAIN)
    tie_loops(sets, frames, hosts.host)
    tie_units(sets, wiring, dtypes, inlined.unit, hosts.host)

    pruned = prune(wiring, targets, raw.train_ops, inlined.caller)
    order = dag.order[pruned.keep[dag.order]]
    inferred, fallback = find_shapes(wiring, order, dtypes, batch_size, library=calls.library), None
    if tensorflow and not inferred.complete:
        known, fallback = infer(wiring, dtypes, batch_size)
        inferred = find_shapes(wiring, order, dtypes, batch_size, known, calls.library)
    trips, guessed = count_trips(wiring, frames, inferred, pruned.keep)
    inside = Bodies(calls)
    bodies, turns = inside.of(Graph(wiring, order, dtypes, inferred))

    kept = np.flatnonzero(pruned.keep)
    nodes = tuple(wiring.nodes[v] for v in kept)
    step, port = _restricted(wiring, dag, forward, pruned.keep)
    notes = (
        pruned.note,
        missing,
        host_note(wiring.nodes, tied, hosts, pruned.keep),
        unknown_note(nodes, {function.name for function in raw.functions}),
        guessed,
        inside.note(),
        calls.note(),
        fallback,
        None if batch_size is None or inferred.batched else _IDLE_BATCH,
    )
    return OpGraph(
        dag=step,
        nodes=nodes,
        edge_port=port,
        output_shapes=tuple(inferred.shapes[v] for v in kept),
        output_dtypes=tuple(dtypes[v] for v in kept),
        group=_frozen(sets.numbers(kept.tolist())),
        host=_frozen(hosts.host[kept]),
        trips=_frozen((trips * turns)[kept]),
        nodes_read=as_read.n,
        edges_read=len(np.unique(as_read.src.astype(np.int64) * as_read.n + as_read.dst)),
        loops=0 if forward.all() else components_with_cycles(Dag.from_edges(wiring.n, wiring.src, wiring.dst)),
        bodies={number: bodies[v] for number, v in enumerate(kept.tolist()) if v in bodies},
        caller=_renumbered(inlined.caller, pruned.keep),
        homes={node.name: inlined.homes[node.name] for node in nodes if node.name in inlined.homes},
        unplaced=pruned.reasons,
        batched=inferred.batched,
        notes=tuple(note for note in notes if note is not None),
    )


def _restricted(
    wiring: Wiring, dag: Dag, forward: NDArray[np.bool_], keep: NDArray[np.bool_]
) -> tuple[Dag, NDArray[np.int32]]:
    """(dag, port of each edge) of the kept nodes, renumbered in file order."""
    number = np.cumsum(keep, dtype=np.int32) - 1
    inside = keep[dag.src] & keep[dag.dst]
    port = wiring.port[forward][inside]
    return Dag.from_edges(int(keep.sum()), number[dag.src[inside]], number[dag.dst[inside]]), _frozen(port)


def _renumbered(caller: NDArray[np.int32], keep: NDArray[np.bool_]) -> NDArray[np.int32]:
    """[kept] the callers' numbers among the kept, which are with them."""
    number = np.cumsum(keep, dtype=np.int32) - 1
    kept = caller[keep]
    return _frozen(np.where(kept >= 0, number[kept], MAIN).astype(np.int32))


def _frozen(array: NDArray[Kind]) -> NDArray[Kind]:
    array.flags.writeable = False
    return array
