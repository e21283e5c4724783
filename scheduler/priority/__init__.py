"""Dispatch rules: in which order a device takes its ready nodes. One rule a file."""

from collections.abc import Callable

from scheduler.machine import Machine
from scheduler.priority.blevel import blevel
from scheduler.priority.fifo import fifo
from scheduler.priority.rule import Priority
from scheduler.workload import Workload

ORDERS: dict[str, Callable[[Workload, Machine], Priority]] = {"fifo": fifo, "blevel": blevel}

__all__ = ["ORDERS", "Priority", "blevel", "fifo"]
