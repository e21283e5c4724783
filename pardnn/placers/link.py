"""How long a tensor takes from one device to another, by its size: sent back and forth, beside as many ops on one.

A short way is taken off a long one, and with it what starting a step takes, which is more where two devices have part
in it: sent once, 4 bytes took 0.8 ms between two processes of one host, each further time 0.1 ms.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from pardnn.errors import InputError, one_line
from pardnn.placers.address import answers
from pardnn.placers.cluster import JOB, Cluster
from pardnn.placers.inner import run_as_written

SIZES = (4, 256, 4096, 65536, 1 << 18, 1 << 20, 1 << 22, 1 << 24, 1 << 26)
_SHORT, _LONG = 2, 10
"""Hops of the two ways."""
_REPEATS = 9


@dataclass(frozen=True)
class Transfers:
    """Seconds of one transfer by bytes."""

    devices: tuple[str, str]
    how: str
    """What the two are to each other."""
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]


def transfers(cluster: Cluster | None = None, sizes: Sequence[int] = SIZES) -> Transfers:
    """The transfers between the first devices of a running cluster's first two hosts, else of two GPUs, of the host and
    its one GPU, or of two logical CPUs of this process. Raises InputError.
    """
    import tensorflow as tf

    config = tf.compat.v1.ConfigProto(device_count={"CPU": 2}, allow_soft_placement=False)
    run_as_written(config)
    config.gpu_options.allow_growth = True
    target = "" if cluster is None else _server(cluster)
    try:
        with tf.Graph().as_default() as graph:
            with tf.compat.v1.Session(target, graph, config=config) as session:
                names = [device.name for device in session.list_devices()]
            one, other, how = _pair(names, cluster)
            chains = {
                (size, there, hops): _chain(one, there, size, hops)
                for size in sizes
                for there in (other, one)
                for hops in (_SHORT, _LONG)
            }
            with tf.compat.v1.Session(target, graph, config=config) as session:
                took = {key: _timed(session, *chain) for key, chain in chains.items()}
    except tf.errors.OpError as error:
        raise InputError(f"--machine-out: {one_line(error.message)}") from None
    further = {key[:2]: took[key] - took[(*key[:2], _SHORT)] for key in took if key[2] == _LONG}
    seconds = tuple(max(further[size, other] - further[size, one], 0.0) / (_LONG - _SHORT) for size in sizes)
    return Transfers((one, other), how, tuple(sizes), seconds)


def _server(cluster: Cluster) -> str:
    """The session target of a cluster of which the first two hosts are up."""
    if len(cluster.addresses) < 2:
        raise InputError(f"--cluster: {cluster.addresses[0]} alone has no link: name a second host")
    for task, address in enumerate(cluster.addresses[:2]):
        if not answers(address):
            raise InputError(f"--cluster: {cluster.told(task)} is not up: start it with `pardnn serve` there")
    return f"grpc://{cluster.addresses[0]}"


def _pair(names: Sequence[str], cluster: Cluster | None) -> tuple[str, str, str]:
    """(device, other device, what they are to each other)."""
    gpus = sorted(name for name in names if "device:GPU:" in name)
    cpus = sorted(name for name in names if "device:CPU:" in name)
    if cluster is not None:
        tasks = [f"/job:{JOB}/replica:0/task:{task}/" for task in range(2)]
        first = [next((name for name in (*gpus, *cpus) if name.startswith(task)), "") for task in tasks]
        for task, name in enumerate(first):
            if not name:
                raise InputError(
                    f"--cluster: {cluster.told(task)} answers as another: serve it with the same addresses"
                )
        return first[0], first[1], f"over gRPC between {cluster.addresses[0]} and {cluster.addresses[1]}"
    if len(gpus) > 1:
        return gpus[0], gpus[1], "between two GPUs of this machine"
    if gpus:
        return cpus[0], gpus[0], "between this machine's host and its one GPU"
    return cpus[0], cpus[1], "between two logical CPUs of one process"


def device_name(device: str) -> str:
    """What the card of a device calls itself; "" of a processor."""
    import tensorflow as tf

    gpus = tf.config.list_physical_devices("GPU")
    if "device:GPU:" not in device or not gpus:
        return ""
    return str(tf.config.experimental.get_device_details(gpus[0]).get("device_name", "a GPU"))


def _chain(here: str, there: str, size: int, hops: int) -> tuple[Any, Any]:
    """(op that makes a tensor here, op at the end of so many hops there and back again)."""
    import tensorflow as tf

    with tf.device(here):
        start = tf.compat.v1.placeholder(tf.uint8, [size])
        held = tf.raw_ops.VarHandleOp(dtype=tf.uint8, shape=[size], shared_name=f"pardnn_{size}_{here == there}_{hops}")
        make = tf.raw_ops.AssignVariableOp(resource=held, value=start)
        value = tf.raw_ops.ReadVariableOp(resource=held, dtype=tf.uint8)
    for hop in range(hops):
        with tf.device(here if hop % 2 else there):
            value = tf.identity(value)
    return (make, start), value.op


def _timed(session: Any, make: tuple[Any, Any], end: Any) -> float:
    """Median seconds of the way, after one that sets it up."""
    assign, start = make
    session.run(assign, {start: np.ones(start.shape.as_list(), np.uint8)})
    way = session.make_callable(end)
    way()
    took = []
    for _ in range(_REPEATS):
        started = time.perf_counter()
        way()
        took.append(time.perf_counter() - started)
    return median(took)
