"""Who takes part in a run over several hosts: told by name, or by TF_CONFIG in the environment."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from pardnn.errors import InputError
from pardnn.placers.address import Address

JOB = "worker"
_EXAMPLE = '{"cluster": {"worker": ["a:2222", "b:2222"]}, "task": {"type": "worker", "index": 0}}'


@dataclass(frozen=True)
class Cluster:
    """The processes of a run, one a host, in the order of their tasks."""

    addresses: tuple[Address, ...]
    task: int | None = None
    """This process's own; None = it is none of them, all are served by others."""

    @classmethod
    def of(cls, given: Any = None, task: int | None = None) -> Self | None:
        """The cluster that is given: {"worker": ["a:2222", "b:2222"]}, the list alone, or a tf.train.ClusterSpec.

        Without one it is that of TF_CONFIG in the environment; None if that is not set, or names one host. Raises
        InputError.
        """
        origin = "cluster"
        if given is None:
            origin, given, task = "TF_CONFIG", *_of_environment()
            if given is None:
                return None
        texts = _texts(given, origin)
        addresses = tuple(Address.parse(text, origin) for text in texts)
        if len(set(addresses)) < len(addresses):
            raise InputError(f"{origin}: {', '.join(map(str, texts))}: one address is there twice")
        if task is not None and not 0 <= task < len(addresses):
            raise InputError(
                f"{origin}: task {task} is none of the {len(addresses)} workers, 0 to {len(addresses) - 1}"
            )
        return None if origin == "TF_CONFIG" and len(addresses) == 1 else cls(addresses, task)

    @property
    def spec(self) -> Any:
        """As TensorFlow takes it."""
        from tensorflow.train import ClusterSpec

        return ClusterSpec({JOB: [str(address) for address in self.addresses]})

    def told(self, task: int) -> str:
        """A task and where it is, for messages."""
        return f"task {task} ({self.addresses[task]})"


def _of_environment() -> tuple[Any, int | None]:
    """(cluster, task) of TF_CONFIG, (None, None) if it is not set. Raises InputError."""
    text = os.environ.get("TF_CONFIG", "").strip()
    if not text:
        return None, None
    try:
        config = json.loads(text)
        cluster, own = config.get("cluster"), config.get("task", {})
        if cluster is None:
            return None, None
        job, task = own.get("type", JOB), int(own.get("index", 0))
    except (ValueError, TypeError, AttributeError):
        raise InputError(f"TF_CONFIG: is not like {_EXAMPLE}") from None
    if job != JOB:
        raise InputError(f"TF_CONFIG: this process is a {job!r}; only workers take part, task 0 of them trains")
    return cluster, task


def _texts(given: Any, origin: str) -> list[Any]:
    """The addresses in the order of their tasks."""
    jobs = given.as_dict() if hasattr(given, "as_dict") else given
    if isinstance(jobs, Mapping):
        if other := [job for job in jobs if job != JOB]:
            raise InputError(f"{origin}: job {other[0]!r}: only workers take part; list all hosts under 'worker'")
        jobs = jobs.get(JOB)
    if not isinstance(jobs, Sequence) or isinstance(jobs, str | bytes) or not jobs:
        raise InputError(f'{origin}: give the workers\' addresses, as in {{"worker": ["a:2222", "b:2222"]}}')
    return list(jobs)
