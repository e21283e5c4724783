"""A graph made for sessions, as TensorFlow 1 has them, whose ops get their devices before a session is made of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pardnn.errors import InputError
from pardnn.placers.placing import Placing
from pardnn.placers.undo import undo_of
from pardnn.placers.variables import living
from pardnn.placers.verify import ReadBack, Verified


def is_graph(what: Any) -> bool:
    """Whether it is a graph of TensorFlow's, one that a function is made of among them."""
    import tensorflow as tf

    return isinstance(what, tf.Graph)


def require_graph(graph: Any) -> None:
    """Raise InputError for what cannot be placed, before anything is done to it."""
    from tensorflow.python.client.session import BaseSession

    if graph.building_function:
        raise InputError("the graph is that of a function: place the function")
    if not graph.get_operations():
        raise InputError("the graph has no ops yet: place it when it is made, before its session")
    if any(session.graph is graph and not session._closed for session in living(BaseSession)):
        raise InputError("the graph is in a session, which keeps its devices: place it before tf.Session(graph=graph)")


class GraphHook:
    """The placement of one graph: from `install` on, until `remove`."""

    def __init__(self, graph: Any, placing: Placing, targets: Sequence[str]) -> None:
        self._graph = graph
        self._placing = placing
        self._targets = tuple(targets) or _train_ops(graph)
        self._undo = undo_of(graph)
        self._placed = False

    def install(self) -> None:
        """Plan, and put the devices on. Raises DoesNotFit, and then the graph is as it was."""
        self._placing.made(self._graph, self._targets)
        self._placed = True

    def remove(self) -> None:
        """Make the graph what it was."""
        if self._placed:
            require_graph(self._graph)
            self._placed = False
            self._undo()

    def verify(self, session: Any, feed_dict: Any) -> Verified:
        """The planned devices held against those of one more step, which this runs."""
        from tensorflow.compat import v1

        if session is None:
            raise InputError("a graph runs in a session: call verify(session), with feed_dict=... if a step needs one")
        if not self._targets:
            raise InputError("it is not known what a step runs: call pardnn.place(graph, targets=['train'], ...)")
        metadata = v1.RunMetadata()
        options = v1.RunOptions(output_partition_graphs=True)
        session.run(list(self._targets), feed_dict, options=options, run_metadata=metadata)
        read = ReadBack()
        read.add(metadata.partition_graphs)
        self._placing.hold(read)
        return self._placing.verify("session.run")


def _train_ops(graph: Any) -> tuple[str, ...]:
    """What optimizers have put down as a training step."""
    from tensorflow.compat import v1

    return tuple(item.name.partition(":")[0] for item in graph.get_collection(v1.GraphKeys.TRAIN_OP))
