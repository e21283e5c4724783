"""Several hosts as one TensorFlow: a server in every process, the script in one of them.

    task 0: the script, a server beside it           tasks 1, 2, ...: servers, which run what they are sent
        place ──> wait for the others ──> join ──> fit ──> end ──> they end too

TensorFlow's own runtime does the work; what a step sends from one host to another goes from server to server.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

from pardnn.errors import InputError
from pardnn.machines.build import HOST
from pardnn.placers import versions
from pardnn.placers.address import answers, await_all, await_end, is_free, is_used
from pardnn.placers.cluster import JOB, Cluster
from pardnn.placers.inner import runtime
from pardnn.placers.needs import require_tensorflow

Say = Callable[[str], None]

_joined: Cluster | None = None
_servers: dict[Cluster, Any] = {}  # kept alive: a server ends with its last reference


def enter(cluster: Cluster, timeout_s: float, say: Say) -> None:
    """Take this process's part in a cluster: task 0, and one that is no task, joins it and returns.

    Any other serves until task 0 has ended, and ends then: SystemExit(0). Raises InputError.
    """
    require_tensorflow()
    if not cluster.task:
        join(cluster, timeout_s, say)
        return
    serve(cluster, cluster.task, say)
    if await_all(cluster.addresses[:1], timeout_s, lambda n: say(f"waiting for {cluster.told(n)}")) is not None:
        raise InputError(f"{cluster.told(0)} has not come up in {timeout_s:g} s: start the script there too")
    await_end(cluster.addresses[0])
    say(f"{cluster.told(0)} has ended, and so does this task")
    raise SystemExit(0)


def serve(cluster: Cluster, task: int, say: Say) -> None:
    """Start the server of a task in this process; it runs until the process ends. Raises InputError."""
    import tensorflow as tf

    address = cluster.addresses[task]
    if not is_free(address.port):
        raise InputError(
            f"{cluster.told(task)}: port {address.port} is taken on this host: end what uses it, or give another"
        )
    config = runtime().config  # its devices and threads are those of this process
    if not config.inter_op_parallelism_threads:  # with a single thread, sends would wait for the op that runs
        config.inter_op_parallelism_threads = max(2, len(os.sched_getaffinity(0)))
    try:
        server = tf.distribute.Server(cluster.spec, job_name=JOB, task_index=task, config=config)
    except (tf.errors.OpError, RuntimeError) as error:
        raise InputError(f"{cluster.told(task)}: cannot serve: {str(error).splitlines()[0]}") from None
    _servers[cluster] = server
    versions.put(server, _prefix(task), tf.__version__)
    say(f"{cluster.told(task)} of {len(cluster.addresses)} serves")


def join(cluster: Cluster, timeout_s: float, say: Say) -> None:
    """Make the devices of all tasks TensorFlow's, waiting for those that are not up yet. Raises InputError.

    What has been made before, models and their variables, goes on working.
    """
    global _joined  # noqa: PLW0603 - so is TensorFlow's own state: a process is in one cluster
    if _joined is not None and _joined != cluster:
        others = ", ".join(map(str, _joined.addresses))
        raise InputError(f"this process has joined {others}: it cannot join another cluster")
    if _joined is None:
        if cluster.task is not None and cluster not in _servers:
            serve(cluster, cluster.task, say)
        _wait(cluster, timeout_s, say)
        _connect(cluster)
        _joined = cluster
    _check(cluster)


def _wait(cluster: Cluster, timeout_s: float, say: Say) -> None:
    missing = await_all(cluster.addresses, timeout_s, lambda n: say(f"waiting for {cluster.told(n)}"))
    if missing is None:
        return
    who = cluster.told(missing)
    if is_used(cluster.addresses[missing]):
        raise InputError(f"{who}: what listens there is no TensorFlow server: is the port right?")
    raise InputError(f"{who} has not come up in {timeout_s:g} s: start it with `pardnn serve` there")


def _connect(cluster: Cluster) -> None:
    import tensorflow as tf

    # What is sent ahead in a stream may overtake a function's run: weights set between two steps came before or after
    # the next one, by chance.
    os.environ.setdefault("TF_ENABLE_EAGER_CLIENT_STREAMING_ENQUEUE", "false")
    try:
        tf.config.experimental_connect_to_cluster(cluster.spec)
    except (tf.errors.OpError, ValueError, RuntimeError) as error:
        raise InputError(f"the cluster cannot be joined: {str(error).splitlines()[0]}") from None


def _check(cluster: Cluster) -> None:
    """Raise InputError where a task is not what it should be."""
    import tensorflow as tf

    there = [device.name for device in tf.config.list_logical_devices()]
    for task in range(len(cluster.addresses)):
        who = cluster.told(task)
        if not any(name.startswith(_prefix(task)) for name in there):
            raise InputError(f"{who} answers as another: start it as task {task} of the same addresses")
        if (other := versions.of(_prefix(task)) or tf.__version__) != tf.__version__:
            raise InputError(f"{who} has TensorFlow {other}, this process {tf.__version__}: install one")


def devices_of(cluster: Cluster, planned: Sequence[str], local: Sequence[str]) -> dict[str, str]:
    """TensorFlow's device for each device of the plan, and for the host; `local` are those of every host, in order."""
    import tensorflow as tf

    there = [device.name for device in tf.config.list_logical_devices()]
    real = [f"{_prefix(task)}{name}" for task in range(len(cluster.addresses)) for name in local]
    for name in real:
        if name not in there:
            raise InputError(f"there is no device {name}, only {', '.join(there)}; devices=[...] says which of a host")
    assert len(real) == len(planned)
    return {**dict(zip(planned, real, strict=True)), HOST: f"{_prefix(0)}{HOST}"}


def _prefix(task: int) -> str:
    return f"/job:{JOB}/replica:0/task:{task}"


def lost(error: BaseException) -> InputError | None:
    """The one line for an error of TensorFlow's that a task has caused by ending; None if all are there."""
    import tensorflow as tf

    if _joined is None or not isinstance(error, tf.errors.OpError):
        return None
    time.sleep(0.2)  # a process that is being killed still answers for a moment
    for task, address in enumerate(_joined.addresses):
        if not answers(address):
            return InputError(
                f"{_joined.told(task)} is gone, and the variables it held: start it and the script again; "
                "keras.callbacks.BackupAndRestore goes on where an epoch ended"
            )
    return None
