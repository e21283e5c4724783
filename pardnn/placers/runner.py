"""A step that stands alone, run in a session of its own: in this process, or over the processes of a cluster.

    GraphDef, devices ──> session ──> assign ──> step, step, ... ──> values

Here the functions that TensorFlow runs eagerly do not serve: it gives no times of single ops for them, and on a cluster
it runs the parts of a function one after the other. A session does neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from numpy.typing import NDArray

from pardnn.placers.feeds import Values
from pardnn.placers.inner import run_as_written, runtime
from pardnn.placers.trace import Devices

_VALUE, _ASSIGN, _READ = "pardnn/value", "pardnn/assign", "pardnn/read"
_LOAD_BYTES = 1 << 28
"""So much goes in one message; protobuf ends at 2 GiB."""


def with_devices(message: Any, devices: Devices) -> Any:
    """A copy of a GraphDef whose ops, those in its functions included, are on their devices; the others keep theirs."""
    copy = type(message)()
    copy.CopyFrom(message)
    for node in copy.node:
        node.device = devices.ops.get(node.name, node.device)
    for function in copy.library.function:
        own = devices.bodies.get(function.signature.name, {})
        for node in function.node_def:
            node.device = own.get(node.name, node.device)
    return copy


class Runner:
    """Runs a GraphDef that stands alone (`pardnn.placers.trace.definition` makes one), step after step.

    Variables are the graph's VarHandleOps, by name; they need values before the first step. `target` is where the
    session runs: "" in this process, "grpc://host:port" in that server's cluster, with whose other sessions variables
    of the same container and shared name are shared. Without `rewriting` TensorFlow runs the ops as they stand in the
    graph, under their names; `serial`: one after the other, each with all threads, so that their times do not overlap.
    Use it in a `with` block, or close it.
    """

    def __init__(self, message: Any, *, target: str = "", rewriting: bool = True, serial: bool = False) -> None:
        import tensorflow as tf

        self.variables: dict[str, int] = {node.name: _bytes_of(node) for node in _handles(message)}
        """The variables' bytes, 0 where their shape is not known."""
        whole = type(message)()
        whole.CopyFrom(message)
        for node in _handles(message):
            _add_access(whole, node)
        graph = tf.Graph()
        with graph.as_default():
            tf.graph_util.import_graph_def(whole, name="")
        self._session = tf.compat.v1.Session(target, graph, config=_config(rewriting, serial, local=not target))

    def assign(self, values: Values) -> None:
        """Give variables their values."""
        for names in _loads({name: value.nbytes for name, value in values.items()}):
            feeds = {_access(_VALUE, name) + ":0": values[name] for name in names}
            self._session.run([_access(_ASSIGN, name) for name in names], feeds)

    def values(self, names: Iterable[str] | None = None) -> dict[str, NDArray[Any]]:
        """What variables hold, all of them unless some are named."""
        found: dict[str, NDArray[Any]] = {}
        for some in _loads({name: self.variables[name] for name in (self.variables if names is None else names)}):
            found.update(self._session.run({name: _access(_READ, name) + ":0" for name in some}))
        return found

    def step(self, feeds: Values, fetches: Sequence[str] = (), targets: Sequence[str] = ()) -> list[Any]:
        """Run once: `feeds` by placeholder, `targets` are ops. Returns the values of the tensors `fetches` ("op:0")."""
        return self._run(feeds, fetches, targets)

    def traced(self, feeds: Values, fetches: Sequence[str] = (), targets: Sequence[str] = ()) -> tuple[list[Any], Any]:
        """As `step`, with the RunMetadata: times, memory and device of every op that ran, and the graph per device."""
        import tensorflow as tf

        v1 = tf.compat.v1
        metadata = v1.RunMetadata()
        asked = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=True)
        return self._run(feeds, fetches, targets, options=asked, run_metadata=metadata), metadata

    def _run(self, feeds: Values, fetches: Sequence[str], targets: Sequence[str], **named: Any) -> list[Any]:
        wanted = [list(fetches), [name.removeprefix("^") for name in targets]]
        fed = {name if ":" in name else f"{name}:0": value for name, value in feeds.items()}
        found: list[Any] = self._session.run(wanted, fed, **named)[0]
        return found

    def close(self) -> None:
        """End the session; on a cluster the variables outlive it."""
        self._session.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _config(rewriting: bool, serial: bool, local: bool) -> Any:
    """The session's settings. In this process they are those of TensorFlow's own context: both share the devices."""
    import tensorflow as tf

    config = tf.compat.v1.ConfigProto(allow_soft_placement=True)
    if local:
        config.MergeFrom(runtime().config)
    if not rewriting:
        run_as_written(config)
    if serial:
        config.inter_op_parallelism_threads = 1
        config.use_per_session_threads = True  # else the threads are those that the process has already
    return config


def _handles(message: Any) -> Iterator[Any]:
    return (node for node in message.node if node.op == "VarHandleOp")


def _bytes_of(handle: Any) -> int:
    from tensorflow import TensorShape, as_dtype

    count = TensorShape(handle.attr["shape"].shape).num_elements()
    return int(count or 0) * int(as_dtype(handle.attr["dtype"].type).size)


def _add_access(message: Any, handle: Any) -> None:
    """Add the ops that set and read a variable, where the variable is."""
    value = message.node.add(name=_access(_VALUE, handle.name), op="Placeholder", device=handle.device)
    value.attr["shape"].CopyFrom(handle.attr["shape"])
    assign = message.node.add(name=_access(_ASSIGN, handle.name), op="AssignVariableOp", device=handle.device)
    assign.input.extend([handle.name, value.name])
    read = message.node.add(name=_access(_READ, handle.name), op="ReadVariableOp", device=handle.device)
    read.input.append(handle.name)
    for node in (value, assign, read):
        node.attr["dtype"].type = handle.attr["dtype"].type


def _access(what: str, handle: str) -> str:
    return f"{what}/{handle}"


def _loads(sizes: Mapping[str, int]) -> Iterator[list[str]]:
    """The names in turn, as many at a time as fit into a message; at least one."""
    load: list[str] = []
    total = 0
    for name, size in sizes.items():
        if load and total + size > _LOAD_BYTES:
            yield load
            load, total = [], 0
        load.append(name)
        total += size
    if load:
        yield load
