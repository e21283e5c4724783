"""One line before the training: a live model's, function's or graph's step planned when it is there, run as planned."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from pardnn.config import Options
from pardnn.errors import InputError, from_python
from pardnn.graph.devices import parse
from pardnn.live.plan import LivePlan
from pardnn.machines.build import HOST
from pardnn.measured import model_of
from pardnn.methods import method
from pardnn.pins import read_pin_file
from pardnn.placers.cluster import Cluster
from pardnn.shelf import Shelf
from pardnn.subject import hardware_of
from pardnn.units import parse_time

_log = logging.getLogger("pardnn")


def place(
    what: Any,
    gpus: int | str | Sequence[int] | None = None,
    mem: str | int | None = None,
    devices: Sequence[str] | None = None,
    batch_size: int | None = None,
    cache: bool = True,
    cluster: Any = None,
    cluster_timeout: str = "300s",
    **options: Any,
) -> LivePlan:
    """The plan of a training step, which then runs as planned: that of a Keras model, a tf.function or a tf.Graph.

    A model's plan fills when `fit` first traces its step, a function's when it is first called; both can be placed any
    time before that, and after a `fit` or a call too. A ConcreteFunction and a graph are planned at once; a graph
    before its session is made, for what `targets` names or its optimizers have put down as a step.

    The other options are those of `partition`; `effort` is "live", which takes little beside the tracing of the step.
    `devices` are the devices that play the plan's GPUs, in order; else GPU i is TensorFlow's own. `batch_size` is what
    to plan for where the data do not say. With `cache` the plan is kept for this user's next process, under
    PARDNN_CACHE_DIR or where the system keeps such files.

    Over several hosts `cluster` is {"worker": ["a:2222", "b:2222"]}, or TF_CONFIG says it: the other processes serve
    until task 0 has ended, and end in this call. `gpus`, `mem` and `devices` are then those of each host. Who is not up
    yet is waited for, `cluster_timeout` at most. See docs/several_hosts.md.

    Raises pardnn.errors.InputError for what cannot be placed and for devices that are not there, and DoesNotFit where
    the plan is made: here, or in `fit` or the call. In either case all is as it was and trains unplaced.
    """
    if devices is not None and gpus is None:
        gpus = len(devices)
    together = Cluster.of(cluster)
    if together is not None:
        options = {"hosts": len(together.addresses)} | options
    options = {"effort": "live"} | options
    with from_python():
        asked = Options.of(gpus=gpus, mem=mem, batch_size=batch_size, **options)
        return _placed(what, asked, devices, Shelf() if cache else None, together, cluster_timeout)


def _placed(
    what: Any,
    asked: Options,
    devices: Sequence[str] | None,
    shelf: Shelf | None,
    together: Cluster | None,
    timeout: str,
) -> LivePlan:
    from pardnn.placers.doors import require_placeable

    _check(asked)
    planned = hardware_of(asked).machine.devices
    require_placeable(what, asked.targets)
    real = _remote_devices(together, asked, planned, devices, timeout) if together else None
    return LivePlan(what, asked, real or _real_devices(planned, devices), shelf)


def _remote_devices(
    cluster: Cluster, asked: Options, planned: Sequence[str], given: Sequence[str] | None, timeout: str
) -> dict[str, str]:
    """TensorFlow's device for each device of the plan, in a cluster that this process is now in."""
    from pardnn.placers.joining import devices_of, enter

    each, rest = divmod(len(planned), len(cluster.addresses))
    if rest or asked.hosts != len(cluster.addresses):
        raise InputError(f"hosts: {asked.hosts} are asked for, the cluster has {len(cluster.addresses)}")
    local = [parse(text).local for text in (planned[:each] if given is None else given)]
    if len(local) != each or len(set(local)) < each or not all(local):
        raise InputError(f"devices: give {each} different names, those of one host, such as /device:GPU:0")
    enter(cluster, parse_time(timeout) / 1e9, lambda line: _log.warning("pardnn: %s", line))
    return devices_of(cluster, planned, local)


def _check(asked: Options) -> None:
    """Raise InputError now for what would else go wrong hours later, when the step is traced."""
    method(asked.method, asked.effort)
    model_of(asked.costs)
    if asked.pin is not None:
        read_pin_file(asked.pin, asked.hosts)


def _real_devices(planned: Sequence[str], given: Sequence[str] | None) -> dict[str, str]:
    """TensorFlow's device for each device of the plan; all are there."""
    from pardnn.placers.devices import available

    wanted = list(planned if given is None else given)
    if len(wanted) != len(planned):
        raise InputError(f"devices: {len(wanted)} names for {len(planned)} GPUs; give one for each")
    wanted.append(HOST)
    names, there = available(wanted)
    missing = [text for text, name in zip(wanted, names, strict=True) if name is None]
    if missing:
        raise InputError(f"TensorFlow sees no device {missing[0]}, only {', '.join(there)}; devices=[...] says which")
    if len(set(names[:-1])) < len(planned):
        raise InputError(f"devices: {', '.join(wanted[:-1])}: one is named twice; give another for each GPU")
    return {plan: real for plan, real in zip([*planned, HOST], names, strict=True) if real is not None}
