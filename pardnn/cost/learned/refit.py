"""The shipped networks brought to a device of the user's own by some hundred measured ops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pardnn.cost.learned.device import Column, Devices, devices
from pardnn.cost.learned.ensemble import Ensemble, edges, loss_of_log
from pardnn.cost.learned.family import Family, quantile
from pardnn.cost.learned.training import Recipe, train

KEPT_BACK = 4
"""Of every so many ops one is kept out of training, to judge by."""
RECIPE = Recipe(epochs=150, batch=32, rate=1e-3)
FEWEST = 12
"""With fewer measured ops than this a family stays as it is."""


@dataclass(frozen=True, eq=False)
class Refitted:
    """The family for the device, and its mean error on the ops kept back, in per cent: before, and after.

    Where that is no less, the family is the one before.
    """

    family: Family
    before: float
    after: float


def measured_figures(
    work: Mapping[str, tuple[Column, Column]], ms: Mapping[str, Column], cores: int
) -> tuple[float, ...]:
    """Figures of a device nothing is known of: a little over what the third-fastest op of a family reached.

    The very fastest may be an error of the clock.
    """
    flops, bandwidth = (
        max(float(np.sort(did[which] / ms[name])[-3:][0]) for name, did in work.items()) for which in (0, 1)
    )
    return (1.1 * flops, 1.1 * bandwidth, float(cores), 1.1 * flops / 2 / cores / 1e3, bandwidth * 6e-3, flops / 60e6)


def refit(family: Family, rows: Mapping[str, Column], ms: Column, figures: tuple[float, ...]) -> Refitted:
    """All weights trained further on the device's rows; the band by those kept back. Deterministic, some seconds."""
    device = devices([figures], np.zeros(len(ms), np.intp))
    kept = np.arange(len(ms)) % KEPT_BACK == KEPT_BACK - 1
    seen, judged = np.flatnonzero(~kept), np.flatnonzero(kept)
    features = family.rule.features(rows, device)[seen]
    least, over = family.rule.least_ms(rows, device)[seen], family.rule.overhead_ms(rows)[seen]
    loss = loss_of_log(ms[seen], least, over)
    old = family.ensemble
    networks = tuple(
        train(network, features, loss, RECIPE, np.random.default_rng(seed)) for seed, network in enumerate(old.networks)
    )
    low, high = edges(features)
    ensemble = Ensemble(networks, np.minimum(old.low, low), np.maximum(old.high, high), old.bounds, old.open_above)
    new = replace(family, ensemble=ensemble, blind=None, trained=np.array([figures]))
    part = {name: column[judged] for name, column in rows.items()}
    there = device.take(judged)
    before, after = (_error(one, part, there, ms[judged]) for one in (family, new))
    if after >= before:
        # Too few ops, or too noisy ones, to learn from: the shipped networks know better.
        new = replace(new, ensemble=family.blind or family.ensemble)
    doubts = quantile(new.doubts(ms[judged], part, there), 0.9)
    new = replace(new, doubts_known=doubts, doubts_unseen=max(doubts, family.doubts_unseen))
    return Refitted(new, before, min(before, after))


def _error(family: Family, rows: Mapping[str, Column], device: Devices, ms: Column) -> float:
    return float(100 * np.mean(np.abs(family.predict(rows, device).ms / ms - 1)))
