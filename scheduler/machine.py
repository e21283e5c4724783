"""The machine: devices with memories, and the links a transfer between two of them holds."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from scheduler.dag import frozen

UNLIMITED = 2**63 - 1


@dataclass(frozen=True, eq=False)
class Machine:
    """k devices. A transfer i -> j takes `latency_ns[i, j] + ceil(bytes / bytes_per_s[i, j])` and, where contention
    is simulated, holds all links `path_link[path_ptr[i * k + j]:path_ptr[i * k + j + 1]]` from its start to its end.

    A link is whatever carries one tensor at a time: a device's outgoing or incoming port, a switch, a network card.
    """

    devices: tuple[str, ...]
    memory_bytes: NDArray[np.int64]
    """[k] usable bytes; UNLIMITED where there is no limit."""
    latency_ns: NDArray[np.int64]
    """[k, k]; the diagonal is used of a single device only."""
    bytes_per_s: NDArray[np.int64]
    """[k, k]"""
    path_ptr: NDArray[np.int64]
    path_link: NDArray[np.int32]
    links: tuple[str, ...]

    @property
    def k(self) -> int:
        """Number of devices."""
        return len(self.devices)

    @classmethod
    def ported(
        cls,
        devices: tuple[str, ...],
        memory_bytes: ArrayLike,
        latency_ns: ArrayLike,
        bytes_per_s: ArrayLike,
        hosts: ArrayLike = 0,
    ) -> Machine:
        """Devices joined by a switch without limits: each has one outgoing and one incoming port.

        Scalars or arrays: memory_bytes [k], latency_ns [k, k], bytes_per_s [k, k], hosts [k] numbered from 0. What goes
        from one host to another also holds the network cards of both, of which a host has one out and one in.
        """
        k = len(devices)
        sender, receiver = np.divmod(np.arange(k * k), k)
        host = np.broadcast_to(np.asarray(hosts, np.int64), (k,))
        h = int(host.max(initial=0)) + 1
        apart = host[sender] != host[receiver]
        always = np.ones(k * k, np.bool_)
        holds = np.stack([always, apart, apart, always], axis=1)
        links = np.stack([sender, 2 * k + host[sender], 2 * k + h + host[receiver], k + receiver], axis=1)
        cards = tuple(f"host {i} {way}" for way in ("out", "in") for i in range(h)) if h > 1 else ()
        return cls(
            devices,
            frozen(np.broadcast_to(memory_bytes, (k,)), np.int64),
            frozen(np.broadcast_to(latency_ns, (k, k)), np.int64),
            frozen(np.broadcast_to(bytes_per_s, (k, k)), np.int64),
            frozen(np.concatenate([[0], np.cumsum(holds.sum(axis=1))]), np.int64),
            frozen(links[holds], np.int32),
            tuple(f"{d} out" for d in devices) + tuple(f"{d} in" for d in devices) + cards,
        )

    @classmethod
    def uniform(cls, k: int, memory_bytes: int, latency_ns: int, bytes_per_s: int) -> Machine:
        """Equal GPUs, k of them, each pair joined alike."""
        return cls.ported(tuple(f"/device:GPU:{i}" for i in range(k)), memory_bytes, latency_ns, bytes_per_s)

    def part(self, devices: NDArray[np.int32]) -> Machine:
        """The machine of these devices alone, in this order, with the links among them."""
        pairs = (devices[:, None].astype(np.int64) * self.k + devices).ravel()
        paths = [self.path_link[self.path_ptr[pair] : self.path_ptr[pair + 1]] for pair in pairs.tolist()]
        used, link = np.unique(np.concatenate(paths), return_inverse=True)
        among = np.ix_(devices, devices)
        return Machine(
            tuple(self.devices[d] for d in devices.tolist()),
            frozen(self.memory_bytes[devices], np.int64),
            frozen(self.latency_ns[among], np.int64),
            frozen(self.bytes_per_s[among], np.int64),
            frozen(np.cumsum([0, *map(len, paths)]), np.int64),
            frozen(link, np.int32),
            tuple(self.links[x] for x in used.tolist()),
        )

    def transfer_ns(self, nbytes: NDArray[np.int64]) -> NDArray[np.int64]:
        """[m] time of a transfer of so many bytes, averaged over all ordered pairs of devices; exact if they are alike.

        One device's own entry stands for the links it would have: `blevel` counts edges as transfers there too.
        """
        pairs = [(i, j) for i in range(self.k) for j in range(self.k) if i != j] or [(0, 0)]
        links, counts = np.unique(
            [(self.latency_ns[p], self.bytes_per_s[p]) for p in pairs], axis=0, return_counts=True
        )
        total = np.zeros(len(nbytes), np.int64)
        for (latency, rate), count in zip(links.tolist(), counts.tolist(), strict=True):
            total += count * link_ns(nbytes, latency, rate)
        return total // len(pairs)


def link_ns(nbytes: NDArray[np.int64], latency_ns: int, bytes_per_s: int) -> NDArray[np.int64]:
    """[m] latency + ceil(bytes / rate), in IEEE doubles and the execution model's order of operations."""
    return latency_ns + np.ceil(nbytes / float(bytes_per_s) * 1e9).astype(np.int64)
