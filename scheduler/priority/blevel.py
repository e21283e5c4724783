"""Largest bottom level first: the node with the longest way to the end goes first."""

from scheduler.levels import bottom_levels
from scheduler.machine import Machine
from scheduler.priority.rule import Priority
from scheduler.workload import Workload


def blevel(workload: Workload, machine: Machine) -> Priority:
    """The rule for this workload: every edge counts as a transfer, times are means over the devices."""
    node_ns = workload.time_ns.sum(axis=1) // workload.k
    return Priority(-bottom_levels(workload.dag, node_ns, machine.transfer_ns(workload.edge_bytes)), by_arrival=False)
