"""A machine file from transfers measured here."""

from __future__ import annotations

from collections.abc import Sequence

from pardnn.machines.link import fit_link, machine_file
from pardnn.placers.needs import require_tensorflow
from pardnn.units import format_rate, format_time


def measured_machine(hosts: Sequence[str] = ()) -> tuple[bytes, str]:
    """(a machine file with the link measured between two devices, what was measured in one line).

    The devices are those of the first two of `hosts`, which serve as a cluster, or else this machine's own. Raises
    InputError.
    """
    from pardnn.placers.cluster import Cluster
    from pardnn.placers.link import device_name, transfers

    require_tensorflow()
    sent = transfers(Cluster.of(list(hosts)) if hosts else None)
    link = fit_link(sent.sizes, sent.seconds)
    rate = format_rate(link.bytes_per_s) if link.copies else "nothing copied, so no bandwidth"
    told = f"{sent.how}: {format_time(link.latency_ns)} and {rate}, half of the transfers within {100 * link.off:.0f} %"
    return machine_file(link, sent.how, device_name(sent.devices[1])).encode(), told
