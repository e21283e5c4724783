"""How each family is trained: which tables, how long, how large."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pardnn.cost.learned import store
from pardnn.cost.learned.device import FIGURES
from pardnn.cost.learned.ensemble import Ensemble, loss_of_log, whole
from pardnn.cost.learned.family import Family
from pardnn.cost.learned.network import Floats, initial, without_last
from pardnn.cost.learned.training import Recipe, train
from scripts.learning import tables
from scripts.learning.tables import Measured


@dataclass(frozen=True)
class Plan:
    """Hidden layers, networks, epochs of each; and of the one that has to do without a device."""

    hidden: tuple[int, ...]
    members: int
    epochs: int
    alone: int
    left_out: tuple[str, ...]
    blind: bool = False
    """Whether there are networks for devices not seen, which see few of a device's figures."""
    """Chips that have to be predicted unseen, each by a network of its own."""


PLANS: Mapping[str, Plan] = {
    "convolution": Plan((128, 128, 128), 3, 22, 7, ("V100", "P100", "1080ti", "M60", "K40", "K80")),
    "product": Plan((96, 96, 96), 3, 20, 6, ("V100", "P100", "P4", "T4", "A100")),
    "vector": Plan((64, 64, 64), 2, 12, 6, ("V100", "P100", "P4", "T4", "A100"), blind=True),
}


def parts(name: str, perf: Path) -> tuple[Measured, Measured]:
    """Rows to train on, and rows to choose and calibrate with; none of the test part of any table."""
    if name == "convolution":
        files = [tables.justus(perf), tables.neusight(perf, "nvidia_conv")]
    elif name == "product":
        files = [tables.neusight(perf, "nvidia_linear"), tables.neusight(perf, "nvidia_bmm")]
    else:
        files = [tables.neusight(perf, "vec_ops")]
    ways = [(table, tables.split(len(table.ms))) for table in files]
    return (
        tables.joined([table.take(way[0]) for table, way in ways]),
        tables.joined([table.take(way[1]) for table, way in ways]),
    )


def family(name: str, rows: Measured, plan: Plan, share: float = 1.0) -> Family:
    """The family trained on these rows, not calibrated yet. Deterministic."""
    rule = store.RULES[name]
    features = rule.features(rows.rows, rows.devices)
    blind = _ensemble(name, rows, features, plan, share, blind=True) if plan.blind else None
    figures = np.array([list(tables.DEVICES.values())[d] for d in sorted(set(rows.device.tolist()))])
    return Family(rule, _ensemble(name, rows, features, plan, share), blind, figures, 2.0, 4.0)


def _ensemble(
    name: str, rows: Measured, features: Floats, plan: Plan, share: float, blind: bool = False
) -> Ensemble:  # fmt: skip
    rule = store.RULES[name]
    loss = loss_of_log(rows.ms, rule.least_ms(rows.rows, rows.devices), rule.overhead_ms(rows.rows))
    recipe = Recipe(epochs=max(1, round(plan.epochs * share)), rate=3e-3)
    networks = []
    for seed in range(plan.members):
        start = initial(features, plan.hidden, np.random.default_rng(seed))
        if blind:
            start = without_last(start, FIGURES)
        networks.append(train(start, features, loss, recipe, np.random.default_rng(seed + 10)))
    return whole(networks, features, rule.RANGE, rule.OPEN_ABOVE)
