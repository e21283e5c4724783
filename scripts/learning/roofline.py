"""Rooflines of the tables' rows, for comparison: at the peaks of data sheets, and as the package estimates them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pardnn.cost.learned import vector
from pardnn.cost.learned.device import Column
from pardnn.cost.learned.store import RULES
from pardnn.cost.record import Kernel, Kind, OpCost
from pardnn.cost.roofline import kernel_times
from pardnn.machines.card import load_card
from scripts.learning.tables import NAMES, Measured

CARDS = {
    "Tesla P4": "p4", "Tesla P100-PCIE-16GB": "p100", "Tesla V100-PCIE-32GB": "v100", "Tesla T4": "t4",
    "NVIDIA A100-PCIE-40GB": "a100-40", "NVIDIA A100 80GB PCIe": "a100-80", "NVIDIA H100 80GB HBM3": "h100",
    "NVIDIA L4": "l4", "V100": "v100", "P100": "p100", "1080ti": "gtx1080ti", "M60": "m60", "K40": "k40", "K80": "k80",
}  # fmt: skip
"""The nearest card of the package."""


def at_peaks(table: Measured) -> Column:
    """[r] ms: the larger of work / peak and traffic / bandwidth."""
    flops, traffic = work(table)
    device = table.devices
    return np.asarray(np.maximum(flops / device.flops, traffic / device.bandwidth))


def as_shipped(table: Measured) -> Column:
    """[r] ms by pardnn's roofline, whose shares of the peaks were set by such tables; matrix products without TF32."""
    flops, traffic = work(table)
    result = np.zeros(len(table.ms))
    for device in sorted(set(table.device.tolist())):
        at = np.flatnonzero(table.device == device)
        card = load_card(CARDS[NAMES[device]])
        plain = replace(card, tf32_flops_per_s=card.single_flops_per_s)
        kinds = _kinds(table)
        costs = [OpCost((Kernel(kinds[v], int(flops[v]), int(traffic[v]), 0),)) for v in at.tolist()]
        result[at] = kernel_times(costs, [plain])[:, 0] / 1e6
    return result


def work(table: Measured) -> tuple[Column, Column]:
    """([r] operations, [r] bytes) of the rows."""
    rule = RULES[_family(table)]
    return np.asarray(rule.flops_of(table.rows)), np.asarray(rule.bytes_of(table.rows))


def _family(table: Measured) -> str:
    return "product" if "m" in table.rows else "vector" if "op" in table.rows else "convolution"


def _kinds(table: Measured) -> list[Kind]:
    rows = table.rows
    if "m" in rows:
        return ["batched" if one else "matmul" for one in rows["batched"].tolist()]
    if "op" in rows:
        by_op: dict[int, Kind] = {vector.OPS.index("softmax"): "softmax", vector.OPS.index("ln"): "norm"}
        return [by_op.get(int(op), "elementwise") for op in rows["op"].tolist()]
    return ["conv"] * len(table.ms)
